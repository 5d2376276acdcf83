"""Commands that measure, asked of the window: each asks first if it would stop a server the user started."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QObject

from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord
from qtune.session.jobs import JobKind
from qtune.ui.state.workbench import Workbench
from qtune.ui.tune.job_buttons import BOTH
from qtune.ui.widgets.banners import BannerArea, Offer
from qtune.ui.window.stop_questions import StopQuestions
from qtune.ui.words import texts


class JobCommands(QObject):
    """Owned by the window. ``settle`` is called before a job begins.

    The button that was pressed is about to be hidden then; its focus must not fall on a neighbour.
    """

    def __init__(
        self, bench: Workbench, banners: BannerArea, questions: StopQuestions, settle: Callable[[], object]
    ) -> None:
        super().__init__(questions)
        self._bench = bench
        self._banners = banners
        self._questions = questions
        self._settle = settle
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

    def first_look(self) -> None:
        """The quick comparison of the first start; off alone where MTP cannot be switched on."""
        bench = self._bench
        if bench.complete and bench.job_obstacle("compare") is None:
            self._measure(lambda: bench.run_job("compare", form="quick"))
        elif bench.complete:
            self._measure(lambda: bench.run_job("measure", ("off",)))

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
        self._questions.before_job(go)

    def _offer_resume(self, experiment: ExperimentRecord) -> None:
        began = texts.local_time(experiment.created_utc)
        message = Message.of("experiment_unfinished", job=experiment.kind, date=began)
        offers = (
            Offer(lambda: self.tr("Go on"), lambda: self.resume(experiment.id)),
            Offer(lambda: self.tr("Leave it"), lambda: self._bench.leave(experiment.id)),
        )
        self._banners.show_message("info", message, offers)
