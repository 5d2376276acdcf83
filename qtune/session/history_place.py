"""Where the history is kept: what the user chose, what the environment says, and the password for it."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from qtune.core.messages import Message
from qtune.host import key_ring
from qtune.host.paths import AppPaths, app_paths
from qtune.host.preferences import Preferences, open_preferences
from qtune.store.address import Address, Place, place_of
from qtune.store.history import History
from qtune.store.shared import try_out

URL_VARIABLE = "QTUNE_HISTORY_URL"
"""Environment variable that names the history of one start; it counts before the user's choice."""
PASSWORD_VARIABLE = "QTUNE_HISTORY_PASSWORD"  # noqa: S105 - the name of a variable

PREFERENCE = "history_url"
"""The user's choice, never with a password; empty for the file of this computer."""


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """Where the history is, and where it will be.

    Attributes:
        in_use: Address or path, without password.
        next_start: The same from the next start on.
        file: Path of the file of this computer.
        forced: Whether the environment decides, whatever is chosen.
    """

    in_use: str
    next_start: str
    file: str
    forced: bool

    @property
    def shared(self) -> bool:
        """Whether the next start opens a database."""
        return self.next_start != self.file


class HistoryPlaces:
    """Part of the desk: what the Settings page shows and changes. Another place holds from the next start."""

    def __init__(
        self, history: History, paths: AppPaths, preferences: Preferences, readers: ThreadPoolExecutor
    ) -> None:
        self._history = history
        self._paths = paths
        self._preferences = preferences
        self._readers = readers

    def choice(self) -> PlaceChoice:
        """What holds; reads nothing but memory."""
        file, forced = str(self._paths.database_file), bool(os.environ.get(URL_VARIABLE))
        in_use = str(self._history.place)
        chosen = self._preferences.text(PREFERENCE) or file
        return PlaceChoice(in_use, in_use if forced else chosen, file, forced)

    def take_apart(self, url: str) -> tuple[str, str]:
        """An address as it may be shown, and the password that came with it, empty for none.

        Raises:
            KnownError: ``history_url_bad`` or ``history_url_kind``.
        """
        place = place_of(url, self._paths.data)
        return _address_of(place), "" if isinstance(place, Path) else place.given or ""

    def try_out(self, url: str, password: str = "") -> Future[Message]:
        """What is found at an address; nothing is changed there.

        Raises (in the future):
            KnownError: What is in the way.
        """
        return self._readers.submit(lambda: look_at(self._place(url, password)))

    def choose(self, url: str, password: str = "") -> Future[Message | None]:
        """Keep the history there from the next start on; the future brings what the user should know.

        An empty address stands for the file of this computer. The password goes into the key ring; should the
        address be in use, it holds at once.

        Raises (in the future):
            KnownError: ``history_url_bad``, ``history_url_kind``, ``folder_not_writable``.
        """
        return self._readers.submit(self._choose, url, password)

    def _choose(self, url: str, password: str) -> Message | None:
        notice = store_choice(self._preferences, self._paths, url, password)
        if password and self._preferences.text(PREFERENCE) == str(self._history.place):
            self._history.use_password(password)
        return notice

    def _place(self, url: str, password: str) -> Place:
        return place_at(url, self._paths, password)


def place_in_force(base_dir: Path | None = None, preferences: Preferences | None = None) -> Place:
    """Where the history is: by the environment, else by the user's choice, else in the file.

    Raises:
        KnownError: ``history_url_bad`` or ``history_url_kind``.
    """
    paths = app_paths(base_dir)
    if preferences is None:
        preferences, _ = open_preferences(paths.settings_file)
    url = os.environ.get(URL_VARIABLE) or preferences.text(PREFERENCE)
    return place_at(url, paths, "") if url else paths.database_file


def look_at(place: Place) -> Message:
    """What is found at a place; nothing is changed there.

    Raises:
        KnownError: What is in the way.
    """
    if isinstance(place, Address):
        return try_out(place)
    return Message.of("history_file", path=str(place))


def store_choice(preferences: Preferences, paths: AppPaths, url: str, password: str = "") -> Message | None:
    """Store where the history is kept from the next start on; returns what the user should know.

    Raises:
        KnownError: ``history_url_bad``, ``history_url_kind``, ``folder_not_writable``.
    """
    place = place_at(url, paths, password) if url else paths.database_file
    # A password in the address is as good as one beside it, and does not stay there.
    secret = place.given if isinstance(place, Address) else None
    preferences.store({PREFERENCE: "" if place == paths.database_file else _address_of(place)})
    if secret and not key_ring.keep(str(place), secret):
        return Message.of("keyring_missing")
    return Message.of("history_place_forced") if os.environ.get(URL_VARIABLE) else None


def _address_of(place: Place) -> str:
    return str(place) if isinstance(place, Address) else f"sqlite:///{place}"


def place_at(url: str, paths: AppPaths, password: str) -> Place:
    """The place an address names; a password that does not come with it is looked for when one connects.

    Raises:
        KnownError: ``history_url_bad`` or ``history_url_kind``.
    """
    place = place_of(url, paths.data, password or None)
    if isinstance(place, Address):
        place.ask = _known_password
    return place


def _known_password(name: str) -> str | None:
    return os.environ.get(PASSWORD_VARIABLE) or key_ring.password_of(name)
