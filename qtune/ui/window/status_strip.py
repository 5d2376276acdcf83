"""The strip that is always there: model, engine, card, state of the server, and Start or Stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QProgressBar, QToolButton, QWidget

from qtune.core.machine_facts import TelemetrySample
from qtune.core.server_state import ALIVE, ServerState
from qtune.session.requests import ServerAccess
from qtune.ui import icons
from qtune.ui.state.activity import Activity
from qtune.ui.state.shown_card import facts_of, shown_card
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import GAP, LIGHT, Tokens
from qtune.ui.widgets.caption_field import CaptionField
from qtune.ui.widgets.parts import button, label, set_tone, tone_colour
from qtune.ui.widgets.tab_order import KeepsFocus
from qtune.ui.widgets.tips import set_tip
from qtune.ui.window.access_field import AccessField
from qtune.ui.window.server_face import Face, face_of
from qtune.ui.words import figures_text, ladder_words, texts

NEARLY_FULL = 0.92


class StatePill(QFrame):
    """Shape, colour and word of the server's state."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pill")
        self.state = ServerState.STOPPED
        self._icon = QLabel()
        self.word = label(bold=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(9, 3, 12, 3)
        row.setSpacing(6)
        row.addWidget(self._icon)
        row.addWidget(self.word)

    def set_state(self, state: ServerState, face: Face, tokens: Tokens) -> None:
        """Show a state with its face in the colours in force."""
        self.state = state
        self._icon.setPixmap(icons.pixmap(face.shape, tone_colour(face.tone, tokens), 16))
        set_tone(self, face.tone)
        set_tone(self.word, "muted" if face.tone == "idle" else face.tone)
        self.word.setText(face.word)
        self.setAccessibleName(self.tr("Server: {state}").format(state=self.word.text()))


class StatusStrip(QFrame):
    """Shows the workbench; its button asks, the window decides."""

    start_wanted = Signal()
    stop_wanted = Signal()
    back_wanted = Signal()

    def __init__(
        self, bench: Workbench, access: Callable[[], ServerAccess | None], parent: QWidget | None = None
    ) -> None:
        """``access`` says how the running server is reached; None while none is ready."""
        super().__init__(parent)
        self.setObjectName("strip")
        self._bench = bench
        self._tokens = LIGHT
        self._sample: TelemetrySample | None = None
        self.model, self.engine, self.card = CaptionField(), CaptionField(), CaptionField()
        self.access = AccessField(bench, access)
        self.pill = StatePill()
        self.memory = QProgressBar()
        self.memory.setTextVisible(False)
        self.memory.setRange(0, 1000)
        self.memory.setFixedWidth(90)
        self.toggle = button()
        self.toggle.clicked.connect(self._toggle)
        self._keeps_focus = KeepsFocus(self.toggle)
        self.back, self.more = QToolButton(), QToolButton()
        self.back.clicked.connect(self.back_wanted)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._lay_out()
        bench.source_changed.connect(self.refresh)
        bench.choice_changed.connect(self.refresh)
        bench.activity_changed.connect(self.refresh)
        bench.finder.host_changed.connect(self.refresh)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, GAP, 8)
        row.setSpacing(18)
        row.addWidget(self.model, 4)
        row.addWidget(self.engine, 4)
        row.addWidget(self.card)
        row.addWidget(self.memory)
        row.addWidget(self.access)
        row.addStretch(2)
        row.addWidget(self.pill)
        row.addWidget(self.back)
        starting = QHBoxLayout()
        starting.setSpacing(0)
        starting.addWidget(self.toggle)
        starting.addWidget(self.more)
        row.addLayout(starting)

    def offer(self, actions: Sequence[QAction]) -> None:
        """Put other ways to start beside the button."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.addActions(actions)
        self.more.setMenu(menu)

    def on_telemetry(self, sample: TelemetrySample) -> None:
        """Show the memory in use now."""
        self._sample = sample
        self._show_card()
        self.access.show_time()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.access.set_tokens(tokens)
        self.more.setIcon(icons.icon("down", tokens.text, tokens.disabled))
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.refresh()

    def refresh(self) -> None:
        """Show what holds now."""
        bench, running = self._bench, self._bench.server
        model = running.model if running.state in ALIVE and running.model else bench.model
        engine = running.engine if running.state in ALIVE and running.engine else bench.engine_facts
        name = self.tr("none chosen") if model is None else texts.model_name(model)
        self.model.show_value(self.tr("Model"), name, "" if model is None else model.path)
        version = (
            self.tr("none chosen") if engine is None else self._engine_text(engine.ref.kind, engine.build)
        )
        about = "" if engine is None else engine.version + "\n" + engine.ref.path
        self.engine.show_value(self.tr("Engine"), version, about)
        self._show_card()
        self.access.refresh()
        self.pill.set_state(running.state, face_of(bench), self._tokens)
        set_tip(self.pill, self._pill_about())
        self._show_toggle()
        self._show_back()

    def _show_back(self) -> None:
        """One click from every page, once there is something to go back from."""
        way = self._bench.way_back
        why_not = way.why_not_down()
        name = self.tr("Roll back one step")
        self.back.setVisible(way.view is not None)
        self.back.setEnabled(not why_not)
        self.back.setIcon(icons.icon("lowered", self._tokens.text, self._tokens.disabled))
        self.back.setAccessibleName(name)
        set_tip(
            self.back, name + "\n" + (why_not or self.tr("Starts the server one step lower (Ctrl+Down)."))
        )

    def _engine_text(self, kind: str, build: int | None) -> str:
        name = self.tr("bundled llama.cpp") if kind == "bundled" else "llama-server"
        return name if not build else f"{name} b{build}"

    def _pill_about(self) -> str:
        running = self._bench.server
        lines = [] if running.reason is None else [texts.sentence(running.reason)]
        if running.state in ALIVE and running.preset:
            title = texts.preset_title(running.preset, self._bench.presets)
            lines.append(self.tr("Preset: {preset}").format(preset=title))
        if running.state in ALIVE and running.port:
            lines.append(f"http://127.0.0.1:{running.port}")
        way = self._bench.way_back
        if way.lowered and way.view is not None:
            lines += [part for part in ladder_words.lowered_words(way.view, self._bench.presets) if part]
        if running.state is ServerState.READY and running.effective is not None:
            good = running.effective.verified
            lines.append(
                self.tr("The settings in force were read back and are as asked.")
                if good
                else self.tr("The settings in force could not all be verified.")
            )
        return "\n".join(lines)

    def _show_card(self) -> None:
        sample, bench = self._sample, self._bench
        reading = None if sample is None else shown_card(sample.gpus, bench.card_uuid)
        card = facts_of(bench.finder.gpus, bench.card_uuid, reading)
        if reading is not None or card is not None:
            name = "GPU" if card is None else card.name.removeprefix("NVIDIA ").removeprefix("GeForce ")
            used = None if reading is None else reading.vram_used_bytes
            of = reading or card
            total = None if of is None else of.vram_total_bytes
            about = self.tr("Memory in use on the card by all programs, and what the card has.")
            self.card.show_value(name, figures_text.memory_of(used, total), about, whole=True)
            self._show_bar(used, total)
            return
        if bench.finder.report is None:
            self.card.show_value(self.tr("Graphics card"), self.tr("looking…"))
            self._show_bar(None, None)
            return
        rss = None if sample is None else sample.host.engine_rss_bytes
        note = "" if bench.finder.gpu_note is None else texts.sentence(bench.finder.gpu_note)
        value = (
            self.tr("not running")
            if rss is None
            else self.tr("{memory} RAM").format(memory=figures_text.memory(rss))
        )
        about = self.tr("Main memory held by the engine.")
        self.card.show_value(self.tr("No GPU · engine memory"), value, note + ("\n" if note else "") + about)
        self._show_bar(rss, None if sample is None else sample.host.ram_total_bytes)

    def _show_bar(self, used: int | None, total: int | None) -> None:
        self.memory.setVisible(bool(total))
        if total:
            share = (used or 0) / total
            self.memory.setValue(round(share * 1000))
            set_tone(self.memory, "warn" if share > NEARLY_FULL else "")
            text = self.tr("Memory in use: {share}").format(share=figures_text.percent(share, 0))
            self.memory.setAccessibleName(text)
            set_tip(self.memory, text)

    def _show_toggle(self) -> None:
        bench, tokens = self._bench, self._tokens
        alive = self._alive()
        self.toggle.setText(self.tr("Stop") if alive else self.tr("Start server"))
        self.toggle.setIcon(icons.icon("stop" if alive else "play", tokens.text, tokens.disabled))
        stopping = bench.activity is Activity.STOPPING or bench.server.state is ServerState.STOPPING
        self._keeps_focus.enable(on=not stopping if alive else bench.complete and bench.idle)
        self.toggle.setAccessibleName(self.toggle.text())
        self.more.setAccessibleName(self.tr("Other ways to start"))
        set_tip(self.more, self.tr("Start last good settings, or what is chosen in the place of what runs"))
        set_tip(
            self.toggle,
            self.tr("Stop the server. What was measured is kept.")
            if alive
            else self.tr("Start the chosen preset and leave the server running."),
        )

    def _alive(self) -> bool:
        """Whether there is something to stop: a server, a start, or one that follows by itself."""
        bench = self._bench
        busy = bench.activity in (Activity.STARTING, Activity.MEASURING)
        return bench.server.state in ALIVE or busy or bench.way_back.on_its_way

    def _toggle(self) -> None:
        alive = self._alive() or not self._bench.idle
        (self.stop_wanted if alive else self.start_wanted).emit()
