"""The answer as it streams: plain text, put in by batches, never taken for markup."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from qtune.core.events import RequestFinished, RequestStarted, TextArrived
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.widgets.parts import ElidedLabel, label, line
from qtune.ui.words import figures_text, texts

BLOCKS = 2000
"""Paragraphs that are kept; of a longer answer the beginning goes, the history has all of it."""
LONGEST = 2000
"""Characters after which a paragraph is broken at a space: each arrival lays out the whole paragraph anew,
and one as long as a book would take seconds."""


class AnswerView(QFrame):
    """Shows the answer to the newest request; reasoning is set apart by its colour and a heading."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._tokens = LIGHT
        self._request: RequestStarted | None = None
        self._finished: RequestFinished | None = None
        self._kind = ""
        self._open = 0
        self.title = label(factor=0.95, bold=True)
        self.about = ElidedLabel("muted", 0.95)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setMaximumBlockCount(BLOCKS)
        self.text.setMinimumHeight(60)
        head = QHBoxLayout()
        head.setContentsMargins(12, 7, 12, 5)
        head.setSpacing(10)
        head.addWidget(self.title)
        head.addWidget(self.about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 6)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(line())
        column.addWidget(self.text, 1)

    def on_request_started(self, event: RequestStarted) -> None:
        """A new request: its answer takes the place of the last one."""
        self._request, self._finished, self._kind, self._open = event, None, "", 0
        self.text.clear()
        self._show_about()

    def on_text(self, deltas: list[TextArrived]) -> None:
        """Append everything that arrived since the last batch; follow the end unless the user scrolled up."""
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for kind, text in _joined(deltas):
            if kind != self._kind:
                if self._kind:
                    cursor.insertText("\n\n", self._format("content"))
                self._kind, self._open = kind, 0
            shown, self._open = broken(text, self._open)
            cursor.insertText(shown, self._format(kind))
        cursor.endEditBlock()
        if at_end:
            bar.setValue(bar.maximum())

    def on_request_finished(self, event: RequestFinished) -> None:
        """The answer is complete, or ended otherwise."""
        self._finished = event
        self._show_about()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force; text already there keeps its words and gets the new colour."""
        self._tokens = tokens

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Answer"))
        self.text.setAccessibleName(self.tr("Answer of the model"))
        self.text.setPlaceholderText(self.tr("The model's answer appears here while it is measured."))
        self._show_about()

    def _format(self, kind: str) -> QTextCharFormat:
        form = QTextCharFormat()
        if kind != "content":
            form.setForeground(QColor(self._tokens.muted))
            form.setFontItalic(True)
        return form

    def _show_about(self) -> None:
        request, finished = self._request, self._finished
        if request is None:
            self.about.setText("")
            return
        parts = [
            texts.arm_title(request.arm),
            self.tr("request {number}").format(number=request.index + 1),
            texts.phase_word(request.phase),
        ]
        if finished is not None:
            parts.append(texts.request_note(finished.record))
            parts.append(figures_text.seconds(_seconds(finished)))
        self.about.setText(" · ".join(parts))
        asked = request.messages[-1].content if request.messages else ""
        self.about.set_about(asked[:600])


def _seconds(event: RequestFinished) -> float:
    times = event.record.times
    return (times.ended_ns - times.sent_ns) / 1e9


def broken(text: str, before: int) -> tuple[str, int]:
    """Text with a break wherever a paragraph gets too long.

    Args:
        text: What arrived.
        before: Length of the paragraph it goes on with.

    Returns:
        The text to show, and how long its last paragraph is.
    """
    lines: list[str] = []
    for part in text.split("\n"):
        rest = part
        while before + len(rest) > LONGEST:
            at = rest.rfind(" ", 0, max(LONGEST - before, 1)) + 1
            if not at and before < LONGEST:
                at = LONGEST - before
            lines.append(rest[:at])
            rest, before = rest[at:], 0
        lines.append(rest)
        before += len(rest)
        tail, before = before, 0
    return "\n".join(lines), tail


def _joined(deltas: list[TextArrived]) -> list[tuple[str, str]]:
    """Neighbouring deltas of one kind as one piece: one insertion a batch, not one a token."""
    pieces: list[tuple[str, list[str]]] = []
    for delta in deltas:
        if not pieces or pieces[-1][0] != delta.kind:
            pieces.append((delta.kind, []))
        pieces[-1][1].append(delta.text)
    return [(kind, "".join(parts)) for kind, parts in pieces]
