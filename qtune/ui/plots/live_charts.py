"""The row of live charts: decode speed, first token, memory and acceptance, redrawn together."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from qtune.core import figures
from qtune.core.events import RequestFinished, RequestStarted, TextArrived
from qtune.core.messages import Message
from qtune.core.records import TelemetrySample
from qtune.ui import figures_text, texts
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.decode_chart import DecodeChart
from qtune.ui.plots.memory_chart import MemoryChart
from qtune.ui.plots.request_bars import Bar, RequestBars
from qtune.ui.theme import GAP, Tokens

REDRAW_MS = 100


class LiveCharts(QWidget):
    """Takes what arrived, draws with one timer, and only while it can be seen and is not paused."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.decode = DecodeChart()
        self.ttft = RequestBars()
        self.memory = MemoryChart()
        self.acceptance = RequestBars(top=100.0)
        self.charts: tuple[Chart, ...] = (self.decode, self.ttft, self.memory, self.acceptance)
        self.paused = False
        self._requests = 0
        self._streaming = False
        self._last: dict[str, str] = {}
        self._gpu_note: Message | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REDRAW_MS)
        self._timer.timeout.connect(self._redraw)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        for chart in self.charts:
            row.addWidget(chart, 1)
        self.retranslate()

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
        record, warmup = event.record, event.record.phase == "warmup"
        times = record.times
        rate = figures.decode_tok_s(times)
        tokens = figures.output_tokens(times)
        self.decode.finish(event.arm, rate, tokens, len(times.event_ns), warmup=warmup)
        accepted = figures.acceptance(times, record.drafts)
        share = None if accepted is None else accepted.rate * 100
        ttft = figures.ttft_ms(times)
        self.ttft.add(Bar(self._requests, event.arm, ttft, warmup))
        self.acceptance.add(Bar(self._requests, event.arm, share, warmup))
        if rate is not None:
            self._last["decode"] = figures_text.tok_s(rate)
        if ttft is not None:
            self._last["ttft"] = figures_text.milliseconds(ttft)
        if accepted is not None:
            length = "" if accepted.mean_len is None else f" · L {figures_text.number(accepted.mean_len, 2)}"
            self._last["acceptance"] = figures_text.percent(accepted.rate) + length
        self._touch()

    def on_telemetry(self, sample: TelemetrySample) -> None:
        """A telemetry sample was taken."""
        had_card = self.memory.of_card
        self.memory.take(sample)
        if had_card != self.memory.of_card:
            self._name_memory()
        self._touch()

    def job_ended(self) -> None:
        """Nothing streams any more."""
        self._streaming = False
        self._touch()

    def choose_card(self, uuid: str) -> None:
        """Draw the memory of this card; empty draws the one with the most."""
        self.memory.choose_card(uuid)

    # -- for the page ---------------------------------------------------------------------------------------

    def toggle_pause(self) -> None:
        """Hold the picture still, or let it run on; data is taken either way."""
        self.paused = not self.paused
        if not self.paused:
            self._touch()

    def reset_views(self) -> None:
        """Let every chart follow the newest data again."""
        for chart in self.charts:
            chart.reset_view()

    def set_gpu_note(self, note: Message | None) -> None:
        """Why there is no card, or None."""
        self._gpu_note = note
        self._name_memory()

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
        self.decode.describe(
            self.tr("Decode speed"),
            self.tr(
                "Output tokens per second after the first token. Line: live estimate from the text as it"
                " arrives. Points: the server's own figure of each finished request; hollow ones are warm-up."
                " The axis counts seconds of streaming."
            ),
        )
        self.ttft.describe(
            self.tr("First token"),
            self.tr(
                "Milliseconds from sending a request to the first piece of its answer (TTFT), one bar a"
                " request; hollow bars are warm-up."
            ),
        )
        self.acceptance.describe(
            self.tr("Acceptance"),
            self.tr(
                "Share of drafted tokens that the model confirmed, one bar a request. L is the mean number of"
                " tokens gained in each step. Without MTP nothing is drafted, so there is no bar."
            ),
        )
        self._name_memory()
        self._show_figures()

    def _name_memory(self) -> None:
        if self.memory.of_card:
            about = self.tr(
                "Memory in use on the graphics card by all programs; the dashed line is what the card has."
                " The axis counts seconds before now."
            )
            self.memory.describe(self.tr("VRAM"), about)
            return
        about = self.tr(
            "Main memory held by the engine; there is no graphics card to read. The axis counts seconds"
            " before now."
        )
        why = "" if self._gpu_note is None else "\n" + texts.sentence(self._gpu_note)
        self.memory.describe(self.tr("Engine memory (RAM)"), about + why)

    # -- drawing --------------------------------------------------------------------------------------------

    def _touch(self) -> None:
        if not self.paused and not self._timer.isActive() and self.isVisible():
            self._timer.start()

    def _redraw(self) -> None:
        if self.paused:
            return
        for chart in self.charts:
            chart.redraw()
        self._show_figures()

    def _show_figures(self) -> None:
        live = self.decode.latest
        if self._streaming and live is not None:
            self.decode.figure.setText(self.tr("≈ {rate} live").format(rate=figures_text.tok_s(live)))
        else:
            self.decode.figure.setText(self._last.get("decode", ""))
        self.ttft.figure.setText(self._last.get("ttft", ""))
        self.acceptance.figure.setText(self._last.get("acceptance", ""))
        self.memory.figure.setText(self._memory_text())
        nothing = self.tr("Nothing measured yet")
        quiet = self._requests == 0 and not self._streaming
        self.decode.set_note(nothing if quiet else "")
        self.ttft.set_note(nothing if self._requests == 0 else "")
        drafted = any(bar.value is not None for bar in self.acceptance.bars)
        without = self.tr("Nothing was drafted: MTP is off")
        self.acceptance.set_note("" if drafted else (without if self._requests else nothing))
        self.memory.set_note(self.tr("No reading yet") if self.memory.empty else "")

    def _memory_text(self) -> str:
        if self.memory.of_card:
            return figures_text.memory_of(self.memory.used, self.memory.total)
        return "" if self.memory.used is None else figures_text.memory(self.memory.used)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what arrived while hidden."""
        super().showEvent(event)
        self._touch()
