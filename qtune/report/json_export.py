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
from qtune.core.records import ExperimentRecord
from qtune.core.taken_in import RunMarks
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun

SCHEMA: Final = "qtune-export/1"
FACTS: Final = ("machine", "engine", "model")
"""Parts of a run that are kept apart, by the name of the field."""
PROGRAM: Final = f"qtune {__version__}"

RUNS_OPEN: Final = '"runs":['
RUNS_CLOSE: Final = "],"
"""How the list of runs begins, at the end of a line, and how the line after the last run does."""
MARKS: Final = "marks"
"""Key of a run for what the user said of it; missing where that is nothing."""
VERDICT: Final = "verdict"
"""Key of an experiment for what it came to; missing where it came to nothing yet."""

Json = dict[str, Any]
Experiment = tuple[ExperimentRecord, Verdict | None]


@dataclass(slots=True)
class _Seen:
    """What was written already, so that it stands once."""

    facts: dict[str, Json] = field(default_factory=lambda: {kind: {} for kind in FACTS})
    experiments: dict[str, Experiment] = field(default_factory=dict)
    hashes: dict[int, tuple[object, str]] = field(default_factory=dict)

    def new_experiment(self, source: ExportRun) -> Json | None:
        """The run's experiment with its verdict, if it was not there yet."""
        experiment = source.experiment
        if experiment is None:
            return None
        if experiment.id != source.run.experiment_id:
            raise BugError(f"run {source.run.id} is exported with an experiment it does not belong to")
        known = self.experiments.get(experiment.id)
        if known is not None and known != (experiment, source.verdict):
            raise BugError(f"two experiments have the id {experiment.id}")
        self.experiments[experiment.id] = (experiment, source.verdict)
        return _experiment(experiment, source.verdict) if known is None else None

    def take_run(self, source: ExportRun) -> tuple[Json, list[tuple[str, str, Json]]]:
        """The run with hashes in place of its facts, and the facts that are new, with kind and hash."""
        plain: Json = {}
        new = []
        run = source.run
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
        if source.marks != RunMarks():
            plain[MARKS] = encode(source.marks)
        return plain, new

    def _hash(self, facts: object) -> str:
        """Hash of facts; the history gives all its runs the same objects, so most are known by identity."""
        known = self.hashes.get(id(facts))
        if known is None or known[0] is not facts:
            known = self.hashes[id(facts)] = (facts, content_hash(facts))
        return known[1]


def _experiment(record: ExperimentRecord, verdict: Verdict | None) -> Json:
    plain: Json = encode(record)
    return plain if verdict is None else {**plain, VERDICT: encode(verdict)}


def export_jsonl(runs: Iterable[ExportRun]) -> Iterator[str]:
    """One JSON object a line, made as they are asked for; everything stands before what refers to it.

    The last line counts what came before, so that a file cut short is noticed.
    """
    yield _line(kind="header", schema=SCHEMA, program=PROGRAM)
    seen = _Seen()
    runs_written = requests_written = 0
    for source in runs:
        run, facts = seen.take_run(source)
        for kind, key, value in facts:
            yield _line(kind=kind, hash=key, value=value)
        experiment = seen.new_experiment(source)
        if experiment is not None:
            yield _line(kind="experiment", value=experiment)
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
    """The document in pieces, one run at a time, one run a line.

    It is read back a line at a time as well; in any other layout it has to be read whole.
    """
    yield f'{{"schema":{to_text(SCHEMA)},"program":{to_text(PROGRAM)},{RUNS_OPEN}'
    seen = _Seen()
    before = "\n"
    for source in runs:
        run, _ = seen.take_run(source)
        seen.new_experiment(source)
        run["requests"] = encode(source.requests)
        yield before + to_text(run)
        before = ",\n"
    yield f'\n{RUNS_CLOSE}"experiments":{to_text([_experiment(*one) for one in seen.experiments.values()])}'
    for kind in FACTS:
        yield f',\n"{kind}s":{to_text(seen.facts[kind])}'
    yield "}\n"
