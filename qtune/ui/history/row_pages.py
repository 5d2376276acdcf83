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
    """GUI thread only. ``fetch`` gets rows by key.

    ``arrived`` is told between which places rows came in, or are to be looked at again.
    """

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
        self.under_way: dict[int, int] = {}
        """Pages on their way, with the number of the newest request for each; the others came too late."""
        self.waiting: list[int] = []
        self._due: set[int] = set()
        self._asked = 0

    def load(self, keys: Keys) -> None:
        """Hold these keys from now on; nothing is fetched before it is looked at."""
        self.keys = keys
        self.pages.clear()
        self.under_way.clear()
        self.waiting.clear()
        self._due.clear()

    def row(self, place: int) -> R | None:
        """The row of a place; None while it is on its way, or if it is gone. Looking also asks for it."""
        page = place // PAGE
        rows = self.pages.get(page)
        wanted = rows is None or page in self._due
        if wanted and page not in self.under_way and page not in self.waiting:
            self._ask(page)
        if rows is None:
            return None
        self.pages.move_to_end(page)
        return rows.get(int(self.keys[place]))

    def reread(self, keys: Iterable[int]) -> None:
        """Fetch these rows again when they are looked at; the old ones are shown until then."""
        places = np.flatnonzero(np.isin(self.keys, np.fromiter(keys, np.int64)))
        if not places.size:
            return
        for page in np.unique(places // PAGE).tolist():
            self.under_way.pop(page, None)  # what is on its way may have been read before the change
            if page in self.pages:
                self._due.add(page)
        self._arrived(int(places[0]), int(places[-1]))

    def _ask(self, page: int) -> None:
        if len(self.under_way) >= AT_ONCE:
            self.waiting = [*self.waiting[-WAITING + 1 :], page]
            return
        self._asked += 1
        self.under_way[page] = number = self._asked
        self._due.discard(page)
        self._bridge.follow(
            self._fetch(self.keys[page * PAGE : (page + 1) * PAGE].tolist()),
            lambda rows: self._on_page(number, page, rows),
            lambda message: self._on_failed(number, page, message),
        )

    def _on_page(self, number: int, page: int, rows: Iterable[R]) -> None:
        if self.under_way.get(page) == number:
            del self.under_way[page]
            self.pages[page] = {row.key: row for row in rows}
            self.pages.move_to_end(page)
            while len(self.pages) > KEPT_PAGES:
                self.pages.popitem(last=False)
            self._arrived(page * PAGE, min((page + 1) * PAGE, len(self.keys)) - 1)
        if self.waiting:
            self._ask(self.waiting.pop())

    def _on_failed(self, number: int, page: int, message: Message) -> None:
        newest = self.under_way.get(page) == number
        self._on_page(number, page, self.pages.get(page, {}).values())  # not asked for by every repaint
        if newest:
            self._failed(message)
