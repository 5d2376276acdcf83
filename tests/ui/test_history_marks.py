"""What is done to many runs at once, runs that were deleted, files that come in, and how the page is left."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from qtune.ui.history.columns import DATE
from qtune.ui.history.page import HistoryPage
from qtune.ui.history.views import BESIDE, LIST
from qtune.ui.main_window import MainWindow
from tests.ui import fake_history
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene
from tests.ui.fake_history import FakeHistory

LEFT = Qt.MouseButton.LeftButton
GONE = "2026-11-30T10:00:00+00:00"
SIX = [1000, 999, 998, 997, 996, 995]


@pytest.fixture
def opened(qtbot: QtBot, open_window: Open) -> MainWindow:
    return open_on(qtbot, open_window, FakeHistory(fake_history.runs()))


def open_on(qtbot: QtBot, open_window: Open, rows: FakeHistory) -> MainWindow:
    window = open_window(Scene(preferences=chosen(), past=rows))
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not window.history._reading, timeout=WAIT_MS)
    return window


def past(window: MainWindow) -> FakeHistory:
    return desk_of(window).history


def select(qtbot: QtBot, page: HistoryPage, keys: list[int], runs: int | None = None) -> None:
    """Select these lines and wait until the panel tells of them."""
    page.table.choose(keys)
    wanted = page.table.chosen()
    assert len(wanted) == (runs or len(keys))
    qtbot.waitUntil(lambda: page.selection.marks_of(wanted) is not None, timeout=WAIT_MS)


def offered(page: HistoryPage) -> dict[str, QPushButton]:
    """Buttons that are there, by what they say."""
    buttons = page.detail.buttons
    every = (buttons.compare, buttons.star, buttons.outlier, buttons.delete, buttons.back)
    return {button.text(): button for button in every if button.isVisible()}


def press(qtbot: QtBot, page: HistoryPage, name: str) -> None:
    qtbot.mouseClick(offered(page)[name], LEFT)


def list_deleted(page: HistoryPage, kind: str) -> None:
    page.filter.deleted.setCurrentIndex(page.filter.deleted.findData(kind))


# -- many at once --------------------------------------------------------------------------------------------


def test_marks_of_many_runs_are_set_and_taken_away_again(qtbot: QtBot, opened: MainWindow) -> None:
    page, rows = opened.history, past(opened).rows
    select(qtbot, page, SIX)
    assert set(offered(page)) == {"Compare", "Star", "Outlier", "Delete"}
    press(qtbot, page, "Star")
    press(qtbot, page, "Remove star")  # before the rows are read anew
    qtbot.waitUntil(lambda: not any(rows[key].starred for key in SIX), timeout=WAIT_MS)
    for give, take in (("Star", "Remove star"), ("Outlier", "No outlier")):
        qtbot.waitUntil(lambda give=give: give in offered(page), timeout=WAIT_MS)
        press(qtbot, page, give)
        qtbot.waitUntil(lambda take=take: take in offered(page), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: all(rows[key].starred and rows[key].outlier for key in SIX), timeout=WAIT_MS)
    select(qtbot, page, SIX[:5])
    select(qtbot, page, SIX)  # as they are stored
    assert {"Remove star", "No outlier"} <= set(offered(page))


def test_deleted_runs_are_listed_alone_and_many_are_brought_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    select(qtbot, page, SIX)
    press(qtbot, page, "Delete")
    qtbot.waitUntil(lambda: len(page.model.keys) == 994, timeout=WAIT_MS)
    list_deleted(page, "shown")
    qtbot.waitUntil(lambda: len(page.model.keys) == 1000, timeout=WAIT_MS)
    select(qtbot, page, [*SIX, 994])
    assert {"Delete", "Bring back"} <= set(offered(page))  # one of them is there
    list_deleted(page, "only")
    qtbot.waitUntil(lambda: len(page.model.keys) == 6, timeout=WAIT_MS)
    select(qtbot, page, SIX)
    assert set(offered(page)) == {"Compare", "Star", "Outlier", "Bring back"}
    press(qtbot, page, "Bring back")
    qtbot.waitUntil(lambda: not any(past(opened).rows[key].deleted_utc for key in SIX), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "No run matches" in page.faces.nothing.text(), timeout=WAIT_MS)
    qtbot.waitUntil(page.faces.remedy.hasFocus, timeout=WAIT_MS)
    assert page.banner is not None
    qtbot.mouseClick(page.banner.buttons[0], LEFT)  # show them
    qtbot.waitUntil(lambda: page.table.chosen() == SIX, timeout=WAIT_MS)
    qtbot.waitUntil(page.table.hasFocus, timeout=WAIT_MS)


def test_only_those_that_were_deleted_are_told_as_brought_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    past(opened).delete(["run-0999"])
    list_deleted(page, "shown")
    qtbot.waitUntil(lambda: not page._reading, timeout=WAIT_MS)
    select(qtbot, page, SIX)
    press(qtbot, page, "Bring back")
    qtbot.waitUntil(lambda: page.banner is not None, timeout=WAIT_MS)
    assert page.banner is not None
    assert page.banner.sentence.text().startswith("1 run")
    assert past(opened).rows[999].deleted_utc is None


def test_an_experiment_that_was_deleted_is_told_and_brought_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    past(opened).delete([f"run-{key:04d}" for key in (1000, 999, 998, 997)])
    page.filter.grouped.setChecked(True)
    list_deleted(page, "only")
    qtbot.waitUntil(lambda: len(page.model.keys) == 4, timeout=WAIT_MS)
    select(qtbot, page, [-997], runs=4)
    assert page.detail.experiment is not None
    assert page.detail.name.isVisible()
    assert len(page.detail.figures.texts()) == 4
    press(qtbot, page, "Bring back")
    qtbot.waitUntil(lambda: past(opened).rows[999].deleted_utc is None, timeout=WAIT_MS)


def test_a_comparison_of_all_takes_eight_and_counts_the_others(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table.selectAll()
    qtbot.waitUntil(lambda: "up to 8" in page.detail.hint.text(), timeout=WAIT_MS)
    asked = [what for name, what in past(opened).calls if name == "page"]
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.views.currentIndex() == BESIDE, timeout=WAIT_MS)
    ids, _ = next(what for name, what in past(opened).calls if name == "compare")
    assert ids == [f"run-{key:04d}" for key in range(1000, 992, -1)]
    assert page.comparison.found is not None
    assert page.comparison.found.beyond == 992
    assert max(len(keys) for keys in asked) <= 200  # rows of a thousand runs were never fetched


def test_esc_leaves_a_comparison_and_ends_no_measurement(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    select(qtbot, page, SIX)
    page.compare()
    qtbot.waitUntil(lambda: page.views.currentIndex() == BESIDE, timeout=WAIT_MS)
    opened.commands.actions["cancel"].setEnabled(True)  # as while something is measured
    qtbot.keyClick(page.comparison.back, Qt.Key.Key_Escape)
    assert page.views.currentIndex() == LIST
    assert page.table.chosen() == SIX
    assert "cancel" not in [name for name, _ in desk_of(opened).calls]


@pytest.mark.qt_log_ignore("This plugin does not support")  # of menus, without a real screen
def test_a_right_click_offers_what_can_be_done_with_that_run(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    qtbot.waitUntil(lambda: page.model.row(3) is not None, timeout=WAIT_MS)
    at = page.table.visualRect(page.model.index(3, DATE)).center()
    port = page.table.viewport()
    qtbot.mouseClick(port, Qt.MouseButton.RightButton, pos=at)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(port, QContextMenuEvent(reason, at, port.mapToGlobal(at)))
    actions = {action.text(): action for action in page.menu.actions() if action.text()}
    assert list(actions) == ["Star", "Mark as outlier", "Export", "Copy as text", "Delete"]
    actions["Star"].trigger()
    page.menu.hide()
    qtbot.waitUntil(lambda: past(opened).rows[997].starred, timeout=WAIT_MS)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_an_open_menu_means_the_runs_it_was_opened_for(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history

    def trigger_later(name: str, keys: list[int]) -> None:
        select(qtbot, page, keys)
        page.menu.open_at(QPoint(5, 5))
        page.table.choose([10, 11])  # as after a run has ended and another order came
        next(action for action in page.menu.actions() if action.text() == name).trigger()
        page.menu.hide()

    trigger_later("Compare", [1000, 999])
    qtbot.waitUntil(lambda: page.views.currentIndex() == BESIDE, timeout=WAIT_MS)
    ids, _ = next(what for name, what in past(opened).calls if name == "compare")
    assert ids == ["run-1000", "run-0999"]
    page.show_list()
    trigger_later("Delete", [998])
    qtbot.waitUntil(lambda: len(page.model.keys) == 999, timeout=WAIT_MS)
    assert past(opened).rows[998].deleted_utc is not None
    assert page.table.chosen() == [11, 10]


# -- nothing listed, and files that come in ------------------------------------------------------------------


def test_a_history_of_deleted_runs_says_so_and_lists_them(qtbot: QtBot, open_window: Open) -> None:
    rows = [replace(row, deleted_utc=GONE) for row in fake_history.runs(40)]
    page = open_on(qtbot, open_window, FakeHistory(rows)).history
    qtbot.waitUntil(lambda: "40 run" in page.faces.nothing.text(), timeout=WAIT_MS)
    assert "deleted" in page.faces.nothing.text()
    qtbot.mouseClick(page.faces.remedy, LEFT)
    qtbot.waitUntil(lambda: len(page.model.keys) == 40, timeout=WAIT_MS)
    qtbot.waitUntil(page.table.hasFocus, timeout=WAIT_MS)  # the button is gone, its focus is not


def test_an_import_of_deleted_runs_offers_them_back(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    page, file = opened.history, tmp_path / "runs.json"
    past(opened).deleted_before = ("run-997", "run-0999")
    past(opened).delete(past(opened).deleted_before)
    file.write_text("runs", encoding="utf-8")
    page.actions_of.take_in(file)
    qtbot.waitUntil(lambda: page.banner is not None, timeout=WAIT_MS)
    assert page.banner is not None
    assert "2 of them had been deleted" in page.banner.hint.text()
    button = next(button for button in page.banner.buttons if button.text() == "Bring back")
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: past(opened).rows[999].deleted_utc is None, timeout=WAIT_MS)


def test_old_runs_are_counted_without_the_filter_which_is_said(opened: MainWindow) -> None:
    page = opened.history
    assert page.ask_retention().scope is None
    page.filter.starred.click()
    scope = page.ask_retention().scope
    assert scope is not None
    assert "whole history" in scope.text()


# -- leaving -------------------------------------------------------------------------------------------------


def test_closing_with_a_note_half_written_keeps_it_and_reads_nothing(
    qtbot: QtBot, opened: MainWindow, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, history = opened.history, past(opened)

    def ended(*_asked: object) -> None:
        raise RuntimeError("cannot schedule new futures after shutdown")

    qtbot.waitUntil(lambda: [s.row.key for s in page.detail.shown] == [1000], timeout=WAIT_MS)
    page.detail.note.setFocus()
    qtbot.keyClicks(page.detail.note, "half a sen")
    for name in ("find", "page", "marks", "counts", "details_of"):
        monkeypatch.setattr(history, name, ended)
    monkeypatch.setattr(page.model.runs, "_fetch", ended)
    with caplog.at_level(logging.ERROR):
        opened.shut_down()
        qtbot.waitUntil(lambda: opened._ended, timeout=WAIT_MS)
    assert history.rows[1000].note == "half a sen"
    assert [record.getMessage() for record in caplog.records] == []


def test_what_closing_cancels_is_no_fault(
    qtbot: QtBot, opened: MainWindow, caplog: pytest.LogCaptureFixture
) -> None:
    waiting: Future[None] = Future()  # as reads are that no thread has come to
    told: list[object] = []
    opened.bridge.follow(waiting, told.append, told.append)
    waiting.cancel()
    with caplog.at_level(logging.ERROR):
        opened.shut_down()
        qtbot.waitUntil(lambda: opened._ended, timeout=WAIT_MS)
    assert (told, [record.getMessage() for record in caplog.records]) == ([], [])
