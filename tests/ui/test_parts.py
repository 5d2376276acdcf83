"""The parts below the window: bridge, models, live rate, texts, colours, context field, log."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from qtune.core.errors import KnownError
from qtune.core.events import JobFinished, LogArrived, Progress, RequestStarted, TextArrived
from qtune.core.messages import TEXTS, Message
from qtune.ui.bridge import Bridge
from qtune.ui.log.page import LINES, LONGEST, LogPage, line_kind
from qtune.ui.plots.live_rate import LiveRate, Series
from qtune.ui.state.arm_book import ArmBook
from qtune.ui.theme import DARK, LIGHT, Tokens, contrast
from qtune.ui.tune.record_table import RecordModel
from qtune.ui.widgets.context_spin import ContextSpin
from qtune.ui.widgets.grid import Cell, Grid
from qtune.ui.widgets.sideways import Sideways
from qtune.ui.words import figures_text, texts
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS

UI = Path(__file__).resolve().parents[2] / "qtune" / "ui"


def text(number: int) -> TextArrived:
    return TextArrived("run", "content", str(number), number)


# -- bridge --------------------------------------------------------------------------------------------------


def test_events_of_many_threads_come_in_few_batches_and_in_order(qtbot: QtBot) -> None:
    bridge = Bridge()
    batches: list[list[TextArrived]] = []
    bridge.text_arrived.connect(batches.append)
    threads = [
        threading.Thread(target=lambda t=t: [bridge.listener(text(t * 10_000 + n)) for n in range(5000)])
        for t in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 20_000, timeout=10_000)
    numbers = [int(event.text) for batch in batches for event in batch]
    for t in range(4):
        mine = [n for n in numbers if n // 10_000 == t]
        assert mine == sorted(mine)
    assert len(batches) < 60
    bridge.stop()


def test_text_and_progress_never_arrive_after_what_followed_them(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[str] = []
    bridge.text_arrived.connect(lambda batch: seen.append("text" + "".join(e.text for e in batch)))
    bridge.progressed.connect(lambda event: seen.append(f"progress{event.done}"))
    bridge.request_started.connect(lambda event: seen.append(f"request{event.index}"))
    what = Message.of("doing_load", arm="off")
    for event in (text(1), text(2), Progress(what, 1, 9, 0, None), Progress(what, 2, 9, 0, None)):
        bridge.listener(event)
    bridge.listener(RequestStarted("run", "off", 7, "counted"))
    bridge.listener(text(3))
    qtbot.waitUntil(lambda: len(seen) == 4, timeout=WAIT_MS)
    assert seen == ["text12", "progress2", "request7", "text3"]
    bridge.stop()


def test_a_future_ends_in_the_gui_thread_with_its_result_or_its_sentence(
    qtbot: QtBot, expect_log: Callable[[str], None]
) -> None:
    expect_log("ended with a fault of ours")
    bridge = Bridge()
    ends: list[tuple[object, str]] = []
    good: Future[int] = Future()
    known: Future[int] = Future()
    ours: Future[int] = Future()
    for future in (good, known, ours):
        bridge.follow(
            future,
            lambda result: ends.append((result, threading.current_thread().name)),
            lambda message: ends.append((message.code, threading.current_thread().name)),
        )

    def finish() -> None:
        good.set_result(5)
        known.set_exception(KnownError("model_missing", path="x"))
        ours.set_exception(ZeroDivisionError())

    worker = threading.Thread(target=finish)
    worker.start()
    worker.join()
    qtbot.waitUntil(lambda: len(ends) == 3, timeout=WAIT_MS)
    assert [end for end, _ in ends] == [5, "model_missing", "internal_fault"]
    assert {name for _, name in ends} == {threading.main_thread().name}
    bridge.stop()


def test_nothing_is_delivered_after_a_stop_not_even_what_came_with_it(qtbot: QtBot) -> None:
    bridge = Bridge()
    seen: list[str] = []
    bridge.job_finished.connect(lambda event: seen.append(event.kind))
    bridge.log_arrived.connect(lambda lines, _dropped: seen.extend(lines))
    bridge.listener(LogArrived(("last words of the engine",)))
    bridge.call(seen.append, "stopping")
    bridge.call(bridge.stop)
    bridge.listener(JobFinished("compare"))
    qtbot.waitUntil(lambda: bridge._stopped, timeout=WAIT_MS)
    assert seen == ["stopping"]


def test_more_log_than_anyone_can_read_is_counted(qtbot: QtBot) -> None:
    bridge = Bridge()
    got: list[tuple[list[str], int]] = []
    bridge.log_arrived.connect(lambda lines, dropped: got.append((lines, dropped)))
    bridge.listener(LogArrived(tuple(str(n) for n in range(7000)), dropped=3))
    qtbot.waitUntil(lambda: bool(got), timeout=WAIT_MS)
    lines, dropped = got[0]
    assert (len(lines), lines[-1], dropped) == (5000, "6999", 2003)
    bridge.stop()


# -- models --------------------------------------------------------------------------------------------------


def test_the_record_model_keeps_the_rules_of_qt(qtmodeltester: ModelTester) -> None:
    model = RecordModel()
    stage = story.Stage()
    run = story.finished_run(story.run_record("run-1", "balanced", stage), stage)
    qtmodeltester.check(model)
    for index in range(4):
        model.add(run, story.request(run.id, index, story.BASE_NS, "balanced", 120, stage))
    book = ArmBook()
    book.load(story.history(stage))
    model.load(book.newest())
    model.set_tokens(DARK)
    assert [model.row(n).run.id for n in range(7)] == ["run-1"] * 4 + ["run-old-2", "run-old-1", "run-old-1"]
    qtmodeltester.check(model)


def test_copying_gives_a_heading_and_the_lines() -> None:
    model = RecordModel()
    stage = story.Stage()
    run = story.finished_run(story.run_record("run-1", "off", stage), stage)
    model.add(run, story.request(run.id, 3, story.BASE_NS, "off", 120, stage))
    heading, line = model.as_text([0]).split("\n")
    assert len(heading.split("\t")) == len(line.split("\t")) == model.columnCount()


# -- live rate -----------------------------------------------------------------------------------------------


def test_the_live_rate_finds_a_steady_rate_in_bursts() -> None:
    rate = LiveRate()
    rate.begin()
    stamps = [int(n // 4 * 4 / 80 * 1e9) for n in range(400)]
    points = rate.add(stamps)
    settled = [y for x, y in points if x > 1]
    assert settled
    assert all(abs(y - 80) < 6 for y in settled)


def test_the_axis_counts_streaming_only() -> None:
    rate = LiveRate()
    rate.begin()
    rate.add([0, 2_000_000_000])
    rate.begin()
    later = 90_000_000_000
    points = rate.add([later + n * 100_000_000 for n in range(20)])
    assert 2 < points[0][0] < 5


def test_the_ring_holds_the_newest_in_one_view() -> None:
    series = Series(4)
    for n in range(7):
        series.add(n, n * 10)
    x, y = series.view()
    assert np.array_equal(x, [3, 4, 5, 6])
    assert np.array_equal(y, [30, 40, 50, 60])
    assert np.shares_memory(x, series.view()[0])


# -- texts and figures ---------------------------------------------------------------------------------------


def test_every_message_renders_with_its_parameters() -> None:
    for code in TEXTS:
        message = Message.of(code, path="P", reason="R", arm="off", number=1, runs=3)
        assert "{" not in texts.sentence(message) + texts.hint(message)
    assert texts.sentence(Message.of("doing_load", arm="balanced")).startswith("Balanced:")


def test_missing_figures_are_dashes_and_zero_is_zero() -> None:
    assert [figures_text.rate(None), figures_text.percent(None), figures_text.memory(None)] == ["–"] * 3
    assert figures_text.rate(0.0) == "0.0"
    assert figures_text.memory_of(1024**3, 24 * 1024**3) == "1.0 / 24.0 GiB"


def test_flags_of_a_preset_are_those_of_llama_server() -> None:
    off, _, balanced, _ = story.PRESETS
    assert texts.preset_flags(off) == ""
    assert texts.preset_flags(balanced) == "--spec-draft-n-max 4 --ubatch-size 1024 --spec-type draft-mtp"


@pytest.mark.parametrize(
    ("typed", "tokens"), [("8k", 8192), ("16K", 16_384), ("10000", 10_000), ("x", None), ("9999k", None)]
)
def test_a_context_may_be_typed(qtbot: QtBot, typed: str, tokens: int | None) -> None:
    spin = ContextSpin()
    qtbot.addWidget(spin)
    state = spin.validate(typed, 0)[0]
    assert (state == QValidator.State.Acceptable) is (tokens is not None)
    if tokens is not None:
        assert spin.valueFromText(typed) == tokens


def test_the_arrows_walk_the_usual_contexts(qtbot: QtBot) -> None:
    spin = ContextSpin()
    qtbot.addWidget(spin)
    spin.limit(40_000)
    spin.setValue(10_000)
    walked = []
    for _ in range(3):
        spin.stepUp()
        walked.append(spin.value())
    assert walked == [16_384, 32_768, 40_000]
    spin.stepDown()
    assert spin.value() == 32_768


# -- colours -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_reach_the_contrast(tokens: Tokens) -> None:
    pairs = {
        (name, ground)
        for name in ("text", "muted", "good", "warn", "bad", "accent")
        for ground in ("window", "surface", "sunken")
    }
    pairs |= {("good", "good_soft"), ("warn", "warn_soft"), ("bad", "bad_soft"), ("accent", "accent_soft")}
    pairs |= {("muted", "idle_soft"), ("on_accent", "accent"), ("on_accent", "accent_hover")}
    pairs |= {("text", "warn_soft"), ("text", "bad_soft"), ("text", "accent_soft")}
    weak = {
        p: round(c, 2) for p in pairs if (c := contrast(getattr(tokens, p[0]), getattr(tokens, p[1]))) < 4.5
    }
    weak |= {a: c for a, colour in tokens.arms.items() if (c := contrast(colour, tokens.surface)) < 4.5}
    assert weak == {}


# -- log -----------------------------------------------------------------------------------------------------


def test_lines_that_matter_are_told_apart() -> None:
    assert line_kind("ggml_cuda: cudaMalloc failed: out of memory") == "bad"
    assert line_kind("load_tensors: offloaded 66/66 layers to GPU") == "key"
    assert line_kind("slot launch_slot_: id 0 | processing task") == "plain"


def test_the_log_is_capped_cut_and_searchable(qtbot: QtBot) -> None:
    page = LogPage()
    qtbot.addWidget(page)
    page.retranslate()
    page.set_tokens(LIGHT)
    page.on_log([f"line {n}" for n in range(LINES + 500)], 0)
    page.on_log(["<b>no markup</b> needle " + "x" * 100_000], 7)
    assert page.text.document().blockCount() == LINES
    assert len(page.lines()[-1]) < LONGEST + 10
    assert "<b>no markup</b>" in page.text.toPlainText()
    page.search.setText("needle")
    qtbot.waitUntil(lambda: page.hits.text() == "1 hits", timeout=WAIT_MS)
    assert "7" in page.state.text()
    page.marked_only.setChecked(True)
    assert page.text.toPlainText() == ""
    page.stop()


def test_the_log_stays_where_the_user_scrolled(qtbot: QtBot) -> None:
    page = LogPage()
    qtbot.addWidget(page)
    page.resize(500, 300)
    page.show()
    page.on_log([f"line {n}" for n in range(200)], 0)
    assert page.follows
    bar = page.text.verticalScrollBar()
    bar.setValue(10)
    page.on_log(["another"], 0)
    assert bar.value() == 10
    assert not page.to_end.isHidden()
    page.to_end.click()
    page.on_log(["and one more"], 0)
    assert page.follows
    page.stop()


def test_a_wide_table_scrolls_by_itself_and_goes_when_it_is_empty(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    grid = Grid()
    grid.setAccessibleName("Figures")
    area = Sideways(grid)
    column = QVBoxLayout(page)
    column.addWidget(area)
    column.addStretch(1)
    page.resize(300, 200)
    page.show()
    assert area.isHidden() == grid.isHidden()
    grid.show_rows([Cell("Side"), Cell("Rate")], [[Cell("A"), Cell("38.4")]])
    qtbot.waitUntil(lambda: area.height() == grid.sizeHint().height(), timeout=WAIT_MS)
    assert not area.scrolls
    assert area.focusPolicy() is Qt.FocusPolicy.NoFocus
    wide = "a text that is wider than the page that it stands on"
    grid.show_rows([Cell("Side"), Cell("Rate")], [[Cell("A"), Cell(wide)], [Cell("B"), Cell(wide)]])
    bar = area.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and area.height() > grid.sizeHint().height(), timeout=WAIT_MS)
    assert page.width() == 300
    assert area.focusPolicy() is Qt.FocusPolicy.StrongFocus
    assert area.accessibleName() == "Figures"
    grid.show_rows([], [])
    qtbot.waitUntil(area.isHidden, timeout=WAIT_MS)


# -- rules ---------------------------------------------------------------------------------------------------


def test_no_gui_code_waits_or_spins() -> None:
    found = []
    for path in UI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = node.func.attr
                waits = name in {"processEvents", "sleep", "exec"} or (
                    name == "result" and not any(k.arg == "timeout" for k in node.keywords)
                )
                found += [f"{path.name}:{node.lineno} {name}"] if waits else []
    assert found == []
