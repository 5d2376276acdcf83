"""The language of the window: which translators are installed, switched while the window is open."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

CHOICES: Final = ("system", "en", "zh_CN")


class Language(QObject):
    """Owned by the composition root. Switching sends LanguageChange to every widget by itself."""

    def __init__(self, app: QCoreApplication, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._folder = folder
        self._installed: list[QTranslator] = []
        self.choice = "system"
        self.code = "en"

    def choose(self, choice: str) -> bool:
        """Put a language in force; False when its translation file is missing and English stays."""
        self.choice = choice if choice in CHOICES else "system"
        self.code = _system_code() if self.choice == "system" else self.choice
        found = self.code == "en" or (self._folder / f"qtune_{self.code}.qm").is_file()
        if not found:
            self.code = "en"
        # The locale first: widgets format their figures while they handle LanguageChange.
        QLocale.setDefault(_locale(self.code))
        self.stop()
        self._install(str(self._folder), f"qtune_{self.code}")  # that of English holds plural forms
        if self.code != "en":
            of_qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            self._install(of_qt, f"qtbase_{self.code}")
        return found

    def stop(self) -> None:
        """Take our translators out of the application."""
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed = []

    def _install(self, folder: str, name: str) -> None:
        translator = QTranslator(self)
        if translator.load(name, folder):
            self._app.installTranslator(translator)
            self._installed.append(translator)


def _locale(code: str) -> QLocale:
    """How figures and dates are written: as the language does, English as in the country of the system.

    Not as the system writes them where it speaks another language: figures inside of sentences would then be
    written in two ways.
    """
    system = QLocale.system()
    if code == "en" and system.language() == QLocale.Language.English:
        return QLocale(QLocale.Language.English, system.territory())
    return QLocale("en_US" if code == "en" else code)


def _system_code() -> str:
    """``zh_CN`` for systems that prefer Simplified Chinese, else English."""
    for name in QLocale.system().uiLanguages():
        if name.startswith(("zh-Hans", "zh-CN", "zh_CN")) or name == "zh":
            return "zh_CN"
        if name.startswith("en"):
            return "en"
    return "en"
