"""Colours, type scale and spacing as tokens, light and dark, and the style sheet built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from qtune.session.plans import SCREEN

CHOICES: Final = ("system", "light", "dark")

CHINESE_FONTS: Final = (
    "PingFang SC",
    "Microsoft YaHei UI",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
)
GAP: Final = 12
"""Space between blocks, logical pixels; half of it inside a block."""

SYMBOLS: Final[Mapping[str, str]] = {
    "off": "o",
    "conservative": "t",
    "balanced": "s",
    "aggressive": "d",
    "custom": "star",
}
"""Plot symbol of each arm, so that arms differ by shape as well as by colour."""


def symbol(arm: str) -> str:
    """Plot symbol of an arm, always the same one; unknown arms take that of ``custom``."""
    return SYMBOLS.get(_look(arm), SYMBOLS["custom"])


def _look(arm: str) -> str:
    """The arm whose looks an arm has: a trial those of what is tried, a second off those of off."""
    return arm.removeprefix(SCREEN).removesuffix("_again")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One set of colours as ``#rrggbb``; texts on their grounds reach a contrast of 4.5 to 1 or more."""

    name: str
    window: str
    surface: str
    sunken: str
    border: str
    outline: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    good: str
    good_soft: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    idle_soft: str
    arms: Mapping[str, str]

    def arm(self, name: str) -> str:
        """Colour of an arm, always the same one; unknown arms take that of ``custom``."""
        return self.arms.get(_look(name), self.arms["custom"])


# Arms follow Okabe and Ito's colour-blind safe hues, darkened or lightened until text in them reads well,
# then moved apart until every pair differs to protan, deutan and tritan eyes, too: tests/ui/test_look.py.
LIGHT: Final = Tokens(
    name="light",
    window="#f3f4f7",
    surface="#ffffff",
    sunken="#eceef2",
    border="#d8dce3",
    outline="#7f8796",
    text="#1a1f29",
    muted="#566072",
    disabled="#9aa2b0",
    accent="#2457c5",
    accent_hover="#1d49a8",
    on_accent="#ffffff",
    accent_soft="#e4ecfb",
    good="#17703a",
    good_soft="#e3f4e8",
    warn="#855600",
    warn_soft="#fbf0d9",
    bad="#b3261e",
    bad_soft="#fbe6e4",
    idle_soft="#e9ebf0",
    arms={
        "off": "#636c7c",
        "conservative": "#0b6ac0",
        "balanced": "#00664a",
        "aggressive": "#ad4306",
        "custom": "#6b2177",
    },
)
DARK: Final = Tokens(
    name="dark",
    window="#13161b",
    surface="#1c2027",
    sunken="#161a20",
    border="#323946",
    outline="#6f7a90",
    text="#e7eaf0",
    muted="#a5afbf",
    disabled="#5f6878",
    accent="#7fa8ff",
    accent_hover="#9bbbff",
    on_accent="#0d1117",
    accent_soft="#22304d",
    good="#63d08a",
    good_soft="#1a3325",
    warn="#e9b44c",
    warn_soft="#3a2e14",
    bad="#ff8f86",
    bad_soft="#44201f",
    idle_soft="#272d38",
    arms={
        "off": "#a2a9bb",
        "conservative": "#49a6de",
        "balanced": "#4adcaf",
        "aggressive": "#f39a5b",
        "custom": "#fec5fa",
    },
)


class Theme(QObject):
    """Owned by the window; decides which tokens are in force and tells everyone when they change."""

    changed = Signal(object)

    def __init__(self, app: QApplication, icons: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._icons = icons
        self._choice = "system"
        self.tokens = LIGHT
        if app.style().objectName() != "fusion":  # a new style is laid on every widget there is
            app.setStyle("Fusion")
        if (font := with_chinese(app.font())).families() != app.font().families():
            app.setFont(font)
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    @property
    def choice(self) -> str:
        """What the user chose: ``system``, ``light`` or ``dark``."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Take a choice and put its tokens in force; an unknown word counts as ``system``."""
        self._choice = choice if choice in CHOICES else "system"
        # The request tints the window frame where the platform can; the tokens do not depend on it.
        wanted = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        self._app.styleHints().setColorScheme(wanted.get(self._choice, Qt.ColorScheme.Unknown))
        self._apply()

    def stop(self) -> None:
        """Follow the system no more."""
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_scheme_changed)

    def sheet(self) -> str:
        """Style sheet of the window for the tokens in force."""
        return style_sheet(self.tokens, self._icons)

    def _on_scheme_changed(self) -> None:
        if self._choice == "system":
            self._apply()

    def _apply(self) -> None:
        dark = self._choice == "dark" or (
            self._choice == "system" and self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        self.tokens = DARK if dark else LIGHT
        self._app.setPalette(palette(self.tokens))
        self.changed.emit(self.tokens)


def palette(tokens: Tokens) -> QPalette:
    """Palette for everything the style sheet leaves to the Fusion style."""
    made = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.sunken,
        role.Text: tokens.text,
        role.Button: tokens.surface,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.bad,
        role.ToolTipBase: tokens.surface,
        role.ToolTipText: tokens.text,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.on_accent,
        role.PlaceholderText: tokens.muted,
        role.Link: tokens.accent,
        role.Mid: tokens.border,
        role.Dark: tokens.outline,
        role.Light: tokens.surface,
    }
    for which, colour in colours.items():
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.disabled))
    return made


def with_chinese(font: QFont) -> QFont:
    """The system's font with named companions for Chinese; left alone, Qt may take a bold or Japanese one."""
    made = QFont(font)
    # The real family: an alias such as "Sans Serif" would let the first Chinese font draw Latin text too.
    made.setFamilies([*dict.fromkeys((QFontInfo(font).family(), *CHINESE_FONTS))])
    return made


def scaled(font: QFont, factor: float, *, bold: bool = False) -> QFont:
    """A size of the type scale, relative to the system's own font."""
    made = QFont(font)
    made.setPointSizeF(font.pointSizeF() * factor)
    if bold:
        made.setWeight(QFont.Weight.DemiBold)
    return made


def mono(font: QFont, factor: float = 1.0) -> QFont:
    """Fixed-width companion of ``font``."""
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    made.setPointSizeF(font.pointSizeF() * factor)
    return made


def contrast(foreground: str, background: str) -> float:
    """Contrast ratio of two colours by the formula of WCAG 2, 1 to 21."""

    def luminance(colour: str) -> float:
        parts = QColor(colour)
        channels = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (parts.redF(), parts.greenF(), parts.blueF())
        ]
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    light, dark = sorted((luminance(foreground), luminance(background)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


_SHEET = """
QMainWindow, QWidget#page, QScrollArea, QWidget#scrolled { background: @window; }
QScrollArea { border: none; }
QScrollArea#inset, QWidget#inset { background: @surface; }
QLabel { background: transparent; }
QLabel[tone="muted"] { color: @muted; }
QLabel[tone="good"] { color: @good; }
QLabel[tone="warn"] { color: @warn; }
QLabel[tone="bad"] { color: @bad; }
QLabel[tone="accent"] { color: @accent; }
QFrame#card, QFrame#chart { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame#chart:focus { border: 2px solid @accent; }
QLabel#readout { background: @surface; color: @text; border: 1px solid @outline; border-radius: 4px;
  padding: 1px 5px; }
QFrame#strip { background: @surface; border: none; border-bottom: 1px solid @border; }
QFrame#rail { background: @surface; border: none; border-right: 1px solid @border; }
QFrame#line { background: @border; border: none; }
QFrame#preset { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame#preset:hover { border: 1px solid @outline; }
QFrame#preset[chosen="true"] { border: 2px solid @accent; background: @surface; }
QFrame#preset:focus { border: 2px dashed @accent; }
QFrame#preset[chosen="true"]:focus { border: 2px solid @accent; }
QFrame#preset:disabled { background: @sunken; }
QFrame#banner[kind="error"] { background: @bad_soft; border: 1px solid @bad; border-radius: 6px; }
QFrame#banner[kind="warning"] { background: @warn_soft; border: 1px solid @warn; border-radius: 6px; }
QFrame#banner[kind="info"] { background: @accent_soft; border: 1px solid @accent; border-radius: 6px; }
QFrame#rung { background: transparent; border: 1px solid transparent; border-radius: 6px; }
QFrame#rung[place="here"] { background: @accent_soft; border: 1px solid @accent; }
QFrame#rung[place="failed"] { background: @bad_soft; border: 1px solid @bad; }
QFrame#incident { background: @surface; border: 1px solid @border; border-radius: 6px; }
QFrame#pill { border-radius: 11px; border: none; }
QFrame#pill[tone="idle"] { background: @idle_soft; }
QFrame#pill[tone="good"] { background: @good_soft; }
QFrame#pill[tone="warn"] { background: @warn_soft; }
QFrame#pill[tone="bad"] { background: @bad_soft; }
QFrame#pill[tone="accent"] { background: @accent_soft; }
QFrame#seal { border-radius: 6px; border: none; background: @idle_soft; }
QFrame#seal[tone="good"] { background: @good_soft; }
QFrame#seal[tone="warn"] { background: @warn_soft; }
QFrame#seal[tone="bad"] { background: @bad_soft; }
QLabel#step { border-radius: 15px; border: 2px solid @outline; color: @muted; background: @surface; }
QLabel#step[place="first"] { border-color: @accent; color: @accent; background: @accent_soft; }
QLabel#step[place="done"] { border-color: @good; background: @good_soft; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLabel#qt_msgbox_label { font-weight: bold; }
QLabel#qt_msgbox_informativelabel { min-width: 340px; }
QLabel#badge { border-radius: 7px; padding: 1px 7px; background: @idle_soft; color: @muted; }
QLabel#badge[tone="good"] { background: @good_soft; color: @good; }
QLabel#badge[tone="warn"] { background: @warn_soft; color: @warn; }
QLabel#badge[tone="bad"] { background: @bad_soft; color: @bad; }
QPushButton { background: @surface; color: @text; border: 1px solid @outline; border-radius: 6px;
  padding: 5px 12px; min-height: 18px; }
QPushButton:hover { background: @sunken; }
QPushButton:pressed { background: @border; }
QPushButton:focus { border: 2px solid @accent; padding: 4px 11px; }
QPushButton:disabled { color: @disabled; border-color: @border; background: @window; }
QPushButton[kind="primary"] { background: @accent; color: @on_accent; border: 1px solid @accent; }
QPushButton[kind="primary"]:hover { background: @accent_hover; }
QPushButton[kind="primary"]:focus { border: 2px solid @text; padding: 4px 11px; }
QPushButton[kind="primary"]:disabled { background: @idle_soft; color: @disabled; border-color: @border; }
QPushButton[size="large"] { min-height: 32px; }
QPushButton[kind="quiet"] { border: none; background: transparent; color: @accent; padding: 3px 6px; }
QPushButton[kind="quiet"]:hover { background: @sunken; }
QPushButton[kind="quiet"]:focus { border: 1px solid @accent; }
QPushButton[kind="quiet"]:disabled { color: @disabled; }
QPushButton[kind="segment"] { border-radius: 0; padding: 3px 7px; color: @muted; }
QPushButton[kind="segment"]:checked { background: @accent_soft; color: @accent; border-color: @accent; }
QPushButton[kind="segment"]:focus { border: 2px solid @accent; padding: 2px 6px; }
QPushButton::menu-indicator { subcontrol-position: right center; right: 7px; width: 13px; height: 13px;
  image: url("@icons/chevron-down-@name.svg"); }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 3px;
  color: @muted; }
QToolButton:hover { background: @sunken; }
QToolButton:focus { border: 1px solid @accent; }
QToolButton[size="small"] { padding: 0; }
QToolButton::menu-indicator { image: none; }
QToolButton[kind="fold"] { color: @text; padding: 3px 4px; text-align: left; }
QToolButton[kind="fold"]:checked { background: transparent; color: @text; }
QToolButton:checked { background: @accent_soft; color: @accent; }
QComboBox, QSpinBox, QDateEdit, QLineEdit { background: @surface; color: @text; border: 1px solid @outline;
  border-radius: 6px; padding: 3px 8px; min-height: 20px; selection-background-color: @accent;
  selection-color: @on_accent; }
QComboBox:focus, QSpinBox:focus, QDateEdit:focus, QLineEdit:focus { border: 2px solid @accent;
  padding: 2px 7px; }
QComboBox:disabled, QSpinBox:disabled, QLineEdit:disabled { color: @disabled; border-color: @border;
  background: @window; }
QComboBox { combobox-popup: 0; }
QComboBox::drop-down, QDateEdit::drop-down { border: none; width: 22px; }
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 5px; }
QComboBox::down-arrow, QDateEdit::down-arrow { image: url("@icons/chevron-down-@name.svg");
  width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @outline;
  selection-background-color: @accent; selection-color: @on_accent; outline: none; }
QDateEdit { min-height: 18px; }
QSpinBox { padding-left: 2px; padding-right: 20px; min-width: 44px; }
QSpinBox:focus { padding-left: 1px; padding-right: 19px; }
QSpinBox QLineEdit, QSpinBox QLineEdit:focus, QSpinBox QLineEdit:disabled, QDateEdit QLineEdit,
QDateEdit QLineEdit:focus { border: none; padding: 0 4px;
  min-height: 0; background: transparent; }
QSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; border: none; width: 18px; }
QSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; border: none;
  width: 18px; }
QSpinBox::up-arrow { image: url("@icons/chevron-up-@name.svg"); width: 11px; height: 11px; }
QSpinBox::down-arrow { image: url("@icons/chevron-down-@name.svg"); width: 11px; height: 11px; }
QCheckBox { spacing: 7px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @outline; border-radius: 4px;
  background: @surface; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent;
  image: url("@icons/check-@name.svg"); }
QCheckBox:focus { color: @accent; }
QCheckBox::indicator:focus { border: 2px solid @accent; width: 12px; height: 12px; }
QCheckBox::indicator:checked:focus { border: 2px solid @text; }
QProgressBar { background: @sunken; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }
QProgressBar::chunk { background: @accent; border-radius: 4px; }
QProgressBar[tone="warn"]::chunk { background: @warn; }
QPlainTextEdit, QTableView { background: @surface; color: @text; border: none;
  selection-background-color: @accent; selection-color: @on_accent; }
QPlainTextEdit { border: 1px solid transparent; border-radius: 6px; }
QPlainTextEdit:focus { border: 1px solid @accent; }
QPlainTextEdit#log { border: 1px solid @border; border-radius: 8px; padding: 4px; }
QPlainTextEdit#log:focus { border: 1px solid @accent; }
QPlainTextEdit#note { border: 1px solid @outline; border-radius: 6px; padding: 2px 4px; }
QPlainTextEdit#note:focus { border: 2px solid @accent; padding: 1px 3px; }
QTableView { gridline-color: @border; alternate-background-color: @window; }
QTableView::item { padding: 0 6px; border: none; }
QHeaderView { background: @surface; }
QHeaderView::section { background: @surface; color: @muted; border: none; border-bottom: 1px solid @border;
  padding: 4px 6px; }
QTableCornerButton::section { background: @surface; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle { background: transparent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical { background: @outline; border-radius: 3px; min-height: 28px; margin: 2px 3px; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal { background: @outline; border-radius: 3px; min-width: 28px; margin: 3px 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: @surface; color: @text; border: 1px solid @outline; padding: 5px; }
QMenu { background: @surface; color: @text; border: 1px solid @outline; }
QMenu::item { padding: 5px 20px; }
QMenu::item:disabled { color: @disabled; }
QMenu::item:selected { background: @accent; color: @on_accent; }
"""


def style_sheet(tokens: Tokens, icons: Path) -> str:
    """Fill the sheet with one set of tokens; ``icons`` is the folder of the arrow pictures."""
    values = {name: getattr(tokens, name) for name in Tokens.__slots__ if name != "arms"}
    values["icons"] = icons.as_posix()
    sheet = _SHEET
    for name in sorted(values, key=len, reverse=True):
        sheet = sheet.replace(f"@{name}", str(values[name]))
    return sheet
