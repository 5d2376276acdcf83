"""Where the history is kept, and that a password for it stands in the key ring only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.host.environ import child_environment
from qtune.host.paths import AppPaths, app_paths
from qtune.host.preferences import open_preferences
from qtune.session.history_place import HistoryPlaces, place_in_force, store_choice
from qtune.session.history_upkeep import move_history
from qtune.store.address import Address, place_of
from qtune.store.history import open_history

SECRET = "ge:heim/#1"
SHOWN = "postgresql://me@server/qtune"
GIVEN = "postgres://me:ge%3Aheim%2F%231@server/qtune"


class Ring(KeyringBackend):
    """A key ring in memory that may be locked."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("locked")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[Ring]:
    before, made = keyring.get_keyring(), Ring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    found = app_paths(tmp_path / "home")
    found.ensure()
    return found


Store = Callable[..., Message | None]


@pytest.fixture
def store(paths: AppPaths) -> Store:
    def choose(url: str, password: str = "") -> Message | None:
        preferences, _ = open_preferences(paths.settings_file)
        return store_choice(preferences, paths, url, password)

    return choose


def in_force(paths: AppPaths) -> Address:
    place = place_in_force(paths.data.parent)
    assert isinstance(place, Address)
    return place


@pytest.mark.parametrize(("url", "password"), [(GIVEN, ""), (SHOWN, SECRET), (f"{SHOWN}?password=x", SECRET)])
def test_the_password_goes_into_the_key_ring_and_into_no_file(
    paths: AppPaths, store: Store, ring: Ring, url: str, password: str
) -> None:
    assert store(url, password) is None
    assert list(ring.kept.values()) == [SECRET]
    for file in paths.config.iterdir():
        assert "heim" not in file.read_text()
    place = in_force(paths)
    assert str(place) == SHOWN
    assert place.password() == SECRET
    assert "heim" not in repr(place.url)
    assert place.without_password(f"no {SECRET}!") == "no ***!"


def test_without_a_key_ring_it_is_said_and_the_environment_helps(
    paths: AppPaths, store: Store, ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring.locked = True
    assert store(GIVEN) == Message.of("keyring_missing")
    assert in_force(paths).password() is None
    monkeypatch.setenv("QTUNE_HISTORY_PASSWORD", "of the environment")
    assert in_force(paths).password() == "of the environment"


def test_the_environment_names_another_history_and_engines_hear_nothing_of_it(
    paths: AppPaths, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store(SHOWN) is None
    monkeypatch.setenv("QTUNE_HISTORY_URL", "postgresql://you:x@other/q")
    monkeypatch.setenv("QTUNE_HISTORY_PASSWORD", "y")
    monkeypatch.setenv("PGPASSWORD", "z")
    assert str(in_force(paths)) == "postgresql://you@other/q"
    assert in_force(paths).password() == "x"
    assert store(SHOWN) == Message.of("history_place_forced")
    assert not {"QTUNE_HISTORY_URL", "QTUNE_HISTORY_PASSWORD", "PGPASSWORD"} & child_environment().keys()


def test_an_address_of_a_file_and_the_way_back(paths: AppPaths, store: Store, tmp_path: Path) -> None:
    assert store(f"sqlite:///{tmp_path / 'other 50%.db'}") is None
    assert place_in_force(paths.data.parent) == tmp_path / "other 50%.db"
    assert store("") is None
    assert place_in_force(paths.data.parent) == paths.database_file


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "history_url_bad"),
        ("server/qtune", "history_url_bad"),
        ("postgresql://me:heim@x@server/qtune", "history_url_bad"),
        ("postgresql://me:heim", "history_url_bad"),
        (f"{SHOWN}?sslpassword=heim", "history_url_bad"),
        ("mysql://me:heim@server/qtune", "history_url_kind"),
        ("sqlite://", "history_url_bad"),
    ],
)
def test_a_bad_address_is_refused_without_repeating_it(tmp_path: Path, url: str, code: str) -> None:
    with pytest.raises(KnownError) as caught:
        place_of(url, tmp_path)
    assert caught.value.code == code
    assert "heim" not in repr(caught.value) + caught.value.message.sentence()


def test_what_cannot_be_reached_is_not_moved_to(paths: AppPaths, unused_tcp_port: int) -> None:
    pytest.importorskip("psycopg")
    base, url = paths.data.parent, f"postgresql://me@127.0.0.1:{unused_tcp_port}/qtune"
    with pytest.raises(KnownError, match="cannot be reached"):
        move_history(url, base_dir=base)
    assert place_in_force(base) == paths.database_file
    assert move_history(url, base_dir=base, untried=True) == (url, [])
    assert str(in_force(paths)) == url


def test_a_password_for_the_place_in_use_holds_at_once(paths: AppPaths, ring: Ring) -> None:
    preferences, _ = open_preferences(paths.settings_file)
    place = place_of(f"{SHOWN}?host=/nowhere", paths.data)
    assert isinstance(place, Address)
    tried = threading.Event()
    place.ask = lambda _name: tried.set()
    readers = ThreadPoolExecutor(1)
    with open_history(place, paths.backups, wait_s=0.0) as history:
        assert tried.wait(60)
        places = HistoryPlaces(history, paths, preferences, readers)
        assert places.take_apart(GIVEN) == (SHOWN, SECRET)
        assert places.choose(str(place), SECRET).result(60) is None
        assert place.password() == SECRET
        assert places.choice().in_use == places.choice().next_start == str(place)
        assert places.choose("").result(60) is None
        assert places.choice().next_start == places.choice().file
    readers.shutdown()
    assert list(ring.kept.values()) == [SECRET]
