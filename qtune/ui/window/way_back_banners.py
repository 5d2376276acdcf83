"""What the way back tells and asks above the page: what was lowered, what failed, what to do at the start."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from qtune.core.incident import Incident
from qtune.core.ladder import Footing
from qtune.core.messages import Message
from qtune.session.requests import LaunchRequest
from qtune.session.trials import Trial
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.banners import BannerArea, Offer
from qtune.ui.window.keep_dialog import KeepDialog
from qtune.ui.words import figures_text, ladder_words, texts

LOWERED, STALE = "lowered", "trial_stale"
"""Names of the banners that last."""
RUNS_AGAIN = "runs_again"
"""Name of the banner that takes the place of the errors of a server that runs again."""


class WayBackBanners(QObject):
    """Owned by the window; every question it asks is answered by a button, never by itself.

    ``details_wanted`` carries the id of a failure.
    """

    details_wanted = Signal(str)

    def __init__(self, bench: Workbench, banners: BannerArea, window: QMainWindow) -> None:
        super().__init__(window)
        self._bench = bench
        self._way = bench.way_back
        self._banners = banners
        self._window = window
        self._told: object = None
        self._failed: list[Incident] = []  # told of, and the server does not run again yet
        self._fell = False
        self._waited_for: Footing | None = None
        self._stale: tuple[Trial, Trial | None] | None = None
        self._stale_told: object = None
        self._keeping: Footing | None = None
        self.dialog: KeepDialog | None = None
        way = self._way
        way.changed.connect(self._on_ladder)
        way.incidents_changed.connect(self._on_ladder)
        way.incident_happened.connect(self._on_incident)
        way.stale_found.connect(self._on_stale)
        way.bad_found.connect(self._on_bad)
        way.keep_ready.connect(self._on_keep_ready)
        way.kept.connect(self._on_kept)
        way.stale_answered.connect(self._on_answered)
        bench.activity_changed.connect(self._on_ladder)
        bench.activity_changed.connect(self._show_stale)
        if way.safe_mode:
            banners.show_message("info", Message.of("safe_mode"))

    def stop(self) -> None:
        """Count no more."""
        if self.dialog is not None:
            self.dialog.leave()
            self.dialog = None

    # -- less runs than was asked for -----------------------------------------------------------------------

    def _on_ladder(self) -> None:
        view, way = self._way.view, self._way
        if self.dialog is not None and (view is None or not way.in_force or view.current != self._keeping):
            self.stop()  # what was to be kept runs no more
        self._take_back_failures()
        behind = way.incident_behind()
        can_climb = not way.why_not_up()
        told = (view, behind, can_climb) if way.lowered else None
        if told == self._told:
            return
        self._told = told
        if told is None or view is None:
            self._banners.let_go(LOWERED)
            return
        if view.why is not None and view.state == "in_force":
            self._banners.take_down(view.why)  # this banner says it, too
        offers = []
        if can_climb:
            offers.append(Offer(lambda: self.tr("Climb back"), way.climb_back))
        if behind is not None:
            offers.append(Offer(lambda: self.tr("Details"), lambda: self.details_wanted.emit(behind.id)))
        presets = self._bench.presets
        self._banners.hold(LOWERED, "warning", lambda: ladder_words.lowered_words(view, presets), offers)

    def _take_back_failures(self) -> None:
        """Once the server runs again, an error is none any more, but must have been heard of."""
        view = self._way.view
        if not self._way.in_force:
            self._fell = True
            if view is not None and view.state == "waiting":
                self._waited_for = view.current
            elif view is None or view.state in {"stopped", "failed"}:
                self._waited_for = None
            return
        if not self._fell:
            return  # it has not fallen yet: the failure is told first
        failed, same = self._failed, view is not None and view.current == self._waited_for
        self._failed, self._fell, self._waited_for = [], False, None
        for incident in failed:
            self._banners.take_down(incident.message)
        if failed and same and not self._way.lowered:
            last = failed[-1]
            details = Offer(lambda: self.tr("Details"), lambda: self.details_wanted.emit(last.id))
            self._banners.say(RUNS_AGAIN, lambda: self._again_words(last), (details,))

    def _again_words(self, incident: Incident) -> tuple[str, str]:
        happened = texts.sentence(incident.message)
        when = texts.local_time(incident.at_utc)
        return (
            self.tr("The server runs again, with the same settings."),
            self.tr("{time}: {sentence}").format(time=when, sentence=happened),
        )

    def _on_incident(self, incident: Incident) -> None:
        if not incident.run_id:  # a measurement's is not mended by a server that runs
            self._failed.append(incident)
            self._banners.take_down(Message.of(RUNS_AGAIN))
        details = Offer(lambda: self.tr("Details"), lambda: self.details_wanted.emit(incident.id))
        self._banners.show_message(
            "error",
            incident.message,
            (details,),
            lambda: (texts.sentence(incident.message), ladder_words.incident_done(incident)),
        )

    # -- at the start ---------------------------------------------------------------------------------------

    def _on_stale(self, stale: Trial, good: Trial | None) -> None:
        self._stale = (stale, good)
        self._show_stale()

    def _on_answered(self) -> None:
        self._stale = None
        self._show_stale()

    def _show_stale(self) -> None:
        """The banner, with buttons only for what can be done now."""
        told = (self._stale, self._bench.idle) if self._stale is not None else None
        if told == self._stale_told:
            return
        self._stale_told = told
        if self._stale is None:
            self._banners.let_go(STALE)
            return
        stale, good = self._stale
        way, idle = self._way, self._bench.idle
        offers = []
        if idle and stale.phase == "running":
            offers.append(Offer(lambda: self.tr("Start it again"), lambda: way.start_again(stale)))
        elif idle and good is not None:
            offers.append(Offer(lambda: self._start_title(good), way.start_last_good))
        if idle:
            offers.append(Offer(lambda: self.tr("One step lower"), lambda: way.start_below(stale)))
        offers.append(Offer(lambda: self.tr("Leave it"), self._leave))
        self._banners.hold(STALE, "warning", lambda: self._stale_words(stale, good), offers)

    def _start_title(self, good: Trial) -> str:
        return self.tr("Start {settings}").format(settings=self._title(good.footing))

    def _stale_words(self, stale: Trial, good: Trial | None) -> tuple[str, str]:
        footing = stale.footing
        title = texts.preset_title(footing.preset or "custom", self._bench.presets)
        context = figures_text.context(footing.settings.ctx_size)
        code = "trial_cut_off" if stale.phase == "running" else "trial_stale"
        message = Message.of(code, preset=title, ctx=context)
        hint = texts.hint(message)
        if stale.phase == "launching":
            hint = (
                self.tr("No settings have been proved to work yet.")
                if good is None
                else self.tr("Last settings that worked: {settings}.").format(
                    settings=self._title(good.footing)
                )
            )
        return texts.sentence(message), hint

    def _leave(self) -> None:
        self._on_answered()
        self._way.leave_stale()

    def _on_bad(self, request: LaunchRequest, bad: Trial) -> None:
        reason = "?" if bad.reason is None else texts.sentence(bad.reason)
        known = Message.of("known_bad", date=texts.local_time(bad.at_utc), reason=reason)
        dialogs.confirm(
            self._window,
            texts.sentence(known),
            texts.hint(known),
            self.tr("Start anyway"),
            lambda: self._way.start(request),
        )

    # -- keeping --------------------------------------------------------------------------------------------

    def _on_keep_ready(self, former: Trial | None) -> None:
        view = self._way.view
        if view is None or self.dialog is not None:
            return
        self._keeping = now = view.current
        other = former is not None and (
            former.footing.model_path != now.model_path or former.footing.settings != now.settings
        )
        back = self._title(former.footing) if former is not None and other else ""
        self.dialog = KeepDialog(
            self._window, self._title(now), back, self._keep, self._revert if other else self._forget
        )

    def _keep(self) -> None:
        self._forget()
        self._way.keep()

    def _revert(self) -> None:
        self._forget()
        if self._way.in_force:  # nothing is started again once it was stopped
            self._way.start_last_good()

    def _forget(self) -> None:
        self.dialog = None

    def _on_kept(self) -> None:
        self._banners.show_message("info", Message.of("kept_as_default"))

    def _title(self, footing: Footing) -> str:
        return ladder_words.footing_title(footing, self._bench.presets)
