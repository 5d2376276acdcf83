"""The icon in the system tray: the state by shape and word, the commands, and where a closed window lives."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

from qtune.core.server_state import ALIVE
from qtune.ui import icons
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import tone_colour
from qtune.ui.window.server_actions import ServerActions
from qtune.ui.window.server_face import Face, face_of
from qtune.ui.window.system_tray import TrayPlace
from qtune.ui.words import ladder_words

CLOSE_TO_TRAY, TOLD = "close_to_tray", "told_of_tray"
"""Preferences, kept as text: whether closing hides the window (``on``), and whether that was explained."""
LOOK_MS = 5000
"""A desktop that is starting up gets its tray late; one whose panel crashed loses it."""
SIZES = (16, 22, 24, 32, 48, 64)
TEXT_LIMIT = 240
"""Characters of a notification; systems cut it anyway, most of them later."""


class Tray(QObject):
    """Owned by the window. Without a tray it shows nothing, and closing the window means closing.

    ``changed`` comes when a tray appears or is lost.
    """

    changed = Signal()

    def __init__(
        self,
        bench: Workbench,
        place: TrayPlace,
        actions: ServerActions,
        window: QMainWindow,
        leave: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._bench = bench
        self._place = place
        self._actions = actions
        self._window = window
        self._on_message: Callable[[], None] | None = None
        self._gone = False
        self.there = False
        self.menu = QMenu(window)
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._shown: object = None
        self.state, self.open, self.quit = QAction(self), QAction(self), QAction(self)
        self.state.setEnabled(False)
        self.open.triggered.connect(self.show_window)
        self.quit.triggered.connect(leave)
        self.menu.addAction(self.state)
        self.menu.addSeparator()
        self.menu.addActions([actions.start, actions.stop, actions.last_good])
        self.menu.addSeparator()
        self.menu.addActions([self.open, self.quit])
        place.listen(self.show_window, self._message_clicked)
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self.look)
        self._look.start()
        bench.activity_changed.connect(self.refresh)
        self.look()

    @property
    def closes_here(self) -> bool:
        """Whether closing the window only hides it."""
        return self.there and not self._gone and self._bench.preference(CLOSE_TO_TRAY) == "on"

    def look(self) -> None:
        """See whether there is a tray; a hidden window whose icon is lost comes back."""
        there = self._place.there()
        if there != self.there:
            self.there = there
            if not there:
                self._shown = None
                self._place.take_away()
                if not self._window.isVisible():
                    self.show_window()
            self.changed.emit()
            self.refresh()

    def refresh(self) -> None:
        """Show what holds now, in the language in force."""
        self.open.setText(self.tr("Open window"))
        self.quit.setText(self.tr("Quit qtune"))
        face = face_of(self._bench)
        self.state.setText(plain(self.tr("Server: {state}").format(state=face.word)).replace("&", "&&"))
        if self.there and not self._gone:
            look, tip = (face.shape, face.tone), self._tip(face)
            if look not in self._icons:
                self._icons[look] = _icon(*look)
            if (look, tip) != self._shown:
                self._shown = (look, tip)
                self._place.put(self._icons[look], tip, self.menu)

    def hide_window(self) -> None:
        """Close the window to the tray; the first time a notification says where it went."""
        self._window.hide()
        if self._bench.preference(TOLD) != "yes":
            self._bench.prefer(**{TOLD: "yes"})
            self._on_message = None
            self._place.say(
                self.tr("qtune goes on in the system tray"),
                self.tr("A click on its icon opens the window; Quit in its menu ends qtune."),
                bad=False,
            )

    def show_window(self) -> None:
        """Open the window, or bring it to the front."""
        dialogs.bring_to_front(self._window)

    def say(self, title: str, text: str, on_click: Callable[[], None] | None, *, bad: bool) -> None:
        """Notify; where that cannot be done, the window asks for attention in the bar of windows.

        A click opens the window and calls ``on_click``.
        """
        self._on_message = on_click
        if self._gone or not (self.there and self._place.say(plain(title), plain(text), bad=bad)):
            QApplication.alert(self._window)

    def stop(self) -> None:
        """Take the icon away: qtune ends."""
        self._gone = True
        self._look.stop()
        self._place.take_away()

    def _tip(self, face: Face) -> str:
        bench, view = self._bench, self._bench.way_back.view
        lines = [self.tr("qtune: {state}").format(state=face.word)]
        if bench.user_server_alive and view is not None:
            lines.append(ladder_words.footing_title(view.current, bench.presets))
        if bench.server.state in ALIVE and bench.server.port:
            lines.append(f"127.0.0.1:{bench.server.port}")
        return "\n".join(map(plain, lines))

    def _message_clicked(self) -> None:
        self.show_window()
        if self._on_message is not None:
            self._on_message()


def plain(text: str) -> str:
    """A text for desktops that take some of it as markup: one line, bounded, without what could be a tag.

    Names of models and lines of an engine's log are text of others.
    """
    kept = "".join(
        " " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C"
    )
    short = " ".join(kept.split())
    short = short if len(short) <= TEXT_LIMIT else short[: TEXT_LIMIT - 1].rstrip() + "…"
    return short.replace("<", "‹").replace(">", "›")


def _icon(shape: str, tone: str) -> QIcon:
    """The shape in white on a round ground in the colour of the state: seen on every panel."""
    made = QIcon()
    for size in SIZES:
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tone_colour(tone, LIGHT)))
        painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.25, size * 0.25)
        inner = size * 0.84
        glyph = icons.pixmap(shape, "#ffffff", round(inner), 1.0)
        edge = (size - glyph.width()) / 2
        painter.drawPixmap(round(edge), round(edge), glyph)
        painter.end()
        made.addPixmap(picture)
    return made
