"""One preset as a card: what it is for, what it changes, and what it brought when last measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qtune.core.gates import GateResult, overall
from qtune.core.memory_facts import MemoryView
from qtune.core.messages import Message
from qtune.core.presets import Preset
from qtune.core.records import RunRecord, RunStatus
from qtune.core.stats import ArmFigures
from qtune.ui import icons
from qtune.ui.state.arm_book import Answer
from qtune.ui.theme import LIGHT, Tokens, mono, symbol
from qtune.ui.tune.fit_bar import FitLine
from qtune.ui.widgets.parts import ElidedLabel, Seal, label, line, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, texts

_SIDE, _BESIDE = 10, 5
NARROW = 250
"""Below this width, logical pixels, both seals fit side by side only when the second is without its word."""
PAIR = 0.05
"""Beyond this, the speeds of one prompt side by side would contradict a gain over several."""
_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
DECISION_LOOKS = {
    "better": ("better", "good"),
    "worse": ("worse", "bad"),
    "no_difference": ("equal", "idle"),
    "too_few": ("unknown", "warn"),
    "mtp_not_active": ("inactive", "warn"),
}
"""Shape and tone of each decision on an arm."""
GATE_LOOKS = {"pass": ("yes", "good"), "fail": ("no", "bad"), "unknown": ("unknown", "idle")}
"""Shape and tone of each state of a check."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What is known of a preset under the present set-up.

    Attributes:
        figures: Of its newest measurement with the chosen prompt.
        off: Decode tok/s of off by its newest measurement with the same prompt.
        factor: Decode over that of off, both by their newest measurement.
        answer: What the newest comparison said, which goes before ``factor``.
        gates: What it promises, as far as it was checked.
        last: How its newest run went.
    """

    figures: ArmFigures | None = None
    off: float | None = None
    factor: float | None = None
    answer: Answer | None = None
    gates: tuple[GateResult, ...] = ()
    last: RunRecord | None = None

    @property
    def pair_fits(self) -> bool:
        """Whether off before this preset's speed says what ``ratio`` says, which may be over other texts."""
        if self.off is None or not self.factor or not self.ratio:
            return False
        return abs(self.factor / self.ratio - 1) < PAIR

    @property
    def ratio(self) -> float | None:
        """Decode over that of off."""
        return self.factor if self.answer is None else self.answer.ratio.ratio


class PresetCard(QFrame):
    """A radio button in the shape of a card; ``clicked`` carries the preset's id."""

    clicked = Signal(str)

    def __init__(self, preset: Preset, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preset = preset
        self.setObjectName("preset")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Ignored: cards of one width, whatever their texts would like.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._tokens = LIGHT
        self._chosen = False
        self._narrow = False
        self._facts = CardFacts()
        self._memory: MemoryView | None = None
        self._with_model = True
        self._obstacle: Message | None = None
        self._symbol = QLabel()
        self.title = label(factor=1.15, bold=True)
        self.badge, self.checks = Seal(), Seal()
        self.aim = ElidedLabel("muted", 0.92)
        self.words = ElidedLabel(factor=0.95)
        self.flags = ElidedLabel("muted")
        self.flags.setFont(mono(self.font(), 0.85))
        self.memory = FitLine()
        self.before = label("muted", 0.95)
        self.decode = label(factor=1.45, bold=True)
        self.unit = label("muted", 0.9)
        self.gain = label(factor=1.1, bold=True)
        self.ttft = ElidedLabel("muted", 0.92)
        self.interval = label("muted", 0.92)
        self._beside_off = False
        self._lay_out()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(7)
        head.addWidget(self._symbol)
        head.addWidget(self.title)
        head.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(_BESIDE)
        bottom = Qt.AlignmentFlag.AlignBottom
        foot.addWidget(self.before, 0, bottom)
        foot.addWidget(self.decode, 0, bottom)
        foot.addWidget(self.unit, 0, bottom)
        foot.addStretch(1)
        foot.addWidget(self.gain, 0, bottom)
        second = QHBoxLayout()
        second.setSpacing(5)
        second.addWidget(self.ttft, 1)
        second.addWidget(self.interval)
        seals = QHBoxLayout()
        seals.setSpacing(4)
        seals.addWidget(self.badge)
        seals.addWidget(self.checks)
        seals.addStretch(1)
        # Cards without a judgement keep the room of one, or the page would jump when the first comes.
        seals.addStrut(self.badge.sizeHint().height())
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDE, 9, _SIDE, 9)
        column.setSpacing(3)
        column.addLayout(head)
        column.addWidget(self.aim)
        column.addSpacing(2)
        column.addWidget(self.words)
        column.addWidget(self.flags)
        column.addWidget(self.memory)
        column.addSpacing(2)
        column.addWidget(line())
        column.addLayout(foot)
        column.addLayout(second)
        column.addLayout(seals)

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

    def set_facts(self, facts: CardFacts) -> None:
        """What is known of it under the present set-up."""
        self._facts = facts
        self._show()

    def set_memory(self, view: MemoryView | None, *, with_model: bool = True) -> None:
        """What it takes of the memory that is free now; None where that cannot be told."""
        self._memory, self._with_model = view, with_model
        self._show_memory()

    def set_preset(self, preset: Preset) -> None:
        """Stand for other values of the same preset."""
        self.preset = preset
        self.retranslate()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.memory.set_tokens(tokens)
        self._symbol.setPixmap(icons.pixmap(symbol(self.preset.id), tokens.arm(self.preset.id), 16))
        self._show()

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
        facts = self._facts
        measured = None if facts.figures is None else facts.figures.decode_tok_s
        self.decode.setText(figures_text.rate(None if measured is None else measured.median))
        self.unit.setText("tok/s" if measured is not None else "")
        self._beside_off = measured is not None and self.preset.id != "off" and facts.pair_fits
        self.before.setText(f"{figures_text.rate(facts.off)} →")
        set_tip(self.before, self.tr("Decode speed of Off with the same prompt."))
        set_tip(
            self.decode,
            self.tr(
                "Decode speed: output tokens per second after the first token, by the server's own timing;"
                " median of the counted requests."
            ),
        )
        self._show_memory()
        self._show_ratio()
        self._fit_figures()
        self._show_foot(measured is not None)
        self._show_badge(measured=measured is not None)
        self._show_checks()
        self._name()

    def _show_memory(self) -> None:
        if self._obstacle is not None:
            self.memory.show_view(None)
        else:
            without = self.tr("memory: no estimate for this file")
            if not self._with_model:
                without = self.tr("memory: no model chosen")
            self.memory.show_view(self._memory, without)

    def _show_ratio(self) -> None:
        facts, answer = self._facts, self._facts.answer
        baseline = self.preset.id == "off" or facts.ratio is None
        self.gain.setText("" if baseline else figures_text.gain(facts.ratio))
        sure = answer is not None and answer.sure
        tone = "" if facts.ratio is None else "good" if facts.ratio > 1 else "warn"
        if answer is not None and answer.sure:
            tone = {"better": "good", "worse": "bad"}.get(answer.ratio.decision, "")
        set_tone(self.gain, tone)
        self.interval.setText("")
        if answer is not None and sure and not baseline:
            self.interval.setText(figures_text.gain_bounds(answer.ratio.low, answer.ratio.high))
            prompts = texts.listed(texts.prompt_name(p) for p in answer.prompts)
            about = self.tr(
                "How much faster than Off it decodes, and the 95 % interval, by a comparison on: {prompts}."
            )
            about = about.format(prompts=prompts)
        else:
            about = self.tr(
                "How much faster it decodes than Off under the same set-up. An indication, not a verdict."
            )
        set_tip(self.gain, about)
        set_tip(self.interval, about)

    def _show_foot(self, measured: bool) -> None:  # noqa: FBT001 - one caller
        figures = self._facts.figures
        about = self.tr("Milliseconds from sending the request to the first piece of its answer.")
        if self._obstacle is not None:
            self.ttft.setText(texts.sentence(self._obstacle))
            about = texts.hint(self._obstacle)
        elif measured and figures is not None:
            ttft = figures.ttft_ms
            self.ttft.setText(
                self.tr("first token {ttft}").format(
                    ttft=figures_text.milliseconds(None if ttft is None else ttft.median)
                )
            )
        else:
            self.ttft.setText(self.tr("not measured yet"))
            about = self.tr("Nothing was measured with this model, engine, prompt and these settings yet.")
        n = 0 if figures is None else figures.n_counted
        if n:
            about += " " + self.tr("Counted requests: {n}.").format(n=n)
        self.ttft.set_about(about)

    def _show_badge(self, *, measured: bool) -> None:
        last, answer = self._facts.last, self._facts.answer
        if self._obstacle is not None:
            word, look, about = self.tr("blocked"), ("inactive", "warn"), texts.sentence(self._obstacle)
        elif last is not None and last.status is RunStatus.FAILED:
            word, look, about = self.tr("failed"), ("crashed", "bad"), texts.run_note(last)
        elif answer is not None and self.preset.id != "off":
            decision = answer.ratio.decision
            word, look = texts.decision_word(decision), DECISION_LOOKS[decision]
            about = self.tr("What the newest comparison says of this preset against Off.")
        elif measured and last is not None and last.mtp_active is False:
            decision = "mtp_not_active"
            word, look, about = texts.decision_word(decision), DECISION_LOOKS[decision], texts.run_note(last)
        elif measured:
            about = self.tr("Measured with this set-up; compare all presets for a verdict.")
            word, look = self.tr("measured"), ("yes", "idle")
        else:
            word, look, about = "", ("unknown", "idle"), ""
        self.badge.show_word(word, *look, self._tokens, about)

    def _show_checks(self) -> None:
        gates = self._facts.gates
        if not gates or all(gate.state == "unknown" for gate in gates) or self._obstacle is not None:
            self._narrow = self.width() < NARROW
            self.checks.show_word("", "unknown", "idle", self._tokens)
            return
        kept = sum(gate.state == "pass" for gate in gates)
        self._narrow = self.width() < NARROW
        word = "{kept}/{all}" if self._narrow else self.tr("checks {kept}/{all}")
        word = word.format(kept=kept, all=len(gates))
        about = self.tr("What this preset promises:") + "\n" + "\n".join(gate_lines(gates))
        self.checks.show_word(word, *GATE_LOOKS[overall(gates)], self._tokens, about)

    def _name(self) -> None:
        state = self.tr("chosen") if self._chosen else self.tr("not chosen")
        self.setAccessibleName(self.title.text() + ", " + state)
        parts = (self.aim.text(), self.badge.text(), self.ttft.text(), self.memory.words.text())
        self.setAccessibleDescription(". ".join(part for part in parts if part))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow card says less beside its badge."""
        super().resizeEvent(event)
        if self._narrow != (self.width() < NARROW):
            QTimer.singleShot(0, self, self._fit_checks)
        if self._room_beside() != (self.before.isHidden(), self.unit.isHidden()):
            QTimer.singleShot(0, self, self._fit_figures)

    def _room_beside(self) -> tuple[bool, bool]:
        """Whether the speed of Off and the unit have to be left out, lest the figures be cut.

        Off's speed stands on its own card, so it goes first.
        """
        room = self.width() - 2 * _SIDE
        needed = [part.sizeHint().width() + _BESIDE for part in (self.decode, self.gain) if part.text()]
        unit, before = (part.sizeHint().width() + _BESIDE for part in (self.unit, self.before))
        return not self._beside_off or sum(needed) + unit + before > room, sum(needed) + unit > room

    def _fit_figures(self) -> None:
        no_before, no_unit = self._room_beside()
        self.before.setVisible(not no_before)
        self.unit.setVisible(not no_unit)

    def _fit_checks(self) -> None:
        """Later than the change of width: in the middle of a layout the seal would keep its old room."""
        self._show_checks()
        for part in (self.checks, self):
            if (layout := part.layout()) is not None:
                layout.invalidate()
                layout.activate()

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


def gate_word(state: str) -> str:
    """Whether a promise was kept."""
    words = {
        "pass": QCoreApplication.translate("gates", "passed"),
        "fail": QCoreApplication.translate("gates", "failed"),
        "unknown": QCoreApplication.translate("gates", "not known yet"),
    }
    return words[state]


def gate_lines(gates: Sequence[GateResult]) -> list[str]:
    """Each promise with its state and reason."""
    return [texts.labelled(gate_word(gate.state), texts.sentence(gate.reason)) for gate in gates]
