"""Off beside the chosen preset, once both are measured: medians and a gain, never a verdict of its own."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from qtune.core.stats import Spread
from qtune.ui import icons
from qtune.ui.state.activity import Activity
from qtune.ui.state.arm_book import Answer, Comparison
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens, symbol
from qtune.ui.widgets.parts import ElidedLabel, badge, label, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figure_words, figures_text, texts


class SummaryStrip(QWidget):
    """Reads the workbench's book whenever figures or choices change."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._tokens = LIGHT
        self._off, self._on = QLabel(), QLabel()
        self.title = label(factor=0.95, bold=True)
        self.decode = label(factor=1.1, bold=True)
        self.factor = label(factor=1.25, bold=True)
        self.others = ElidedLabel("muted", 0.95)
        self.caution = badge()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(7)
        for widget in (self.title, self._off, self.decode, self._on, self.factor):
            row.addWidget(widget)
        row.addWidget(self.others, 1)
        row.addWidget(self.caution)
        bench.figures_changed.connect(self.refresh)
        bench.choice_changed.connect(self.refresh)
        bench.source_changed.connect(self.refresh)
        bench.activity_changed.connect(self.refresh)

    @property
    def comparison(self) -> Comparison | None:
        """What is shown, None while an arm is missing."""
        return self._bench.compared(self._bench.preset_id)

    @property
    def answer(self) -> Answer | None:
        """What a comparison said of the chosen preset, with its interval; None without one."""
        bench, setup = self._bench, self._bench.setup
        found = None if setup is None else bench.book.answer(bench.settings_of(bench.preset_id), setup)
        return found if found is not None and found.sure else None

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Record"))
        set_tip(self.factor, self.tr("How much faster the preset decodes than Off: median against median."))
        self.refresh()

    def refresh(self) -> None:
        """Show the comparison, or what is missing for one."""
        found = self.comparison
        for widget in (self._off, self._on, self.decode, self.factor, self.caution):
            widget.setVisible(found is not None)
        if found is None:
            self.others.setText(self._missing())
            self.others.set_about("")
            return
        tokens = self._tokens
        self._off.setPixmap(icons.pixmap(symbol("off"), tokens.arm("off"), 13))
        self._on.setPixmap(icons.pixmap(symbol(found.preset), tokens.arm(found.preset), 13))
        off, on = found.off, found.on
        self.decode.setText(_pair(off.decode_tok_s, on.decode_tok_s, "tok/s"))
        self.factor.setText(figures_text.gain(found.factor))
        faster = found.factor is not None and found.factor > 1
        set_tone(self.factor, "good" if faster else "warn")
        parts = [
            self.tr("first token {pair}").format(pair=_pair(off.ttft_ms, on.ttft_ms, "ms", 0)),
            self.tr("total {pair}").format(pair=_pair(off.total_ms, on.total_ms, "s", 1, 1000)),
        ]
        if on.acceptance is not None:
            parts.append(self.tr("accepted {share}").format(share=figures_text.percent(on.acceptance.rate)))
        parts.append(self.tr("n = {off} and {on}").format(off=off.n_counted, on=on.n_counted))
        self.others.setText(" · ".join(parts))
        meanings = [figure_words.about(key) for key in ("decode", "first_token", "total", "accepted")]
        counted = self.tr("Medians of the counted requests; n is how many there were.")
        self.others.set_about("\n".join((counted, *meanings)))
        self._show_caution(found)

    def _show_caution(self, found: Comparison) -> None:
        """How far the figures can be trusted: to an interval, or as an indication only."""
        if (answer := self.answer) is not None:
            span = figures_text.gain_bounds(answer.ratio.low, answer.ratio.high)
            self.caution.setText(self.tr("verdict: {span}").format(span=span))
            set_tip(
                self.caution,
                self.tr(
                    "A comparison found this range over all its texts; see Result. Left: the chosen prompt."
                ),
            )
            set_tone(self.caution, {"better": "good", "worse": "bad"}.get(answer.ratio.decision, ""))
            return
        if self._bench.activity is Activity.MEASURING:
            self.caution.setText(self.tr("so far"))
            set_tip(self.caution, self.tr("The measurement is still going on."))
            set_tone(self.caution, "")
            return
        self.caution.setText(
            self.tr("indication: few runs, not interleaved")
            if found.few
            else self.tr("indication: not interleaved")
        )
        set_tip(
            self.caution,
            self.tr(
                "Each preset ran once, one after the other, so chance and drift of the machine are in the"
                " figures. This is no verdict."
            ),
        )
        set_tone(self.caution, "warn")

    def _missing(self) -> str:
        bench = self._bench
        if bench.preset_id == "off":
            return self.tr("Choose another preset to compare it with Off.")
        title = texts.preset_title(bench.preset_id, bench.presets)
        return self.tr("Measure Off and {preset} with the same set-up to compare them.").format(preset=title)


def _pair(a: Spread | None, b: Spread | None, unit: str, decimals: int = 1, scale: float = 1.0) -> str:
    """Two medians and an arrow, in one unit."""
    left, right = (None if s is None else s.median / scale for s in (a, b))
    return f"{figures_text.number(left, decimals)} → {figures_text.number(right, decimals)} {unit}"
