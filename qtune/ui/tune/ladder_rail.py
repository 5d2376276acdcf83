"""The ladder beside the workplace: what was asked, what is in force, what comes below, and the way there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from qtune.core.ladder import LadderView, RungView
from qtune.core.messages import Message
from qtune.ui import icons
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens, scaled
from qtune.ui.widgets.parts import ElidedLabel, Seal, button, empty, label, set_tone, show_new, tone_colour
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import ladder_words, texts

WIDTH = 264
BUTTONS_WIDTH = 260


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the rail.

    Attributes:
        place: Whether it lies above what is in force, is in force, comes next, or later.
        word: The same as a word; empty for those that come later.
    """

    title: str
    place: str
    word: str = ""
    price: str = ""
    about: str = ""


_LOOKS = {
    "above": ("passed", "muted"),
    "here": ("o", "accent"),
    "failed": ("crashed", "bad"),
    "next": ("down", "text"),
    "later": ("hollow", "muted"),
}
"""Shape and tone of each place."""


class RungRow(QFrame):
    """A line: shape, what it is, a word for its place, and its price."""

    def __init__(self, step: Step, tokens: Tokens) -> None:
        super().__init__()
        self.step = step
        self.setObjectName("rung")
        self.setProperty("place", step.place)
        shape, tone = _LOOKS[step.place]
        mark = QLabel()
        colour = tokens.text if tone == "text" else tone_colour(tone, tokens)
        mark.setPixmap(icons.pixmap(shape, colour, 14))
        here = step.place in {"here", "failed"}
        title = label("" if here or step.place == "next" else "muted", bold=here, wrap=True)
        title.setText(step.title)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(title)
        small = [part for part in (step.word, step.price) if part]
        if small:
            foot = label(
                "muted" if not here else "accent" if step.place == "here" else "bad", 0.88, wrap=True
            )
            foot.setText(" · ".join(small))
            column.addWidget(foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 6, 4)
        row.setSpacing(7)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        set_tip(self, step.about)
        self.setAccessibleName(", ".join((step.title, *small)))


class LadderRail(QFrame):
    """Asks through signals; shows the workbench's way back."""

    down_wanted = Signal()
    up_wanted = Signal()
    keep_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.rows: list[RungRow] = []
        self.title = label(factor=1.1, bold=True)
        self.seal = Seal()
        self.asked = ElidedLabel("muted", 0.92)
        self.nothing = label("muted", wrap=True)
        self.why = label(wrap=True)
        self.down, self.up, self.keep = button(), button(), button("quiet")
        self.down.setProperty("size", "large")
        self.down.setFont(scaled(self.font(), 1.05, bold=True))
        self._steps = QWidget()
        self._steps.setObjectName("inset")
        self._column = QVBoxLayout(self._steps)
        self._scroll = QScrollArea()
        self._lay_out()
        self.down.clicked.connect(self.down_wanted)
        self.up.clicked.connect(self.up_wanted)
        self.keep.clicked.connect(self.keep_wanted)
        bench.way_back.changed.connect(self.refresh)
        bench.activity_changed.connect(self._show_buttons)
        bench.presets_changed.connect(self.refresh)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.title, 1)
        head.addWidget(self.seal)
        self._column.setContentsMargins(0, 0, 4, 0)
        self._column.setSpacing(2)
        self._scroll.setObjectName("inset")
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._steps)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(6)
        left.addLayout(head)
        left.addWidget(self.asked)
        left.addWidget(self.nothing)
        left.addWidget(self._scroll, 1)
        left.addStretch(0)
        for part in (self.why, self.down, self.up, self.keep):
            right.addWidget(part)
        right.addStretch(0)
        self._both = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._both.setContentsMargins(12, 10, 12, 10)
        self._both.setSpacing(8)
        self._both.addLayout(left, 1)
        self._both.addLayout(right)
        self._right = right

    def set_wide(self, *, wide: bool) -> None:
        """Buttons beside the steps where the rail is wide and low, below them where it is narrow and high."""
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._both.setDirection(way)
        self._both.setSpacing(24 if wide else 8)
        self._right.setStretch(self._right.count() - 1, 1 if wide else 0)
        for part in (self.why, self.down, self.up, self.keep):
            part.setMinimumWidth(BUTTONS_WIDTH if wide else 0)

    # -- for the page ---------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.up.setIcon(icons.icon("up", tokens.text, tokens.disabled))
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("The way back"))
        self.setAccessibleName(self.tr("The way back"))
        self.down.setText(self.tr("Roll back one step"))
        self.up.setText(self.tr("Climb back"))
        self.keep.setText(self.tr("Keep as my default…"))
        for made in (self.down, self.up, self.keep):
            made.setAccessibleName(made.text().rstrip("…"))
        self.refresh()

    def refresh(self) -> None:
        """Show where the ladder stands."""
        view = self._bench.way_back.view
        self.nothing.setVisible(view is None)
        self.nothing.setText(
            self.tr(
                "Start a server, and this shows what will be turned off, in order, if it does not hold:"
                " MTP first, then context, then the model's size. One click is one step, and each step can"
                " be undone."
            )
        )
        for part in (self.asked, self._scroll, self.keep):
            part.setVisible(view is not None)
        self._show_steps(view)
        self._show_state(view)
        self._show_buttons()

    def show_place(self) -> None:
        """Bring into view where we stand, with what comes next."""
        here = [number for number, row in enumerate(self.rows) if row.step.place in {"here", "failed"}]
        if here and self.isVisible():
            self._column.activate()
            for number in (min(here[0] + 1, len(self.rows) - 1), here[0]):
                self._scroll.ensureWidgetVisible(self.rows[number], 0, 2)

    # -- inside ---------------------------------------------------------------------------------------------

    def _show_steps(self, view: LadderView | None) -> None:
        empty(self._column)
        self.rows = [] if view is None else [RungRow(step, self._tokens) for step in self._steps_of(view)]
        for row in self.rows:
            self._column.addWidget(row)
        show_new(self._column)
        self._column.addStretch(1)
        self.show_place()

    def _steps_of(self, view: LadderView) -> Iterator[Step]:
        """What was asked, the rungs taken, and those still to come."""
        asked = ladder_words.footing_title(view.asked, self._bench.presets)
        here = "failed" if view.state == "failed" else "here"
        state = ladder_words.state_word(view.state)
        about = self.tr("What was asked for.")
        if view.taken:
            yield Step(asked, "above", self.tr("asked for"), about=about)
        else:
            yield Step(asked, here, self.tr("asked for") + " · " + state, about=about)
        for rung in view.taken:
            last = rung is view.taken[-1]
            yield self._step(rung, here if last else "above", state if last else self.tr("taken"))
        for number, rung in enumerate(view.below):
            yield self._step(rung, "later" if number else "next", "" if number else self.tr("next"))

    def _step(self, rung: RungView, place: str, word: str) -> Step:
        cost = ladder_words.price(rung)
        about = ladder_words.rung_changes(rung)
        about.append(
            self.tr("Measured: {price}").format(price=cost)
            if cost
            else self.tr("What it costs shows once both sides were measured.")
        )
        return Step(ladder_words.rung_title(rung), place, word, cost, "\n".join(about))

    def _show_state(self, view: LadderView | None) -> None:
        if view is None:
            self.seal.show_word("", "point", "idle", self._tokens)
            self.why.hide()
            return
        shape, tone = ladder_words.STATE_LOOKS[view.state]
        word = ladder_words.state_word(view.state)
        if view.lowered and view.state == "in_force":
            shape, tone, word = "lowered", "warn", self.tr("rolled back")
        self.seal.show_word(word, shape, tone, self._tokens, self._about_state(view))
        self.asked.setText(ladder_words.file_name(view.current.model_path))
        self.asked.set_about(view.current.model_path)
        parts = [ladder_words.reason(view)]
        if view.state in {"waiting", "failed"}:
            parts.append(self._about_state(view))
        if view.state == "failed" and not view.below:
            foot = Message.of("recovery_at_foot")
            parts += [texts.sentence(foot), texts.hint(foot)]
        said = "\n".join(part for part in parts if part)
        self.why.setText(said)
        self.why.setVisible(bool(said))
        set_tone(self.why, "bad" if view.state == "failed" else "")

    def _about_state(self, view: LadderView) -> str:
        abouts = {
            "stopped": self.tr("No server runs. What was asked for is remembered here."),
            "starting": self.tr("A server is started and has to answer a real request."),
            "in_force": self.tr("A server runs and has answered a real request."),
            "waiting": self.tr("It failed. The next try follows by itself after a pause; Stop ends this."),
            "failed": self.tr("It does not run, and nothing follows by itself."),
        }
        return abouts[view.state]

    def _show_buttons(self) -> None:
        way = self._bench.way_back
        no_down, no_up = way.why_not_down(), way.why_not_up()
        self.down.setEnabled(not no_down)
        self.up.setEnabled(not no_up)
        # The colour of the thing to do only where it is: while all is well, measuring is.
        failed = way.view is not None and way.view.state == "failed"
        set_tone(self.down, "primary" if failed else "", "kind")
        ink = self._tokens.on_accent if failed else self._tokens.text
        self.down.setIcon(icons.icon("down", ink, self._tokens.disabled))
        set_tip(self.down, no_down or self.what_down())
        set_tip(self.up, no_up or self._what_up())
        can_keep = self._bench.idle and way.in_force
        self.keep.setEnabled(can_keep)
        set_tip(
            self.keep,
            self.tr("Make these settings the ones to return to; you confirm it within 20 seconds.")
            if can_keep
            else self.tr("Once a server runs, its settings can be kept."),
        )

    def what_down(self) -> str:
        """What the next step down would change."""
        view = self._bench.way_back.view
        head = self.tr("Stops the server and starts it one step lower (Ctrl+Down):")
        return "\n".join((head, *ladder_words.rung_changes(view.below[0]))) if view and view.below else ""

    def _what_up(self) -> str:
        view = self._bench.way_back.view
        head = self.tr("Undoes the last step and starts the server again (Ctrl+Up):")
        return "\n".join((head, *ladder_words.rung_changes(view.taken[-1]))) if view and view.taken else ""
