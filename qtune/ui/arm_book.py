"""The runs the window knows, grouped so that only like is compared with like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.stats import ArmFigures, arm_figures


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that must be equal before two arms may be compared."""

    model_path: str
    engine_path: str
    engine_version: str
    ctx_size: int
    prompt_id: str


@dataclass(slots=True)
class Entry:
    """One run with the requests seen so far."""

    run: RunRecord
    requests: list[RequestRecord] = field(default_factory=list)

    @property
    def setup(self) -> Setup | None:
        """What it may be compared with; None before its first request."""
        if not self.requests:
            return None
        return Setup(
            self.run.model.path,
            self.run.engine.ref.path,
            self.run.engine.version,
            self.run.settings_requested.ctx_size,
            self.requests[0].prompt_id,
        )

    def figures(self) -> ArmFigures:
        """Figures of the counted requests."""
        return arm_figures(self.requests)


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


class ArmBook:
    """Owned by the workbench, GUI thread only. Newest runs come last inside, first in ``newest``."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}

    def load(self, history: Iterable[tuple[RunRecord, list[RequestRecord]]]) -> None:
        """Take earlier runs, newest first as the history gives them; runs already known stay as they are."""
        known = self._entries
        earlier = {run.id: Entry(run, list(requests)) for run, requests in history if run.id not in known}
        self._entries = dict(reversed(list(earlier.items()))) | known

    def begin(self, run: RunRecord) -> None:
        """A run has started."""
        self._entries[run.id] = Entry(run)

    def add(self, record: RequestRecord) -> None:
        """A request of a known run has ended."""
        if (entry := self._entries.get(record.run_id)) is not None:
            entry.requests.append(record)

    def finish(self, run: RunRecord, requests: Iterable[RequestRecord]) -> None:
        """A run has ended; what the history holds of it replaces what was seen."""
        self._entries[run.id] = Entry(run, list(requests))

    def newest(self) -> list[Entry]:
        """All runs, newest first."""
        return list(reversed(self._entries.values()))

    def run(self, run_id: str) -> RunRecord | None:
        """A run by its id."""
        entry = self._entries.get(run_id)
        return None if entry is None else entry.run

    def latest(self, preset: str, setup: Setup) -> Entry | None:
        """The newest run of a preset under this set-up that has figures."""
        for entry in self.newest():
            fits = entry.run.preset == preset and entry.setup == setup
            if fits and entry.run.status is not RunStatus.RUNNING and entry.figures().n_counted:
                return entry
        return None

    def last_try(self, preset: str, model_path: str) -> RunRecord | None:
        """The newest run of a preset on a model, however it went."""
        for entry in self.newest():
            if entry.run.preset == preset and entry.run.model.path == model_path:
                return entry.run
        return None

    def compare(self, preset: str, setup: Setup) -> Comparison | None:
        """The preset beside off; None until both are measured under this set-up."""
        if preset == "off":
            return None
        off, on = self.latest("off", setup), self.latest(preset, setup)
        if off is None or on is None or not _same_base(off.run, on.run):
            return None
        return Comparison(off.figures(), on.figures(), preset)


def _same_base(a: RunRecord, b: RunRecord) -> bool:
    """Whether nothing differs that a preset has no business to change, such as cache types."""

    def cache(s: ServerSettings) -> tuple[str, str]:
        return s.cache_type_k, s.cache_type_v

    return cache(a.settings_requested) == cache(b.settings_requested)
