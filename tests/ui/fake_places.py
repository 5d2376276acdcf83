"""Places of the history that are found, or not, as a test wants; the key ring is a dictionary."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.session.history_place import HistoryPlaces, PlaceChoice
from qtune.store.address import Address, place_of

FILE = "/home/me/.local/share/qtune/qtune.db"


class FakePlaces(HistoryPlaces):
    """Ends every search at once unless ``hold`` is set, which then keeps its future until ``release``."""

    def __init__(self, in_use: str = FILE, *, forced: bool = False) -> None:
        self.in_use, self.next_start, self.forced = in_use, in_use, forced
        self.found: Message | KnownError | None = None
        self.notice: Message | None = None
        self.kept: dict[str, str] = {}
        self.hold: Future[Message] | None = None

    def choice(self) -> PlaceChoice:
        return PlaceChoice(self.in_use, self.next_start, FILE, self.forced)

    def take_apart(self, url: str) -> tuple[str, str]:
        place = place_of(url, Path("/nowhere"))
        return str(place), (place.given or "") if isinstance(place, Address) else ""

    def try_out(self, url: str, password: str = "") -> Future[Message]:
        del password
        if self.hold is not None:
            return self.hold
        future: Future[Message] = Future()
        if isinstance(self.found, KnownError):
            future.set_exception(self.found)
        else:
            future.set_result(self.found or Message.of("history_shared_found", path=url, count=1204))
        return future

    def choose(self, url: str, password: str = "") -> Future[Message | None]:
        self.next_start = url or FILE
        if password:
            self.kept[url] = password
        future: Future[Message | None] = Future()
        future.set_result(self.notice)
        return future
