"""A splitter that remembers how the user divided it, side by side and one above the other separately."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

_NAMES = {Qt.Orientation.Horizontal: "beside", Qt.Orientation.Vertical: "above"}


class KeptSplitter(QSplitter):
    """``usual`` is how it is divided before the user has done so, as shares by orientation."""

    def __init__(
        self, usual: Mapping[Qt.Orientation, Sequence[int]], handle: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(next(iter(usual)), parent)
        self._usual = {_NAMES[way]: list(shares) for way, shares in usual.items()}
        self._kept: dict[str, list[int]] = {}
        self.setChildrenCollapsible(False)
        self.setHandleWidth(handle)
        self.splitterMoved.connect(lambda _at, _index: self._remember())

    def divide(self) -> None:
        """Divide it as the user did, else as usual; once its parts are in it."""
        name = _NAMES[self.orientation()]
        sizes = self._kept.get(name) or self._usual[name]
        for place, share in enumerate(self._usual[name]):
            self.setStretchFactor(place, share)
        self.setSizes(sizes)

    def turn(self, way: Qt.Orientation) -> None:
        """Lay the parts side by side or one above the other."""
        if self.orientation() != way:
            self.setOrientation(way)
            self.divide()

    def kept(self) -> str:
        """How the user divided it, to be stored; empty if never."""
        return json.dumps(self._kept) if self._kept else ""

    def restore(self, text: str) -> None:
        """Take what ``kept`` gave; anything else is passed over."""
        try:
            stored = json.loads(text) if text else {}
        except ValueError:
            return
        if not isinstance(stored, dict):
            return
        for name, usual in self._usual.items():
            sizes = stored.get(name)
            if isinstance(sizes, list) and len(sizes) == len(usual) and all(map(_is_size, sizes)):
                self._kept[name] = sizes
        self.divide()

    def _remember(self) -> None:
        self._kept[_NAMES[self.orientation()]] = self.sizes()


def _is_size(value: object) -> bool:
    return type(value) is int and value > 0
