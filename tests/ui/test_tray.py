"""The tray, what is told past the window, what is asked before a server stops, and how to reach it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox, QToolTip
from pytestqt.qtbot import QtBot

from qtune.core.events import IncidentHappened, TextArrived
from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.session.requests import LaunchRequest
from qtune.ui.main_window import LOG, SETTINGS, TUNE, MainWindow
from qtune.ui.state.activity import Activity
from qtune.ui.window import stop_questions
from qtune.ui.window.notifier import LONG_S
from qtune.ui.window.stop_questions import LeaveDialog
from qtune.ui.window.tray import plain
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene
from tests.ui.fake_ladder import KEY, OUT_OF_MEMORY, Trouble, incident, trial, with_mtp

LEFT = Qt.MouseButton.LeftButton


class FakePlace:
    """A tray that comes and goes when told to."""

    def __init__(self, *, there: bool = True, speaks: bool = True) -> None:
        self.is_there, self.speaks = there, speaks
        self.shown = False
        self.tip = ""
        self.icons: list[int] = []
        self.said: list[tuple[str, str, bool]] = []
        self.click: Callable[[], None] = lambda: None
        self.click_message: Callable[[], None] = lambda: None

    def there(self) -> bool:
        return self.is_there

    def put(self, icon: QIcon, tip: str, menu: QMenu) -> None:
        assert self.is_there
        assert not icon.isNull()
        self.shown, self.tip, self.menu = True, tip, menu
        self.icons.append(icon.cacheKey())

    def say(self, title: str, text: str, *, bad: bool) -> bool:
        if self.speaks:
            self.said.append((title, text, bad))
        return self.speaks

    def take_away(self) -> None:
        self.shown = False

    def listen(self, on_click: Callable[[], None], on_message: Callable[[], None]) -> None:
        self.click, self.click_message = on_click, on_message

    def texts(self) -> list[str]:
        return [action.text() for action in self.menu.actions() if not action.isSeparator()]

    def press(self, text: str) -> None:
        action = next(a for a in self.menu.actions() if a.text().startswith(text))
        assert action.isEnabled()
        action.trigger()


def scene(trouble: Trouble | None = None, **preferences: str) -> Scene:
    return Scene(preferences=chosen(**preferences), trouble=trouble or Trouble())


def commands(window: MainWindow, name: str) -> list[object]:
    return [what for command, what in desk_of(window).calls if command == name]


def start(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(lambda: window.bench.idle and window.bench.way_back.in_force, timeout=WAIT_MS)


def question(window: MainWindow) -> QMessageBox:
    box = window.questions.box
    assert box is not None
    return box


def press(box: QMessageBox, text: str) -> None:
    next(b for b in box.buttons() if b.text().replace("&", "") == text).click()


def measuring(qtbot: QtBot, open_window: Open, place: FakePlace | None = None, **choices: str) -> MainWindow:
    """A window in mid-stream."""
    hold = threading.Event()
    what = Scene(preferences=chosen(**choices), hold=hold)
    what.hold_when = lambda event: isinstance(event, TextArrived)
    window = open_window(what, place)
    window.bench.run_job("measure")
    qtbot.waitUntil(desk_of(window).held.is_set, timeout=WAIT_MS)
    return window


# -- the icon and its menu -----------------------------------------------------------------------------------


def test_the_icon_follows_the_server_by_shape_and_word(qtbot: QtBot, open_window: Open) -> None:
    place = FakePlace()
    window = open_window(scene(), place)
    assert place.tip == "qtune: stopped"
    stopped = place.icons[-1]
    place.press("Start Balanced, context 8k")
    qtbot.waitUntil(lambda: window.bench.idle and window.bench.way_back.in_force, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench.way_back.good is not None, timeout=WAIT_MS)
    assert place.tip == "qtune: ready\nBalanced, context 8k\n127.0.0.1:41233"
    assert place.icons[-1] != stopped
    assert place.texts() == [
        "Server: ready",
        "Start Balanced, context 8k instead",
        "Stop the server",
        "Start last good settings: Balanced, context 8k",
        "Open window",
        "Quit qtune",
    ]
    place.press("Stop the server")
    qtbot.waitUntil(lambda: place.tip == "qtune: stopped", timeout=WAIT_MS)
    assert place.icons[-1] == stopped
    place.press("Start last good settings")
    qtbot.waitUntil(lambda: len(commands(window, "start_last_good")) == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    window.choose_language("zh_CN")
    assert "qtune" in place.tip
    assert "ready" not in place.tip
    window.choose_language("en")


def test_what_cannot_be_done_is_not_offered(open_window: Open) -> None:
    place = FakePlace()
    window = open_window(Scene(preferences={"language": "en"}), place)
    actions = window.server
    assert [a.isEnabled() for a in (actions.start, actions.stop, actions.last_good)] == [False] * 3
    assert "proved" in actions.last_good.toolTip()


def test_a_tray_that_comes_late_is_used_and_one_that_goes_gives_the_window_back(open_window: Open) -> None:
    place = FakePlace(there=False)
    window = open_window(scene(close_to_tray="on"), place)
    box = window.settings.window_section.boxes["close_to_tray"]
    assert not place.shown
    assert not box.isEnabled()
    assert "no system tray" in box.toolTip()
    place.is_there = True
    window.tray.look()
    assert place.shown
    assert box.isEnabled()
    window.close()
    assert window.isHidden()
    place.is_there = False
    window.tray.look()
    assert window.isVisible()
    assert not place.shown


def test_closing_to_the_tray_hides_explains_once_and_quit_really_quits(
    qtbot: QtBot, open_window: Open
) -> None:
    place = FakePlace()
    window = open_window(scene(), place)
    window.show_page(SETTINGS)
    qtbot.keyClick(window.settings.window_section.boxes["close_to_tray"], Qt.Key.Key_Space)
    for _time in range(2):
        window.close()
        assert window.isHidden()
        place.click()
        assert window.isVisible()
    assert [title for title, _, _ in place.said] == ["qtune goes on in the system tray"]
    window.close()
    window.bridge.call(window.come_to_front)  # as a second start asks
    qtbot.waitUntil(window.isVisible, timeout=WAIT_MS)
    window.close()
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        place.press("Quit")
    assert not place.shown


# -- notifications -------------------------------------------------------------------------------------------


def look_away(window: MainWindow, lasted_s: float) -> None:
    """The user is elsewhere, and every look at the clock is this much later."""
    now = iter(range(0, 10**9, int(lasted_s)))
    window.notifier.clock = lambda: float(next(now))
    window.notifier.away = lambda: True


def test_the_end_of_a_long_job_is_told_with_its_verdict_and_a_click_shows_it(
    qtbot: QtBot, open_window: Open
) -> None:
    place = FakePlace()
    window = open_window(scene(), place)
    look_away(window, LONG_S + 1)
    window.bench.run_job("measure")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    ((title, text, bad),) = place.said
    assert title == "Done: measurement"
    assert text == plain(window.tune.result.verdict.sentence.text())
    assert not bad
    window.show_page(LOG)
    window.showMinimized()
    place.click_message()
    assert window.pages.currentIndex() == TUNE
    assert not window.isMinimized()


@pytest.mark.parametrize("why", ["short", "looking", "off"])
def test_nothing_is_told_of_a_short_job_to_who_looks_or_who_does_not_want_it(
    qtbot: QtBot, open_window: Open, why: str
) -> None:
    place = FakePlace()
    window = open_window(scene(notify="off" if why == "off" else "on"), place)
    look_away(window, LONG_S - 1 if why == "short" else LONG_S + 1)
    window.notifier.away = lambda: why != "looking"
    window.bench.run_job("measure")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert place.said == []


def test_failures_are_told_as_failures(qtbot: QtBot, open_window: Open) -> None:
    place = FakePlace()
    window = open_window(Scene(preferences=chosen(), failure=OUT_OF_MEMORY), place)
    look_away(window, LONG_S + 1)
    window.bench.run_job("compare")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    ((title, text, bad),) = place.said
    assert (title, bad) == ("Failed: comparison", True)
    assert "out of memory" in text


def test_a_cancelled_job_says_what_is_kept(qtbot: QtBot, open_window: Open) -> None:
    place = FakePlace()
    window = measuring(qtbot, open_window, place)
    actions = window.server
    assert [a.isEnabled() for a in (actions.start, actions.stop, actions.last_good)] == [False, True, False]
    window.notifier.clock = lambda: window.notifier._began_s + LONG_S
    window.notifier.away = lambda: True
    window.bench.cancel()
    hold = desk_of(window).scene.hold
    assert hold is not None
    hold.set()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert [title for title, _, _ in place.said] == ["Cancelled: measurement"]


def test_a_crash_and_what_came_of_it_are_told_and_the_click_shows_the_proof(
    qtbot: QtBot, open_window: Open
) -> None:
    place, trouble = FakePlace(), Trouble()
    window = open_window(scene(trouble), place)
    start(qtbot, window)
    window.notifier.away = lambda: True
    trouble.fails = with_mtp
    desk_of(window).crash()
    qtbot.waitUntil(lambda: len(place.said) == 2, timeout=WAIT_MS)
    (failed, text, bad), (back, what, _) = place.said
    assert (failed, bad) == ("The server failed", True)
    assert "out of memory" in text
    assert "One step down" in text
    assert back.startswith("Rolled back")
    assert what.startswith("MTP off.")
    place.said.clear()
    desk_of(window).crash(Message.of("ended_killed"))
    qtbot.waitUntil(lambda: len(place.said) == 2, timeout=WAIT_MS)
    desk_of(window).emit(IncidentHappened(incident()))
    qtbot.waitUntil(lambda: len(place.said) == 3, timeout=WAIT_MS)
    place.click_message()
    assert window.pages.currentIndex() == LOG


def test_a_long_start_is_told_when_it_is_ready(qtbot: QtBot, open_window: Open) -> None:
    place = FakePlace()
    window = open_window(scene(), place)
    look_away(window, LONG_S + 1)
    start(qtbot, window)
    assert place.said == [("The server is ready", "Balanced, context 8k", False)]


def test_without_a_tray_the_bar_of_windows_asks_for_attention(
    qtbot: QtBot, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(QApplication, "alert", lambda *who: asked.append(who[0]))
    place = FakePlace(speaks=False)
    window = open_window(scene(), place)
    window.notifier.away = lambda: True
    desk_of(window).emit(IncidentHappened(incident()))
    qtbot.waitUntil(lambda: asked == [window], timeout=WAIT_MS)
    place.is_there, place.speaks = False, True
    window.tray.look()
    desk_of(window).emit(IncidentHappened(incident("balanced")))
    qtbot.waitUntil(lambda: asked == [window, window], timeout=WAIT_MS)
    assert place.said == []


def test_a_name_cannot_dress_a_notification_up() -> None:
    name = "<b>big</b>\n<img src=x>\u202egp.fugg \x1b[31m " + "x" * 300
    shown = plain(name)
    assert "<" not in shown
    assert ">" not in shown
    assert shown.startswith("‹b›big‹/b› ‹img src=x›gp.fugg [31m x")
    assert len(shown) <= 240
    assert "\n" not in shown


# -- questions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", [True, None])
def test_stop_asks_only_where_somebody_may_be_answered(
    qtbot: QtBot,
    open_window: Open,
    busy: bool | None,
) -> None:
    trouble = Trouble(busy=busy)
    window = open_window(scene(trouble))
    start(qtbot, window)
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(lambda: window.questions.box is not None, timeout=WAIT_MS)
    assert "127.0.0.1:41233" in question(window).informativeText()
    default = question(window).defaultButton()
    assert default.text().replace("&", "") == "Cancel"
    press(question(window), "Cancel")
    assert commands(window, "stop_server") == []
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(lambda: window.questions.box is not None, timeout=WAIT_MS)
    press(question(window), "Stop")
    qtbot.waitUntil(lambda: window.bench.server.state is ServerState.STOPPED, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert len(commands(window, "stop_server")) == 1
    trouble.busy = False
    start(qtbot, window)
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(lambda: len(commands(window, "stop_server")) == 2, timeout=WAIT_MS)
    assert window.questions.box is None


def test_starting_something_else_asks_first_and_rolling_back_does_not(
    qtbot: QtBot, open_window: Open
) -> None:
    window = open_window(scene(Trouble(default=trial("conservative"))))
    start(qtbot, window)
    window.bench.choose_preset("off")
    actions = [a.text() for a in window.strip.more.menu().actions()]
    assert actions == ["Start Off, context 8k instead", "Start last good settings: Conservative, context 8k"]
    for action, command in (
        (window.server.start, "start_server"),
        (window.server.last_good, "start_last_good"),
    ):
        before = len(commands(window, command))
        action.trigger()
        assert "Stop the running server and start" in question(window).text()
        press(question(window), "Cancel")
        assert len(commands(window, command)) == before
        action.trigger()
        press(question(window), "Stop and start")
        qtbot.waitUntil(lambda n=before, c=command: len(commands(window, c)) == n + 1, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    launch = commands(window, "start_server")[-1]
    assert isinstance(launch, LaunchRequest)
    assert launch.preset == "off"
    window.roll_back()
    assert window.questions.box is None
    qtbot.waitUntil(lambda: window.bench.idle and window.bench.way_back.in_force, timeout=WAIT_MS)


def test_a_question_of_the_tray_brings_the_window_and_is_asked_once(qtbot: QtBot, open_window: Open) -> None:
    place = FakePlace()
    window = open_window(scene(close_to_tray="on"), place)
    start(qtbot, window)
    window.close()
    assert window.isHidden()
    place.press("Quit")
    assert window.isVisible()
    box = question(window)
    place.press("Quit")
    assert question(window) is box
    press(box, "Cancel")
    assert commands(window, "close") == []
    place.press("Quit")
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        press(question(window), "Stop and close")


def test_closing_while_it_measures_asks_says_what_is_kept_and_goes_by_itself(
    qtbot: QtBot, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = measuring(qtbot, open_window)
    window.close()
    box = question(window)
    assert isinstance(box, LeaveDialog)
    assert "What is measured is kept" in box.informativeText()
    assert box.defaultButton() is box.no
    box.no.click()
    assert window.bench.activity is Activity.MEASURING
    monkeypatch.setattr(stop_questions, "TICK_MS", 1)
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        window.close()
    assert desk_of(window).closed.is_set()


def test_who_does_not_want_to_be_asked_again_is_not(qtbot: QtBot, open_window: Open) -> None:
    window = measuring(qtbot, open_window)
    window.close()
    box = question(window)
    assert isinstance(box, LeaveDialog)
    box.never.setChecked(True)
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        box.yes.click()
    assert desk_of(window).scene.preferences["ask_to_leave"] == "off"


def test_who_was_not_to_be_asked_is_not(qtbot: QtBot, open_window: Open) -> None:
    window = measuring(qtbot, open_window, ask_to_leave="off")
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        window.close()


def test_the_end_of_the_session_asks_nothing_and_takes_a_question_down(
    qtbot: QtBot, open_window: Open
) -> None:
    window = open_window(scene())
    start(qtbot, window)
    window.close()
    assert window.questions.box is not None
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        window.shut_down()


# -- the address ---------------------------------------------------------------------------------------------


def test_the_address_is_shown_and_the_key_only_copied(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    access = window.strip.access
    assert access.isHidden()
    start(qtbot, window)
    assert access.isVisible()
    assert access.address.value.text() == "127.0.0.1:41233"
    qtbot.mouseClick(access.copy_address, LEFT)
    assert QGuiApplication.clipboard().text() == "http://127.0.0.1:41233/v1"
    qtbot.mouseClick(access.copy_key, LEFT)
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == KEY
    assert data.data("x-kde-passwordManagerHint").data() == b"secret"
    assert QToolTip.text() == "Key copied"
    shown = [w.toolTip() + w.accessibleName() for w in access.findChildren(type(access.copy_key))]
    assert all(KEY not in text for text in shown)
    access._since_s -= 3 * 3600 + 125
    access.show_time()
    assert access.address.caption.text() == "Address · up 3 h 2 min"
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(access.isHidden, timeout=WAIT_MS)
    assert window.bench.server.state is ServerState.STOPPED
    window.shut_down()
    assert QGuiApplication.clipboard().text() == ""
