"""The section of the Settings page that says where the history is kept."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.ui.bridge import Bridge
from qtune.ui.settings.history import DATABASE, FILE, HistorySection
from tests.ui import fake_places
from tests.ui.conftest import WAIT_MS
from tests.ui.fake_places import FakePlaces

ADDRESS = "postgresql://me@server/qtune"


@pytest.fixture
def places() -> FakePlaces:
    return FakePlaces()


@pytest.fixture
def section(qtbot: QtBot, places: FakePlaces) -> HistorySection:
    return shown(qtbot, places)


def shown(qtbot: QtBot, places: FakePlaces) -> HistorySection:
    bridge = Bridge()
    made = HistorySection(places, bridge)
    bridge.setParent(made)
    qtbot.addWidget(made)
    made.retranslate()
    made.show()
    return made


def choose(section: HistorySection, kind: str) -> None:
    index = section.kept.findData(kind)
    section.kept.setCurrentIndex(index)
    section.kept.activated.emit(index)


def says(section: HistorySection, words: str) -> Any:
    return lambda: words in section.said.text()


def test_a_database_is_tried_without_waiting_and_then_used_from_the_next_start(
    qtbot: QtBot, section: HistorySection, places: FakePlaces
) -> None:
    assert section.now.text() == fake_places.FILE
    assert not section.address.isVisible()
    assert not section.use.isVisible()
    choose(section, DATABASE)
    assert section.address.isVisible()
    assert not section.attempt.isEnabled()
    # The password that came with the address does not stay to be seen.
    section.address.setText("postgres://me:se%23cret@server/qtune")
    places.hold = Future()
    qtbot.mouseClick(section.attempt, Qt.MouseButton.LeftButton)
    assert (section.address.text(), section.password.text()) == (ADDRESS, "se#cret")
    assert not section.attempt.isEnabled()
    assert not section.use.isEnabled()
    places.hold.set_result(Message.of("history_shared_empty", path=ADDRESS))
    qtbot.waitUntil(says(section, "it is empty"), timeout=WAIT_MS)
    assert places.next_start == fake_places.FILE
    places.hold = None
    qtbot.mouseClick(section.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        says(section, f"From the next start of qtune on, the history is in {ADDRESS}"), timeout=WAIT_MS
    )
    assert places.next_start == ADDRESS
    assert places.kept == {ADDRESS: "se#cret"}
    assert section.password.text() == ""
    assert section.now.text() == fake_places.FILE


def test_what_is_in_the_way_is_said_and_nothing_is_stored(
    qtbot: QtBot, section: HistorySection, places: FakePlaces
) -> None:
    choose(section, DATABASE)
    section.address.setText("mysql://me:se%23cret@server/x")
    qtbot.mouseClick(section.attempt, Qt.MouseButton.LeftButton)
    assert "not in mysql" in section.said.text()
    places.found = KnownError("history_password_wrong", path=ADDRESS)
    section.address.setText(ADDRESS)
    qtbot.mouseClick(section.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(says(section, "refuses the password"), timeout=WAIT_MS)
    assert section.use.isEnabled()
    assert places.next_start == fake_places.FILE


def test_back_to_the_file_and_what_a_missing_key_ring_means(qtbot: QtBot) -> None:
    places = FakePlaces(ADDRESS)
    section = shown(qtbot, places)
    assert section.kept.currentData() == DATABASE
    assert section.address.text() == section.now.text() == ADDRESS
    places.notice = Message.of("keyring_missing")
    section.password.setText("other")
    qtbot.keyClick(section.password, Qt.Key.Key_Return)
    qtbot.waitUntil(says(section, "can be used"), timeout=WAIT_MS)
    qtbot.mouseClick(section.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(says(section, "no key ring"), timeout=WAIT_MS)
    places.notice = None
    choose(section, FILE)
    qtbot.mouseClick(section.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(says(section, fake_places.FILE), timeout=WAIT_MS)
    assert places.next_start == fake_places.FILE
    assert not section.address.isVisible()


def test_the_environment_is_said_to_decide(qtbot: QtBot) -> None:
    section = shown(qtbot, FakePlaces(ADDRESS, forced=True))
    assert "QTUNE_HISTORY_URL" in section.said.text()
    assert not section.kept.isEnabled()
    assert not section.use.isEnabled()
