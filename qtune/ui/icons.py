"""Line icons of the window, drawn for qtune and tinted by the theme.

Own paths instead of an icon font: importing qtawesome and its first icon took 0.42 to 0.46 s at every
start, since it loads and checks a dozen fonts whichever of them is used.
"""

from __future__ import annotations

from typing import Final, cast

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZES: Final = (16, 24)
"""Sizes at which buttons show icons, logical pixels: a drawing shrunk to another one is blurred."""
_SHAPES = {
    "tune": '<path d="M5 4v6M5 14v6M12 4v3M12 11v9M19 4v9M19 17v3"/><circle cx="5" cy="12" r="2"/>'
    '<circle cx="12" cy="9" r="2"/><circle cx="19" cy="15" r="2"/>',
    "models": '<path d="M12 3.5l8 4.2v8.6l-8 4.2-8-4.2V7.7z"/><path d="M4.3 7.9L12 12l7.7-4.1M12 12v8.2"/>',
    "history": '<path d="M4.5 8.5a8.3 8.3 0 1 1-.8 3.5M4 4.5v4.3h4.3"/><path d="M12 7.5V12l3.2 2"/>',
    "log": '<rect x="4" y="4" width="16" height="16" rx="2"/><path d="M8 9h8M8 12.5h8M8 16h5"/>',
    "settings": '<circle cx="12" cy="12" r="3"/><circle cx="12" cy="12" r="7"/>'
    '<path d="M12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3l1.8 1.8M16.9 16.9l1.8 1.8M5.3 18.7l1.8-1.8'
    'M16.9 7.1l1.8-1.8"/>',
    "keys": '<rect x="3" y="6.5" width="18" height="11" rx="2"/><path d="M6.5 10h.1M10 10h.1M13.9 10h.1'
    'M17.4 10h.1M8 14h8"/>',
    "play": '<path d="M8 5.5v13l10.5-6.5z" fill="currentColor"/>',
    "stop": '<rect x="6.5" y="6.5" width="11" height="11" rx="1.5" fill="currentColor"/>',
    "pause": '<path d="M9 6v12M15 6v12" stroke-width="3"/>',
    "ready": '<circle cx="12" cy="12" r="8.5"/><path d="M8.3 12.3l2.6 2.6 4.9-5.4"/>',
    "stopped": '<rect x="6" y="6" width="12" height="12" rx="2"/>',
    "loading": '<path d="M7 4h10M7 20h10M8 4c0 5 8 6 8 16M16 4c0 5-8 6-8 16"/>',
    "measuring": '<path d="M3 13h4l2.5-7 4.5 12 2.5-7H21"/>',
    "crashed": '<circle cx="12" cy="12" r="8.5"/><path d="M9 9l6 6M15 9l-6 6"/>',
    "warning": '<path d="M12 4L3 19.5h18z"/><path d="M12 10v4.5M12 17v.4"/>',
    "info": '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5.5M12 7.6v.4"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "copy": '<rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2"/><path d="M15.5 8.5V6a2 2 0 0 0-2-2'
    'H6a2 2 0 0 0-2 2v7.5a2 2 0 0 0 2 2h2.5"/>',
    "key": '<circle cx="8" cy="15.5" r="4"/><path d="M11 12.7L19.5 4.5M16.2 7.7l2.6 2.6"/>',
    "folder": '<path d="M3.5 6.5h6l2 2h9v10h-17z"/>',
    "fit": '<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>',
    "rows": '<rect x="4" y="4.5" width="16" height="6" rx="1"/>'
    '<rect x="4" y="13.5" width="16" height="6" rx="1"/>',
    "more": '<circle cx="12" cy="5.5" r="1.6" fill="currentColor"/><circle cx="12" cy="12" r="1.6" '
    'fill="currentColor"/><circle cx="12" cy="18.5" r="1.6" fill="currentColor"/>',
    "better": '<path d="M12 19V6M6 12l6-6.5L18 12"/>',
    "worse": '<path d="M12 5v13M6 12l6 6.5 6-6.5"/>',
    "equal": '<path d="M5.5 9.5h13M5.5 14.5h13"/>',
    "unknown": '<path d="M8.5 9a3.6 3.6 0 1 1 5.6 3c-1.4 1-2.1 1.6-2.1 3.2M12 18.6v.3"/>',
    "mixed": '<path d="M7 19V7M3.5 10.5L7 7l3.5 3.5M17 5v12M13.5 13.5L17 17l3.5-3.5"/>',
    "inactive": '<circle cx="12" cy="12" r="8"/><path d="M6.5 17.5l11-11"/>',
    "yes": '<path d="M5 12.5l4.6 4.8L19 7"/>',
    "no": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "point": '<circle cx="12" cy="12" r="2.4" fill="currentColor"/>',
    "curve": '<path d="M4 6c6 0 7 11 16 12"/>',
    "up": '<path d="M6 15l6-6 6 6"/>',
    "back": '<path d="M15 5l-7 7 7 7"/>',
    "bars": '<path d="M5.5 20v-9M12 20V4.5M18.5 20v-6" stroke-width="3.4"/>',
    "down": '<path d="M6 9l6 6 6-6"/>',
    "right": '<path d="M9 6l6 6-6 6"/>',
    "lowered": '<path d="M3.5 5h5.5v5h5v5h5v4.5"/><path d="M16.3 17l2.7 2.8 2.7-2.8"/>',
    "passed": '<circle cx="12" cy="12" r="7"/><path d="M8.5 12h7"/>',
    "hollow": '<circle cx="12" cy="12" r="5"/>',
    "o": '<circle cx="12" cy="12" r="6.5" fill="currentColor"/>',
    "t": '<path d="M12 5l7.5 13.5h-15z" fill="currentColor"/>',
    "s": '<rect x="6" y="6" width="12" height="12" fill="currentColor"/>',
    "d": '<path d="M12 4l8 8-8 8-8-8z" fill="currentColor"/>',
    "hatched": '<rect x="6" y="6" width="12" height="12"/><path d="M6 12l6-6M6 18L18 6M12 18l6-6"/>',
    "star": '<path d="M12 4l2.4 5.4 5.8.6-4.4 3.9 1.3 5.8-5.1-3-5.1 3 1.3-5.8L3.8 10l5.8-.6z" '
    'fill="currentColor"/>',
}
"""Inner markup on a 24 x 24 field; the one-letter names are the plot symbols of the arms."""


def svg(name: str, colour: str) -> bytes:
    """The icon as an SVG document in one colour."""
    body = _SHAPES[name].replace("currentColor", colour)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        f'stroke="{colour}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">{body}</svg>'
    ).encode()


def pixmap(name: str, colour: str, size: int = 18, ratio: float | None = None) -> QPixmap:
    """The icon drawn at ``size`` logical pixels, by default as sharp as the sharpest screen shows it."""
    ratio = ratio or cast("QGuiApplication", QGuiApplication.instance()).devicePixelRatio()
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(svg(name, colour))).render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """The icon for a button, with its look while the button is disabled."""
    made = QIcon()
    for size in SIZES:
        made.addPixmap(pixmap(name, colour, size))
        if disabled is not None:
            made.addPixmap(pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return made
