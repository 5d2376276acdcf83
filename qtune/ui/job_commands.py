"""Commands that measure, asked of the window: each asks first if it would stop a server the user started."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord
from qtune.session.jobs import JobKind
from qtune.ui import dialogs, texts
from qtune.ui.banners import BannerArea, Offer
from qtune.ui.job_buttons import BOTH
from qtune.ui.workbench import Workbench


class JobCommands(QObject):
    """Owned by the window. ``settle`` is called before a job begins.

    The button that was pressed is about to be hidden then; its focus must not fall on a neighbour.
    """

    def __init__(
        self, bench: Workbench, banners: BannerArea, settle: Callable[[], object], window: QWidget
    ) -> None:
        super().__init__(window)
        self._bench = bench
        self._banners = banners
        self._settle = settle
        self._window = window
        bench.unfinished_found.connect(self._offer_resume)

    def run(self, kind: str) -> None:
        """Measure what a button asks for: a kind of job, or ``both``."""
        bench = self._bench
        if not bench.complete:
            return
        if kind == BOTH:
            arms = ("off", bench.preset_id) if bench.preset_id != "off" else ("off",)
            self._measure(lambda: bench.run_job("measure", arms))
        else:
            self._measure(lambda: bench.run_job(cast("JobKind", kind)))

    def fill(self, preset_id: str) -> None:
        """Fill the context under a preset."""
        self._measure(lambda: self._bench.run_job("fill", (preset_id,)))

    def resume(self, experiment_id: str) -> None:
        """Go on with a job that was broken off."""
        self._measure(lambda: self._bench.resume(experiment_id))

    def _measure(self, go: Callable[[], None]) -> None:
        if not self._bench.idle:
            return
        self._settle()
        if not self._bench.user_server_alive:
            go()
            return
        dialogs.confirm(
            self._window,
            self.tr("Stop the running server to measure?"),
            self.tr("Every preset is measured in a fresh engine. Programs that use the server lose it."),
            self.tr("Stop and measure"),
            go,
        )

    def _offer_resume(self, experiment: ExperimentRecord) -> None:
        began = texts.local_time(experiment.created_utc)
        message = Message.of("experiment_unfinished", job=experiment.kind, date=began)
        offers = (
            Offer(lambda: self.tr("Go on"), lambda: self.resume(experiment.id)),
            Offer(lambda: self.tr("Leave it"), lambda: self._bench.leave(experiment.id)),
        )
        self._banners.show_message("info", message, offers)
