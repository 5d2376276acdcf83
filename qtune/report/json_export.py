"""The whole raw record as JSON or JSONL, schema ``qtune-export/1``; described in docs/exports.md.

Facts about machines, engines and models stand once, under the hash of their content, and runs refer to them.
Text is ASCII with escapes, so that no line break of Unicode cuts a line and lone surrogates survive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final

from qtune import __version__
from qtune.core.codec import content_hash, encode, to_text
from qtune.core.errors import BugError
from qtune.core.records import ExperimentRecord, RunRecord
from qtune.report.export_run import ExportRun

SCHEMA: Final = "qtune-export/1"
FACTS: Final = ("machine", "engine", "model")
"""Parts of a run that are kept apart, by the name of the field."""
PROGRAM: Final = f"qtune {__version__}"

Json = dict[str, Any]


@dataclass(slots=True)
class _Seen:
    """What was written already, so that it stands once."""

    facts: dict[str, Json] = field(default_factory=lambda: {kind: {} for kind in FACTS})
    experiments: dict[str, ExperimentRecord] = field(default_factory=dict)
    hashes: dict[int, tuple[object, str]] = field(default_factory=dict)

    def new_experiment(self, source: ExportRun) -> ExperimentRecord | None:
        """The run's experiment if it was not there yet."""
        experiment = source.experiment
        if experiment is None:
            return None
        if experiment.id != source.run.experiment_id:
            raise BugError(f"run {source.run.id} is exported with an experiment it does not belong to")
        known = self.experiments.get(experiment.id)
        if known is not None and known != experiment:
            raise BugError(f"two experiments have the id {experiment.id}")
        self.experiments[experiment.id] = experiment
        return experiment if known is None else None

    def take_run(self, run: RunRecord) -> tuple[Json, list[tuple[str, str, Json]]]:
        """The run with hashes in place of its facts, and the facts that are new, with kind and hash."""
        plain: Json = {}
        new = []
        for each in fields(run):
            value = getattr(run, each.name)
            if each.name not in FACTS:
                plain[each.name] = encode(value)
                continue
            key = self._hash(value)
            plain[each.name] = key
            if key not in self.facts[each.name]:
                self.facts[each.name][key] = encode(value)
                new.append((each.name, key, self.facts[each.name][key]))
        return plain, new

    def _hash(self, facts: object) -> str:
        """Hash of facts; the history gives all its runs the same objects, so most are known by identity."""
        known = self.hashes.get(id(facts))
        if known is None or known[0] is not facts:
            known = self.hashes[id(facts)] = (facts, content_hash(facts))
        return known[1]


def export_jsonl(runs: Iterable[ExportRun]) -> Iterator[str]:
    """One JSON object a line, made as they are asked for; everything stands before what refers to it.

    The last line counts what came before, so that a file cut short is noticed.
    """
    yield _line(kind="header", schema=SCHEMA, program=PROGRAM)
    seen = _Seen()
    runs_written = requests_written = 0
    for source in runs:
        run, facts = seen.take_run(source.run)
        for kind, key, value in facts:
            yield _line(kind=kind, hash=key, value=value)
        experiment = seen.new_experiment(source)
        if experiment is not None:
            yield _line(kind="experiment", value=encode(experiment))
        yield _line(kind="run", value=run)
        runs_written += 1
        for request in source.requests:
            yield _line(kind="request", value=encode(request))
            requests_written += 1
    yield _line(kind="end", runs=runs_written, requests=requests_written)


def _line(**values: Any) -> str:  # noqa: ANN401 - JSON
    return to_text(values) + "\n"


def export_json(runs: Iterable[ExportRun]) -> str:
    """The same as one document."""
    return "".join(json_parts(runs))


def json_parts(runs: Iterable[ExportRun]) -> Iterator[str]:
    """The document in pieces, one run at a time, one run a line."""
    yield f'{{"schema":{to_text(SCHEMA)},"program":{to_text(PROGRAM)},"runs":['
    seen = _Seen()
    before = "\n"
    for source in runs:
        run, _ = seen.take_run(source.run)
        seen.new_experiment(source)
        run["requests"] = encode(source.requests)
        yield before + to_text(run)
        before = ",\n"
    yield f'\n],"experiments":{to_text(encode(tuple(seen.experiments.values())))}'
    for kind in FACTS:
        yield f',\n"{kind}s":{to_text(seen.facts[kind])}'
    yield "}\n"
