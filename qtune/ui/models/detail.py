"""Everything known of one model: how it fits, part by part and context by context, and what its file says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from qtune.core.memory_facts import MemoryView
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.session.head_support import head_runs
from qtune.session.requests import ContextFit, ModelEntry
from qtune.ui import icons
from qtune.ui.models.table import mtp_kind
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.tune.fit_bar import FitBar, figures_of_totals, on_one_scale, slice_colour
from qtune.ui.widgets.grid import Cell, Grid
from qtune.ui.widgets.parts import ElidedLabel, button, empty, label, line, show_new, tone_colour
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text, memory_words, texts


class ModelDetail(QScrollArea):
    """Shows an entry of the table; ``use_wanted`` asks to tune with it."""

    use_wanted = Signal()

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._tokens = LIGHT
        self._siblings_of: Callable[[str], str] = lambda path: Path(path).name
        self.entry: ModelEntry | None = None
        self.view: MemoryView | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = label("muted", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.name = ElidedLabel(factor=1.2, bold=True)
        self.path = ElidedLabel("muted", 0.95, mode=Qt.TextElideMode.ElideMiddle)
        self.use = button("primary")
        self.use.clicked.connect(self.use_wanted)
        self.obstacle = label("warn", wrap=True)
        self.fit_title, self.contexts_title, self.facts_title = (
            label(factor=0.95, bold=True) for _ in range(3)
        )
        self.bar = FitBar(20)
        self.fit = label(wrap=True)
        self.parts = Grid()
        self.legend = label("muted", 0.9, wrap=True)
        self.contexts, self.facts = QGridLayout(), QGridLayout()
        self.bars: list[FitBar] = []
        self._lay_out()

    def _lay_out(self) -> None:
        self._card = QFrame()
        self._card.setObjectName("card")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.name, 1)
        head.addWidget(self.use)
        for grid in (self.contexts, self.facts):
            grid.setHorizontalSpacing(14)
            grid.setVerticalSpacing(4)
        self.contexts.setColumnStretch(1, 1)
        self.facts.setColumnStretch(1, 1)
        column = QVBoxLayout(self._card)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(7)
        column.addLayout(head)
        column.addWidget(self.path)
        column.addWidget(self.obstacle)
        column.addWidget(line())
        for part in (self.fit_title, self.bar, self.fit, self.parts, self.legend):
            column.addWidget(part)
        column.addSpacing(4)
        column.addWidget(self.contexts_title)
        column.addLayout(self.contexts)
        column.addSpacing(4)
        column.addWidget(self.facts_title)
        column.addLayout(self.facts)
        column.addStretch(1)
        self._inside = QWidget()
        self._inside.setObjectName("scrolled")
        outer = QVBoxLayout(self._inside)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.nothing, 1)
        outer.addWidget(self._card, 1)
        self.setWidget(self._inside)

    def minimumSizeHint(self) -> QSize:
        """As wide as its content: it scrolls up and down only."""
        inside = self._inside.minimumSizeHint().width()
        return QSize(inside + self.verticalScrollBar().sizeHint().width(), 120)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.bar.set_tokens(tokens)
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.view = None  # so that its parts are named anew
        self.setAccessibleName(self.tr("Facts of the chosen model"))
        self.nothing.setText(self.tr("Choose a model in the list to see whether it fits and what is in it."))
        self.use.setText(self.tr("Use this model"))
        set_tip(self.use, self.tr("Go to Tune with this model (Enter in the list)."))
        self.facts_title.setText(self.tr("What the file says"))
        self.contexts_title.setText(self.tr("Fit by context, when the search ran"))
        self.legend.setText(
            self.tr(
                "From left to right as listed; hatched is what MTP adds, dotted is what should stay free."
            )
        )
        self.refresh()

    def show_entry(self, entry: ModelEntry | None, names: Callable[[str], str]) -> None:
        """Show a model; ``names`` says how a sibling's file is called in the list."""
        self.entry, self._siblings_of = entry, names
        self.refresh()
        self.verticalScrollBar().setValue(0)

    def refresh(self) -> None:
        """Show everything of the model."""
        entry = self.entry
        self.nothing.setVisible(entry is None)
        self._card.setVisible(entry is not None)
        if entry is None:
            return
        facts = entry.facts
        self.name.setText(" · ".join(part for part in (texts.model_name(facts), facts.quant) if part))
        self.path.setText(facts.path)
        self.path.set_about("\n".join(facts.files))
        self._show_contexts(entry)
        self.refresh_file()
        self.refresh_use()
        self.refresh_fit()
        self.updateGeometry()

    def refresh_file(self) -> None:
        """What the file says, and whether the chosen engine can run its head."""
        if self.entry is not None:
            _show_facts(self.facts, self._facts(self.entry))

    def refresh_use(self) -> None:
        """Whether the model can be used now."""
        facts = None if self.entry is None else self.entry.facts
        head_only = facts is not None and facts.mtp == "sidecar"
        self.use.setEnabled(facts is not None and not head_only and self._bench.idle)
        self.obstacle.setVisible(head_only)
        if facts is not None and head_only:
            self.obstacle.setText(texts.sentence(Message.of("model_is_sidecar", path=facts.name)))

    # -- memory ---------------------------------------------------------------------------------------------

    def refresh_fit(self) -> None:
        """The fit with what is chosen and free now."""
        entry = self.entry
        if entry is None:
            return
        preset = self._bench.fitting_preset(entry.facts)
        view = self._bench.memory_view(preset, entry.facts) or entry.memory
        title = self.tr("Memory at {context} with {preset}").format(
            context=figures_text.context(self._bench.ctx_size),
            preset=texts.preset_title(preset, self._bench.presets),
        )
        self.fit_title.setText(title)
        self.bar.show_view(view, texts.no_estimate())
        if view is None:
            self.fit.setText(texts.no_estimate())
        else:
            self.fit.setText(
                " ".join(s for s in (memory_words.headline(view), memory_words.largest_words(view)) if s)
            )
        if view is None or self.view is None or view != self.view or not self.parts.texts():
            self._show_parts(view)
        self.view = view

    def _show_parts(self, view: MemoryView | None) -> None:
        tokens = self._tokens
        self.legend.setVisible(view is not None)
        if view is None:
            self.parts.show_rows([], [])
            return
        cells = []
        for name, size, source, part in memory_words.rows(view):
            shape = "hatched" if part == "mtp" else "s"
            colour = slice_colour(part, tokens).name()
            cells.append(
                [
                    Cell(name, shape, colour),
                    Cell(size),
                    Cell(
                        memory_words.source_word(source),
                        tone="muted",
                        about=memory_words.source_about(source),
                    ),
                ]
            )
        total = figures_text.memory(memory_words.demand(view))
        cells.append(
            [Cell(self.tr("Together"), strong=True), Cell(total, strong=True), Cell(self._how_sure(view))]
        )
        heading = [Cell(self.tr("Part")), Cell(self.tr("Size")), Cell(self.tr("How it is known"))]
        self.parts.show_rows(heading, cells)

    def _how_sure(self, view: MemoryView) -> str:
        return self.tr("estimated in part") if view.estimate.is_estimated else ""

    def _show_contexts(self, entry: ModelEntry) -> None:
        empty(self.contexts)
        self.bars = []
        self.contexts_title.setVisible(bool(entry.contexts))
        room = None if entry.memory is None else entry.memory.room
        keep = 0 if entry.memory is None else entry.memory.keep_bytes
        drawn = on_one_scale(
            [
                figures_of_totals(fit.off_bytes, fit.mtp_bytes, room, keep, fit.mtp or fit.off)
                for fit in entry.contexts
            ]
        )
        for number, (fit, figures) in enumerate(zip(entry.contexts, drawn, strict=True)):
            bar = FitBar(8)
            bar.set_tokens(self._tokens)
            words = self._context_words(fit)
            context = figures_text.context(fit.ctx_size)
            bar.show_figures(figures, self.tr("Context {context}").format(context=context), words)
            self.bars.append(bar)
            name = label()
            name.setText(context)
            self.contexts.addWidget(
                name, number, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
            self.contexts.addWidget(bar, number, 1)
            self.contexts.addWidget(self._seal(self.tr("Off"), fit.off, words), number, 2)
            if fit.mtp is not None:
                self.contexts.addWidget(self._seal(self.tr("MTP"), fit.mtp, words), number, 3)
        show_new(self.contexts)

    def _seal(self, arm: str, state: str, about: str) -> QWidget:
        word, shape, tone = memory_words.fit_look(state)  # type: ignore[arg-type]
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        mark, text = QLabel(), label(factor=0.92)
        mark.setPixmap(icons.pixmap(shape, tone_colour(tone, self._tokens), 12))
        text.setText(texts.labelled(arm, word))
        row.addWidget(mark)
        row.addWidget(text, 1)
        set_tip(box, about)
        return box

    def _context_words(self, fit: ContextFit) -> str:
        words = self.tr("Off: {size}, {fit}").format(
            size=figures_text.memory(fit.off_bytes), fit=memory_words.fit_look(fit.off)[0]
        )
        if fit.mtp is None:
            return words
        return (
            words
            + "\n"
            + self.tr("With MTP: {size}, {fit}").format(
                size=figures_text.memory(fit.mtp_bytes), fit=memory_words.fit_look(fit.mtp)[0]
            )
        )

    # -- the file -------------------------------------------------------------------------------------------

    def _facts(self, entry: ModelEntry) -> list[tuple[str, str, str]]:
        """Name, value and what hovering adds."""
        facts = entry.facts
        yes, no = self.tr("yes"), self.tr("no")
        siblings = [self._siblings_of(path) for path in entry.siblings]
        trained = facts.context_train
        return [
            (self.tr("Architecture"), " ".join(p for p in (facts.arch, facts.size_label) if p), ""),
            (self.tr("Size"), self._size(facts), "\n".join(facts.files)),
            (self.tr("Layers"), self._layers(facts), ""),
            (self.tr("MTP head"), self._head(facts), ""),
            (
                self.tr("Vocabulary"),
                "" if facts.shape is None else figures_text.count(facts.shape.vocabulary),
                "",
            ),
            (self.tr("Trained context"), "" if trained is None else figures_text.context(trained), ""),
            (self.tr("Chat template"), yes if facts.chat_template else no, ""),
            (self.tr("Importance matrix"), yes if facts.imatrix else no, ""),
            (self.tr("Sampling defaults"), texts.listed(f"{k} {v:g}" for k, v in facts.sampling), ""),
            (self.tr("MTP heads beside it"), _names(facts.sidecars), "\n".join(facts.sidecars)),
            (self.tr("Image encoder"), _names(facts.mmproj), "\n".join(facts.mmproj)),
            (self.tr("Same model"), texts.listed(siblings), "\n".join(entry.siblings)),
            (self.tr("Not in the header"), "" if facts.shape is None else texts.listed(facts.shape.gaps), ""),
        ]

    def _size(self, facts: ModelFacts) -> str:
        size = figures_text.memory(facts.size_bytes)
        if len(facts.files) < 2:
            return size
        return self.tr("{size} in {count} files").format(size=size, count=len(facts.files))

    def _layers(self, facts: ModelFacts) -> str:
        shape = facts.shape
        if shape is None or not shape.kv:
            return figures_text.count(facts.block_count)
        parts = [self.tr("{count} attention").format(count=len(shape.kv))]
        if shape.recurrent is not None and shape.recurrent.layers:
            parts.append(self.tr("{count} recurrent").format(count=shape.recurrent.layers))
        if facts.nextn_layers:
            parts.append(self.tr("{count} MTP").format(count=facts.nextn_layers))
        return " + ".join(parts)

    def _head(self, facts: ModelFacts) -> str:
        text = texts.head_word(mtp_kind(facts))
        if facts.mtp_tensors:
            text = self.tr("{where}: {count} tensors, mostly {type}").format(
                where=text, count=facts.mtp_tensors, type=facts.mtp_quant or figures_text.MISSING
            )
        if self._bench.engine_facts is None:
            return text
        runs = head_runs(facts, self._bench.engine_facts)
        if runs == "yes":
            return self.tr("{head}; this build can run it").format(head=text)
        if runs == "no":
            return self.tr("{head}; this build cannot run it").format(head=text)
        if runs == "unknown":
            return self.tr("{head}; not known whether this build can run it").format(head=text)
        return text


def _names(paths: Sequence[str]) -> str:
    return texts.listed(Path(path).name for path in paths)


def _show_facts(grid: QGridLayout, rows: Sequence[tuple[str, str, str]]) -> None:
    """One line each; what the file does not say is left out."""
    empty(grid)
    for number, (name, value, about) in enumerate(row for row in rows if row[1]):
        title, text = label("muted", 0.95), ElidedLabel()
        title.setText(name)
        text.setText(value)
        text.set_about(about)
        text.setAccessibleName(
            QCoreApplication.translate("lists", "{name}: {text}").format(name=name, text=value)
        )
        grid.addWidget(title, number, 0)
        grid.addWidget(text, number, 1)
    show_new(grid)
