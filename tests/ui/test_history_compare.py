"""Runs and experiments side by side, what an update did to the speed, and old runs deleted by choice."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from qtune.core import side_by_side
from qtune.core.errors import KnownError
from qtune.core.events import JobFinished
from qtune.session import run_comparison
from qtune.ui.history.compare import HistoryComparison
from qtune.ui.history.comparison_charts import in_rows
from qtune.ui.history.page import HistoryPage
from qtune.ui.history.when_filter import RANGE, YEAR
from qtune.ui.main_window import HISTORY, MainWindow
from qtune.ui.plots.side_charts import BarsChart, LinesChart
from tests.ui import fake_comparison, fake_history
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene
from tests.ui.fake_history import FakeHistory

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
EVERY = 1012


@pytest.fixture
def opened(qtbot: QtBot, open_window: Open) -> MainWindow:
    """The page with an experiment of several starts on top of 1 000 runs."""
    rows = fake_comparison.with_starts(fake_history.runs())
    window = open_window(Scene(preferences=chosen(), past=FakeHistory(rows)))
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    qtbot.waitUntil(lambda: len(window.history.detail.shown) == 1, timeout=WAIT_MS)
    return window


def past(window: MainWindow) -> FakeHistory:
    return desk_of(window).history


def listed(qtbot: QtBot, page: HistoryPage, count: int) -> None:
    qtbot.waitUntil(lambda: not page._reading and len(page.model.keys) == count, timeout=WAIT_MS)


def beside(qtbot: QtBot, page: HistoryPage) -> None:
    qtbot.waitUntil(lambda: page.views.currentWidget() is page.comparison, timeout=WAIT_MS)


def test_single_runs_stand_side_by_side_with_ranges_and_a_warning(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    opened.resize(1440, 900)
    page.table.choose([999, 995, 595])
    qtbot.waitUntil(lambda: len(page.detail.shown) == 3, timeout=WAIT_MS)
    assert page.detail.horizontalScrollBar().maximum() == 0  # what is too wide scrolls inside its card
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    beside(qtbot, page)
    view = page.comparison
    assert view.back.hasFocus()
    rows = view.figures.texts()
    assert [row[0] for row in rows] == [  # the oldest is what the others are more or less than
        "A Balanced\nQwen3.6-27B · Q6_K",
        "B Balanced\nQwen3.6-35B-A3B · Q4_K_M",
        "C Balanced\nQwen3.6-27B · Q4_K_M",
    ]
    assert "2 different builds" in view.warnings.notes[0].text
    assert rows[0][3] == ""
    assert re.fullmatch(r"no answer yet [+−]\d.*\n3 text\D*, 1 start\D*", rows[1][3])  # and no bounds
    assert "6 medians" in view.legend.text()
    told = {row[0]: row[1:] for row in view.settings.texts()}
    assert told["Quantisation"] == ["Q6_K", "Q4_K_M", "Q4_K_M"]
    decode = view.bars["decode_tok_s"]
    assert [bar.look.turn for bar in decode.bars] == [0, 1, 2]  # one arm: told apart by filling and stroke
    assert len({bar.look.fill for bar in decode.bars}) == 3
    assert not any(bar.sure for bar in decode.bars)
    assert decode.bars[0].about.startswith("A Balanced · Qwen3.6-27B · Q6_K · 7")
    assert decode.labels()[0].startswith("A\n7")  # on the axis, and not at the end of a whisker
    assert decode.caption().entries[1].name == "B Balanced · Qwen3.6-35B-A3B · Q4_K_M"
    memory = [stroke.look.letter for stroke in view.memory.strokes]
    assert memory == ["A", "B", "C"]
    assert any(y != y for _, y in view.memory.strokes[0].points)  # noqa: PLR0124 - the gap
    legend = view.decode.legend.entries
    assert [(entry.short, entry.hollow) for entry in legend] == [("A", False), ("B", True), ("C", True)]
    assert len({entry.stroke for entry in legend}) == 3
    assert view.deep.isHidden()
    assert [part.isHidden() for part in (decode, view.decode, view.memory)] == [False, False, False]
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert page.views.currentWidget() is not view
    assert page.table.chosen() == [999, 995, 595]


def hold_against(view: HistoryComparison, place: int) -> None:
    view.against.setCurrentIndex(place)
    view.against.activated.emit(place)


def held_against(qtbot: QtBot, view: HistoryComparison, place: int) -> None:
    """Until the table says so: what is held against nothing is the base."""
    qtbot.waitUntil(
        lambda: view.found is not None and view.found.sides[place].side.name == view.found.base,
        timeout=WAIT_MS,
    )
    assert view.against.currentIndex() == place


def test_another_side_may_be_what_the_others_are_held_against(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table.choose([999, 998, 997, 589])
    page.compare()
    beside(qtbot, page)
    view = page.comparison
    assert view.figures.texts()[0][0].startswith("A Off")
    assert view.found is not None
    gain = view.found.sides[1].against["decode_tok_s"].ratio
    view.against.setFocus()
    hold_against(view, 1)
    held_against(qtbot, view, 1)
    assert view.figures.texts()[0][0].startswith("A Off")  # letters stay where they are
    assert view.figures.texts()[1][3] == ""
    assert view.found.sides[0].against["decode_tok_s"].ratio == pytest.approx(1 / gain)
    assert view.against.hasFocus()


def test_of_several_choices_the_newest_is_shown_and_until_then_what_was(
    qtbot: QtBot, opened: MainWindow
) -> None:
    page, desk = opened.history, past(opened)
    page.table.choose([999, 998, 997, 589])
    page.compare()
    beside(qtbot, page)
    view = page.comparison
    before = view.figures.texts()
    desk.held = []
    hold_against(view, 1)
    hold_against(view, 2)
    assert view.figures.texts() == before
    assert page.bar.isVisible()
    newest, older = desk.held[1], desk.held[0]
    newest[0].set_result(newest[1])
    held_against(qtbot, view, 2)
    desk.held = None
    older[0].set_result(older[1])  # and what comes late is not shown
    desk.broken = KnownError("history_cancelled")
    hold_against(view, 3)
    qtbot.waitUntil(lambda: view.against.currentIndex() == 2, timeout=WAIT_MS)  # the choice is as before
    held_against(qtbot, view, 2)
    assert not page.bar.isVisible()


def test_the_window_makes_no_figures_of_a_comparison(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def noting(work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            threads.append(threading.current_thread())
            return work(*args)

        return noted

    monkeypatch.setattr(side_by_side, "_figures", noting(side_by_side._figures))  # whoever asks for them
    monkeypatch.setattr(run_comparison, "unfair", noting(run_comparison.unfair))
    page = opened.history
    page.table.choose([999, 998])
    page.compare()
    beside(qtbot, page)
    hold_against(page.comparison, 1)
    held_against(qtbot, page.comparison, 1)
    page.comparison.retranslate()
    assert len(threads) == 2 * (2 + 1)  # once for each base: of two sides, and of both together
    assert threading.main_thread() not in threads


def test_sides_without_figures_are_said_to_have_none(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    failed = [row.key for row in fake_history.runs() if row.failure is not None][-2:]
    page.table.choose(failed)
    page.compare()
    beside(qtbot, page)
    view = page.comparison
    assert "None of these sides has figures" in view.warnings.notes[0].text
    assert all("out of memory" in note.text for note in view.remarks.notes)
    page.show_list()
    page.table.choose([*failed[:1], 999])
    page.compare()
    qtbot.waitUntil(lambda: view.figures.texts()[0][0].startswith("A Balanced"), timeout=WAIT_MS)
    hold_against(view, 1)
    held_against(qtbot, view, 1)
    assert "B Aggressive · " in view.warnings.notes[0].text
    assert "nothing can be held against it" in view.warnings.notes[0].text


def test_only_the_sides_that_are_shown_are_warned_about(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table.choose([*range(991, 1001), 3])
    page.compare()
    beside(qtbot, page)
    view = page.comparison
    assert len(view.figures.texts()) == 8
    texts = [note.text for note in view.warnings.notes]
    assert not any("builds" in text for text in texts)  # the run of the older build is not shown
    assert any(text.startswith("3 more run") for text in texts)


@pytest.mark.parametrize(
    ("bars", "lines", "most", "rows"),
    [
        (4, 2, 4, [4, 2]),
        (5, 2, 4, [3, 2, 2]),
        (4, 2, 3, [2, 2, 2]),
        (4, 1, 4, [4, 1]),
        (1, 1, 3, [2]),
        (5, 2, 2, [2, 2, 2, 1]),
        (5, 1, 1, [1, 1, 1, 1, 1, 1]),
        (0, 0, 3, []),
    ],
)
def test_rows_of_charts_have_no_holes(bars: int, lines: int, most: int, rows: list[int]) -> None:
    charts: list[Any] = list(range(bars + lines))
    found = in_rows(charts[:bars], charts[bars:], most)
    assert [len(row) for row in found] == rows
    assert [chart for row in found for chart in row] == charts


def test_an_experiment_is_compared_arm_by_arm_with_intervals_off_first(
    qtbot: QtBot, opened: MainWindow
) -> None:
    page = opened.history
    page.filter.grouped.click()
    qtbot.waitUntil(lambda: len(page.model.lines) > len(page.model.keys), timeout=WAIT_MS)
    page.table.choose([int(page.model.lines[0])])
    qtbot.waitUntil(lambda: page.detail.experiment is not None, timeout=WAIT_MS)
    qtbot.mouseClick(page.detail.buttons.compare, LEFT)
    beside(qtbot, page)
    view = page.comparison
    rows = view.figures.texts()
    assert [row[0] for row in rows] == ["A Off", "B Conservative", "C Balanced", "D Aggressive"]
    assert rows[2][3].startswith("better +8")
    assert "±" in rows[0][2]
    assert all(bar.sure for bar in view.bars["decode_tok_s"].bars)
    assert "95 %" in view.legend.text()
    assert len(view.decode.strokes) == 12  # three starts of each arm
    assert len({stroke.look for stroke in view.decode.strokes}) == 4
    assert view.settings.texts()
    assert view.same.isHidden()
    kinds = {type(chart) for chart in view.charts}
    assert kinds == {BarsChart, LinesChart}
    opened.resize(1024, 700)
    qtbot.waitUntil(lambda: view.width() < 1024, timeout=WAIT_MS)
    assert view.area.horizontalScrollBar().maximum() == 0  # a wide table scrolls, and no chart with it
    assert all(chart.accessibleName() for chart in view.charts)


def test_an_update_that_slowed_the_run_is_told_beside_it(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table.choose([999])
    qtbot.waitUntil(
        lambda: [s.row.key for s in page.detail.shown] == [999] and bool(page.detail.shown[0].changes),
        timeout=WAIT_MS,
    )
    note = page.detail.remarks.notes[0]
    assert note.text.startswith("b11434 is 8\u00a0% slower than b11211 on the same settings")
    assert note.strong
    assert "570.144 to 575.51" in note.hint


def test_after_a_job_an_alarm_is_shown_once_and_leads_to_the_history(
    qtbot: QtBot, opened: MainWindow
) -> None:
    opened.show_page(0)
    same = replace(fake_comparison.SLOWER, direction="same")

    def answered() -> bool:
        """Asked, and the answer taken out of the queue."""
        return ("newest_changes", None) in past(opened).calls and not opened.bridge._queue

    for found, count in (((same,), 0), ((fake_comparison.SLOWER,), 1), ((fake_comparison.SLOWER,), 0)):
        opened.banners.clear()
        past(opened).changed = found
        past(opened).calls.clear()
        opened.bridge.listener(JobFinished("compare"))
        qtbot.waitUntil(answered, timeout=WAIT_MS)
        told = [b for b in opened.banners.banners if "slower" in b.sentence.text()]
        assert len(told) == count
        if told:
            assert told[0].kind == "warning"
            qtbot.mouseClick(told[0].buttons[0], LEFT)
            assert opened.pages.currentIndex() == HISTORY


def test_each_filter_narrows_the_query(qtbot: QtBot, opened: MainWindow) -> None:
    page, bar = opened.history, opened.history.filter
    bar.outliers.setCurrentIndex(2)
    listed(qtbot, page, sum(row.outlier for row in past(opened).rows.values()))
    bar.clear_all.click()
    listed(qtbot, page, EVERY)
    quant = bar.boxes["quant"]
    quant.setCurrentIndex(quant.findData("Q6_K"))
    decision = bar.boxes["decision"]
    decision.setCurrentIndex(decision.findData("no_difference"))
    assert (bar.query.quants, bar.query.decisions) == (("Q6_K",), ("no_difference",))
    when = bar.when
    assert when.first.isHidden()
    when.box.setCurrentIndex(when.box.findData(RANGE))
    assert not when.first.isHidden()
    when.first.setDate(QDate(2026, 11, 1))
    when.last.setDate(QDate(2026, 11, 2))
    since, until = when.span
    assert since is not None
    assert until is not None
    assert (until - since).total_seconds() == 2 * 86400
    assert since.astimezone().strftime("%d %H:%M") == "01 00:00"
    when.box.setCurrentIndex(when.box.findData(YEAR))
    assert when.span[0] is not None
    assert when.span[0].astimezone().strftime("%m-%d") == "01-01"
    assert bar.narrows
    bar.clear()
    assert when.span == (None, None)
    listed(qtbot, page, EVERY)


def test_old_runs_are_counted_deleted_by_choice_and_brought_back(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    dialog = page.ask_retention()
    qtbot.waitUntil(lambda: dialog.keys is not None, timeout=WAIT_MS)
    dialog.age.setCurrentIndex(3)
    dialog.day.setMaximumDate(QDate(2026, 12, 31))
    dialog.day.setDate(QDate(2026, 11, 15))
    qtbot.waitUntil(dialog.delete.isEnabled, timeout=WAIT_MS)
    assert dialog.keys is not None
    old = [row for row in past(opened).rows.values() if row.started_utc < "2026-11-15"]
    kept = [row for row in old if row.starred]
    assert kept
    assert abs(dialog.keys.size - (len(old) - len(kept))) < 40  # midnight is local
    told = dialog.keys.size
    assert f"{told}" in dialog.count.text()
    qtbot.mouseClick(dialog.delete, LEFT)
    listed(qtbot, page, EVERY - told)
    assert page.banner is not None
    qtbot.mouseClick(page.banner.buttons[0], LEFT)
    listed(qtbot, page, EVERY)


def test_deleted_runs_are_removed_for_good_only_after_a_question(qtbot: QtBot, opened: MainWindow) -> None:
    page = opened.history
    page.table.choose([1000, 999])
    page.delete()
    listed(qtbot, page, EVERY - 2)
    dialog = page.ask_retention()
    qtbot.waitUntil(dialog.purge.isEnabled, timeout=WAIT_MS)
    qtbot.mouseClick(dialog.purge, LEFT)
    question = dialog.findChild(QMessageBox)
    assert question is not None
    assert "2 deleted runs" in question.text()
    accept = next(b for b in question.buttons() if "Remove" in b.text())
    qtbot.mouseClick(accept, LEFT)
    qtbot.waitUntil(lambda: len(past(opened).rows) == EVERY - 2, timeout=WAIT_MS)
