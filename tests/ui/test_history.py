"""The History page as a user meets it: finding, looking, comparing, marking, deleting, passing on."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from qtune.core.errors import KnownError
from qtune.core.events import RunFinished
from qtune.core.history_query import HistoryQuery
from qtune.session.transfer import Transfer
from qtune.ui.bridge import Bridge
from qtune.ui.history.columns import ARM, DATE, DECODE, MODEL, NOTE, STAR, STATUS, TTFT, VERDICT
from qtune.ui.history.model import HistoryModel
from qtune.ui.history.page import HistoryPage
from qtune.ui.history.row_pages import KEPT_PAGES, PAGE
from qtune.ui.main_window import HISTORY, MainWindow
from qtune.ui.widgets.banners import Banner
from tests.ui import fake_history
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene
from tests.ui.fake_history import FakeHistory

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(qtbot: QtBot, open_window: Open) -> MainWindow:
    """The page with 1 000 runs, the newest of them selected and shown."""
    window = open_window(Scene(preferences=chosen(), past=FakeHistory(fake_history.runs())))
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    shown(qtbot, window.history, 1000)
    return window


def past(window: MainWindow) -> FakeHistory:
    return desk_of(window).history


def shown(qtbot: QtBot, page: HistoryPage, *keys: int) -> None:
    """Wait until the panel shows these runs."""
    qtbot.waitUntil(lambda: [s.row.key for s in page.detail.shown] == list(keys), timeout=WAIT_MS)


def listed(qtbot: QtBot, page: HistoryPage, count: int) -> None:
    qtbot.waitUntil(lambda: not page._reading and len(page.model.keys) == count, timeout=WAIT_MS)


def cell(page: HistoryPage, line: int, column: int) -> str | None:
    return page.model.index(line, column).data()


def click(qtbot: QtBot, page: HistoryPage, line: int, column: int = DATE, keys=None) -> None:  # noqa: ANN001
    index = page.model.index(line, column)
    page.table.scrollTo(index)
    at = page.table.visualRect(index).center()
    qtbot.mouseClick(page.table.viewport(), LEFT, keys or Qt.KeyboardModifier.NoModifier, at)


def click_heading(qtbot: QtBot, page: HistoryPage, column: int) -> None:
    head = page.table.horizontalHeader()
    page.table.scrollTo(page.model.index(0, column))
    at = QPoint(head.sectionViewportPosition(column) + 12, head.height() // 2)
    qtbot.mouseClick(head.viewport(), LEFT, pos=at)


def queries(window: MainWindow) -> list[HistoryQuery]:
    return [what for name, what in past(window).calls if name == "find"]


def forms(menu: QMenu) -> dict[str, QAction]:
    """Every form of a menu by its submenu and name."""
    return {
        f"{outer.text()}/{action.text()}": action
        for outer in menu.actions()
        for action in (outer.menu().actions() if outer.menu() else ())
    }


def open_menu(menu: QMenu) -> dict[str, QAction]:
    menu.aboutToShow.emit()
    return forms(menu)


# -- the list ------------------------------------------------------------------------------------------------


def test_the_newest_run_is_on_top_and_a_line_says_what_it_was(opened: MainWindow) -> None:
    page = opened.history
    assert opened.pages.currentIndex() == HISTORY
    assert page.head.state.text().startswith("1,000 run")
    row = fake_history.runs()[999]
    assert cell(page, 0, MODEL) == row.model
    assert cell(page, 0, ARM) == "Aggressive"
    assert cell(page, 0, DECODE) == f"{row.decode_tok_s:.1f}"
    assert str(cell(page, 0, VERDICT)).startswith("better +")
    assert cell(page, 0, STATUS) == "done"
    failed = next(n for n, key in enumerate(page.model.keys) if fake_history.runs()[key - 1].failure)
    assert cell(page, failed, STATUS) == "failed"
    assert cell(page, failed, DECODE) == "–"
    assert "out of memory" in page.model.index(failed, STATUS).data(Qt.ItemDataRole.ToolTipRole)


def test_only_pages_that_come_into_view_are_fetched(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    fetched = [keys for name, keys in past(opened).calls if name == "page" and len(keys) > 1]
    assert fetched == [list(range(1000, 800, -1))]
    assert len(page.model.runs.pages) == 1
    qtbot.keyClick(page.table, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: cell(page, 999, ARM) == "Off", timeout=WAIT_MS)
    assert sorted(page.model.runs.pages) == [0, 4]
    shown(qtbot, page, 1)


def test_a_heading_asks_again_in_its_own_order_and_the_selection_stays(
    qtbot: QtBot, opened: MainWindow
) -> None:
    page = opened.history
    click_heading(qtbot, page, TTFT)
    qtbot.waitUntil(lambda: queries(opened)[-1].sort == "ttft_ms", timeout=WAIT_MS)
    assert not queries(opened)[-1].descending  # the quickest first
    listed(qtbot, page, 1000)
    assert page.table.chosen() == [1000]
    click_heading(qtbot, page, DECODE)
    listed(qtbot, page, 1000)
    qtbot.waitUntil(lambda: cell(page, 0, DECODE) is not None, timeout=WAIT_MS)
    rates = [float(str(cell(page, line, DECODE))) for line in range(20)]
    assert rates == sorted(rates, reverse=True)
    click_heading(qtbot, page, DECODE)
    listed(qtbot, page, 1000)
    qtbot.waitUntil(lambda: cell(page, 0, DECODE) is not None, timeout=WAIT_MS)
    assert float(str(cell(page, 0, DECODE))) < 40
    asked = len(queries(opened))
    click_heading(qtbot, page, NOTE)
    assert len(queries(opened)) == asked


def test_typing_filters_once_and_clear_brings_all_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    before = len(queries(opened))
    qtbot.keyClick(page.table, Qt.Key.Key_F, CONTROL)
    assert page.filter.text.hasFocus()
    qtbot.keyClicks(page.filter.text, "new driver balanced")
    noted = [r for r in fake_history.runs() if r.note and r.arm == "balanced"]
    listed(qtbot, page, len(noted))
    assert [q.text for q in queries(opened)[before:]] == ["new driver balanced"]
    assert page.head.state.text() == f"{len(noted)} of 1,000 runs"
    qtbot.mouseClick(page.filter.clear_all, LEFT)
    listed(qtbot, page, 1000)
    assert page.filter.text.text() == ""
    assert not page.filter.clear_all.isEnabled()


def test_boxes_narrow_together_and_name_their_values(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    box = page.filter.boxes["preset"]
    names = [box.itemText(n) for n in range(box.count())]
    assert names == [
        "All presets", "Aggressive (250)", "Balanced (250)", "Conservative (250)", "Off (250)",
    ]  # fmt: skip
    box.setCurrentIndex(2)
    listed(qtbot, page, 250)
    state = page.filter.boxes["status"]
    state.setCurrentIndex(state.findData("cancelled"))
    cancelled = [r for r in fake_history.runs() if r.status.value == "cancelled"]
    listed(qtbot, page, len(cancelled))
    page.filter.starred.click()
    listed(qtbot, page, sum(r.starred for r in cancelled))


def test_nothing_found_says_so_and_offers_the_way_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    qtbot.keyClicks(page.filter.text, "mixtral")
    listed(qtbot, page, 0)
    assert "No run matches" in page.faces.nothing.text()
    assert not page.head.export_all.isEnabled()
    qtbot.mouseClick(page.faces.remedy, LEFT)
    listed(qtbot, page, 1000)
    shown(qtbot, page, 1000)


def test_experiments_have_a_heading_that_stands_for_their_runs(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.filter.grouped.click()
    qtbot.waitUntil(lambda: len(page.model.lines) == 1250, timeout=WAIT_MS)
    assert [int(line) for line in page.model.lines[:6]] == [-997, 1000, 999, 998, 997, -993]
    assert page.table.chosen() == [1000]  # as before
    page.table.choose([-997])
    qtbot.waitUntil(lambda: page.detail.experiment is not None, timeout=WAIT_MS)
    assert page.table.chosen() == [1000, 999, 998, 997]
    row = fake_history.runs()[999]
    qtbot.waitUntil(lambda: cell(page, 0, VERDICT) == "better +85 %", timeout=WAIT_MS)
    assert cell(page, 0, MODEL) == f"Comparison · {row.model} {row.quant} · 4 runs · Balanced"
    detail = page.detail
    assert detail.seal.text() == "better"
    assert "is worth it" in detail.sentence.text()
    rows = detail.figures.texts()
    assert [row[0] for row in rows] == ["Off", "Conservative", "Balanced", "Aggressive"]
    assert rows[2][2].startswith("better +85 %")
    assert "comparison" in detail.name.text().casefold()
    assert detail.note.isHidden()
    picture = page.table.viewport().grab().toImage()
    painted = []
    for line in (5, 2):  # a style sheet may swallow what the model wants
        corner = page.table.visualRect(page.model.index(line, MODEL)).topRight()
        painted.append(picture.pixelColor((corner + QPoint(-3, 3)) * picture.devicePixelRatio()).name())
    assert painted == [opened.theme.tokens.sunken, opened.theme.tokens.surface]
    qtbot.mouseClick(detail.buttons.delete, LEFT)
    listed(qtbot, page, 996)
    assert [name for name, _ in past(opened).calls].count("delete") == 1


def test_an_empty_history_tells_what_to_do(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    page = window.history
    qtbot.waitUntil(lambda: not page._reading, timeout=WAIT_MS)
    assert "no run yet" in page.faces.nothing.text()
    assert "Measure something" in page.faces.more.text()
    assert "llama-bench" in page.faces.more.text()
    qtbot.mouseClick(page.faces.remedy, LEFT)
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    dialog.reject()
    assert page.detail.isHidden()


def test_while_it_reads_it_says_so(qtbot: QtBot, open_window: Open) -> None:
    past_of = FakeHistory(fake_history.runs())
    past_of.held = []
    window = open_window(Scene(preferences=chosen(), past=past_of))
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    page = window.history
    assert "Reading" in page.faces.nothing.text()
    assert not page.bar.isHidden()
    past_of.release()
    shown(qtbot, page, 1000)
    assert page.bar.isHidden()


def test_a_history_that_cannot_be_read_can_be_tried_again(qtbot: QtBot, open_window: Open) -> None:
    broken = KnownError("history_not_readable", path="qtune.db", reason="disk I/O error")
    window = open_window(Scene(preferences=chosen(), past=FakeHistory(fake_history.runs(), broken)))
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    page = window.history
    qtbot.waitUntil(lambda: "disk I/O error" in page.faces.nothing.text(), timeout=WAIT_MS)
    assert page.faces.more.text()
    past(window).broken = None
    qtbot.mouseClick(page.faces.remedy, LEFT)
    shown(qtbot, page, 1000)


def test_a_run_that_ends_comes_in_and_the_selection_stays(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    click(qtbot, page, 5)
    shown(qtbot, page, 995)
    new = replace(fake_history.runs()[999], key=1001, id="run-1001", started_utc="2026-11-29T21:00:00+00:00")
    past(opened).rows[1001] = new
    desk_of(opened).emit(RunFinished(fake_history.record_of(new), ()))
    listed(qtbot, page, 1001)
    assert page.table.chosen() == [995]
    assert int(page.model.keys[0]) == 1001


def test_a_hidden_page_reads_nothing_until_it_is_shown(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), past=FakeHistory(fake_history.runs())))
    record = fake_history.record_of(fake_history.runs()[999])
    desk_of(window).emit(RunFinished(record, ()))
    qtbot.waitUntil(lambda: not window.history._bridge._queue, timeout=WAIT_MS)
    assert queries(window) == []
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    shown(qtbot, window.history, 1000)


# -- the panel -----------------------------------------------------------------------------------------------


def test_one_run_is_told_in_full(qtbot: QtBot, opened: MainWindow) -> None:
    detail = opened.history.detail
    assert "Aggressive" in detail.name.text()
    assert "Balanced is worth it" in detail.sentence.text()
    figures = dict(detail.figures.texts())
    assert figures["Counted requests"] == "6 of 6"
    assert ["MTP", "on", "off"] in detail.settings.texts()
    assert any("uses these settings" in note.text for note in detail.remarks.notes)
    failed = next(r.key for r in reversed(fake_history.runs()) if r.failure)
    opened.history.table.choose([failed])
    shown(qtbot, opened.history, failed)
    note = detail.warnings.notes[0]
    assert "out of memory" in note.text
    assert note.hint


def test_several_stand_side_by_side_with_what_differs_and_a_warning(qtbot: QtBot, opened: MainWindow) -> None:
    page, detail = opened.history, opened.history.detail
    click(qtbot, page, 1)
    click(qtbot, page, 2, keys=CONTROL)
    shown(qtbot, page, 999, 998)
    assert detail.warnings.notes == ()
    assert detail.note.isHidden()
    labels = [row[0] for row in detail.settings.texts()]
    assert "Draft length n_max" in labels
    assert "MTP" not in labels  # equal, so it is hidden
    first, second = (fake_history.runs()[k - 1].decode_tok_s for k in (998, 999))  # the older comes first
    assert first is not None
    assert second is not None
    against = next(row for row in detail.figures.texts() if row[0] == "Against the first")
    assert against[1:] == ["", f"+{round((second / first - 1) * 100)} %"]
    page.table.choose([999, 595])
    shown(qtbot, page, 999, 595)
    sentences = " ".join(note.text for note in detail.warnings.notes)
    assert "different builds of the engine" in sentences
    told = {row[0]: row[1:] for row in detail.settings.texts()}
    assert told["Quantisation"] == ["Q6_K", "Q4_K_M"]
    assert told["Engine build"] == ["11211", "11434"]
    heads = [part.text().split("\n")[:2] for part in detail.figures.findChildren(QLabel)]
    assert ["Balanced", "Q6_K"] in heads
    page.table.selectAll()
    qtbot.waitUntil(lambda: "1,000 run" in detail.name.text(), timeout=WAIT_MS)
    assert detail.figures.isHidden()
    assert "up to 8 side by side" in detail.hint.text()


def test_enter_goes_to_the_details(qtbot: QtBot, opened: MainWindow) -> None:
    opened.history.table.setFocus()
    qtbot.keyClick(opened.history.table, Qt.Key.Key_Return)
    assert opened.history.detail.hasFocus()


def test_a_star_is_set_by_a_click_and_by_the_button(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    click(qtbot, page, 3, STAR)
    qtbot.waitUntil(lambda: past(opened).rows[997].starred, timeout=WAIT_MS)
    tip = Qt.ItemDataRole.ToolTipRole
    qtbot.waitUntil(lambda: page.model.index(3, STAR).data(tip) == "Starred", timeout=WAIT_MS)
    star = page.detail.buttons.star
    qtbot.waitUntil(lambda: star.text() == "Remove star", timeout=WAIT_MS)
    qtbot.mouseClick(star, LEFT)
    qtbot.waitUntil(lambda: not past(opened).rows[997].starred, timeout=WAIT_MS)
    qtbot.mouseClick(page.detail.buttons.outlier, LEFT)
    qtbot.waitUntil(lambda: cell(page, 3, STATUS) == "done · outlier", timeout=WAIT_MS)


def test_a_note_is_kept_when_the_field_is_left(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.detail.note.setFocus()
    qtbot.keyClicks(page.detail.note, "quiet room")
    assert past(opened).rows[1000].note == ""
    qtbot.keyClick(page.detail.note, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: cell(page, 0, NOTE) == "quiet room", timeout=WAIT_MS)
    page.detail.note.setFocus()
    page.detail.note.setPlainText("quiet room, window shut")
    click(qtbot, page, 1)
    shown(qtbot, page, 999)
    assert past(opened).rows[1000].note == "quiet room, window shut"
    assert page.detail.note.toPlainText() == ""


def test_a_note_that_is_being_written_survives_a_refresh_and_the_end(
    qtbot: QtBot, opened: MainWindow
) -> None:
    page = opened.history
    page.detail.note.setFocus()
    qtbot.keyClicks(page.detail.note, "half a sen")
    page.look()
    listed(qtbot, page, 1000)
    before = page.detail.shown
    page.selection._ask()
    qtbot.waitUntil(lambda: page.detail.shown is not before, timeout=WAIT_MS)
    assert page.detail.note.toPlainText() == "half a sen"
    opened.shut_down()
    assert past(opened).rows[1000].note == "half a sen"


@pytest.mark.parametrize("by_key", [False, True])
def test_delete_hides_and_undo_brings_back(qtbot: QtBot, opened: MainWindow, by_key: bool) -> None:
    page = opened.history
    click(qtbot, page, 4)
    click(qtbot, page, 5, keys=SHIFT)
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    listed(qtbot, page, 998)
    assert page.banner is not None
    assert page.banner.sentence.text().startswith("2 run")
    shown(qtbot, page, 994)  # the next line
    if by_key:
        qtbot.keyClick(page.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    else:
        qtbot.mouseClick(page.banner.buttons[0], LEFT)
    listed(qtbot, page, 1000)
    assert page.banner is None


def test_deleted_runs_can_be_shown_and_brought_back_later(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    qtbot.mouseClick(page.detail.buttons.delete, LEFT)
    listed(qtbot, page, 999)
    page.filter.deleted.setCurrentIndex(page.filter.deleted.findData("shown"))
    listed(qtbot, page, 1000)
    page.table.choose([1000])
    shown(qtbot, page, 1000)
    assert cell(page, 0, STATUS) == "deleted"
    assert page.detail.buttons.delete.isHidden()
    qtbot.mouseClick(page.detail.buttons.back, LEFT)
    qtbot.waitUntil(lambda: past(opened).rows[1000].deleted_utc is None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: cell(page, 0, STATUS) == "done", timeout=WAIT_MS)


# -- out and in ----------------------------------------------------------------------------------------------


@pytest.mark.qt_log_ignore("This plugin does not support")  # of menus, without a real screen
def test_a_launch_script_is_saved_under_a_name_with_its_suffix(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    page = opened.history
    opened.bench.prefer(export_folder=str(tmp_path))
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_E, CONTROL)
    qtbot.waitUntil(page.detail.buttons.export_menu.isVisible, timeout=WAIT_MS)
    forms(page.detail.buttons.export_menu)["To launch it/Script for PowerShell"].trigger()
    page.detail.buttons.export_menu.hide()
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.defaultSuffix() == "ps1"
    assert [Path(name).name for name in dialog.selectedFiles()] == ["Qwen3.6-27B-Q4_K_M-aggressive.ps1"]
    dialog.fileSelected.emit(str(tmp_path / "go.ps1"))
    qtbot.waitUntil(lambda: page.banner is not None, timeout=WAIT_MS)
    assert str(tmp_path / "go.ps1") in page.banner.sentence.text()  # type: ignore[union-attr]
    assert "--model" in (tmp_path / "go.ps1").read_text(encoding="utf-8")
    dialog.reject()


def test_all_that_is_listed_goes_out_together(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    page = opened.history
    qtbot.keyClicks(page.filter.text, "new driver")
    count = sum(bool(r.note) for r in fake_history.runs())
    listed(qtbot, page, count)
    actions = open_menu(page.head.export_menu)
    assert not actions["To launch it/Script for sh (Linux, macOS)"].isEnabled()  # made of one run
    assert actions["To launch it/Presets for llama-server (INI)"].isEnabled()
    actions["Data/CSV, one line a run"].trigger()
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "runs.csv"))
    qtbot.waitUntil((tmp_path / "runs.csv").exists, timeout=WAIT_MS)
    form, keys, _ = next(what for name, what in past(opened).calls if name == "export_file")
    assert (form, len(keys)) == ("csv", count)
    dialog.reject()


def test_a_form_is_copied_as_text(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    open_menu(page.detail.buttons.export_menu)["Copy as text/Command line"].trigger()
    qtbot.waitUntil(lambda: page.banner is not None, timeout=WAIT_MS)
    assert "--model" in QGuiApplication.clipboard().text()
    assert page.banner.sentence.text() == "Copied: Command line."  # type: ignore[union-attr]


def test_a_long_export_shows_how_far_it_is_and_can_be_ended(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    page, ends = opened.history, Future[Path]()
    begun: list[Transfer] = []

    def moving(transfer: Transfer) -> Future[Path]:
        begun.append(transfer)
        transfer.step(300, 1000)
        return ends

    past(opened).moving = moving
    page.actions_of._write("csv", [1, 2], tmp_path / "all.csv")
    qtbot.waitUntil(page.transfers.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: page.transfers.words.text() == "all.csv: 30 %", timeout=WAIT_MS)
    qtbot.mouseClick(page.transfers.cancel, LEFT)
    with pytest.raises(KnownError) as caught:
        begun[0].step(301, 1000)
    ends.set_exception(caught.value)
    qtbot.waitUntil(page.transfers.isHidden, timeout=WAIT_MS)
    assert page.banner is not None
    assert page.banner.sentence.text() == "Cancelled; everything is as it was."
    assert not opened.banners.banners


def test_an_import_says_what_is_new_and_a_wrong_file_why(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    page = opened.history
    good, bad = tmp_path / "runs.json", tmp_path / "other.json"
    good.write_text("runs", encoding="utf-8")
    bad.write_text("?", encoding="utf-8")
    qtbot.mouseClick(page.head.take_in, LEFT)
    dialog = page.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(good))
    listed(qtbot, page, 1001)
    assert page.banner is not None
    assert page.banner.sentence.text().startswith("1 run")
    assert page.banner.hint.text().startswith("3 run")
    dialog.reject()
    for _ in range(2):
        page.actions_of.take_in(bad)
        qtbot.waitUntil(lambda: page.banner is not None and page.banner.kind == "error", timeout=WAIT_MS)
        assert page.banner.message.code == "import_foreign"
        qtbot.waitUntil(page.bar.isHidden, timeout=WAIT_MS)
    page.actions_of.take_in(good)
    qtbot.waitUntil(lambda: page.banner is not None and page.banner.kind == "info", timeout=WAIT_MS)
    shown_now = [banner for banner in page.findChildren(Banner) if not banner.isHidden()]
    assert shown_now == [page.banner]  # each takes the place of the one before
    assert not opened.banners.banners
    qtbot.mouseClick(page.banner.buttons[0], LEFT)  # show them
    qtbot.waitUntil(lambda: page.table.chosen() == [1002], timeout=WAIT_MS)


def test_everything_is_said_again_in_chinese(opened: MainWindow) -> None:
    page = opened.history
    opened.choose_language("zh_CN")
    assert page.model.headerData(ARM, Qt.Orientation.Horizontal) == "组"
    assert cell(page, 0, ARM) == "激进"
    assert page.filter.boxes["preset"].itemText(0) == "全部预设"
    assert page.detail.figures_title.text() == "指标"
    names = [widget.accessibleName() for widget in (page.table, page.filter.text, page.detail.note)]
    assert all(names)
    opened.choose_language("en")


# -- the model -----------------------------------------------------------------------------------------------


def test_tables_do_not_go_empty_when_language_theme_and_size_change_at_once(
    qtbot: QtBot, opened: MainWindow
) -> None:
    page = opened.history
    page.table.choose([999, 998])
    shown(qtbot, page, 999, 998)
    opened.choose_theme("dark")
    opened.choose_language("zh_CN")
    opened.resize(1100, 800)
    grid = page.detail.figures._grid
    cells = [item.widget() for number in range(grid.count()) if (item := grid.itemAt(number)) is not None]
    assert len(cells) > 20
    qtbot.waitUntil(lambda: all(cell.isVisible() for cell in cells), timeout=WAIT_MS)


def test_the_model_keeps_its_promises(qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    bridge, rows = Bridge(), FakeHistory(fake_history.runs())
    model = HistoryModel(rows.page, bridge)
    qtmodeltester.check(model)
    model.load(np.arange(1000, 0, -1, dtype=np.int64))
    assert model.index(0, ARM).data() is None  # on its way
    qtbot.waitUntil(lambda: model.index(0, ARM).data() == "Aggressive", timeout=WAIT_MS)
    qtmodeltester.check(model)
    bridge.stop()


def test_a_hundred_thousand_runs_cost_only_what_is_looked_at(qtbot: QtBot) -> None:
    bridge, row = Bridge(), fake_history.runs()[0]
    rows = FakeHistory()
    asked: list[int] = []

    class Any(dict[int, object]):
        def __contains__(self, key: object) -> bool:
            return True

        def __getitem__(self, key: int) -> object:
            asked.append(key)
            return replace(row, key=key)

    rows.rows = Any()  # type: ignore[assignment]
    model = HistoryModel(rows.page, bridge)
    model.load(np.arange(100_000, dtype=np.int64))
    assert model.rowCount() == 100_000
    for line in range(0, 100_000, PAGE):  # dragging the scroll bar: most pages are passed unseen
        model.index(line, ARM).data()
    qtbot.waitUntil(lambda: not model.runs.under_way and not model.runs.waiting, timeout=WAIT_MS)
    assert 99_999 in asked  # where the dragging ended
    assert len(asked) <= 6 * PAGE
    for line in range(0, 60 * PAGE, PAGE):
        qtbot.waitUntil(lambda line=line: model.index(line, ARM).data() == "Off", timeout=WAIT_MS)
    assert len(model.runs.pages) <= KEPT_PAGES
    bridge.stop()


def test_a_page_that_cannot_be_read_is_told_once(qtbot: QtBot) -> None:
    bridge, rows = Bridge(), FakeHistory(fake_history.runs())
    model = HistoryModel(lambda _keys: rows._end(KnownError("history_not_readable")), bridge)
    told: list[object] = []
    model.page_failed.connect(told.append)
    model.load(np.arange(1, 11, dtype=np.int64))
    assert model.index(0, ARM).data() is None
    qtbot.waitUntil(lambda: len(told) == 1, timeout=WAIT_MS)
    assert model.index(3, ARM).data() is None
    assert not model.runs.under_way
    bridge.stop()
