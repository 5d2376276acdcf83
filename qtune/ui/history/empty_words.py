"""What stands in place of the list: why no run is listed, what to do about it, and a button that does it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject

from qtune.core.messages import Message
from qtune.ui.words import texts

Remedy = Literal["again", "clear", "deleted", "import", ""]
"""What the button does: read again, clear the filter, list the deleted runs, take a file in."""


class EmptyWords(QObject):
    """Chooses among them; ``remedy`` is what was offered last."""

    remedy: Remedy = ""

    def choose(
        self, *, fault: Message | None, reading: bool, narrows: bool, deleted: int
    ) -> tuple[str, str, str]:
        """Sentence, advice and name of the button.

        Args:
            fault: Why the history cannot be read; None if it can.
            reading: Whether the answer is still on its way.
            narrows: Whether a filter leaves runs out.
            deleted: How many deleted runs there are.
        """
        self.remedy = ""
        if fault is not None:
            self.remedy = "again"
            return texts.sentence(fault), texts.hint(fault), self.tr("Try again")
        if reading:
            return self.tr("Reading the history…"), "", ""
        if narrows:
            self.remedy = "clear"
            more = self.tr("Clear the filter to see all runs.")
            return self.tr("No run matches the filter."), more, self.tr("Clear the filter")
        if deleted:
            self.remedy = "deleted"
            more = self.tr("They can be brought back: list them, select some, and choose Bring back.")
            return (
                self.tr("%Ln run(s) were deleted; there is no other.", "", deleted),
                more,
                self.tr("List deleted runs"),
            )
        self.remedy = "import"
        more = self.tr(
            "Measure something on Tune, or import runs that qtune exported, or results of llama-bench."
        )
        return self.tr("There is no run yet."), more, self.tr("Import…")
