"""Rows behind a long list of keys: fetched a page at a time when one of them is looked at."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final, Generic, Protocol, TypeVar

import numpy as np

from qtune.core.history_query import Keys
from qtune.core.messages import Message
from qtune.ui.bridge import Bridge

PAGE: Final = 200
"""Rows fetched at a time."""
KEPT_PAGES: Final = 50
AT_ONCE: Final = 2
"""Pages on their way; more would make the newest wait behind those scrolled past."""
WAITING: Final = 4

NO_KEYS: Keys = np.zeros(0, np.int64)


class Keyed(Protocol):
    """What is told apart by a key."""

    @property
    def key(self) -> int:
        """Which it is."""


R = TypeVar("R", bound=Keyed)


class RowPages(Generic[R]):
    """GUI thread only. ``fetch`` gets rows by key; ``arrived`` is told between which places rows came in."""

    def __init__(
        self,
        fetch: Callable[[Iterable[int]], Future[list[R]]],
        bridge: Bridge,
        arrived: Callable[[int, int], None],
        failed: Callable[[Message], None],
    ) -> None:
        self._fetch = fetch
        self._bridge = bridge
        self._arrived = arrived
        self._failed = failed
        self.keys = NO_KEYS
        self.pages: OrderedDict[int, dict[int, R]] = OrderedDict()
        self.under_way: set[int] = set()
        self.waiting: list[int] = []
        self._generation = 0

    def load(self, keys: Keys) -> None:
        """Hold these keys from now on; nothing is fetched before it is looked at."""
        self._generation += 1
        self.keys = keys
        self.pages.clear()
        self.under_way.clear()
        self.waiting.clear()

    def row(self, place: int) -> R | None:
        """The row of a place; None while it is on its way, or if it is gone. Looking also asks for it."""
        page = place // PAGE
        rows = self.pages.get(page)
        if rows is None:
            if page not in self.under_way and page not in self.waiting:
                self._ask(page)
            return None
        self.pages.move_to_end(page)
        return rows.get(int(self.keys[place]))

    def reread(self, keys: Iterable[int]) -> None:
        """Fetch these rows again; the old ones are shown until then."""
        places = np.flatnonzero(np.isin(self.keys, np.fromiter(keys, np.int64)))
        for page in {int(place) // PAGE for place in places}:
            self.under_way.discard(page)
            if page in self.pages:
                self._ask(page)

    def _ask(self, page: int) -> None:
        if len(self.under_way) >= AT_ONCE:
            self.waiting = [*self.waiting[-WAITING + 1 :], page]
            return
        self.under_way.add(page)
        generation = self._generation
        self._bridge.follow(
            self._fetch(self.keys[page * PAGE : (page + 1) * PAGE].tolist()),
            lambda rows: self._on_page(generation, page, rows),
            lambda message: self._on_failed(generation, page, message),
        )

    def _on_page(self, generation: int, page: int, rows: list[R]) -> None:
        if generation != self._generation:
            return
        self.under_way.discard(page)
        self.pages[page] = {row.key: row for row in rows}
        self.pages.move_to_end(page)
        while len(self.pages) > KEPT_PAGES:
            self.pages.popitem(last=False)
        self._arrived(page * PAGE, min((page + 1) * PAGE, len(self.keys)) - 1)
        if self.waiting:
            self._ask(self.waiting.pop())

    def _on_failed(self, generation: int, page: int, message: Message) -> None:
        if generation == self._generation:
            self._on_page(generation, page, [])  # not asked for again by every repaint
            self._failed(message)
