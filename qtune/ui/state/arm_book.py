"""The runs and answers the window knows, kept so that only like is compared with like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from qtune.core.gates import GateResult
from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.stats import ArmFigures, arm_figures, counts
from qtune.core.verdict import Ratio
from qtune.session.findings import ArmFindings, JobResult
from qtune.session.plans import SCREEN

RAW_ARM = "raw"
"""Requests without the chat template: never a figure of a preset."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything besides the settings that must be equal before two arms may be compared."""

    model_path: str
    engine_path: str
    engine_version: str
    prompt_id: str

    def fits(self, run: RunRecord) -> bool:
        """Whether a run was made with this model and engine."""
        mine = (self.model_path, self.engine_path, self.engine_version)
        return mine == (run.model.path, run.engine.ref.path, run.engine.version)


def slim(record: RequestRecord) -> RequestRecord:
    """A request without its text and with the outer two stamps only: all a figure needs.

    The whole lies in the history; a day of answers must not lie in memory as well.
    """
    times = record.times
    ends = (times.event_ns[0], times.event_ns[-1]) if times.event_ns else ()
    return replace(record, times=replace(times, event_ns=ends, content="", reasoning=""))


@dataclass(slots=True)
class Entry:
    """One run with the requests seen so far."""

    run: RunRecord
    requests: list[RequestRecord] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two arms of the same set-up, off first. ``factor`` is decode over decode, None when one is missing."""

    off: ArmFigures
    on: ArmFigures
    preset: str

    @property
    def factor(self) -> float | None:
        """How many times as fast the output is with the preset."""
        if self.off.decode_tok_s is None or self.on.decode_tok_s is None or not self.off.decode_tok_s.median:
            return None
        return self.on.decode_tok_s.median / self.off.decode_tok_s.median

    @property
    def few(self) -> bool:
        """Fewer than five counted requests in an arm: not enough for more than an indication."""
        return min(self.off.n_counted, self.on.n_counted) < 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What an interleaved job of this session said about an arm against off, over its ``prompts``."""

    ratio: Ratio
    prompts: tuple[str, ...]

    @property
    def sure(self) -> bool:
        """Whether there is an interval and a decision."""
        return self.ratio.bounds is not None


_Key = tuple[str, str, str]


class ArmBook:
    """Owned by the workbench, GUI thread only. Newest runs come last inside, first in ``newest``."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._answers: dict[tuple[_Key, ServerSettings], Answer] = {}
        self._gates: dict[tuple[_Key, str], tuple[GateResult, ...]] = {}

    def load(self, history: Iterable[tuple[RunRecord, list[RequestRecord]]]) -> None:
        """Take earlier runs, newest first as the history gives them; runs already known stay as they are."""
        known = self._entries
        earlier = {
            run.id: Entry(run, list(map(slim, requests))) for run, requests in history if run.id not in known
        }
        self._entries = dict(reversed(list(earlier.items()))) | known

    def begin(self, run: RunRecord) -> None:
        """A run has started."""
        self._entries[run.id] = Entry(run)

    def add(self, record: RequestRecord) -> None:
        """A request of a known run has ended."""
        if (entry := self._entries.get(record.run_id)) is not None:
            entry.requests.append(slim(record))

    def finish(self, run: RunRecord, requests: Iterable[RequestRecord]) -> None:
        """A run has ended; what the history holds of it replaces what was seen."""
        self._entries[run.id] = Entry(run, list(map(slim, requests)))

    def remember(self, found: JobResult) -> None:
        """A job has ended: keep its answers, and of each check the newest that is known."""
        ratios = {ratio.arm: ratio for ratio in found.result.verdict.ratios}
        for arm in found.findings.arms:
            if arm.arm.startswith(SCREEN) or arm.arm == RAW_ARM:
                continue
            key = _key(arm.runs[-1])
            if (ratio := ratios.get(arm.arm)) is not None:
                self._remember_ratio(key, arm, ratio)
            self._gates[key, arm.preset] = _newest_known(self._gates.get((key, arm.preset), ()), arm.gates)

    def _remember_ratio(self, key: _Key, arm: ArmFindings, ratio: Ratio) -> None:
        """A mere indication never takes the place of an answer with an interval."""
        prompts = dict.fromkeys(record.prompt_id for record in arm.requests if counts(record))
        answer = Answer(ratio, tuple(prompts))
        known = self._answers.get((key, arm.runs[-1].settings_requested))
        if known is None or answer.sure or not known.sure:
            self._answers[key, arm.runs[-1].settings_requested] = answer

    def answer(self, settings: ServerSettings, setup: Setup) -> Answer | None:
        """What the newest job said about these settings on this model and engine."""
        return self._answers.get(((setup.model_path, setup.engine_path, setup.engine_version), settings))

    def gates(self, preset: str, setup: Setup) -> tuple[GateResult, ...]:
        """What is known of a preset's promises on this model and engine."""
        key = (setup.model_path, setup.engine_path, setup.engine_version)
        return self._gates.get((key, preset), ())

    def newest(self) -> list[Entry]:
        """All runs, newest first."""
        return list(reversed(self._entries.values()))

    def run(self, run_id: str) -> RunRecord | None:
        """A run by its id."""
        entry = self._entries.get(run_id)
        return None if entry is None else entry.run

    def latest(self, settings: ServerSettings, setup: Setup) -> ArmFigures | None:
        """Figures of these settings on the set-up's prompt, over all starts of their newest experiment."""
        experiment = ""
        found: list[RequestRecord] = []
        for entry in self.newest():
            run = entry.run
            if experiment and run.experiment_id != experiment:
                continue
            trial = run.arm.startswith(SCREEN) or run.arm == RAW_ARM
            if trial or run.settings_requested != settings or not setup.fits(run):
                continue
            here = [r for r in entry.requests if r.prompt_id == setup.prompt_id]
            if run.status is not RunStatus.RUNNING and any(counts(r) for r in here):
                experiment = run.experiment_id
                found += here
        return arm_figures(found) if found else None

    def last_try(self, preset: str, model_path: str) -> RunRecord | None:
        """The newest run of a preset on a model, however it went."""
        for entry in self.newest():
            if entry.run.preset == preset and entry.run.model.path == model_path:
                return entry.run
        return None


def _key(run: RunRecord) -> _Key:
    return run.model.path, run.engine.ref.path, run.engine.version


def _newest_known(before: tuple[GateResult, ...], now: tuple[GateResult, ...]) -> tuple[GateResult, ...]:
    """Check by check: no job measures everything, so what it left open keeps its earlier answer."""
    if len(before) != len(now):
        return now
    return tuple(old if new.state == "unknown" else new for old, new in zip(before, now, strict=True))
