"""The engine's output: capped, searchable, with the lines that matter marked."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFont,
    QGuiApplication,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qtune.ui import icons
from qtune.ui.theme import GAP, LIGHT, Tokens, mono
from qtune.ui.widgets.parts import ElidedLabel, button, label
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import figures_text

LINES: Final = 8000
LONGEST: Final = 2000
"""Longer lines are cut in the view: a line of a megabyte would lay out for seconds."""
HITS: Final = 2000
SEARCH_MS: Final = 200

Kind = Literal["bad", "key", "plain"]
_BAD = re.compile(
    r"error\b|\b(failed|failure|fatal|abort(ed)?|out of memory|unable to|invalid|traceback|exception)\b"
    r"|\bwarn(ing)?\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"speculative|draft|\bmtp\b|nextn|offloaded \d+/\d+|buffer size|\bn_ctx\b|listening|model loaded", re.I
)


def line_kind(text: str) -> Kind:
    """Whether a line tells of trouble, of a fact worth finding again, or neither."""
    if _BAD.search(text):
        return "bad"
    return "key" if _KEY.search(text) else "plain"


class LogPage(QWidget):
    """Follows the end until the user scrolls up; a button leads back.

    Args:
        above: What stands over the log.
        file: Where the whole log is kept, of which the newest lines are shown.
        parent: Owner of the widget.
    """

    def __init__(
        self, above: Sequence[QWidget] = (), file: Path | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._above = above
        self._file = file
        self._tokens = LIGHT
        self._lines: deque[str] = deque(maxlen=LINES)
        self._dropped = 0
        self.title = label(factor=1.3, bold=True)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(320)
        self.hits = label("muted")
        self.previous, self.next = QToolButton(), QToolButton()
        self.marked_only = QCheckBox()
        self.copy = button()
        self.text = QPlainTextEdit()
        self.text.setObjectName("log")
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMaximumBlockCount(LINES)
        self.text.setFont(mono(self.font(), 0.95))
        self.state = ElidedLabel("muted", 0.95)
        self.whole = button("quiet")
        self.to_end = button("quiet")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SEARCH_MS)
        self._later.timeout.connect(self._find_all)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addStretch(1)
        for widget in (self.marked_only, self.hits, self.previous, self.next, self.search, self.copy):
            head.addWidget(widget, 1 if widget is self.search else 0)
        foot = QHBoxLayout()
        foot.addWidget(self.state, 1)
        foot.addWidget(self.to_end)
        foot.addWidget(self.whole)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP + 4, GAP, GAP + 4, GAP)
        column.setSpacing(8)
        for panel in self._above:
            column.addWidget(panel)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._search_later)
        self.search.returnPressed.connect(lambda: self._go(forward=True))
        self.next.clicked.connect(lambda: self._go(forward=True))
        self.previous.clicked.connect(lambda: self._go(forward=False))
        self.copy.clicked.connect(self._copy)
        self.marked_only.toggled.connect(self._rebuild)
        self.to_end.clicked.connect(self._scroll_to_end)
        self.whole.clicked.connect(self._open_whole)
        self.text.verticalScrollBar().valueChanged.connect(self._show_state)
        self.text.verticalScrollBar().rangeChanged.connect(self._show_state)

    # -- what arrives ---------------------------------------------------------------------------------------

    def on_log(self, lines: list[str], dropped: int) -> None:
        """Take a batch of lines; ``dropped`` counts those nobody will see."""
        self._dropped += dropped
        cut = [line if len(line) <= LONGEST else line[:LONGEST] + " …" for line in lines]
        self._lines.extend(cut)
        self._append(cut)
        if self.search.text() and not self._later.isActive():
            self._later.start()
        self._show_state()

    def lines(self) -> list[str]:
        """What is kept, oldest first."""
        return list(self._lines)

    def stop(self) -> None:
        """Search no more."""
        self._later.stop()

    @property
    def follows(self) -> bool:
        """Whether the view stays at the end."""
        bar = self.text.verticalScrollBar()
        return bar.value() >= bar.maximum() - 1

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force; lines carry theirs, so they are put in again."""
        self._tokens = tokens
        self.previous.setIcon(icons.icon("up", tokens.text, tokens.disabled))
        self.next.setIcon(icons.icon("down", tokens.text, tokens.disabled))
        self._rebuild()

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("Engine log"))
        self.search.setPlaceholderText(self.tr("Search the log"))
        self.search.setAccessibleName(self.tr("Search the log"))
        for tool, name in ((self.previous, self.tr("Previous hit")), (self.next, self.tr("Next hit"))):
            tool.setAccessibleName(name)
            set_tip(tool, name)
        self.marked_only.setText(self.tr("Only marked lines"))
        set_tip(
            self.marked_only,
            self.tr("Bold lines: faults and warnings, memory, layers on the card, context, MTP."),
        )
        self.copy.setText(self.tr("Copy all"))
        self.copy.setAccessibleName(self.tr("Copy the whole log"))
        self.text.setAccessibleName(self.tr("Engine log"))
        self.text.setPlaceholderText(self.tr("The engine's output appears here once a server is started."))
        self.to_end.setText(self.tr("Jump to the end"))
        self.whole.setText(self.tr("Open the full log"))
        set_tip(
            self.whole,
            ""
            if self._file is None
            else self.tr("Every line of every launch, also those that are no longer shown: {path}").format(
                path=self._file
            ),
        )
        self._show_state()
        self._find_all()

    # -- inside ---------------------------------------------------------------------------------------------

    def _append(self, lines: Iterable[str]) -> None:
        """Neighbouring lines of one kind go in together: one insertion a group."""
        bar = self.text.verticalScrollBar()
        following, before = self.follows, bar.value()
        groups: list[tuple[Kind, list[str]]] = []
        for text in lines:
            kind = line_kind(text)
            if kind == "plain" and self.marked_only.isChecked():
                continue
            if not groups or groups[-1][0] != kind:
                groups.append((kind, []))
            groups[-1][1].append(text)
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        empty = self.text.document().isEmpty()
        for kind, texts in groups:
            cursor.insertText(("" if empty else "\n") + "\n".join(texts), self._format(kind))
            empty = False
        cursor.endEditBlock()
        bar.setValue(bar.maximum() if following else before)

    def _format(self, kind: Kind) -> QTextCharFormat:
        form = QTextCharFormat()
        if kind != "plain":
            form.setForeground(QColor(self._tokens.bad if kind == "bad" else self._tokens.accent))
            form.setFontWeight(QFont.Weight.Bold)
        return form

    def _rebuild(self) -> None:
        self.text.clear()
        self._append(self._lines)
        self._find_all()

    def _show_state(self) -> None:
        self.to_end.setVisible(not self.follows)
        self.whole.setVisible(self._file is not None and bool(self._lines))
        parts = [self.tr("{count} lines").format(count=figures_text.count(len(self._lines)))]
        if len(self._lines) == LINES:
            parts.append(
                self.tr("older lines are gone")
                if self._file is None
                else self.tr("older lines are in {path}").format(path=self._file)
            )
        if self._dropped:
            dropped = figures_text.count(self._dropped)
            parts.append(self.tr("{count} lines came too fast to show").format(count=dropped))
        if not self.follows:
            parts.append(self.tr("scrolling is paused"))
        self.state.setText(" · ".join(parts))

    def _search_later(self, _text: str) -> None:
        self._later.start()

    def _find_all(self) -> None:
        """Mark and count all hits, up to a limit."""
        wanted, marks = self.search.text(), list[QTextEdit.ExtraSelection]()
        if wanted:
            form = QTextCharFormat()
            form.setBackground(QColor(self._tokens.warn_soft))
            form.setForeground(QColor(self._tokens.text))
            cursor = self.text.document().find(wanted)
            while not cursor.isNull() and len(marks) < HITS:
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, form
                marks.append(mark)
                cursor = self.text.document().find(wanted, cursor)
        self.text.setExtraSelections(marks)
        shown = figures_text.count(len(marks)) + ("+" if len(marks) == HITS else "")
        self.hits.setText(self.tr("{count} hits").format(count=shown) if wanted else "")
        for tool in (self.previous, self.next):
            tool.setEnabled(bool(marks))

    def _go(self, *, forward: bool) -> None:
        wanted = self.search.text()
        if not wanted:
            return
        way = QTextDocument.FindFlag(0) if forward else QTextDocument.FindFlag.FindBackward
        if not self.text.find(wanted, way):
            end = QTextCursor.MoveOperation.Start if forward else QTextCursor.MoveOperation.End
            self.text.moveCursor(end)
            self.text.find(wanted, way)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._lines))

    def _open_whole(self) -> None:
        if self._file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file)))

    def _scroll_to_end(self) -> None:
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
