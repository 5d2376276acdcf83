"""The verdict on a card: one large sentence, its seal, the arms side by side, each text, and the reasons."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from qtune.core.records import RunStatus
from qtune.core.verdict import ArmAnswer, DomainRatio, Ratio
from qtune.session.findings import ArmFindings, JobResult
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens, symbol
from qtune.ui.tune.preset_card import DECISION_LOOKS
from qtune.ui.widgets.grid import Cell, Grid, filled
from qtune.ui.widgets.parts import NoteList, Seal, button, label
from qtune.ui.widgets.sideways import Sideways
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figure_words, figures_text, memory_words, texts
from qtune.ui.words.verdict_words import about_job, confirmed, found_n_max, in_order, notes_of, seal_of

_TONES = {"good": "good", "bad": "bad", "warn": "warn", "idle": ""}


class VerdictCard(QFrame):
    """Reads the workbench's newest result; asks through signals."""

    resume_wanted = Signal(str)
    custom_wanted = Signal(int)
    preset_wanted = Signal(str)
    fill_wanted = Signal(str)

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.seal = Seal(1.0, 15)
        self.job = label("muted", 0.95, wrap=True)
        self.sentence = label(factor=1.35, bold=True, wrap=True)
        self.arms, self.by_text = Grid(), Grid()
        self.by_text_title = label(factor=0.95, bold=True)
        self.notes = NoteList()
        self.take, self.go_on, self.fill = button("primary"), button(), button()
        self.take.clicked.connect(self._take)
        self.go_on.clicked.connect(self._go_on)
        self.fill.clicked.connect(self._fill)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.seal)
        head.addWidget(self.job, 1)
        head.addWidget(self.go_on)
        head.addWidget(self.fill)
        head.addWidget(self.take)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(9)
        column.addLayout(head)
        column.addWidget(self.sentence)
        column.addWidget(Sideways(self.arms))
        column.addWidget(self.by_text_title)
        column.addWidget(Sideways(self.by_text))
        column.addWidget(self.notes)
        column.addStretch(1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.by_text_title.setText(self.tr("Against Off by text, and what to use for each"))
        self.go_on.setText(self.tr("Go on"))
        set_tip(self.go_on, self.tr("Measure what is still missing."))
        self.fill.setText(self.tr("Fill test"))
        self.take.setAccessibleName(self.tr("Use what was found"))
        self.refresh()

    def refresh(self) -> None:
        """Show the newest result."""
        found = self._bench.found
        if found is None:
            return
        self.seal.show_word(*seal_of(found), self._tokens)
        self.job.setText(about_job(found))
        self.sentence.setText(texts.sentence(found.result.verdict.sentence))
        self.setAccessibleName(self.tr("Verdict: {sentence}").format(sentence=self.sentence.text()))
        self._show_arms(found)
        self._show_by_text(found)
        self.notes.show_notes(notes_of(found), self._tokens)
        self.refresh_buttons()

    # -- arms side by side ----------------------------------------------------------------------------------

    def _show_arms(self, found: JobResult) -> None:
        # Medians over different depths would mean nothing.
        if found.findings.curve or found.findings.fill is not None:
            self.arms.show_rows([], [])
            return
        rows = [self._arm_row(arm, found) for arm in confirmed(found)]
        self.arms.show_rows(*filled(self._arm_heading(found), rows))

    def _memory_heading(self, found: JobResult) -> Cell:
        """Free memory of the card, or what the engine holds where there is no card."""
        if any(arm.memory is not None and arm.memory.kind == "vram" for arm in found.findings.arms):
            about = self.tr("Least memory of the card that stayed free.")
            return Cell(self.tr("Free memory"), about=about)
        about = self.tr("Most main memory the engine held; there is no card to read.")
        return Cell(self.tr("Engine memory"), about=about)

    def _arm_heading(self, found: JobResult) -> list[Cell]:
        about = figure_words.about
        return [
            Cell(self.tr("Arm"), about=about("arm")),
            Cell(self.tr("Decode tok/s"), about=f"{about('decode')} {about('typical')}"),
            Cell(self.tr("vs Off"), about=about("against_off")),
            Cell(self.tr("95 %"), about=about("interval")),
            Cell(self.tr("First token"), about=about("first_token", median=True)),
            Cell(self.tr("Total"), about=about("total", median=True)),
            Cell(self.tr("Accepted"), about=about("accepted")),
            self._memory_heading(found),
            Cell(self.tr("Form"), about=self.tr("Answers that kept the form they were asked for.")),
            Cell(self.tr("n"), about=self.tr("Counted requests.")),
            Cell(self.tr("Verdict"), about=about("verdict")),
        ]

    def _arm_row(self, arm: ArmFindings, found: JobResult) -> list[Cell]:
        ratio = next((r for r in found.result.verdict.ratios if r.arm == arm.arm), None)
        figured, tokens = arm.figures, self._tokens
        decode, ttft, total = arm.decode_tok_s, figured.ttft_ms, figured.total_ms
        span = ""
        if decode is not None and figured.n_counted > 1:  # one request has no range
            span = f" ({figures_text.rate(decode.low)}–{figures_text.rate(decode.high)})"
        accepted = figured.acceptance
        return [
            Cell(texts.arm_title(arm.arm), symbol(arm.arm), tokens.arm(arm.arm), strong=True),
            Cell(figures_text.rate(None if decode is None else decode.median) + span),
            Cell("" if ratio is None else figures_text.gain(ratio.ratio), strong=True),
            Cell(_bounds(ratio)),
            Cell(figures_text.milliseconds(None if ttft is None else ttft.median)),
            Cell(figures_text.seconds(None if total is None else total.median / 1000)),
            Cell(figures_text.MISSING if accepted is None else figures_text.percent(accepted.rate)),
            Cell(_free_memory(arm), about=_about_memory(arm)),
            Cell(figures_text.percent(arm.format_rate, 0)),
            Cell(str(figured.n_counted)),
            self._state(arm, ratio),
        ]

    def _state(self, arm: ArmFindings, ratio: Ratio | None) -> Cell:
        """What the comparison says of an arm, or why it says nothing."""
        tokens = self._tokens
        broken = [run for run in arm.runs if run.status is not RunStatus.DONE]
        failed = bool(broken) and broken[-1].status is RunStatus.FAILED
        resumed = arm.runs[-1].status is RunStatus.DONE  # what was broken off has been done since
        if broken and (failed or (ratio is None and not resumed)):
            status, about = broken[-1].status, texts.run_note(broken[-1])
            word = texts.run_state_word(status)
            if status is RunStatus.CANCELLED:
                return Cell(word, "stopped", tokens.muted, "muted", about=about)
            return Cell(word, "crashed", tokens.bad, "bad", about=about)
        if arm.mtp_active is False:
            return self._decided("mtp_not_active")
        return Cell("") if ratio is None else self._decided(ratio.decision)

    def _decided(self, decision: str, text: str = "", about: str = "") -> Cell:
        shape, tone = DECISION_LOOKS[decision]
        tokens = self._tokens
        colour = {"good": tokens.good, "bad": tokens.bad, "warn": tokens.warn}.get(tone, tokens.muted)
        return Cell(text or texts.decision_word(decision), shape, colour, _TONES[tone], about=about)

    # -- text by text ---------------------------------------------------------------------------------------

    def _show_by_text(self, found: JobResult) -> None:
        verdict = found.result.verdict
        prompts = list(dict.fromkeys(d.prompt_id for a in verdict.answers for d in a.domains))
        several = len(prompts) > 1
        self.by_text_title.setVisible(several)
        if not several:
            self.by_text.show_rows([], [])
            return
        heading = [
            Cell(self.tr("Arm"), about=figure_words.about("arm")),
            *(Cell(texts.prompt_name(p)) for p in prompts),
            Cell(self.tr("mixed use"), about=self.tr("All its texts together, each counting the same.")),
        ]
        answers = {answer.arm: answer for answer in verdict.answers}
        rows = [self._text_row(answers[arm], prompts) for arm in in_order(answers)]
        use = {r.prompt_id: r for r in verdict.recommendations}
        if use:
            chosen = [use.get(p) for p in (*prompts, "")]
            rows.append(
                [
                    Cell(self.tr("Use"), strong=True),
                    *(
                        Cell(figures_text.MISSING)
                        if r is None
                        else Cell(texts.arm_title(r.arm), symbol(r.arm), self._tokens.arm(r.arm), strong=True)
                        for r in chosen
                    ),
                ]
            )
        self.by_text.show_rows(heading, rows)

    def _text_row(self, answer: ArmAnswer, prompts: list[str]) -> list[Cell]:
        here = {d.prompt_id: d for d in answer.domains}
        name = Cell(texts.arm_title(answer.arm), symbol(answer.arm), self._tokens.arm(answer.arm))
        cells = [self._ratio(here.get(prompt)) for prompt in prompts]
        return [name, *cells, self._ratio(answer.ratio)]

    def _ratio(self, ratio: Ratio | DomainRatio | None) -> Cell:
        if ratio is None:
            return Cell(
                figures_text.MISSING, about=self.tr("left out: the answers differ too much in length")
            )
        about = texts.decision_word(ratio.decision)
        if ratio.bounds is not None:
            about = f"{about}, {figures_text.gain_bounds(*ratio.bounds)}"
        return self._decided(ratio.decision, figures_text.gain(ratio.ratio), about)

    # -- what can be done with it ---------------------------------------------------------------------------

    def refresh_buttons(self) -> None:
        """Offer what can be done with the result now."""
        found = self._bench.found
        if found is None:
            return
        bench, n_max, winner = self._bench, found_n_max(found), found.result.verdict.winner
        known = {p.id for p in bench.presets}
        better = found.result.verdict.decision == "better"
        self.take.setVisible(n_max is not None or (better and winner in known))
        if n_max is not None:
            self.take.setText(self.tr("Use n_max = {n}").format(n=n_max))
            set_tip(self.take, self.tr("Makes a custom preset of it, with which the server can be started."))
        elif winner is not None:
            self.take.setText(self.tr("Choose {preset}").format(preset=texts.arm_title(winner)))
            set_tip(self.take, "")
        self.take.setEnabled(bench.idle)
        self._offer_fill(found)
        self.go_on.setVisible(found.result.cancelled)
        self.go_on.setEnabled(bench.idle)

    def _offer_fill(self, found: JobResult) -> None:
        """A winner is only worth having if it lives through a full context."""
        winner = found.result.verdict.winner
        won = found.result.experiment.kind == "compare" and found.result.verdict.decision == "better"
        known = {p.id for p in self._bench.presets}
        self.fill.setVisible(won and winner in known)
        self.fill.setEnabled(self._bench.complete and self._bench.idle)
        if winner is not None:
            about = self.tr(
                "Does {preset} still answer when the context is full? Fills it to 50, 75 and 92 % and watches"
                " the memory."
            )
            set_tip(self.fill, about.format(preset=texts.arm_title(winner)))

    def _fill(self) -> None:
        if self._bench.found is not None and self._bench.found.result.verdict.winner is not None:
            self.fill_wanted.emit(self._bench.found.result.verdict.winner)

    def _take(self) -> None:
        found = self._bench.found
        if found is None:
            return
        n_max = found_n_max(found)
        if n_max is not None:
            self.custom_wanted.emit(n_max)
        elif found.result.verdict.winner is not None:
            self.preset_wanted.emit(found.result.verdict.winner)

    def _go_on(self) -> None:
        if self._bench.found is not None:
            self.resume_wanted.emit(self._bench.found.result.experiment.id)


def _bounds(ratio: Ratio | None) -> str:
    """The interval; a range of too few pairs is none."""
    return "" if ratio is None or ratio.bounds is None else figures_text.gain_bounds(*ratio.bounds)


def _about_memory(arm: ArmFindings) -> str:
    """What is known of spilled memory, and the engine's own figures, part by part."""
    memory = arm.memory
    if memory is None:
        return ""
    spill = "" if memory.spill_reason is None else texts.sentence(memory.spill_reason)
    parts = [
        texts.labelled(memory_words.part_word(part.kind), figures_text.memory(part.size_bytes))
        for part in memory.parts
    ]
    if parts:
        name = QCoreApplication.translate("memory", "By the engine's own log:")
        parts.insert(0, name)
    return "\n".join(line for line in (spill, *parts) if line)


def _free_memory(arm: ArmFindings) -> str:
    memory = arm.memory
    if memory is None:
        return figures_text.MISSING
    return figures_text.memory(memory.free_min if memory.kind == "vram" else memory.peak)
