"""What each footing was measured to give, from the history: the price of a rung."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from qtune.core.ladder import Footing, Known, Rung, RungView
from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.stats import arm_figures
from qtune.store.reader import Reader

READ_MOST = 200
"""Newest runs that are looked at when the app opens."""


class Prices:
    """Figures by model and settings; the newest measurement counts. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, ServerSettings], Known] = {}

    def read(self, reader: Reader) -> None:
        """Learn from the history; reads disks."""
        for run in reader.runs(limit=READ_MOST)[::-1]:
            if run.status is RunStatus.DONE:
                self.learn(run, reader.requests(run.id))

    def learn(self, run: RunRecord, requests: Sequence[RequestRecord]) -> None:
        """Take over a run that ended well."""
        decode = arm_figures(requests).decode_tok_s
        if run.status is not RunStatus.DONE or decode is None:
            return
        peak = None if run.memory is None else run.memory.peak
        with self._lock:
            self._known[run.model.path, run.settings_requested] = Known(decode.median, peak)

    def of(self, footing: Footing) -> Known | None:
        """What was measured with exactly this model and these settings."""
        with self._lock:
            return self._known.get((footing.model_path, footing.settings))

    def view(self, rung: Rung) -> RungView:
        """A rung with its price, as far as it is known."""
        return RungView(rung, self.of(rung.before), self.of(rung.after))
