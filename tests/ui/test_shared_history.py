"""The section of the Settings page that says where the history is kept."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.ui.bridge import Bridge
from qtune.ui.settings.history import DATABASE, FILE, HistorySection
from tests.ui import fake_places
from tests.ui.conftest import WAIT_MS
from tests.ui.fake_history import FakeHistory
from tests.ui.fake_places import FakePlaces

ADDRESS = "postgresql://me@server/qtune"


@pytest.fixture
def places() -> FakePlaces:
    return FakePlaces()


@pytest.fixture
def section(qtbot: QtBot, places: FakePlaces) -> HistorySection:
    return shown(qtbot, places)


def shown(qtbot: QtBot, places: FakePlaces, past: FakeHistory | None = None) -> HistorySection:
    bridge = Bridge()
    made = HistorySection(places, past or FakeHistory(), bridge)
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


# -- copies and faults ---------------------------------------------------------------------------------------


def test_a_copy_is_written_without_waiting_and_says_where_it_lies(
    qtbot: QtBot, places: FakePlaces, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    past = FakeHistory()
    upkeep = shown(qtbot, places, past).upkeep
    qtbot.waitUntil(lambda: "no copy" in upkeep.last.text(), timeout=WAIT_MS)
    past.held = []
    qtbot.mouseClick(upkeep.back_up, Qt.MouseButton.LeftButton)
    assert "Copying" in upkeep.said.text()
    assert upkeep.bar.isVisible()
    assert not any(tool.isEnabled() for tool in (upkeep.back_up, upkeep.back_up_to, upkeep.check))
    assert upkeep.show_it.isHidden()
    past.release()
    qtbot.waitUntil(upkeep.show_it.isVisible, timeout=WAIT_MS)
    assert "history-20261129T200000Z.db" in upkeep.said.text()
    assert upkeep.bar.isHidden()
    qtbot.waitUntil(lambda: upkeep.last.text().startswith("Last copy"), timeout=WAIT_MS)
    folders: list[Path] = []
    monkeypatch.setattr("qtune.ui.widgets.dialogs.show_folder", folders.append)
    qtbot.mouseClick(upkeep.show_it, Qt.MouseButton.LeftButton)
    assert folders == [Path("backups/history-20261129T200000Z.db")]
    qtbot.mouseClick(upkeep.back_up_to, Qt.MouseButton.LeftButton)
    dialog = upkeep.findChild(QFileDialog)
    assert dialog is not None
    past.broken = KnownError("history_backup_failed", path=str(tmp_path), reason="no space left")
    dialog.fileSelected.emit(str(tmp_path))
    qtbot.waitUntil(lambda: "no space left" in upkeep.said.text(), timeout=WAIT_MS)
    assert past.calls == [("back_up", None), ("back_up", tmp_path)]
    assert upkeep.show_it.isHidden()
    assert upkeep.back_up.isEnabled()
    dialog.reject()


def test_a_check_says_that_all_is_sound_or_names_the_faults(qtbot: QtBot, places: FakePlaces) -> None:
    past = FakeHistory()
    upkeep = shown(qtbot, places, past).upkeep
    qtbot.mouseClick(upkeep.check, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: upkeep.said.text() == "The history is sound.", timeout=WAIT_MS)
    past.faults = [Message.of("history_check_references", table="runs", count=2)]
    qtbot.mouseClick(upkeep.check, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "belong to nothing: 2" in upkeep.said.text(), timeout=WAIT_MS)
    assert upkeep.said.text().startswith("The history has faults: 1.")
    assert "the other rows are sound" in upkeep.said.text()


def test_a_database_of_others_is_not_copied_here_and_says_why(qtbot: QtBot) -> None:
    upkeep = shown(qtbot, FakePlaces(ADDRESS)).upkeep
    assert not upkeep.back_up.isEnabled()
    assert not upkeep.back_up_to.isEnabled()
    assert "pg_dump" in upkeep.last.text()
    assert upkeep.check.isEnabled()
