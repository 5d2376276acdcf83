"""Charts as a person uses them: looked at closely, led by keys, held still, taken along, open all day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from qtune.core.events import Event, LogArrived, RequestFinished, RequestStarted, TelemetryTaken, TextArrived
from qtune.core.machine_facts import GpuSample, HostSample, TelemetrySample
from qtune.ui.bridge import Bridge
from qtune.ui.log import page as log_page
from qtune.ui.log.page import LogPage
from qtune.ui.plots import decode_chart, live_rate, request_bars, time_chart
from qtune.ui.plots.chart import Chart
from qtune.ui.plots.curve_chart import Curve, CurveChart
from qtune.ui.plots.live_charts import LiveCharts
from qtune.ui.state.arm_book import ArmBook
from qtune.ui.theme import DARK, LIGHT
from qtune.ui.tune import answer_view
from qtune.ui.tune.answer_view import AnswerView
from qtune.ui.tune.record_table import RecordModel
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS
from tests.ui.fake_desk import FakeDesk

S = 1_000_000_000
HOURS_8 = 8 * 3600 * 2
NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    yield
    QLocale.setDefault(before)


@pytest.fixture
def charts(qtbot: QtBot) -> Iterator[LiveCharts]:
    made = LiveCharts()
    qtbot.addWidget(made)
    made.resize(1200, 260)
    made.set_tokens(LIGHT)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.stop()


@pytest.fixture
def curve(qtbot: QtBot) -> CurveChart:
    made = CurveChart(lambda rate: f"{rate:.1f} tok/s")
    qtbot.addWidget(made)
    made.resize(420, 260)
    made.describe("Decode <fast> & loose", "What it means.", along="Depth")
    made.set_tokens(LIGHT)
    nan = float("nan")
    made.show_curves(
        [
            Curve("off", ((8.0, 40.0), (16.0, nan), (32.0, 30.0))),
            Curve("balanced", ((8.0, 70.0), (16.0, 66.0), (32.0, 50.0))),
        ],
        [(8.0, "8k"), (16.0, "16k"), (32.0, "32k")],
    )
    made.show()
    qtbot.waitExposed(made)
    return made


def sample(t_s: float, gib: float | None, **card: float) -> TelemetrySample:
    used = None if gib is None else int(gib * story.GIB)
    reading = GpuSample("GPU-1", used, 24 * story.GIB, **card)  # type: ignore[arg-type]
    return TelemetrySample(int(t_s * S), HostSample(12.0, 8 * story.GIB, 64 * story.GIB), (reading,))


def answered(number: int, arm: str) -> tuple[RequestStarted, RequestFinished]:
    record = story.request("run-1", number, number * 5 * S, arm, 20, story.Stage(), "")
    return RequestStarted("run-1", arm, number, "counted"), RequestFinished(record, arm)


def at(chart: Chart, x: float, y: float) -> QPoint:
    """Pixel of a place in the plot."""
    return chart.plot.mapFromScene(chart.box.mapViewToScene(QPointF(x, y)))


def stands_at(chart: Chart) -> tuple[float, float] | None:
    stop = chart.crosshair.stop
    return None if stop is None else (stop.x, stop.y)


# -- the crosshair -------------------------------------------------------------------------------------------


def test_the_mouse_leads_the_crosshair_to_the_nearest_measured_point(curve: CurveChart) -> None:
    curve.crosshair.point(QPointF(at(curve, 15.0, 60.0)))
    assert stands_at(curve) == (16.0, 66.0)
    assert curve.crosshair.label.text() == "Balanced · 16k · 66.0 tok/s"
    assert curve.crosshair.label.isVisible()
    curve.crosshair.point(QPointF(at(curve, 16.0, 33.0)))  # off was not measured there
    assert stands_at(curve) in {(8.0, 40.0), (16.0, 66.0)}
    curve.crosshair.leave()
    assert stands_at(curve) is None
    assert not curve.crosshair.label.isVisible()


def test_keys_lead_the_crosshair_and_a_screen_reader_hears_the_value(qtbot: QtBot, curve: CurveChart) -> None:
    curve.setFocus()
    walked = []
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
        qtbot.keyClick(curve, key)
        walked.append(stands_at(curve))
    # Right stays with its arm, Down goes to the other one, Left passes over what was not measured.
    first = walked[0]
    assert first is not None
    assert first[0] == 8.0
    assert walked[3:] in (
        [(32.0, 30.0), (16.0, 66.0)],
        [(32.0, 50.0), (16.0, 66.0)],
    )
    assert curve.accessibleDescription() == "Balanced · 16k · 66.0 tok/s"
    curve.clearFocus()
    assert stands_at(curve) is None
    assert curve.accessibleDescription() == "What it means."


def test_values_are_written_as_the_language_does(charts: LiveCharts, qtbot: QtBot) -> None:
    QLocale.setDefault(QLocale("de_DE"))
    for second in range(3):
        charts.on_telemetry(sample(second, 12.5))
    charts.memory.redraw()
    charts.memory.setFocus()
    qtbot.keyClick(charts.memory, Qt.Key.Key_Home)
    assert charts.memory.crosshair.label.text() == "12,5 GiB · 2,0 s before now"
    axis = charts.memory.item.getAxis("left")
    assert axis.tickStrings([2.5], 1, 0.5) == ["2,5"]


def test_the_crosshair_names_request_and_arm(charts: LiveCharts, qtbot: QtBot) -> None:
    for number, arm in enumerate(("off", "balanced")):
        started, finished = answered(number, arm)
        charts.on_request_started(started)
        charts.on_request_finished(finished)
    charts.ttft.redraw()
    charts.ttft.setFocus()
    qtbot.keyClick(charts.ttft, Qt.Key.Key_End)
    assert charts.ttft.accessibleDescription().startswith("Balanced · request 2 · ")
    assert charts.ttft.accessibleDescription().endswith(" ms · warm-up")
    assert [entry.arm for entry in charts.ttft.legend.entries] == ["off", "balanced"]


# -- gaps and limits -----------------------------------------------------------------------------------------


def test_what_was_not_read_is_a_gap(charts: LiveCharts) -> None:
    for second in (0.0, 0.5, 1.0, 9.0, 9.5):
        charts.on_telemetry(sample(second, 12.0))
    charts.on_telemetry(sample(10.0, None))
    (track,) = charts.memory.tracks()
    assert np.isfinite(track.y).tolist() == [True, True, True, False, True, True, False]
    assert -9.0 < track.x[3] < -1.0


def test_the_limit_and_the_room_to_keep_are_drawn_and_named(charts: LiveCharts) -> None:
    charts.keep_free(2 * story.GIB)
    charts.on_telemetry(sample(0, 12.0))
    charts.memory.redraw()
    assert (charts.memory.limit_gib, charts.memory.room_gib) == (24.0, 22.0)
    assert charts.memory._limit.label.toPlainText() == "limit 24.0 GiB"
    assert charts.memory._room.label.toPlainText() == "keep 2.0 GiB free"
    top = charts.memory.box.viewRange()[1][1]
    assert 24.0 < top < 34.0


def test_the_name_of_the_limit_has_room_in_a_low_chart_while_no_reading_comes(
    qtbot: QtBot, charts: LiveCharts
) -> None:
    memory = charts.memory
    charts.on_telemetry(sample(0, 12.0))
    memory.redraw()
    charts.resize(800, 130)

    def room_px() -> float:
        return float((1 - 24.0 / memory.box.viewRange()[1][1]) * memory.box.height())

    label_px = memory._limit.label.textItem.boundingRect().height()
    qtbot.waitUntil(lambda: memory.box.height() < 100 and room_px() >= label_px - 0.5, timeout=WAIT_MS)


def test_the_second_row_draws_what_the_card_tells(charts: LiveCharts) -> None:
    charts.show_second_row(shown=True)
    charts.on_telemetry(sample(0, 12.0, power_w=310.0, utilisation_pct=97.0))
    charts._redraw()
    assert charts.power.figure.text() == "310 W"
    assert charts.utilisation.figure.text() == "97.0 %"
    assert charts.temperature.figure.text() == ""
    assert charts.temperature.note() == "Not reported on this computer"
    assert charts.power.note() == ""


# -- the view ------------------------------------------------------------------------------------------------


def test_keys_zoom_pan_and_reset(qtbot: QtBot, curve: CurveChart) -> None:
    def span() -> float:
        low, high = curve.box.viewRange()[0]
        return float(high - low)

    whole = curve.box.viewRange()[0]
    curve.setFocus()
    qtbot.keyClick(curve, Qt.Key.Key_Plus)
    assert span() < whole[1] - whole[0]
    assert curve.back.isVisible()
    before = curve.box.viewRange()[0][0]
    qtbot.keyClick(curve, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert curve.box.viewRange()[0][0] > before
    qtbot.keyClick(curve, Qt.Key.Key_0)
    assert curve.box.viewRange()[0] == pytest.approx(whole)
    assert not curve.back.isVisible()


def test_a_held_picture_stays_and_nothing_is_lost(charts: LiveCharts, qtbot: QtBot) -> None:
    for second in range(20):
        charts.on_telemetry(sample(second, 12.0))
    charts._redraw()
    charts.toggle_pause()
    seen = charts.memory.box.viewRange()
    oldest = charts.memory.tracks()[0].x[0]
    for second in range(20, 40):
        charts.on_telemetry(sample(second, 20.0))
    charts.set_tokens(DARK)  # draws anew, and still nothing may move
    assert charts.memory.box.viewRange() == seen
    assert charts.memory.tracks()[0].x[0] == oldest
    charts.toggle_pause()
    qtbot.waitUntil(lambda: charts.memory.tracks()[0].x[0] == -39.0, timeout=WAIT_MS)


# -- the menu and pictures -----------------------------------------------------------------------------------


def entries(chart: Chart) -> list[str]:
    chart.menu.fill()
    return [action.text() for action in chart.menu.actions() if action.text()]


def test_the_menu_is_ours_and_offers_what_can_be_done(charts: LiveCharts, curve: CurveChart) -> None:
    still = ["Show everything again", "Copy as a picture", "Save as PNG…", "Save as SVG…"]
    assert entries(curve) == still
    assert entries(charts.decode) == [still[0], "Hold the charts still", *still[1:]]
    assert not charts.decode.item.getViewBox().menuEnabled()
    curve.set_tokens(DARK)
    assert entries(curve)[-1] == "Pictures on a light ground"


def test_keyboard_and_right_button_open_the_menu(
    qtbot: QtBot, curve: CurveChart, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QPoint] = []
    monkeypatch.setattr(curve.menu, "popup", opened.append)  # the platform of tests has no pop-up windows
    view, middle = curve.plot.viewport(), curve.plot.rect().center()
    corner = curve.more.mapToGlobal(QPoint(0, curve.more.height()))
    by_key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, QPoint(0, 0))
    QGuiApplication.sendEvent(curve, by_key)
    qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=middle)
    by_mouse = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, view.mapToGlobal(middle))
    QGuiApplication.sendEvent(view, by_mouse)
    qtbot.mouseRelease(view, Qt.MouseButton.RightButton, pos=middle)
    assert opened == [corner, view.mapToGlobal(middle)]
    assert curve.following
    assert curve.more.menu() is curve.menu


def colours(image: QImage) -> set[str]:
    pixels = np.unique(np.frombuffer(image.constBits(), dtype=np.uint32))
    return {QColor(int(pixel)).name() for pixel in pixels}


def test_a_copied_picture_is_light_has_the_colours_of_the_arms_and_no_crosshair(
    qtbot: QtBot, curve: CurveChart
) -> None:
    curve.resize(240, 180)
    curve.set_tokens(DARK)
    curve.setFocus()
    qtbot.keyClick(curve, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    plain = QGuiApplication.clipboard().image()
    assert plain.width() > 400  # twice as many pixels as on a plain screen
    assert {LIGHT.surface, LIGHT.arm("off"), LIGHT.arm("balanced")} <= colours(plain)
    assert curve.tokens is DARK
    qtbot.keyClick(curve, Qt.Key.Key_Home)
    curve.menu.copy()
    assert QGuiApplication.clipboard().image() == plain
    assert curve.crosshair.stop is not None
    curve.menu.light = False
    curve.menu.copy()
    assert DARK.surface in colours(QGuiApplication.clipboard().image())


def test_an_svg_has_words_and_lines_and_escapes_what_it_is_told(curve: CurveChart, tmp_path: Path) -> None:
    target = tmp_path / "chart.svg"
    curve.menu.save(target, "svg")
    tree = ET.parse(target)  # noqa: S314 - our own file
    names = [element.tag.rpartition("}")[2] for element in tree.iter()]
    words = [element.text for element in tree.iter() if element.tag.endswith("}text")]
    assert "image" not in names
    assert {"Decode <fast> & loose", "Off", "Balanced", "Depth", "16k"} <= set(words)
    drawn = {element.get("stroke") or element.get("fill") for element in tree.iter()}
    assert {LIGHT.arm("off"), LIGHT.arm("balanced")} <= drawn


def test_a_picture_that_cannot_be_saved_says_why(curve: CurveChart, tmp_path: Path) -> None:
    curve.menu.save(tmp_path / "chart.png", "png")
    assert QImage(str(tmp_path / "chart.png")).width() > 400
    curve.menu.save(tmp_path / "no such folder" / "chart.png", "png")
    (box,) = curve.findChildren(QMessageBox)
    assert "no such folder" in box.text()
    box.close()


# -- a day's work --------------------------------------------------------------------------------------------


def announced(
    qtbot: QtBot, desk: FakeDesk, bridge: Bridge, events: Iterator[Event], most: int = 20_000
) -> None:
    """Hand events on in portions, each drawn before the next."""
    for portion in iter(lambda: list(islice(events, most)), []):
        desk.emit(*portion)
        with qtbot.waitSignal(bridge.progressed, timeout=WAIT_MS):
            desk.emit(story.Progress(story.Message.of("doing_load", arm="off"), 0, 1, 0.0, None))


def day() -> Iterator[Event]:
    """More than eight hours of readings and a thousand answers, the last of which never breaks a line."""
    states = [sample(0, 12.0 + step, power_w=300.0) for step in range(7)]
    for reading in range(HOURS_8 + 1000):
        yield TelemetryTaken(replace(states[reading % 7], t_ns=reading * S // 2))
    for number in range(1000):
        started, finished = answered(number, ("off", "balanced")[number % 2])
        yield started
        for piece in range(20 if number < 999 else 20_000):
            yield TextArrived("run-1", "content", "word ", number * 15 * S + piece * S // 4)
        yield LogArrived(tuple(f"line {number} {n}" for n in range(20)))
        yield finished


def test_a_day_needs_no_more_memory_than_an_hour(charts: LiveCharts, qtbot: QtBot) -> None:
    desk, bridge = FakeDesk(), Bridge()
    answer, log, record, book = AnswerView(), LogPage(), RecordModel(), ArmBook()
    for widget in (answer, log):
        qtbot.addWidget(widget)
    answer.retranslate()
    run = story.run_record("run-1", "off", story.Stage())
    book.begin(run)
    bridge.telemetry_taken.connect(charts.on_telemetry)
    for signal, slots in (
        (bridge.request_started, (charts.on_request_started, answer.on_request_started)),
        (bridge.text_arrived, (charts.on_text, answer.on_text)),
        (bridge.request_finished, (charts.on_request_finished, answer.on_request_finished)),
    ):
        for slot in slots:
            signal.connect(slot)
    bridge.request_finished.connect(lambda event: record.add(run, event.record))
    bridge.request_finished.connect(lambda event: book.add(event.record))
    bridge.log_arrived.connect(log.on_log)
    desk.subscribe(bridge.listener)
    announced(qtbot, desk, bridge, day())
    assert [chart.held_readings for chart in charts.of_readings] == [time_chart.CAPACITY] * 4
    assert time_chart.CAPACITY == HOURS_8
    arms = 2
    assert charts.decode.held_points <= arms * (live_rate.CAPACITY + decode_chart.POINTS_KEPT)
    assert [len(chart.bars) for chart in charts.of_requests] == [1000] * 3
    assert request_bars.KEPT >= 1000
    document = answer.text.document()
    assert document.blockCount() <= answer_view.BLOCKS
    longest = max(block_lengths(document.begin, document.blockCount()))
    assert answer_view.LONGEST / 2 < longest <= answer_view.LONGEST + 1
    assert log.text.document().blockCount() <= log_page.LINES
    assert len(log.lines()) <= log_page.LINES
    assert record.rowCount() == 1000
    kept = [record.row(n).record for n in range(1000)]
    assert all(r is not None and len(r.times.event_ns) == 2 and not r.times.content for r in kept)
    (entry,) = book.newest()
    assert all(len(r.times.event_ns) == 2 for r in entry.requests)
    bridge.stop()
    log.stop()


def block_lengths(begin: Callable[[], object], count: int) -> list[int]:
    lengths, block = [], begin()
    for _ in range(count):
        lengths.append(block.length())  # type: ignore[attr-defined]
        block = block.next()  # type: ignore[attr-defined]
    return lengths
