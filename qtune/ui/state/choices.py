"""What the user has chosen to measure: presets and settings, runs, form and prompt, kept as preferences."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from qtune.core.presets import Preset
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.core.workload import Workload
from qtune.session.desk import Desk
from qtune.session.jobs import CUSTOM
from qtune.ui.state import own_settings
from qtune.ui.state.job_requests import Form
from qtune.ui.state.own_settings import Intake, Source, Values

MAX_RUNS = 50


@dataclass(frozen=True, slots=True)
class Launchable:
    """What is launched, so that a change of it can be taken back: preset, base, and the custom preset."""

    preset_id: str
    ctx_size: int
    own: Values
    custom: Values
    source: Source


class Choices(QObject):
    """GUI thread only; every choice is stored at once and comes back at the next start.

    Attributes:
        presets: The shipped presets, and last the custom one once there is one.
        own: Settings the user brought along, which every preset is laid on; those at their default left out.
        form: Quick is an indication, Full a verdict.
    """

    choice_changed = Signal()
    presets_changed = Signal()
    figures_changed = Signal()

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.presets: tuple[Preset, ...] = tuple(desk.presets)
        self.workloads: tuple[Workload, ...] = tuple(desk.workloads)
        self._restore_choices()

    def _restore_choices(self) -> None:
        wanted = self._desk.preference
        self.own: Values = own_settings.from_text(wanted("own_settings"))
        self._source: Source = "command" if wanted("custom_source") == "command" else "search"
        self._put_custom(own_settings.from_text(wanted("custom_settings")))
        known = {p.id for p in self.presets}
        preset = wanted("preset")
        self.preset_id = preset if preset in known else "balanced"
        self.ctx_size = _whole(wanted("ctx_size"), 8192, 256, 1_048_576)
        self.runs = _whole(wanted("runs"), 3, 1, MAX_RUNS)
        self.form: Form = "quick" if wanted("form") == "quick" else "full"
        by_id = {w.id: w for w in self.workloads}
        self.workload = by_id.get(wanted("prompt")) or self.workloads[0]

    @property
    def preset(self) -> Preset:
        """The chosen preset."""
        return self.preset_of(self.preset_id)

    def preset_of(self, preset_id: str) -> Preset:
        """A preset by its id."""
        return next(p for p in self.presets if p.id == preset_id)

    @property
    def base(self) -> ServerSettings:
        """The user's own settings, on which presets are laid."""
        return ServerSettings(ctx_size=self.ctx_size).with_values(dict(self.own))

    def settings_of(self, preset_id: str) -> ServerSettings:
        """The user's own settings with a preset laid on them."""
        return self.preset_of(preset_id).apply(self.base)

    @property
    def custom(self) -> Values:
        """Values of the custom preset; empty while there is none."""
        return next((p.values for p in self.presets if p.id == CUSTOM), ())

    @property
    def launchable(self) -> Launchable:
        """What is launched now, for ``put_back``."""
        return Launchable(self.preset_id, self.ctx_size, self.own, self.custom, self._source)

    @property
    def card_uuid(self) -> str:
        """The card the user chose; empty for all."""
        return self.preference("card")

    # -- choosing -------------------------------------------------------------------------------------------

    def choose_preset(self, preset_id: str) -> None:
        """Choose one of the cards."""
        if preset_id != self.preset_id:
            self.preset_id = preset_id
            self._chosen(preset=preset_id)

    def choose_context(self, tokens: int) -> None:
        """Choose the context length in tokens."""
        if tokens != self.ctx_size:
            self.ctx_size = int(SETTINGS["ctx_size"].check(tokens))
            self._chosen(ctx_size=str(tokens))

    def choose_runs(self, runs: int) -> None:
        """Choose how many counted requests each arm gets where one is only looked at."""
        if runs != self.runs:
            self.runs = runs
            self._chosen(runs=str(runs))

    def choose_form(self, form: Form) -> None:
        """Choose between an indication and a verdict."""
        if form != self.form:
            self.form = form
            self._chosen(form=form)

    def choose_workload(self, workload: Workload) -> None:
        """Choose the prompt."""
        if workload.id != self.workload.id:
            self.workload = workload
            self._chosen(prompt=workload.id)

    def choose_card(self, uuid: str) -> None:
        """Choose the card servers run on by its UUID; empty for all."""
        if uuid != self.card_uuid:
            self._chosen(card=uuid)

    def keep_custom(self, n_max: int) -> None:
        """Make a draft length that was found the custom preset, and choose it."""
        now, values = self.launchable, (("mtp", True), ("n_max", n_max))
        self.put_back(Launchable(CUSTOM, now.ctx_size, now.own, values, "search"))

    def take_in(self, intake: Intake) -> None:
        """Make the settings of a command those that are launched; a custom preset stays if it has none."""
        now = self.launchable
        source: Source = "command" if intake.custom else now.source
        ctx_size, custom = intake.ctx_size or now.ctx_size, intake.custom or now.custom
        self.put_back(Launchable(intake.preset_id, ctx_size, intake.own, custom, source))

    def drop_own(self) -> None:
        """Lay the presets on the defaults again."""
        now = self.launchable
        self.put_back(Launchable(now.preset_id, now.ctx_size, (), now.custom, now.source))

    def put_back(self, state: Launchable) -> None:
        """Launch this from now on."""
        self.preset_id, self.ctx_size, self.own = state.preset_id, state.ctx_size, state.own
        self._source = state.source
        self._put_custom(state.custom)
        self.presets_changed.emit()
        self._chosen(
            preset=state.preset_id,
            ctx_size=str(state.ctx_size),
            own_settings=own_settings.to_text(state.own),
            custom_settings=own_settings.to_text(state.custom),
            custom_source=state.source,
        )

    def _put_custom(self, values: Values) -> None:
        shipped = tuple(p for p in self.presets if p.id != CUSTOM)
        custom = (own_settings.custom_preset(values, self._source),) if values else ()
        self.presets = (*shipped, *custom)

    def _chosen(self, **preferences: str) -> None:
        self._desk.set_preferences(preferences)
        self.choice_changed.emit()
        self.figures_changed.emit()

    def preference(self, key: str, default: str = "") -> str:
        """A stored preference of the app."""
        return self._desk.preference(key, default)

    def prefer(self, **values: str) -> None:
        """Store preferences of the app."""
        self._desk.set_preferences(values)


def _whole(text: str, default: int, low: int, high: int) -> int:
    return int(text) if text.isdigit() and low <= int(text) <= high else default
