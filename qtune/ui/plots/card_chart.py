"""One reading of the graphics card over time: power, temperature or utilisation."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.ui.plots.time_chart import TimeChart
from qtune.ui.state.shown_card import shown_card

OfCard = Callable[[GpuSample], float | None]
OfHost = Callable[[HostSample], float | None]


class CardChart(TimeChart):
    """``of_host`` is read where there is no card; without it the chart stays empty there."""

    def __init__(
        self,
        of_card: OfCard,
        say: Callable[[float], str],
        *,
        of_host: OfHost | None = None,
        top: float | None = None,
        least: float = 1.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(say, top, least, parent)
        self._of_card, self._of_host = of_card, of_host
        self._chosen = ""
        self._shown: str | None = None

    def take(self, sample: TelemetrySample) -> None:
        """Take one sample; drawn with the next ``redraw``."""
        card = shown_card(sample.gpus, self._chosen)
        shown = "" if card is None else card.uuid
        if shown != self._shown:
            self._shown = shown
            self.forget()
        if card is not None:
            value = self._of_card(card)
        else:
            value = None if self._of_host is None else self._of_host(sample.host)
        self.take_value(sample.t_ns, value)

    def choose_card(self, uuid: str) -> None:
        """Draw this card from the next sample on; empty draws the one with the most memory."""
        self._chosen = uuid
