"""Experiments in the table of the history, its order and its filters, as a user meets them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from PySide6.QtCore import QDate, QLocale, QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QStyleOptionComboBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from qtune.core.history_query import ExperimentSummary, Groups, HistoryQuery
from qtune.ui.bridge import Bridge
from qtune.ui.history.columns import DATE, DECODE, MODEL, STAR, VERDICT
from qtune.ui.history.lines import TableLines
from qtune.ui.history.model import HistoryModel
from qtune.ui.history.page import HistoryPage
from qtune.ui.history.row_pages import PAGE
from qtune.ui.history.table_heading import TableHeading
from qtune.ui.history.when_filter import RANGE
from qtune.ui.history.words import heading_parts
from qtune.ui.main_window import MainWindow
from qtune.ui.widgets.parts import ElidedCombo
from tests.ui import fake_history
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of, settle
from tests.ui.fake_desk import Scene
from tests.ui.fake_history import FakeHistory

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(qtbot: QtBot, open_window: Open) -> MainWindow:
    """The page with 1 000 runs, four an experiment."""
    window = open_window(Scene(preferences=chosen(), past=FakeHistory(fake_history.runs())))
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    listed(qtbot, window.history, 1000)
    return window


@pytest.fixture
def grouped(qtbot: QtBot, opened: MainWindow) -> HistoryPage:
    """The same by experiment."""
    page = opened.history
    page.filter.grouped.click()
    qtbot.waitUntil(lambda: len(page.model.lines) == 1250, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: cell(page, 0, MODEL) is not None, timeout=WAIT_MS)
    return page


def listed(qtbot: QtBot, page: HistoryPage, count: int) -> None:
    qtbot.waitUntil(lambda: not page._reading and len(page.model.keys) == count, timeout=WAIT_MS)


def cell(page: HistoryPage, line: int, column: int) -> str | None:
    return page.model.index(line, column).data()


def lines(page: HistoryPage, most: int = 6) -> list[int]:
    return [int(line) for line in page.model.lines[:most]]


def click(qtbot: QtBot, page: HistoryPage, line: int, column: int, twice: bool = False) -> None:
    at = page.table.visualRect(page.model.index(line, column)).center()
    qtbot.mouseClick(page.table.viewport(), LEFT, pos=at)
    if twice:
        qtbot.mouseDClick(page.table.viewport(), LEFT, pos=at)


# -- experiments ---------------------------------------------------------------------------------------------


def test_a_heading_tells_the_start_and_how_many_runs_a_filter_leaves(
    qtbot: QtBot, grouped: HistoryPage
) -> None:
    page, rows = grouped, fake_history.runs()
    assert cell(page, 0, DATE) == cell(page, 4, DATE)  # the first of its runs, not the last
    assert cell(page, 0, DATE) != cell(page, 1, DATE)
    page.filter.boxes["preset"].setCurrentIndex(page.filter.boxes["preset"].findData("off"))
    listed(qtbot, page, 250)
    model = f"Comparison · {rows[999].model} {rows[999].quant} · 1 of 4 run"
    qtbot.waitUntil(lambda: str(cell(page, 0, MODEL)).startswith(model), timeout=WAIT_MS)
    assert str(cell(page, 0, MODEL)).endswith(" · Balanced")
    assert cell(page, 0, VERDICT) == "better +85 %"
    page.table.choose([lines(page)[0]])
    assert page.table.chosen() == [997]  # what Delete removes


def test_the_words_of_a_heading_go_across_the_columns_up_to_the_verdict(grouped: HistoryPage) -> None:
    table = grouped.table
    left, right = table.words_span()
    head = table.horizontalHeader()
    assert (left, right) == (head.sectionViewportPosition(MODEL), head.sectionViewportPosition(VERDICT))
    picture = table.viewport().grab().toImage()
    ground = picture.pixelColor(QPoint(right - 3, table.visualRect(grouped.model.index(0, MODEL)).top() + 3))
    line = table.visualRect(grouped.model.index(5, DECODE))
    behind = [picture.pixelColor(x, y) for x in range(left, line.left()) for y in (line.center().y(),)]
    assert any(colour != ground for colour in behind)
    assert table.fontMetrics().horizontalAdvance(str(cell(grouped, 0, MODEL))) > head.sectionSize(MODEL)


def test_experiments_fold_by_mouse_and_by_key_and_stay_so(qtbot: QtBot, grouped: HistoryPage) -> None:
    page, table = grouped, grouped.table
    assert lines(page) == [-997, 1000, 999, 998, 997, -993]
    fetched = [name for name, _ in desk_of(page.window()).history.calls].count("page")
    click(qtbot, page, 0, STAR)
    assert lines(page, 3) == [-997, -993, 996]
    assert cell(page, 2, MODEL) == fake_history.runs()[995].model  # known, so not fetched again
    click(qtbot, page, 1, MODEL, twice=True)
    assert lines(page, 3) == [-997, -993, -989]
    assert [name for name, _ in desk_of(page.window()).history.calls].count("page") <= fetched + 2
    table.setFocus()
    table.choose([-997])
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert lines(page) == [-997, 1000, 999, 998, 997, -993]
    table.choose([998])
    qtbot.keyClick(table, Qt.Key.Key_Left)
    assert table.chosen() == [1000, 999, 998, 997]  # at its heading
    qtbot.keyClick(table, Qt.Key.Key_Left)
    assert lines(page, 3) == [-997, -993, -989]
    page.look()
    qtbot.waitUntil(lambda: not page._reading, timeout=WAIT_MS)
    assert lines(page, 3) == [-997, -993, -989]
    # In another order an experiment has another first run, and is folded all the same.
    table._on_heading(DATE)
    qtbot.waitUntil(lambda: not page._reading, timeout=WAIT_MS)
    assert [int(line) for line in page.model.lines[-3:]] == [992, -993, -997]


def test_all_fold_at_once_and_a_heading_stands_for_the_run_that_was_selected(
    qtbot: QtBot, grouped: HistoryPage
) -> None:
    page, table = grouped, grouped.table
    table.choose([995])
    assert page.filter.fold_all.text() == "Fold all"
    qtbot.mouseClick(page.filter.fold_all, LEFT)
    assert lines(page, 3) == [-997, -993, -989]
    assert len(page.model.lines) == 250
    assert table.chosen() == [996, 995, 994, 993]
    assert page.filter.fold_all.text() == "Open all"
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Right, SHIFT)
    assert len(page.model.lines) == 1250
    assert page.filter.fold_all.text() == "Fold all"
    qtbot.keyClick(table, Qt.Key.Key_Left, SHIFT)
    asked = len(queries(page))
    page.filter.grouped.click()
    qtbot.waitUntil(lambda: len(queries(page)) > asked and not page._reading, timeout=WAIT_MS)
    assert len(page.model.lines) == 1000
    assert page.filter.fold_all.isHidden()


def test_an_experiment_stays_selected_when_a_run_comes_and_in_another_order(
    qtbot: QtBot, grouped: HistoryPage
) -> None:
    page, rows = grouped, desk_of(grouped.window()).history.rows
    page.table.choose([lines(page, 11)[10]])
    mates = page.table.chosen()
    assert mates == [992, 991, 990, 989]
    rows[1001] = replace(rows[992], key=1001, id="run-1001", started_utc="2026-11-30T08:00:00+00:00")
    page.look()
    listed(qtbot, page, 1001)
    assert page.table.chosen() == [1001, *mates]  # on top now, with another first run
    page.table._on_heading(DECODE)
    qtbot.waitUntil(lambda: not page._reading, timeout=WAIT_MS)
    assert sorted(page.table.chosen()) == [*reversed(mates), 1001]
    assert page.model.shown.is_heading(page.table.currentIndex().row())


def test_runs_that_are_to_be_shown_are_unfolded(qtbot: QtBot, grouped: HistoryPage) -> None:
    page = grouped
    page.table.fold_all(on=True)
    page.actions_of.show_wanted.emit(["run-0500", "run-0503"])
    qtbot.waitUntil(lambda: page.table.chosen() == [503, 500], timeout=WAIT_MS)
    assert len(page.model.lines) == 258  # the others stay folded
    assert page.filter.fold_all.text() == "Fold all"


def test_a_model_without_a_name_is_not_several() -> None:
    found = ExperimentSummary(1, "e", "import", "2026-11-30T08:00:00+00:00", "", "Q4_0", None, None, None)
    assert heading_parts(found, "1 run")[1:] == ["Q4_0", "1 run"]
    several = replace(found, model=None, quant=None)
    assert heading_parts(several, "2 runs")[1:] == ["several models", "2 runs"]


def queries(page: HistoryPage) -> list[HistoryQuery]:
    return [what for name, what in desk_of(page.window()).history.calls if name == "find"]


def test_lines_of_a_large_history_lead_to_their_runs_whatever_is_folded() -> None:
    rng = np.random.default_rng(3)
    keys = rng.permutation(np.arange(1, 401))
    begins = np.unique(np.append(rng.integers(0, 400, 60), 0))
    names = np.minimum.reduceat(keys, begins)
    shown = TableLines()
    shown.load(keys, Groups(begins, names, np.diff(begins, append=400)))
    members = np.split(keys, begins[1:])
    for group in rng.integers(0, begins.size, 40):
        shown.fold(int(group), on=bool(rng.integers(2)))
        wanted: list[int] = []
        for number, some in enumerate(members):
            wanted += [-int(some.min())] + ([] if shown.folded[number] else some.tolist())
        assert shown.lines.tolist() == wanted
        first_of = {-int(some.min()): int(some[0]) for some in members}
        assert shown.keys[shown.places].tolist() == [first_of.get(line, line) for line in wanted]
        some_lines = np.sort(rng.choice(len(wanted), 9, replace=False))
        meant = {key for line in some_lines for key in _meant(wanted[line], members)}
        assert shown.runs_of(some_lines).tolist() == [key for key in keys.tolist() if key in meant]
        first, last = sorted(int(place) for place in rng.integers(0, 400, 2))
        begin, end = shown.between(first, last)
        inside = [line for line, place in enumerate(shown.places) if first <= place <= last]
        assert list(range(begin, end + 1)) == inside


def _meant(line: int, members: list[np.ndarray]) -> list[int]:
    return [line] if line > 0 else next(some.tolist() for some in members if some.min() == -line)


def test_the_model_keeps_its_promises_when_experiments_fold(qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    bridge, rows = Bridge(), FakeHistory(fake_history.runs())
    model = HistoryModel(rows.page, bridge, rows.headings)
    keys, groups = rows.find(HistoryQuery(grouped=True)).result()
    model.load(keys, groups)
    model.fold(None, on=True)
    model.fold(3, on=False)
    qtmodeltester.check(model)
    assert model.rowCount() == 254
    qtbot.waitUntil(lambda: model.index(253, MODEL).data() is not None, timeout=WAIT_MS)
    assert sum(len(what) for name, what in rows.calls if name == "page") <= 200  # of the one that is open
    bridge.stop()


# -- rows that changed ---------------------------------------------------------------------------------------


def test_all_that_was_marked_is_read_again_when_it_is_looked_at(qtbot: QtBot) -> None:
    bridge, rows = Bridge(), FakeHistory([replace(row, starred=False) for row in fake_history.runs(2000)])
    model = HistoryModel(rows.page, bridge)
    keys, _ = rows.find(HistoryQuery()).result()
    model.load(keys)
    places = range(0, 2000, PAGE)
    for place in places:
        qtbot.waitUntil(lambda place=place: model.row(place) is not None, timeout=WAIT_MS)

    def starred() -> list[bool]:
        return [row.starred for row in map(model.row, places) if row is not None]

    rows.star([row.id for row in rows.rows.values()], on=True)
    model.reread(keys.tolist())
    assert starred() == [False] * 10  # not gone meanwhile
    qtbot.waitUntil(lambda: starred() == [True] * 10, timeout=WAIT_MS)
    bridge.stop()


def test_an_answer_that_comes_late_does_not_take_a_mark_away(qtbot: QtBot) -> None:
    bridge, rows = Bridge(), FakeHistory([replace(row, starred=False) for row in fake_history.runs(4)])
    model = HistoryModel(rows.page, bridge)
    model.load(rows.find(HistoryQuery()).result()[0])
    rows.held = before = []
    assert model.row(0) is None  # asked for, and read before the star was given
    rows.held = after = []
    rows.star(["run-0004"], on=True)
    model.reread([4])
    assert model.row(0) is None
    delivered: list[None] = []
    for future, value in (*after, *before):
        future.set_result(value)
    bridge.call(delivered.append, None)
    qtbot.waitUntil(lambda: bool(delivered), timeout=WAIT_MS)
    row = model.row(0)
    assert row is not None
    assert row.starred
    bridge.stop()


# -- order ---------------------------------------------------------------------------------------------------


def test_the_arrow_points_up_where_the_smallest_is_on_top_and_lies_beside_the_name(
    opened: MainWindow,
) -> None:
    table = opened.history.table
    head = table.horizontalHeader()
    assert isinstance(head, TableHeading)

    def arrow(column: int) -> tuple[list[QPointF], QRect]:
        rect = QRect(head.sectionViewportPosition(column), 0, head.sectionSize(column), head.height())
        return list(head.arrow(rect, column)), rect

    assert table.order == (DATE, True)
    (left, _, tip), _ = arrow(DATE)
    assert tip.y() > left.y()  # the newest on top
    table._on_heading(DATE)
    (left, _, tip), _ = arrow(DATE)
    assert tip.y() < left.y()
    table._on_heading(DECODE)
    points, rect = arrow(DECODE)
    assert "\n" in str(opened.history.model.headerData(DECODE, Qt.Orientation.Horizontal))
    name = max(head.fontMetrics().horizontalAdvance(line) for line in ("Decode", "tok/s"))
    assert rect.left() <= min(point.x() for point in points)
    assert max(point.x() for point in points) < rect.right() - name


# -- filters -------------------------------------------------------------------------------------------------


def cut(box: QComboBox) -> bool:
    """Whether a box shows less than it says."""
    assert isinstance(box, ElidedCombo)
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    return box._shown(option) != box.currentText()


def test_nothing_of_the_filters_is_cut_in_a_narrow_window(
    qtbot: QtBot, qapp: QApplication, opened: MainWindow
) -> None:
    page, made = opened.history, opened.history.filter
    made.when.box.setCurrentIndex(made.when.box.findData(RANGE))
    made.more.setChecked(True)
    made.grouped.setChecked(True)
    boxes: list[QComboBox] = [*made.boxes.values(), made.outliers, made.deleted, made.when.box]
    for language in ("zh_CN", "en"):
        opened.choose_language(language)
        opened.resize(1024, 700)
        qtbot.waitUntil(lambda: opened.width() == 1024 and page.width() < 1000, timeout=WAIT_MS)
        settle(qapp)
        assert [box.currentText() for box in boxes if cut(box)] == []
        for day in (made.when.first, made.when.last):
            assert day.text() == QLocale().toString(day.date(), QLocale.FormatType.ShortFormat)
            assert abs(day.height() - made.when.box.height()) <= 1


def test_the_first_click_on_verdict_has_the_best_on_top(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table._on_heading(VERDICT)
    assert (page.query.sort, page.query.descending) == ("decision", True)
    listed(qtbot, page, 1000)


def test_seldom_used_filters_open_and_say_how_many_are_on(qtbot: QtBot, opened: MainWindow) -> None:
    made = opened.history.filter
    assert made.more.text() == "More filters"
    assert not made.outliers.isVisible()
    qtbot.mouseClick(made.more, LEFT)
    assert made.outliers.isVisible()
    made.outliers.setCurrentIndex(1)
    made.boxes["preset"].setCurrentIndex(1)
    qtbot.mouseClick(made.more, LEFT)
    assert made.more.text() == "More filters (2)"
    qtbot.mouseClick(made.clear_all, LEFT)
    assert made.more.text() == "More filters"


def test_days_in_either_order_mean_the_days_between(opened: MainWindow) -> None:
    when = opened.history.filter.when
    when.box.setCurrentIndex(when.box.findData(RANGE))
    when.first.setDate(QDate(2026, 11, 30))
    when.last.setDate(QDate(2026, 11, 2))
    since, until = when.span
    assert since == datetime(2026, 11, 2).astimezone()
    assert until == datetime(2026, 12, 1).astimezone()


def test_numbers_in_boxes_are_grouped(opened: MainWindow) -> None:
    made = opened.history.filter
    made.show_values("status", [("failed", 1190)])
    assert made.boxes["status"].itemText(1) == "failed (1,190)"
