"""The way back as a user meets it: one click down, up again, what happened by itself, and the calm start."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from qtune.core.errors import KnownError
from qtune.core.events import TelemetryTaken
from qtune.core.incident import LadderStep
from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.session.requests import LaunchRequest
from qtune.ui.main_window import LOG, SETTINGS, MainWindow
from qtune.ui.tune.measure_bar import LADDER, LIVE
from qtune.ui.widgets.banners import Banner
from qtune.ui.window import keep_dialog
from qtune.ui.words import texts
from tests.ui import fake_ladder
from tests.ui import fake_models as models
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene
from tests.ui.fake_ladder import OUT_OF_MEMORY, Trouble, incident, trial, with_mtp

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def open_wide(qtbot: QtBot, open_window: Open) -> Open:
    """Opens windows in which the ladder stands beside the workplace."""

    def open_one(what: Scene) -> MainWindow:
        window = open_window(what)
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: not window.tune.ladder_folded, timeout=WAIT_MS)
        return window

    return open_one


def scene(trouble: Trouble | None = None, **preferences: str) -> Scene:
    return Scene(preferences=chosen(**preferences), trouble=trouble or Trouble())


def commands(window: MainWindow, name: str) -> list[object]:
    return [what for command, what in desk_of(window).calls if command == name]


def settled(qtbot: QtBot, window: MainWindow, state: str = "in_force") -> None:
    """Wait until the ladder stands in a state and nothing is awaited any more."""

    def there() -> bool:
        view = window.bench.way_back.view
        return window.bench.idle and view is not None and view.state == state

    qtbot.waitUntil(there, timeout=WAIT_MS)


def start(qtbot: QtBot, window: MainWindow, state: str = "in_force") -> None:
    qtbot.mouseClick(window.strip.toggle, LEFT)
    settled(qtbot, window, state)


def places(window: MainWindow) -> list[tuple[str, str]]:
    return [(row.step.place, row.step.title) for row in window.tune.ladder.rows]


def banner(window: MainWindow, code: str) -> Banner:
    return next(b for b in window.banners.banners if b.message.code == code)


def codes(window: MainWindow) -> list[str]:
    return [b.message.code for b in window.banners.banners]


def press(qtbot: QtBot, shown: Banner, text: str) -> None:
    qtbot.mouseClick(next(b for b in shown.buttons if b.text() == text), LEFT)


def answer(window: MainWindow, text: str) -> None:
    box = window.findChild(QMessageBox)
    assert box is not None
    next(b for b in box.buttons() if b.text().replace("&", "") == text).click()


# -- down and up ---------------------------------------------------------------------------------------------


def test_before_a_start_the_rail_explains_itself_and_nothing_can_be_clicked(open_wide: Open) -> None:
    window = open_wide(scene())
    rail = window.tune.ladder
    assert rail.nothing.isVisible()
    assert "MTP first" in rail.nothing.text()
    assert rail.rows == []
    assert not rail.down.isEnabled()
    assert "Nothing was started yet" in rail.down.toolTip()
    assert not window.strip.back.isVisible()


def test_one_click_down_another_and_up_again(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    start(qtbot, window)
    rail = window.tune.ladder
    assert places(window) == [
        ("here", "Balanced, context 8k"),
        ("next", "MTP off"),
        ("later", "Context 8192 to 4096 tokens"),
        ("later", "The smaller file Q3_K_M"),
    ]
    assert rail.rows[0].step.word == "asked for · in force"
    assert rail.rows[1].step.price.replace("\u00a0", " ") == "−46 % decode · −1.1 GiB"
    assert "MTP: on → off" in rail.rows[1].toolTip()
    assert rail.rows[3].step.price == ""
    assert codes(window) == []
    assert not rail.up.isEnabled()

    qtbot.mouseClick(rail.down, LEFT)
    settled(qtbot, window)
    assert [place for place, _ in places(window)] == ["above", "here", "next", "later"]
    assert window.strip.pill.word.text() == "rolled back"
    assert window.strip.pill.state is ServerState.READY
    shown = banner(window, "lowered")
    assert shown.sentence.text() == "Balanced, context 8k was asked for, but: MTP off."
    assert shown.hint.text() == "You rolled back."
    assert [b.text() for b in shown.buttons] == ["Climb back"]

    qtbot.mouseClick(rail.down, LEFT)
    settled(qtbot, window)
    assert "MTP off. Context 8192 to 4096 tokens." in banner(window, "lowered").sentence.text()
    press(qtbot, banner(window, "lowered"), "Climb back")
    settled(qtbot, window)
    qtbot.mouseClick(rail.up, LEFT)
    settled(qtbot, window)
    assert window.strip.pill.word.text() == "ready"
    assert codes(window) == []
    assert len(commands(window, "roll_back")) == len(commands(window, "climb_back")) == 2


def test_the_keyboard_goes_down_and_up_but_not_where_it_scrolls(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Down, CONTROL)
    assert commands(window, "roll_back") == []
    start(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_Up, CONTROL)
    assert commands(window, "climb_back") == []
    window.show_page(LOG)
    qtbot.keyClick(window, Qt.Key.Key_Down, CONTROL)
    assert commands(window, "roll_back") == []
    window.show_page(SETTINGS)
    qtbot.keyClick(window, Qt.Key.Key_Down, CONTROL)
    settled(qtbot, window)
    assert commands(window, "roll_back") == [None]
    qtbot.keyClick(window, Qt.Key.Key_Up, CONTROL)
    settled(qtbot, window)
    assert commands(window, "climb_back") == [None]


def test_the_strip_rolls_back_from_every_page(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    start(qtbot, window)
    window.show_page(LOG)
    assert window.strip.back.accessibleName() == "Roll back one step"
    qtbot.mouseClick(window.strip.back, LEFT)
    settled(qtbot, window)
    assert window.strip.pill.word.text() == "rolled back"


def test_at_the_foot_there_is_no_step_and_a_reason(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(preset="off"))
    start(qtbot, window)
    rail = window.tune.ladder
    for _step in range(2):
        qtbot.mouseClick(rail.down, LEFT)
        settled(qtbot, window)
    assert not rail.down.isEnabled()
    assert "no lower rung" in rail.down.toolTip()
    assert places(window)[-1] == ("here", "The smaller file Q3_K_M")
    assert rail.asked.text() == "Qwen3.6-27B-Q3_K_M.gguf"


def test_while_measuring_no_step_can_be_taken(qtbot: QtBot, open_wide: Open) -> None:
    hold = threading.Event()
    window = open_wide(Scene(preferences=chosen(), hold=hold))
    start(qtbot, window)
    window.bench.run_job("measure")
    qtbot.waitUntil(desk_of(window).held.is_set, timeout=WAIT_MS)
    rail = window.tune.ladder
    for made in (rail.down, rail.up, window.strip.back):
        assert not made.isEnabled()
        assert "measurement" in made.toolTip()
    hold.set()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)


def test_prices_that_are_not_known_are_not_shown(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(priced=False)))
    start(qtbot, window)
    rows = window.tune.ladder.rows
    assert [row.step.price for row in rows] == [""] * 4
    assert "shows once both sides were measured" in rows[1].toolTip()


def test_narrow_the_ladder_is_a_view_and_wide_it_stands_beside(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    tune, switch = window.tune, window.tune.measure.view
    assert tune.ladder.isVisible()
    assert not switch.ladder.isVisible()
    tune.show_view(LADDER)
    assert tune.views.currentIndex() == LIVE
    window.resize(1024, 700)
    qtbot.waitUntil(lambda: tune.ladder_folded, timeout=WAIT_MS)
    assert not tune.ladder.isVisible()
    qtbot.mouseClick(switch.ladder, LEFT)
    assert tune.ladder.isVisible()
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: not tune.ladder_folded, timeout=WAIT_MS)
    assert tune.views.currentIndex() == LIVE
    assert switch.live.isChecked()


# -- by itself -----------------------------------------------------------------------------------------------


def test_a_rollback_that_happened_by_itself_is_announced_with_its_reason(
    qtbot: QtBot, open_wide: Open
) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp)))
    start(qtbot, window)
    assert codes(window) == ["lowered"]
    shown = banner(window, "lowered")
    assert "MTP off" in shown.sentence.text()
    assert "Because: The engine ran out of memory" in shown.hint.text()
    assert window.strip.pill.word.text() == "rolled back"
    assert "Because" in window.tune.ladder.why.text()
    press(qtbot, shown, "Details")
    assert window.pages.currentIndex() == LOG
    assert window.incidents.is_open
    assert [card.cause.text() for card in window.incidents.cards] == ["Memory ran out"]
    assert codes(window) == ["lowered"]


def test_a_running_server_that_crashes_is_replaced_and_told_of(qtbot: QtBot, open_wide: Open) -> None:
    trouble = Trouble()
    window = open_wide(scene(trouble))
    start(qtbot, window)
    trouble.fails = with_mtp
    desk_of(window).crash()
    qtbot.waitUntil(lambda: "lowered" in codes(window), timeout=WAIT_MS)
    settled(qtbot, window)
    assert [i.message for i in window.bench.way_back.incidents] == [OUT_OF_MEMORY]


def test_a_server_that_runs_again_leaves_no_error_but_is_told_of(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble()))
    start(qtbot, window)
    desk_of(window).crash(Message.of("ended_killed"))
    qtbot.waitUntil(lambda: codes(window) == ["runs_again"], timeout=WAIT_MS)
    settled(qtbot, window)
    shown = banner(window, "runs_again")
    assert shown.kind == "info"
    assert texts.sentence(Message.of("ended_killed")) in shown.hint.text()
    press(qtbot, shown, "Details")
    assert window.incidents.is_open


def test_other_settings_after_a_stop_in_the_pause_are_not_the_same_that_run_again(
    qtbot: QtBot, open_wide: Open
) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp, stop_at="waiting")))
    start(qtbot, window, "waiting")
    qtbot.mouseClick(window.strip.toggle, LEFT)
    settled(qtbot, window, "stopped")
    window.bench.choose_preset("off")
    start(qtbot, window)
    assert codes(window) == []


def test_an_error_goes_when_the_user_starts_a_server_that_runs(qtbot: QtBot, open_wide: Open) -> None:
    trouble = Trouble()
    window = open_wide(scene(trouble, automatic_rollback="off"))
    start(qtbot, window)
    desk_of(window).crash(Message.of("ended_killed"))
    settled(qtbot, window, "failed")
    assert codes(window) == ["ended_killed"]
    start(qtbot, window)
    assert codes(window) == []


def test_with_automatic_rollback_off_it_fails_and_one_click_helps(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp), automatic_rollback="off"))
    start(qtbot, window, "failed")
    assert codes(window) == ["ended_out_of_memory"]
    shown = banner(window, "ended_out_of_memory")
    assert [b.text() for b in shown.buttons] == ["Details"]
    (failure,) = window.bench.way_back.incidents
    assert failure.action is not None
    assert shown.hint.text().startswith(texts.sentence(failure.action)), "what was done about it"
    assert places(window)[0][0] == "failed"
    assert window.strip.pill.word.text() == "crashed"
    assert window.tune.ladder.down.property("kind") == "primary"
    qtbot.mouseClick(window.tune.ladder.down, LEFT)
    settled(qtbot, window)
    assert window.strip.pill.word.text() == "rolled back"


def test_a_pause_before_the_next_try_is_shown_and_stop_ends_it(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp, stop_at="waiting")))
    start(qtbot, window, "waiting")
    assert window.strip.pill.word.text() == "restarting"
    assert window.tune.ladder.seal.text() == "waiting for the next try"
    assert not window.tune.ladder.down.isEnabled()
    assert window.strip.toggle.text() == "Stop"
    qtbot.mouseClick(window.strip.toggle, LEFT)
    settled(qtbot, window, "stopped")
    assert commands(window, "stop_server") == [None]
    assert window.strip.toggle.text() == "Start server"


def test_everything_is_said_again_in_chinese(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp)))
    start(qtbot, window)
    english = (banner(window, "lowered").sentence.text(), window.tune.ladder.down.text())
    window.choose_language("zh_CN")
    said = (banner(window, "lowered").sentence.text(), window.tune.ladder.down.text())
    assert all(after != before for before, after in zip(english, said, strict=True))
    assert "asked for" not in said[0]
    window.choose_language("en")


# -- failures ------------------------------------------------------------------------------------------------


def test_a_failure_shows_its_proof_and_copies_a_report_without_places(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(incidents=(incident("aggressive"), incident("balanced")))))
    panel = window.incidents
    qtbot.waitUntil(lambda: len(panel.cards) == 2, timeout=WAIT_MS)
    window.show_page(LOG)
    assert panel.head.text() == "2 failures, newest first"
    qtbot.mouseClick(panel.head, LEFT)
    card = panel.cards[0]
    assert card.isVisible()
    assert card.evidence.text().endswith("cudaMalloc failed: out of memory")
    assert card.sentence.text() == "The engine ran out of memory: …"
    assert "One step down is taken by itself." in card.done.text()
    assert "Aggressive" in card.what.text()
    qtbot.mouseClick(card.copy, LEFT)
    assert card.copy.text() == "Copied"
    report = QGuiApplication.clipboard().text()
    assert report.startswith("### Memory ran out")
    assert "ggml-cuda.cu:84: cudaMalloc failed" in report
    assert "/home" not in report
    qtbot.waitUntil(lambda: card.copy.text() == "Copy report", timeout=WAIT_MS)


def test_without_failures_there_is_no_panel(open_wide: Open) -> None:
    window = open_wide(scene())
    window.show_page(LOG)
    assert not window.incidents.isVisible()


# -- the calm start ------------------------------------------------------------------------------------------


def stale() -> Trouble:
    return Trouble(stale=trial("aggressive", 65_536), good=trial("conservative"))


def test_what_took_the_app_down_is_explained_and_nothing_starts(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(stale()))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    shown = banner(window, "trial_stale")
    assert codes(window) == ["trial_stale"]
    assert "Aggressive, context 64k" in shown.sentence.text()
    assert "Conservative, context 8k" in shown.hint.text()
    texts = [b.text() for b in shown.buttons]
    assert texts == ["Start Conservative, context 8k", "One step lower", "Leave it"]
    assert shown.findChild(QToolButton).isHidden()
    assert commands(window, "start_server") == commands(window, "start_last_good") == []
    press(qtbot, shown, "Leave it")
    assert codes(window) == []
    assert commands(window, "dismiss_stale_trial") == [None]


@pytest.mark.parametrize(
    ("text", "command", "stands"),
    [
        ("Start Conservative, context 8k", "start_last_good", ("here", "Conservative, context 8k")),
        ("One step lower", "start_server", ("above", "Aggressive, context 64k")),
    ],
)
def test_its_buttons_start_what_they_say(
    qtbot: QtBot, open_wide: Open, text: str, command: str, stands: tuple[str, str]
) -> None:
    window = open_wide(scene(stale()))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    press(qtbot, banner(window, "trial_stale"), text)
    assert "trial_stale" not in codes(window)
    settled(qtbot, window)
    calls = [name for name, _ in desk_of(window).calls]
    assert calls.index(command) < calls.index("dismiss_stale_trial")
    assert places(window)[0] == stands


def test_an_own_start_answers_it_too(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(stale()))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    start(qtbot, window)
    assert codes(window) == []
    assert commands(window, "dismiss_stale_trial") == [None]


def test_while_measuring_it_offers_no_start(qtbot: QtBot, open_wide: Open) -> None:
    hold = threading.Event()
    window = open_wide(Scene(preferences=chosen(), hold=hold, trouble=stale()))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    window.bench.run_job("measure")
    qtbot.waitUntil(desk_of(window).held.is_set, timeout=WAIT_MS)
    assert [b.text() for b in banner(window, "trial_stale").buttons] == ["Leave it"]
    hold.set()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert len(banner(window, "trial_stale").buttons) == 3


def test_a_server_that_ran_when_all_went_down_may_be_started_again(qtbot: QtBot, open_wide: Open) -> None:
    ran = dataclasses.replace(trial("aggressive"), phase="running")
    window = open_wide(scene(Trouble(stale=ran, good=trial("conservative"))))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    shown = banner(window, "trial_stale")
    assert "while a server ran" in shown.sentence.text()
    assert [b.text() for b in shown.buttons] == ["Start it again", "One step lower", "Leave it"]
    press(qtbot, shown, "Start it again")
    settled(qtbot, window)
    assert places(window)[0] == ("here", "Aggressive, context 8k")


def test_without_anything_good_only_the_step_down_is_offered(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(stale=trial("aggressive"))))
    qtbot.waitUntil(lambda: "trial_stale" in codes(window), timeout=WAIT_MS)
    shown = banner(window, "trial_stale")
    assert [b.text() for b in shown.buttons] == ["One step lower", "Leave it"]
    assert "No settings have been proved" in shown.hint.text()


def test_settings_known_to_fail_are_asked_about_first(qtbot: QtBot, open_wide: Open) -> None:
    bad = trial("balanced", reason=OUT_OF_MEMORY)
    window = open_wide(scene(Trouble(bad=(bad,))))
    for text, starts in (("Cancel", 0), ("Start anyway", 1)):
        qtbot.mouseClick(window.strip.toggle, LEFT)
        qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=WAIT_MS)
        box = window.findChild(QMessageBox)
        assert "29" in box.text()
        assert "ran out of memory" in box.text()
        assert window.bench.idle
        answer(window, text)
        qtbot.waitUntil(lambda box=box: not box.isVisible(), timeout=WAIT_MS)
        box.setParent(None)
        assert len(commands(window, "start_server")) == starts
    settled(qtbot, window)
    assert isinstance(commands(window, "start_server")[0], LaunchRequest)


def test_stop_during_the_question_of_what_is_known_starts_nothing(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    window.bench.start_server()
    window.bench.cancel()
    assert window.bench.idle
    window.bench.start_server()
    window.bench.stop_server()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    qtbot.wait(1)  # one more turn, in which a forgotten answer would arrive
    assert commands(window, "start_server") == []


# -- the steps that were taken -------------------------------------------------------------------------------


def told(window: MainWindow) -> list[tuple[str, str, str, str, str]]:
    return [
        (row.way.text(), row.what.text(), row.by.text(), row.seal.text(), row.load.text())
        for row in window.steps.rows
    ]


def test_the_steps_on_the_ladder_are_listed_newest_first(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(fails=with_mtp)))
    panel = window.steps
    window.show_page(LOG)
    assert not panel.isVisible()
    start(qtbot, window)
    qtbot.waitUntil(lambda: len(panel.rows) == 2, timeout=WAIT_MS)
    window.roll_back()
    qtbot.waitUntil(lambda: len(panel.rows) == 3, timeout=WAIT_MS)
    settled(qtbot, window)
    window.climb_back()
    qtbot.waitUntil(lambda: len(panel.rows) == 4, timeout=WAIT_MS)
    assert panel.head.text() == panel.head.accessibleName() == "Steps on the ladder"
    assert not panel.is_open
    qtbot.mouseClick(panel.head, LEFT)
    assert all(row.isVisible() for row in panel.rows)
    started = f"Balanced, context 8k · {Path(story.MODEL.path).name}"
    assert told(window) == [
        ("One step up", "Context: 4,096 → 8,192", "by you", "proved", "loaded in 4.3 s"),
        ("One step down", "Context: 8,192 → 4,096", "by you", "proved", "loaded in 4.3 s"),
        ("One step down", "MTP: on → off", "by itself", "proved", "loaded in 4.3 s"),
        ("Start", started, "by you", "not proved", ""),
    ]
    down, first = panel.rows[2], panel.rows[3]
    assert not panel.rows[0].why.isVisible()
    assert down.why.text().startswith("Because: The engine ran out of memory")
    assert first.why.text().startswith("Because: The engine ran out of memory")
    assert "One step down · MTP: on → off · by itself · proved" in down.accessibleName()


def test_a_try_again_and_steps_of_the_last_time_are_listed(qtbot: QtBot, open_wide: Open) -> None:
    at = trial().footing
    past = [
        LadderStep(f"s{n}", fake_ladder.NOW, "retry", None, "automatic", at, at, verified=False)
        for n in range(25)
    ]
    past[24] = dataclasses.replace(past[24], reason=Message.of("start_cancelled"))
    window = open_wide(scene(Trouble(steps=past)))
    qtbot.waitUntil(lambda: len(window.steps.rows) == 20, timeout=WAIT_MS)
    assert [row.step.id for row in window.steps.rows[:2]] == ["s24", "s23"]
    assert told(window)[0][0] == "Tried again"
    assert [row.seal.property("tone") for row in window.steps.rows[:2]] == ["idle", "bad"]
    window.choose_language("zh_CN")
    assert told(window)[0][0] == "再次尝试"
    window.choose_language("en")


def test_steps_are_read_once_more_after_a_reading_not_beside_it(
    qtbot: QtBot, open_wide: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_wide(scene())
    desk = desk_of(window)
    readings: list[Future[list[LadderStep]]] = []

    def read(limit: int) -> Future[list[LadderStep]]:
        del limit
        readings.append(Future())
        return readings[-1]

    monkeypatch.setattr(desk, "ladder_steps", read)
    start(qtbot, window)
    window.roll_back()
    settled(qtbot, window)
    window.climb_back()
    settled(qtbot, window)
    assert len(readings) == 1
    readings[0].set_exception(KnownError("history_not_readable", path="x", reason="y"))
    qtbot.waitUntil(lambda: len(readings) == 2, timeout=WAIT_MS)
    assert window.steps.rows == []
    readings[1].set_result(desk.trouble.steps[::-1])
    qtbot.waitUntil(lambda: len(window.steps.rows) == 3, timeout=WAIT_MS)
    assert len(readings) == 2


# -- keeping -------------------------------------------------------------------------------------------------


def ask_to_keep(qtbot: QtBot, window: MainWindow) -> keep_dialog.KeepDialog:
    qtbot.mouseClick(window.tune.ladder.keep, LEFT)
    qtbot.waitUntil(lambda: window.recovery.dialog is not None, timeout=WAIT_MS)
    dialog = window.recovery.dialog
    assert dialog is not None
    return dialog


def test_only_keep_keeps(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(default=trial("conservative"))))
    assert not window.tune.ladder.keep.isVisible()
    start(qtbot, window)
    dialog = ask_to_keep(qtbot, window)
    assert "Balanced, context 8k" in dialog.text()
    assert dialog.informativeText() == "Reverting in 20 s to: Conservative, context 8k"
    assert commands(window, "keep_as_default") == []
    dialog.keep.click()
    qtbot.waitUntil(lambda: codes(window) == ["kept_as_default"], timeout=WAIT_MS)
    assert commands(window, "keep_as_default") == [None]
    assert commands(window, "start_last_good") == []


def test_silence_reverts_to_the_former_default(
    qtbot: QtBot, open_wide: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_dialog, "TICK_MS", 1)
    window = open_wide(scene(Trouble(default=trial("conservative"))))
    start(qtbot, window)
    qtbot.mouseClick(window.tune.ladder.keep, LEFT)
    qtbot.waitUntil(lambda: commands(window, "start_last_good") == [None], timeout=WAIT_MS)
    settled(qtbot, window)
    assert places(window)[0] == ("here", "Conservative, context 8k")
    assert commands(window, "keep_as_default") == []


def test_without_a_former_default_silence_changes_nothing(
    qtbot: QtBot, open_wide: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_dialog, "SECONDS", 1)
    monkeypatch.setattr(keep_dialog, "TICK_MS", 1)
    window = open_wide(scene())
    start(qtbot, window)
    qtbot.mouseClick(window.tune.ladder.keep, LEFT)
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.recovery.dialog is None, timeout=WAIT_MS)
    assert commands(window, "start_last_good") == commands(window, "keep_as_default") == []
    assert window.strip.pill.word.text() == "ready"


def test_a_server_that_dies_takes_the_question_with_it(qtbot: QtBot, open_wide: Open) -> None:
    trouble = Trouble(default=trial("conservative"))
    window = open_wide(scene(trouble))
    start(qtbot, window)
    ask_to_keep(qtbot, window)
    trouble.fails = with_mtp
    desk_of(window).crash()
    qtbot.waitUntil(lambda: window.recovery.dialog is None, timeout=WAIT_MS)
    settled(qtbot, window)
    assert commands(window, "start_last_good") == commands(window, "keep_as_default") == []


# -- settings and safe mode ----------------------------------------------------------------------------------


def test_the_settings_of_the_way_back_are_stored(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    window.show_page(SETTINGS)
    section, stored = window.settings.recovery, desk_of(window).scene.preferences
    assert section.automatic.isChecked()
    assert not section.gentle.isChecked()
    for box in (section.automatic, section.gentle):
        qtbot.keyClick(box, Qt.Key.Key_Space)
    assert (stored["automatic_rollback"], stored["gentle_steps"]) == ("off", "on")
    assert not section.clear.isVisible()
    section.take(Path(models.NO_HEAD.path))
    qtbot.waitUntil(lambda: section.fallback.text() == models.NO_HEAD.path, timeout=WAIT_MS)
    section.take(Path(models.HEAD_ONLY.path))
    qtbot.waitUntil(lambda: codes(window) == ["model_is_sidecar"], timeout=WAIT_MS)
    assert stored["fallback_model"] == models.NO_HEAD.path
    window.show_page(0)
    start(qtbot, window)
    assert [title for _, title in places(window)] == [
        "Balanced, context 8k",
        "Shorter drafts: n_max 4 to 2",
        "Physical batch 1024 to 512",
        "MTP off",
        "Context 8192 to 4096 tokens",
        "The smaller file Q3_K_M",
        "The fallback model Q8_0",
    ]
    window.show_page(SETTINGS)
    qtbot.mouseClick(section.clear, LEFT)
    assert stored["fallback_model"] == ""
    assert section.fallback.text() == "none"


def test_safe_mode_chooses_off_and_explains_the_others(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene(Trouble(safe_mode=True), preset="balanced"))
    qtbot.waitUntil(lambda: codes(window) == ["safe_mode"], timeout=WAIT_MS)
    assert window.bench.preset_id == "off"
    assert desk_of(window).scene.preferences["preset"] == "balanced"
    cards = {card.preset.id: card for card in window.tune.cards}
    assert cards["off"].isEnabled()
    assert not cards["balanced"].isEnabled()
    assert "Safe mode" in cards["balanced"].ttft.text()
    assert not window.tune.measure.jobs.compare.isEnabled()
    assert commands(window, "start_server") == []
    start(qtbot, window)
    launch = commands(window, "start_server")[0]
    assert isinstance(launch, LaunchRequest)
    assert not launch.settings.mtp


# -- several cards -------------------------------------------------------------------------------------------

SMALL = story.replace(
    story.GPU, index=0, uuid="GPU-aaaa", name="NVIDIA GeForce GT 1030", vram_total_bytes=2 * story.GIB
)
LARGE = story.replace(story.GPU, index=1)


def two_cards(used_small: int, used_large: int) -> TelemetryTaken:
    sample = story.telemetry(story.Stage(), story.BASE_NS, 0.0, 1).sample
    large = story.replace(sample.gpus[0], vram_used_bytes=used_large * story.GIB)
    small = story.replace(
        large, uuid=SMALL.uuid, vram_used_bytes=used_small * story.GIB, vram_total_bytes=2 * story.GIB
    )
    return TelemetryTaken(story.replace(sample, gpus=(small, large)))


def test_of_two_cards_the_largest_is_shown_until_one_is_chosen(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(Scene(preferences=chosen(), gpus=(SMALL, LARGE)))
    strip, chart = window.strip, window.tune.charts.memory
    assert strip.card.caption.text() == "RTX 4090"
    desk_of(window).emit(two_cards(1, 9))
    qtbot.waitUntil(lambda: strip.card.value.text() == "9.0 / 24.0 GiB", timeout=WAIT_MS)
    assert (chart.used, chart.total) == (9 * story.GIB, 24 * story.GIB)
    window.show_page(SETTINGS)
    box = window.settings.card_choice
    assert box.isVisible()
    assert [box.itemText(n) for n in range(box.count())] == [
        "All cards",
        "GeForce GT 1030",
        "GeForce RTX 4090",
    ]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert desk_of(window).scene.preferences["card"] == SMALL.uuid
    assert strip.card.caption.text() == "GT 1030"
    assert strip.card.value.text() == "1.0 / 2.0 GiB"
    desk_of(window).emit(two_cards(2, 9))
    qtbot.waitUntil(lambda: chart.used == 2 * story.GIB, timeout=WAIT_MS)
    assert chart.total == 2 * story.GIB


def test_a_single_card_gives_nothing_to_choose(open_wide: Open) -> None:
    window = open_wide(scene())
    window.show_page(SETTINGS)
    assert not window.settings.card_choice.isVisible()


# -- everything that can be pressed --------------------------------------------------------------------------


def test_every_button_of_the_rail_has_a_name_and_a_reason(qtbot: QtBot, open_wide: Open) -> None:
    window = open_wide(scene())
    start(qtbot, window)
    for made in window.tune.ladder.findChildren(QPushButton):
        assert made.accessibleName()
        assert made.toolTip()
    assert all(row.accessibleName() for row in window.tune.ladder.rows)
