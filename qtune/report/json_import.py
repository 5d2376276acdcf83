"""Reads an export back: all of it or nothing, with the place of the first fault."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from qtune.core.codec import decode
from qtune.core.errors import KnownError
from qtune.core.model_facts import ModelFacts
from qtune.core.records import EngineFacts, ExperimentRecord, MachineFacts, RequestRecord, RunRecord
from qtune.report.export_run import ExportRun
from qtune.report.json_check import check_shape, damaged, object_at
from qtune.report.json_export import FACTS, SCHEMA

_FACT_TYPES: Final = {"machine": MachineFacts, "engine": EngineFacts, "model": ModelFacts}
_FAMILY: Final = "qtune-export/"


def import_json(text: str) -> list[ExportRun]:
    """Runs of an export in JSON or JSONL, in its order.

    Raises:
        KnownError: ``import_foreign`` if it is something else, ``import_newer`` for a schema of a later
            version, ``import_damaged`` with the place of the fault.
    """
    text = text.removeprefix("\ufeff")
    first, _, rest = text.partition("\n")
    header = _header(first)
    if header is not None:
        return _from_lines(header, rest)
    document = parse_json(text)
    if not isinstance(document, Mapping) or "schema" not in document:
        raise KnownError("import_foreign", reason=f"the key schema is missing, {SCHEMA} is expected")
    _check_schema(document["schema"])
    return _from_document(document)


def parse_json(text: str, line: int = 1) -> Any:  # noqa: ANN401 - JSON
    """Strict JSON: no NaN, no key twice, no bottomless nesting; places count lines from ``line``.

    Raises:
        KnownError: ``import_damaged``.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_doubles)
    except json.JSONDecodeError as error:
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        raise damaged(place, error.msg) from error
    except RecursionError as error:
        raise damaged(f"line {line}", "it is nested too deeply") from error
    except ValueError as error:  # of the hooks, or a number with thousands of digits
        raise damaged(f"line {line}" if line > 1 else "the document", str(error)) from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _no_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {double} stands twice in one object")
    return found


def _header(line: str) -> Mapping[str, Any] | None:
    """The first line of JSONL; None if this is no JSONL of ours."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, Mapping) and header.get("kind") == "header" else None


def _check_schema(schema: object) -> None:
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise KnownError("import_foreign", reason=f"its schema is {str(schema)[:40]}")
    if schema != SCHEMA:
        raise KnownError("import_newer", schema=schema[:40])


@dataclass(slots=True)
class _Collected:
    """What was read so far, by identity; runs and requests are built once their facts are known."""

    facts: dict[str, dict[str, Any]] = field(default_factory=lambda: {kind: {} for kind in FACTS})
    experiments: dict[str, ExperimentRecord] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    requests: dict[str, dict[int, RequestRecord]] = field(default_factory=dict)

    def add_fact(self, kind: str, key: str, value: Any, place: str) -> None:  # noqa: ANN401
        check_shape(_FACT_TYPES[kind], value, place)
        if key in self.facts[kind]:
            raise damaged(place, f"the {kind} {key[:40]} is there already")
        # Kept as it stands: runs are checked and built with it in place.
        self.facts[kind][key] = value

    def add_experiment(self, value: Any, place: str) -> None:  # noqa: ANN401
        check_shape(ExperimentRecord, value, place)
        _check_time(value["created_utc"], f"{place}.created_utc")
        experiment: ExperimentRecord = decode(ExperimentRecord, value)
        if experiment.id in self.experiments:
            raise damaged(f"{place}.id", f"the experiment {experiment.id[:40]} is there already")
        self.experiments[experiment.id] = experiment

    def add_run(self, value: Any, place: str) -> RunRecord:  # noqa: ANN401
        whole = dict(object_at(value, place))
        for kind in FACTS:
            key = whole.get(kind)
            if not isinstance(key, str) or key not in self.facts[kind]:
                raise damaged(f"{place}.{kind}", f"this {kind} is not in the file")
            whole[kind] = self.facts[kind][key]
        check_shape(RunRecord, whole, place)
        for name in ("started_utc", "ended_utc"):
            if whole.get(name) is not None:
                _check_time(whole[name], f"{place}.{name}")
        run: RunRecord = decode(RunRecord, whole)
        if run.id in self.runs:
            raise damaged(f"{place}.id", f"the run {run.id[:40]} is there already")
        self.runs[run.id] = run
        self.requests[run.id] = {}
        return run

    def add_request(self, value: Any, place: str) -> None:  # noqa: ANN401
        check_shape(RequestRecord, value, place)
        request: RequestRecord = decode(RequestRecord, value)
        if request.run_id not in self.requests:
            raise damaged(f"{place}.run_id", f"the run {request.run_id[:40]} is not in the file")
        mine = self.requests[request.run_id]
        if request.index in mine:
            raise damaged(f"{place}.index", f"request {request.index} of this run is there already")
        mine[request.index] = request

    def result(self) -> list[ExportRun]:
        return [
            ExportRun(run, tuple(self.requests[key].values()), self.experiments.get(run.experiment_id))
            for key, run in self.runs.items()
        ]


def _check_time(text: str, place: str) -> None:
    try:
        zone = datetime.fromisoformat(text).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise damaged(place, f"a time with its zone is expected, not {text[:40]}")


_KEYS: Final = ("schema", "program", "runs", "experiments", *(f"{kind}s" for kind in FACTS))


def _from_document(document: Mapping[str, Any]) -> list[ExportRun]:
    for key in document:
        if key not in _KEYS:
            raise damaged(key[:40], "this key is not known")
    for key in _KEYS:
        if key not in document:
            raise damaged("the document", f"the key {key} is missing")
    found = _Collected()
    for kind in FACTS:
        for key, value in object_at(document[f"{kind}s"], f"{kind}s").items():
            found.add_fact(kind, key, value, f"{kind}s.{key[:40]}")
    for at, value in enumerate(_list(document["experiments"], "experiments")):
        found.add_experiment(value, f"experiments[{at}]")
    for at, value in enumerate(_list(document["runs"], "runs")):
        _take_run(found, value, f"runs[{at}]")
    return found.result()


def _take_run(found: _Collected, value: Any, place: str) -> None:  # noqa: ANN401
    whole = dict(object_at(value, place))
    requests = _list(whole.pop("requests", None), f"{place}.requests")
    run = found.add_run(whole, place)
    for number, request in enumerate(requests):
        where = f"{place}.requests[{number}]"
        found.add_request(request, where)
        if request["run_id"] != run.id:
            raise damaged(f"{where}.run_id", "it belongs to another run")


def _list(value: Any, place: str) -> list[Any]:  # noqa: ANN401
    if not isinstance(value, list):
        raise damaged(place, "a list is expected")
    return value


def _from_lines(header: Mapping[str, Any], rest: str) -> list[ExportRun]:
    _check_schema(header.get("schema"))
    found = _Collected()
    # Not splitlines: it would cut at characters that are no line ends in JSON.
    lines = rest.split("\n")
    ended = False
    for number, text in enumerate(lines, start=2):
        if not text.strip():
            continue
        if ended:
            raise damaged(f"line {number}", "there is more after the end")
        ended = _take_line(found, object_at(parse_json(text, number), f"line {number}"), f"line {number}")
    if not ended:
        raise damaged(f"line {len(lines) + 1}", "the file ends too early")
    return found.result()


def _take_line(found: _Collected, line: Mapping[str, Any], place: str) -> bool:
    """Take one line; True for the last one."""
    kind, value = line.get("kind"), line.get("value")
    where = f"{place}, value"
    match kind:
        case "machine" | "engine" | "model":
            key = line.get("hash")
            if not isinstance(key, str):
                raise damaged(f"{place}, hash", "text is expected")
            found.add_fact(kind, key, value, where)
        case "experiment":
            found.add_experiment(value, where)
        case "run":
            found.add_run(value, where)
        case "request":
            found.add_request(value, where)
        case "end":
            counted = (len(found.runs), sum(map(len, found.requests.values())))
            if (line.get("runs"), line.get("requests")) != counted:
                raise damaged(place, "the number of runs or requests before it is another")
            return True
        case _:
            raise damaged(f"{place}, kind", f"{str(kind)[:40]} is not known")
    return False
