"""The menus by which runs leave the history: to read, as data, to launch, or over the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu

from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.session.exports import FORMS, LAUNCH_FORMS, ExportForm

_READ: Final[dict[ExportForm, str]] = {
    "html": QT_TRANSLATE_NOOP("exports", "Report with charts (HTML)"),
    "pdf": QT_TRANSLATE_NOOP("exports", "Report with charts (PDF)"),
    "share": QT_TRANSLATE_NOOP("exports", "Card to share (Markdown)"),
    "markdown": QT_TRANSLATE_NOOP("exports", "Markdown table"),
}
_DATA: Final[dict[ExportForm, str]] = {
    "csv": QT_TRANSLATE_NOOP("exports", "CSV, one line a run"),
    "csv-requests": QT_TRANSLATE_NOOP("exports", "CSV, one line a request"),
    "csv-spreadsheet": QT_TRANSLATE_NOOP("exports", "CSV for spreadsheets"),
    "json": QT_TRANSLATE_NOOP("exports", "JSON, everything"),
    "jsonl": QT_TRANSLATE_NOOP("exports", "JSON lines, everything"),
}
_BENCH: Final[dict[ExportForm, str]] = {
    "llama-bench-csv": QT_TRANSLATE_NOOP("exports", "llama-bench CSV"),
    "llama-bench-json": QT_TRANSLATE_NOOP("exports", "llama-bench JSON"),
    "llama-bench-md": QT_TRANSLATE_NOOP("exports", "llama-bench Markdown"),
    "llama-bench-sql": QT_TRANSLATE_NOOP("exports", "llama-bench SQL"),
}
_LAUNCH: Final[dict[ExportForm, str]] = {
    "command": QT_TRANSLATE_NOOP("exports", "Command line"),
    "sh": QT_TRANSLATE_NOOP("exports", "Script for sh (Linux, macOS)"),
    "ps1": QT_TRANSLATE_NOOP("exports", "Script for PowerShell"),
    "bat": QT_TRANSLATE_NOOP("exports", "Script for cmd (.bat)"),
    "llama-swap": QT_TRANSLATE_NOOP("exports", "llama-swap entry (YAML)"),
    "ini": QT_TRANSLATE_NOOP("exports", "Presets for llama-server (INI)"),
}
_COPIED: Final[tuple[ExportForm, ...]] = (
    "command", "llama-swap", "ini", "share", "markdown", "llama-bench-md", "csv", "json",
)  # fmt: skip
NAMES: Final = _READ | _DATA | _BENCH | _LAUNCH

OnForm = Callable[[ExportForm], None]


def form_name(form: ExportForm) -> str:
    """What a form is called in the language in force."""
    return QCoreApplication.translate("exports", NAMES[form])


def file_pattern(form: ExportForm) -> str:
    """What a file dialog filters by."""
    return f"{form_name(form).replace('(', '– ').replace(')', '')} (*{FORMS[form].suffix})"


def fill_menu(menu: QMenu, count: int, save: OnForm, copy: OnForm) -> None:
    """Put every form into a menu; what launches one run is out of reach while several are meant."""
    menu.clear()
    add_saving(menu, count, save)
    add_copying(menu, count, copy)


def add_saving(menu: QMenu, count: int, save: OnForm) -> None:
    """Add the forms by which a file is written."""
    for title, forms in (
        (QCoreApplication.translate("exports", "To read and share"), _READ),
        (QCoreApplication.translate("exports", "Data"), _DATA),
        (QCoreApplication.translate("exports", "As llama-bench writes it"), _BENCH),
        (QCoreApplication.translate("exports", "To launch it"), _LAUNCH),
    ):
        inner = menu.addMenu(title)
        for form in forms:
            _add(inner, form, count, save)


def add_copying(menu: QMenu, count: int, copy: OnForm) -> None:
    """Add the forms that go to the clipboard."""
    inner = menu.addMenu(QCoreApplication.translate("exports", "Copy as text"))
    for form in _COPIED:
        _add(inner, form, count, copy)


def _add(menu: QMenu, form: ExportForm, count: int, use: OnForm) -> None:
    action = menu.addAction(form_name(form))
    action.setData(form)
    action.triggered.connect(lambda _checked=False: use(form))
    if form in LAUNCH_FORMS and count != 1:
        action.setEnabled(False)
        action.setToolTip(QCoreApplication.translate("exports", "Made of one run; select a single one."))
        menu.setToolTipsVisible(True)
