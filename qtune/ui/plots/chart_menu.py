"""The menu of a chart: its view, and taking it along as a picture."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QMessageBox

from qtune.ui.plots import picture
from qtune.ui.theme import LIGHT
from qtune.ui.widgets import dialogs

if TYPE_CHECKING:
    from qtune.ui.plots.chart import Chart

_log = logging.getLogger("qtune.ui")

Kind = Literal["png", "svg"]
_NOT_IN_NAMES: Final = re.compile(r"[^\w\-]+")


class ChartMenu(QMenu):
    """Filled when it opens, so that its words are those of the language in force.

    Pictures have the light colours, since they go onto white paper and pages; in the dark theme the user may
    ask for the dark ones.
    """

    def __init__(self, chart: Chart) -> None:
        super().__init__(chart)
        self._chart = chart
        self.light = True
        self.pausable = False
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Put in what can be done now."""
        chart = self._chart
        self.clear()
        again = self.addAction(self.tr("Show everything again"), chart.reset_view)
        again.setEnabled(not chart.following)
        if self.pausable:
            word = self.tr("Let the charts run on") if chart.held else self.tr("Hold the charts still")
            self.addAction(word, chart.pause_wanted.emit)
        self.addSeparator()
        self.addAction(self.tr("Copy as a picture"), self.copy)
        self.addAction(self.tr("Save as PNG…"), lambda: self.ask_to_save("png"))
        self.addAction(self.tr("Save as SVG…"), lambda: self.ask_to_save("svg"))
        if chart.tokens.name != LIGHT.name:
            ground = self.addAction(self.tr("Pictures on a light ground"))
            ground.setCheckable(True)
            ground.setChecked(self.light)
            ground.toggled.connect(self._on_ground)

    def copy(self) -> None:
        """Put the chart onto the clipboard as a picture."""
        chart = self._chart
        with self._dressed():
            image = picture.to_image(chart.plot, chart.caption(), chart.tokens)
        QGuiApplication.clipboard().setImage(image)

    def ask_to_save(self, kind: Kind) -> None:
        """Let the user say where the picture goes."""
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        name = _NOT_IN_NAMES.sub("-", self._chart.title.text()).strip("-").lower() or "chart"
        target = Path(folder or ".") / f"qtune-{name}.{kind}"
        title = self.tr("Save the chart")
        dialogs.pick_target(
            self._chart, title, f"{kind.upper()} (*.{kind})", target, lambda path: self.save(path, kind)
        )

    def save(self, path: Path, kind: Kind) -> None:
        """Write the picture; a failure is said, it must not look like success."""
        chart = self._chart
        make = picture.to_svg if kind == "svg" else picture.to_png
        with self._dressed():
            data = make(chart.plot, chart.caption(), chart.tokens)
        try:
            path.write_bytes(data)
        except OSError as error:
            _log.info("a chart could not be saved: %s", error)
            reason = error.strerror or str(error)
            text = self.tr("The picture could not be saved to {path}: {reason}.")
            box = QMessageBox(QMessageBox.Icon.Warning, "qtune", "", parent=chart)
            box.setText(text.format(path=path, reason=reason))
            box.open()

    @contextmanager
    def _dressed(self) -> Iterator[None]:
        """The chart in the colours of the picture and without the crosshair, which nobody gets to see."""
        chart, worn = self._chart, self._chart.tokens
        chart.crosshair.put_away(away=True)
        if self.light and worn.name != LIGHT.name:
            chart.set_tokens(LIGHT)
        try:
            yield
        finally:
            if chart.tokens is not worn:
                chart.set_tokens(worn)
            chart.crosshair.put_away(away=False)

    def _on_ground(self, light: bool) -> None:  # noqa: FBT001 - a slot
        self.light = light
