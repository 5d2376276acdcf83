"""Reads an export back run by run, strictly: the first fault ends it, with its place.

Whoever stores what comes has to wait for the end: a file is taken whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from io import StringIO
from typing import Any, Final, TextIO

from qtune.core.codec import decode
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.machine_facts import MachineFacts
from qtune.core.model_facts import ModelFacts
from qtune.core.records import ExperimentRecord, RequestRecord, RunRecord
from qtune.core.taken_in import RunMarks
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from qtune.report.json_check import check_shape, damaged, object_at
from qtune.report.json_export import FACTS, MARKS, RUNS_CLOSE, RUNS_OPEN, SCHEMA, VERDICT

_FACT_TYPES: Final = {"machine": MachineFacts, "engine": EngineFacts, "model": ModelFacts}
_FAMILY: Final = "qtune-export/"
LONGEST_LINE: Final = 64 * 2**20
"""Characters; a run with a thousand long answers has a tenth of that."""
WHOLE_MOST: Final = 128 * 2**20
"""Characters of a document that was laid out anew, which can only be read whole: some 2 GB of memory."""


def read_export(file: TextIO) -> Iterator[ExportRun]:
    """Runs of an export in JSON or JSONL, in its order, one at a time.

    Args:
        file: At its beginning; a document is gone through twice, since what its runs refer to stands last.

    Raises (while going through it):
        KnownError: ``import_foreign`` if it is something else, ``import_newer`` for a schema of a later
            version, ``import_damaged`` with the place of the fault, ``import_too_large``.
    """
    lines = numbered(file)
    _, first = next(lines, (1, ""))
    header = _header(first.removeprefix("\ufeff"))
    if header is not None:
        yield from _from_lines(header, lines)
    elif first.rstrip().endswith(RUNS_OPEN):
        yield from _from_run_lines(file, first)
    else:
        yield from _from_document(_document(first.removeprefix("\ufeff") + _rest(file, len(first))))


def import_json(text: str) -> list[ExportRun]:
    """All runs of an export that is in memory; see :func:`read_export`."""
    return list(read_export(StringIO(text)))


def numbered(file: TextIO) -> Iterator[tuple[int, str]]:
    """Lines with their number, from 1; each with its end, which the last one may lack.

    Raises (while going on):
        KnownError: ``import_damaged`` where it is no text, or a line has no end.
    """
    number = 1
    try:
        while line := file.readline(LONGEST_LINE):
            if len(line) >= LONGEST_LINE:
                raise damaged(f"line {number}", "it is too long")
            yield number, line
            number += 1
    except UnicodeDecodeError as error:
        raise damaged(f"line {number}", f"it is not UTF-8 text ({error.reason})") from error


def _rest(file: TextIO, before: int) -> str:
    try:
        rest = file.read(WHOLE_MOST - before)
    except UnicodeDecodeError as error:
        raise damaged("the document", f"it is not UTF-8 text ({error.reason})") from error
    if before + len(rest) >= WHOLE_MOST:
        raise KnownError("import_too_large", most="128 MiB")
    return rest


def _document(text: str) -> Mapping[str, Any]:
    document = parse_json(text)
    if not isinstance(document, Mapping) or "schema" not in document:
        raise KnownError("import_foreign")
    _check_schema(document["schema"])
    return document


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
    """The first line of JSONL; None if this is none of ours."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, Mapping) and header.get("kind") == "header" else None


def _check_schema(schema: object) -> None:
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise KnownError("import_foreign")
    if schema != SCHEMA:
        raise KnownError("import_newer", schema=schema[:40])


@dataclass(slots=True)
class _Known:
    """What runs refer to, and which there were."""

    facts: dict[str, dict[str, Any]] = field(default_factory=lambda: {kind: {} for kind in FACTS})
    experiments: dict[str, tuple[ExperimentRecord, Verdict | None]] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    requests: int = 0

    def add_fact(self, kind: str, key: str, value: Any, place: str) -> None:  # noqa: ANN401
        check_shape(_FACT_TYPES[kind], value, place)
        if key in self.facts[kind]:
            raise damaged(place, f"the {kind} {key[:40]} is there already")
        # Kept as it stands: runs are checked and built with it in place.
        self.facts[kind][key] = value

    def add_experiment(self, value: Any, place: str) -> None:  # noqa: ANN401
        plain = dict(object_at(value, place))
        verdict = _optional(plain, VERDICT, Verdict, place)
        check_shape(ExperimentRecord, plain, place)
        _check_time(plain["created_utc"], f"{place}.created_utc")
        experiment: ExperimentRecord = decode(ExperimentRecord, plain)
        if experiment.id in self.experiments:
            raise damaged(f"{place}.id", f"the experiment {experiment.id[:40]} is there already")
        self.experiments[experiment.id] = (experiment, verdict)

    def begin_run(self, value: Any, place: str) -> _Begun:  # noqa: ANN401
        whole = dict(object_at(value, place))
        marks = _optional(whole, MARKS, RunMarks, place)
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
        self.runs.add(run.id)
        return _Begun(run, marks or RunMarks())

    def finish(self, begun: _Begun) -> ExportRun:
        experiment, verdict = self.experiments.get(begun.run.experiment_id, (None, None))
        self.requests += len(begun.requests)
        return ExportRun(begun.run, tuple(begun.requests.values()), experiment, verdict, begun.marks)


@dataclass(slots=True)
class _Begun:
    """A run whose requests are being read."""

    run: RunRecord
    marks: RunMarks
    requests: dict[int, RequestRecord] = field(default_factory=dict)

    def add(self, value: Any, place: str) -> None:  # noqa: ANN401
        check_shape(RequestRecord, value, place)
        request: RequestRecord = decode(RequestRecord, value)
        if request.run_id != self.run.id:
            raise damaged(f"{place}.run_id", "it belongs to another run")
        if request.index in self.requests:
            raise damaged(f"{place}.index", f"request {request.index} of this run is there already")
        self.requests[request.index] = request


def _optional(whole: dict[str, Any], key: str, kind: type, place: str) -> Any:  # noqa: ANN401
    """Value of a key that may be missing, taken out of the object."""
    if key not in whole:
        return None
    value = whole.pop(key)
    check_shape(kind, value, f"{place}.{key}")
    return decode(kind, value)


def _check_time(text: str, place: str) -> None:
    try:
        zone = datetime.fromisoformat(text).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise damaged(place, f"a time with its zone is expected, not {text[:40]}")


# -- a document --------------------------------------------------------------------------------------------

_KEYS: Final = ("schema", "program", "runs", "experiments", *(f"{kind}s" for kind in FACTS))


def _from_document(document: Mapping[str, Any]) -> Iterator[ExportRun]:
    known = _referred_to(document)
    for at, value in enumerate(_list(document["runs"], "runs")):
        yield _whole_run(known, value, f"runs[{at}]")


def _referred_to(document: Mapping[str, Any]) -> _Known:
    """Everything of a document but its runs."""
    for key in document:
        if key not in _KEYS:
            raise damaged(key[:40], "this key is not known")
    for key in _KEYS:
        if key not in document:
            raise damaged("the document", f"the key {key} is missing")
    known = _Known()
    for kind in FACTS:
        for key, value in object_at(document[f"{kind}s"], f"{kind}s").items():
            known.add_fact(kind, key, value, f"{kind}s.{key[:40]}")
    for at, value in enumerate(_list(document["experiments"], "experiments")):
        known.add_experiment(value, f"experiments[{at}]")
    return known


def _whole_run(known: _Known, value: Any, place: str) -> ExportRun:  # noqa: ANN401
    whole = dict(object_at(value, place))
    requests = _list(whole.pop("requests", None), f"{place}.requests")
    begun = known.begin_run(whole, place)
    for number, request in enumerate(requests):
        begun.add(request, f"{place}.requests[{number}]")
    return known.finish(begun)


def _list(value: Any, place: str) -> list[Any]:  # noqa: ANN401
    if not isinstance(value, list):
        raise damaged(place, "a list is expected")
    return value


def _from_run_lines(file: TextIO, first: str) -> Iterator[ExportRun]:
    """A document as it was written: a run a line, and what they refer to at the end."""
    begin = file.tell()
    ended, last = 1, ""
    tail: list[str] = []
    for number, line in numbered(file):
        if tail or line.startswith(RUNS_CLOSE):
            tail.append(line)
        else:
            ended, last = number + 1, line
    if not tail:
        raise damaged(f"line {ended + 1}, column 1", "the file ends too early")
    if last.rstrip().endswith(","):
        raise damaged(f"line {ended}, column {len(last.rstrip())}", "no run follows")
    # Without its runs it is a small document whose lines are numbered by those that were left out.
    text = first.removeprefix("\ufeff") + "".join(tail)
    known = _referred_to(_document_without_runs(text, ended))
    file.seek(begin)
    for at, (number, line) in enumerate(numbered(file)):
        if line.startswith(RUNS_CLOSE):
            return
        yield _run_of_line(known, line, at, number + 1, ended)


def _document_without_runs(text: str, ended: int) -> Mapping[str, Any]:
    try:
        return _document(text)
    except KnownError as error:
        if error.code != "import_damaged":
            raise
    raise _at_line_of_tail(text, ended)


def _at_line_of_tail(text: str, ended: int) -> KnownError:
    first, _, tail = text.partition("\n")
    try:
        parse_json(first + "]" + "}")
        parse_json(" {" + tail.removeprefix(RUNS_CLOSE), ended + 1)
    except KnownError as error:
        return error
    return damaged("the document", "it does not hang together")


def _run_of_line(known: _Known, line: str, at: int, number: int, ended: int) -> ExportRun:
    text = line.rstrip()
    if number < ended:
        if not text.endswith(","):
            raise damaged(f"line {number}, column {len(text) + 1}", "a comma is expected")
        text = text[:-1]
    return _whole_run(known, parse_json(text, number), f"runs[{at}]")


# -- lines -------------------------------------------------------------------------------------------------


def _from_lines(header: Mapping[str, Any], lines: Iterator[tuple[int, str]]) -> Iterator[ExportRun]:
    _check_schema(header.get("schema"))
    known, begun = _Known(), None
    ended, number = False, 1
    for number, text in lines:
        if not text.strip():
            continue
        place = f"line {number}"
        if ended:
            raise damaged(place, "there is more after the end")
        line = object_at(parse_json(text, number), place)
        if line.get("kind") in {"run", "end"} and begun is not None:
            yield known.finish(begun)
            begun = None
        if line.get("kind") == "run":
            begun = known.begin_run(line.get("value"), f"{place}, value")
        else:
            ended = _take_line(known, begun, line, place)
    if not ended:
        raise damaged(f"line {number + 1}", "the file ends too early")


def _take_line(known: _Known, begun: _Begun | None, line: Mapping[str, Any], place: str) -> bool:
    """Take a line that is no run; True for the last one."""
    kind, value = line.get("kind"), line.get("value")
    where = f"{place}, value"
    match kind:
        case "machine" | "engine" | "model":
            key = line.get("hash")
            if not isinstance(key, str):
                raise damaged(f"{place}, hash", "text is expected")
            known.add_fact(kind, key, value, where)
        case "experiment":
            known.add_experiment(value, where)
        case "request":
            if begun is None:
                raise damaged(where, "its run does not stand before it")
            begun.add(value, where)
        case "end":
            counted = (len(known.runs), known.requests)
            if (line.get("runs"), line.get("requests")) != counted:
                raise damaged(place, "the number of runs or requests before it is another")
            return True
        case _:
            raise damaged(f"{place}, kind", f"{str(kind)[:40]} is not known")
    return False
