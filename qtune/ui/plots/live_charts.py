"""The live charts: speed, first token, memory, acceptance, and a second row on demand; redrawn together."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from qtune.core import figures
from qtune.core.events import RequestFinished, RequestStarted, TextArrived
from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.ui.plots.card_chart import CardChart
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.decode_chart import DecodeChart
from qtune.ui.plots.legend import Entry
from qtune.ui.plots.memory_chart import MemoryChart
from qtune.ui.plots.request_bars import Bar, RequestBars
from qtune.ui.theme import GAP, Tokens
from qtune.ui.words import figures_text, texts

REDRAW_MS = 50
DRAWN_AT_ONCE = 2
"""Charts drawn with one tick of the timer; the others have the next ones, so that no tick gets long."""


class LiveCharts(QWidget):
    """Takes what arrived, draws with one timer, and only while it can be seen and is not paused."""

    pause_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.decode = DecodeChart()
        self.ttft = RequestBars(figures_text.milliseconds)
        self.memory = MemoryChart()
        self.acceptance = RequestBars(_percent, top=100.0)
        self.power = CardChart(lambda card: card.power_w, _watts)
        self.temperature = CardChart(lambda card: card.temperature_c, _degrees)
        self.utilisation = CardChart(
            lambda card: card.utilisation_pct, _percent, of_host=lambda host: host.cpu_pct, top=105.0
        )
        self.rounds = RequestBars(_rounds)
        self.of_requests = (self.ttft, self.acceptance, self.rounds)
        self.of_readings = (self.memory, self.power, self.temperature, self.utilisation)
        self.charts: tuple[Chart, ...] = (self.decode, *self.of_requests, *self.of_readings)
        self._turns: list[Chart] = list(self.charts)
        self.paused = False
        self._requests = 0
        self._streaming = False
        self._last: dict[str, str] = {}
        self._gpu_note: Message | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REDRAW_MS)
        self._timer.timeout.connect(self._redraw)
        self.second_row = QWidget()
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        first = QWidget()
        rows = (
            (first, (self.decode, self.ttft, self.memory, self.acceptance)),
            (self.second_row, (self.power, self.temperature, self.utilisation, self.rounds)),
        )
        for widget, charts in rows:
            row = QHBoxLayout(widget)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(GAP)
            for one in charts:
                row.addWidget(one, 1)
            column.addWidget(widget, 1)
        self.second_row.hide()
        for chart in self.charts:
            chart.menu.pausable = True
            chart.pause_wanted.connect(self.pause_wanted)

    # -- what arrives ---------------------------------------------------------------------------------------

    def on_request_started(self, event: RequestStarted) -> None:
        """A request goes out."""
        self._streaming = True
        self.decode.begin(event.arm)
        self._touch()

    def on_text(self, deltas: list[TextArrived]) -> None:
        """Text arrived."""
        self.decode.take(deltas)
        self._touch()

    def on_request_finished(self, event: RequestFinished) -> None:
        """A request ended; its own figures replace the live estimate."""
        self._streaming = False
        self._requests += 1
        number, record, warmup = self._requests, event.record, event.record.phase == "warmup"
        times = record.times
        rate = figures.decode_tok_s(times)
        tokens = figures.output_tokens(times)
        self.decode.finish(event.arm, number, rate, tokens, len(times.event_ns), warmup=warmup)
        accepted = figures.acceptance(times, record.drafts)
        share = None if accepted is None else accepted.rate * 100
        ttft, rounds = figures.ttft_ms(times), figures.rounds_per_s(times, record.drafts)
        for chart, value in zip(self.of_requests, (ttft, share, rounds), strict=True):
            chart.add(Bar(number, event.arm, value, warmup))
        if rate is not None:
            self._last["decode"] = figures_text.tok_s(rate)
        if ttft is not None:
            self._last["ttft"] = figures_text.milliseconds(ttft)
        if rounds is not None:
            self._last["rounds"] = _rounds(rounds)
        if accepted is not None:
            length = "" if accepted.mean_len is None else f" · L {figures_text.number(accepted.mean_len, 2)}"
            self._last["acceptance"] = figures_text.percent(accepted.rate) + length
        self._touch()

    def on_telemetry(self, sample: TelemetrySample) -> None:
        """A telemetry sample was taken."""
        had_card = self.memory.of_card
        for chart in self.of_readings:
            chart.take(sample)
        if had_card != self.memory.of_card:
            self._name_readings()
        self._touch()

    def job_ended(self) -> None:
        """Nothing streams any more."""
        self._streaming = False
        self._touch()

    def choose_card(self, uuid: str) -> None:
        """Draw the readings of this card; empty draws those of the one with the most memory."""
        for chart in self.of_readings:
            chart.choose_card(uuid)

    # -- for the page ---------------------------------------------------------------------------------------

    def show_second_row(self, *, shown: bool) -> None:
        """Show or hide power, temperature, utilisation and rounds."""
        self.second_row.setVisible(shown)
        self._touch()

    def keep_free(self, keep_bytes: int) -> None:
        """What the chosen preset wants to leave free of the card's memory."""
        self.memory.keep_free(keep_bytes)
        self._touch()

    def toggle_pause(self) -> None:
        """Hold the picture still, or let it run on; data is taken either way."""
        self.paused = not self.paused
        for chart in self.charts:
            chart.hold(still=self.paused)
        if not self.paused:
            self._touch()

    def reset_views(self) -> None:
        """Let every chart follow the newest data again."""
        for chart in self.charts:
            chart.reset_view()

    def set_gpu_note(self, note: Message | None) -> None:
        """Why there is no card, or None."""
        self._gpu_note = note
        self._name_readings()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        for chart in self.charts:
            chart.set_tokens(tokens)

    def stop(self) -> None:
        """Draw nothing more."""
        self._timer.stop()
        self.paused = True

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        by_request = self.tr("Requests of this session")
        self.decode.describe(
            self.tr("Decode speed"),
            self.tr(
                "Output tokens per second after the first token. Line: live estimate from the text as it"
                " arrives. Points: the server's own figure of each finished request; hollow ones are warm-up."
                " The axis counts seconds of streaming."
            ),
            unit="tok/s",
            along=self.tr("Seconds of streaming"),
        )
        self.ttft.describe(
            self.tr("First token"),
            self.tr(
                "Milliseconds from sending a request to the first piece of its answer (TTFT), one bar a"
                " request; hollow bars are warm-up."
            ),
            unit="ms",
            along=by_request,
        )
        self.acceptance.describe(
            self.tr("Acceptance"),
            self.tr(
                "Share of drafted tokens that the model confirmed, one bar a request. L is the mean number of"
                " tokens gained in each step. Without MTP nothing is drafted, so there is no bar."
            ),
            unit="%",
            along=by_request,
        )
        self.rounds.describe(
            self.tr("Rounds"),
            self.tr(
                "Verification rounds per second, one bar a request: in each the model checks one draft."
                " Decode speed is rounds per second times L."
            ),
            unit=self.tr("rounds/s"),
            along=by_request,
        )
        self._name_readings()
        self._show_figures()
        for chart in self.charts:  # drawn anew only when something comes
            chart.show_legend([Entry(texts.arm_title(e.arm), e.arm) for e in chart.legend.entries])

    def _name_readings(self) -> None:
        ago = self.tr("Before now")
        axis = self.tr("The axis counts seconds before now.")
        why = "" if self._gpu_note is None else "\n" + texts.sentence(self._gpu_note)
        of_card = self.memory.of_card
        memory = (
            self.tr(
                "Memory in use on the graphics card by all programs. The dashed line is what the card has,"
                " the dotted one where the room begins that the chosen preset keeps free."
            )
            if of_card
            else self.tr("Main memory held by the engine; there is no graphics card to read.") + why
        )
        title = self.tr("VRAM") if of_card else self.tr("Engine memory (RAM)")
        self.memory.describe(title, f"{memory} {axis}", unit="GiB", along=ago)
        power = self.tr("Power the graphics card draws, as its driver reports it.")
        self.power.describe(self.tr("Power"), f"{power} {axis}{why}", unit="W", along=ago)
        heat = self.tr("Temperature of the graphics card's chip, as its driver reports it.")
        self.temperature.describe(self.tr("Temperature"), f"{heat} {axis}{why}", unit="°C", along=ago)
        busy = (
            self.tr("Share of time in which the graphics card was computing.")
            if of_card
            else self.tr("Share of the processor that is busy, all cores and programs together.") + why
        )
        name = self.tr("GPU utilisation") if of_card else self.tr("CPU utilisation")
        self.utilisation.describe(name, f"{busy} {axis}", unit="%", along=ago)

    # -- drawing --------------------------------------------------------------------------------------------

    def _touch(self) -> None:
        if not self.paused and not self._timer.isActive() and self.isVisible():
            self._timer.start()

    def _redraw(self) -> None:
        if self.paused:
            return
        waiting = [chart for chart in self._turns if chart.stale and chart.isVisible()]
        for chart in waiting[:DRAWN_AT_ONCE]:
            chart.redraw()
            self._turns.remove(chart)
            self._turns.append(chart)
        if waiting[DRAWN_AT_ONCE:]:
            self._touch()
        self._show_figures()

    def _show_figures(self) -> None:
        live = self.decode.latest
        if self._streaming and live is not None:
            self.decode.figure.setText(self.tr("≈ {rate} live").format(rate=figures_text.tok_s(live)))
        else:
            self.decode.figure.setText(self._last.get("decode", ""))
        self.ttft.figure.setText(self._last.get("ttft", ""))
        self.acceptance.figure.setText(self._last.get("acceptance", ""))
        self.rounds.figure.setText(self._last.get("rounds", ""))
        self.memory.figure.setText(self._memory_text())
        for chart, say in ((self.power, _watts), (self.temperature, _degrees), (self.utilisation, _percent)):
            chart.figure.setText("" if chart.latest is None else say(chart.latest))
        self._show_notes()

    def _show_notes(self) -> None:
        nothing = self.tr("Nothing measured yet")
        quiet = self._requests == 0 and not self._streaming
        self.decode.set_note(nothing if quiet else "")
        self.ttft.set_note(nothing if self._requests == 0 else "")
        without = self.tr("Nothing was drafted: MTP is off")
        for chart in (self.acceptance, self.rounds):
            drafted = any(bar.value is not None for bar in chart.bars)
            chart.set_note("" if drafted else (without if self._requests else nothing))
        self.memory.set_note(self.tr("No reading yet") if self.memory.empty else "")
        for reading in (self.power, self.temperature, self.utilisation):
            silent = (
                self.tr("No reading yet") if self.memory.empty else self.tr("Not reported on this computer")
            )
            reading.set_note(silent if reading.empty else "")

    def _memory_text(self) -> str:
        if self.memory.of_card:
            return figures_text.memory_of(self.memory.used, self.memory.total)
        return "" if self.memory.used is None else figures_text.memory(self.memory.used)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what arrived while hidden."""
        super().showEvent(event)
        self._touch()


def _percent(value: float) -> str:
    return figures_text.percent(value / 100)


def _watts(value: float) -> str:
    return f"{figures_text.number(value, 0)} W"


def _degrees(value: float) -> str:
    return f"{figures_text.number(value, 0)} °C"


def _rounds(value: float) -> str:
    return figures_text.number(value) + "/s"
