"""One preset as a card: what it is for, what it changes, and what it brought when last measured."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qtune.core.messages import Message
from qtune.core.presets import Preset
from qtune.core.records import RunRecord, RunStatus
from qtune.core.stats import ArmFigures
from qtune.ui import figures_text, icons, texts
from qtune.ui.parts import ElidedLabel, badge, label, line, set_tone
from qtune.ui.theme import LIGHT, SYMBOLS, Tokens, mono

_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PresetCard(QFrame):
    """A radio button in the shape of a card; ``clicked`` carries the preset's id."""

    clicked = Signal(str)

    def __init__(self, preset: Preset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preset = preset
        self.setObjectName("preset")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Ignored: four cards of one width, whatever their texts would like.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._tokens = LIGHT
        self._chosen = False
        self._figures: ArmFigures | None = None
        self._factor: float | None = None
        self._last: RunRecord | None = None
        self._obstacle: Message | None = None
        self._symbol = QLabel()
        self.title = label(factor=1.15, bold=True)
        self.badge = badge()
        self.aim = label("muted", 0.92, wrap=True)
        self.words = ElidedLabel(factor=0.95)
        self.flags = ElidedLabel("muted")
        self.flags.setFont(mono(self.font(), 0.85))
        self.decode = label(factor=1.45, bold=True)
        self.unit = label("muted", 0.9)
        self.factor = label(factor=1.1, bold=True)
        self.ttft = ElidedLabel("muted", 0.92)
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(7)
        head.addWidget(self._symbol)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.badge)
        foot = QHBoxLayout()
        foot.setSpacing(5)
        bottom = Qt.AlignmentFlag.AlignBottom
        foot.addWidget(self.decode, 0, bottom)
        foot.addWidget(self.unit, 0, bottom)
        foot.addStretch(1)
        foot.addWidget(self.factor, 0, bottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 9)
        column.setSpacing(3)
        column.addLayout(head)
        column.addWidget(self.aim)
        column.addSpacing(2)
        column.addStretch(1)
        column.addWidget(self.words)
        column.addWidget(self.flags)
        column.addSpacing(3)
        column.addWidget(line())
        column.addLayout(foot)
        column.addWidget(self.ttft)

    # -- what it shows --------------------------------------------------------------------------------------

    @property
    def chosen(self) -> bool:
        """Whether this preset is the chosen one."""
        return self._chosen

    def set_chosen(self, *, chosen: bool) -> None:
        """Mark the card as chosen."""
        self._chosen = chosen
        set_tone(self, "true" if chosen else "false", "chosen")
        self._name()

    def set_obstacle(self, obstacle: Message | None) -> None:
        """Why the preset cannot be used now, or None."""
        self._obstacle = obstacle
        self.setEnabled(obstacle is None)
        self._show()

    def set_figures(self, figures: ArmFigures | None, factor: float | None, last: RunRecord | None) -> None:
        """What it brought under the present set-up, against off, and how its last run went."""
        self._figures, self._factor, self._last = figures, factor, last
        self._show()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self._symbol.setPixmap(
            icons.pixmap(SYMBOLS.get(self.preset.id, "star"), tokens.arm(self.preset.id), 16)
        )

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(texts.preset_title(self.preset.id, (self.preset,)))
        self.aim.setText(texts.preset_aim(self.preset))
        self.words.setText(texts.preset_words(self.preset))
        flags = texts.preset_flags(self.preset)
        self.flags.setText(flags or self.tr("no extra flags"))
        about = self.tr("What llama-server is given on top of your own settings.")
        self.flags.set_about(about)
        self.words.set_about(about)
        self._show()

    def _show(self) -> None:
        measured = None if self._figures is None else self._figures.decode_tok_s
        self.decode.setText(figures_text.rate(None if measured is None else measured.median))
        self.unit.setText(self.tr("tok/s") if measured is not None else "")
        self.decode.setToolTip(
            self.tr(
                "Decode speed: output tokens per second after the first token, by the server's own timing;"
                " median of the counted requests."
            )
        )
        baseline = self.preset.id == "off"
        self.factor.setText("" if baseline or self._factor is None else figures_text.factor(self._factor))
        set_tone(self.factor, "" if self._factor is None else "good" if self._factor > 1 else "warn")
        self.factor.setToolTip(
            self.tr("Decode speed over that of Off under the same set-up. An indication, not a verdict.")
        )
        self._show_foot(measured is not None)
        self._show_badge(measured=measured is not None)
        self._name()

    def _show_foot(self, measured: bool) -> None:  # noqa: FBT001 - one caller
        figures = self._figures
        if self._obstacle is not None:
            self.ttft.setText(texts.sentence(self._obstacle))
        elif measured and figures is not None:
            ttft = figures.ttft_ms
            self.ttft.setText(
                self.tr("first token {ttft} · n = {n}").format(
                    ttft=figures_text.milliseconds(None if ttft is None else ttft.median),
                    n=figures.n_counted,
                )
            )
        else:
            self.ttft.setText(self.tr("not measured yet with this set-up"))
        self.ttft.set_about(
            self.tr(
                "Milliseconds from sending the request to the first piece of its answer; n counts requests."
            )
        )

    def _show_badge(self, *, measured: bool) -> None:
        failed = self._last is not None and self._last.status is RunStatus.FAILED
        if self._obstacle is not None:
            text, tone, about = self.tr("blocked"), "warn", texts.sentence(self._obstacle)
        elif failed and self._last is not None:
            text, tone, about = self.tr("failed"), "bad", texts.run_note(self._last)
        elif measured:
            text, tone, about = self.tr("measured"), "good", ""
        else:
            text, tone, about = "", "", ""
        self.badge.setText(text)
        self.badge.setVisible(bool(text))
        self.badge.setToolTip(about)
        set_tone(self.badge, tone)
        self.badge.adjustSize()

    def _name(self) -> None:
        state = self.tr("chosen") if self._chosen else self.tr("not chosen")
        self.setAccessibleName(self.title.text() + ", " + state)
        self.setAccessibleDescription(self.aim.text() + ". " + self.badge.text() + ". " + self.ttft.text())

    # -- choosing -------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click chooses."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.preset.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter choose."""
        if event.key() in _KEYS:
            self.clicked.emit(self.preset.id)
        else:
            super().keyPressEvent(event)
