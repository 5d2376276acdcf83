"""Questions and file choosers that never block, each opens and calls back; and the way to a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QWidget

from qtune.ui import icons


def bring_to_front(window: QWidget) -> None:
    """Show a window above others, wherever it was."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def dress(box: QMessageBox, shape: str) -> None:
    """Give a question an icon of ours, and take nothing of its texts as markup."""
    box.setIconPixmap(icons.pixmap(shape, box.palette().color(QPalette.ColorRole.Highlight).name(), 36))
    for words in box.findChildren(QLabel):
        words.setTextFormat(Qt.TextFormat.PlainText)


def confirm(
    parent: QWidget, question: str, consequence: str, accept: str, on_yes: Callable[[], None]
) -> QMessageBox:
    """Ask before something that cannot be taken back; only the named button goes ahead.

    A window that is hidden or minimised comes to the front: what nobody sees nobody answers.
    """
    window = parent.window()
    if not window.isVisible() or window.isMinimized():
        bring_to_front(window)
    box = QMessageBox(parent)
    box.setWindowTitle("qtune")
    box.setText(question)
    box.setInformativeText(consequence)
    dress(box, "warning")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    yes = box.addButton(accept, QMessageBox.ButtonRole.AcceptRole)
    no = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(no)

    def answered() -> None:
        if box.clickedButton() is yes:
            on_yes()

    box.finished.connect(answered)
    box.open()
    return box


def show_folder(path: Path) -> None:
    """Open a folder, or the folder of a file, in the file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent if path.suffix else path)))


def pick_folder(parent: QWidget, title: str, folder: str, on_chosen: Callable[[Path], None]) -> None:
    """Let the user point at one folder."""
    chooser = QFileDialog(parent, title, folder)
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.setFileMode(QFileDialog.FileMode.Directory)
    chooser.setOption(QFileDialog.Option.ShowDirsOnly)
    chooser.fileSelected.connect(lambda path: on_chosen(Path(path)))
    chooser.open()


def pick_file(
    parent: QWidget, title: str, pattern: str, folder: str, on_chosen: Callable[[Path], None]
) -> None:
    """Let the user point at one file."""
    chooser = QFileDialog(parent, title, folder, pattern)
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
    chooser.fileSelected.connect(lambda path: on_chosen(Path(path)))
    chooser.open()


def pick_target(
    parent: QWidget, title: str, pattern: str, place: Path, on_chosen: Callable[[Path], None]
) -> None:
    """Let the user say where a file is to be written; ``place`` is the suggestion and names the suffix."""
    chooser = QFileDialog(parent, title, str(place.parent), pattern)
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.setDefaultSuffix(place.suffix.removeprefix("."))
    chooser.selectFile(place.name)
    chooser.fileSelected.connect(lambda path: on_chosen(Path(path)))
    chooser.open()
