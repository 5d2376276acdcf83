"""Habits of people at a desk: keys, copy and paste, drag and drop, files used last, the window's place."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.session.jobs import CUSTOM, JobRequest
from qtune.ui.main_window import HISTORY, LOG, MODELS, TUNE, MainWindow
from qtune.ui.widgets.banners import BannerArea, Offer
from qtune.ui.widgets.kept_splitter import KeptSplitter
from qtune.ui.window.keys_dialog import KeysDialog
from qtune.ui.window.nav_rail import PAGES
from qtune.ui.window.place import WindowPlace
from qtune.ui.window.shortcuts import GROUPS, SHORTCUTS, Shortcut
from tests.ui import fake_history, fake_models
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ACTIONS = [shortcut for shortcut in SHORTCUTS if not shortcut.in_focus]
COMMAND = (
    f"/opt/other/llama-server -m {fake_models.MOE.path} -c 32768 -ctk q8_0 -t 8 -fa on"
    " --spec-type draft-mtp --draft-max 5 --host 0.0.0.0 --port 9000 --api-key sk-secret --temp 0.7"
)


def banners(window: MainWindow) -> list[str]:
    return [b.message.code for b in window.banners.banners]


def card(window: MainWindow, preset: str):  # noqa: ANN201
    return next(c for c in window.tune.cards if c.preset.id == preset)


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def drop(window: MainWindow, *files: Path, text: str = "") -> None:
    """What the window system sends: first whether it may be dropped, then the drop."""
    mime = QMimeData()
    if files:
        mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    if text:
        mime.setText(text)
    how = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(300, 300), *how)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(300, 300), *how))


def paste(qtbot: QtBot, window: MainWindow, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(window.tune, Qt.Key.Key_V, CONTROL)


def pasted(qtbot: QtBot, window: MainWindow, text: str):  # noqa: ANN201
    paste(qtbot, window, text)
    qtbot.waitUntil(lambda: window.commands.hand_over.dialog is not None, timeout=WAIT_MS)
    return window.commands.hand_over.dialog


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


# -- keys ----------------------------------------------------------------------------------------------------


def taken_by_field(shortcut: Shortcut, window: MainWindow) -> bool:
    """A field keeps the keys of editing for itself."""
    in_text = isinstance(window.focusWidget(), QPlainTextEdit) and shortcut.name == "undo"
    return in_text or (shortcut.name in {"paste", "undo"} and isinstance(window.focusWidget(), QLineEdit))


def test_every_key_of_the_table_reaches_its_action_from_every_page(open_window: Open) -> None:
    window = open_window()
    heard: list[str] = []
    for name, action in window.commands.actions.items():
        action.triggered.disconnect()
        action.triggered.connect(lambda _checked=False, name=name: heard.append(name))
    for page in range(len(PAGES)):
        window.show_page(page)
        for action in window.commands.actions.values():
            action.setEnabled(True)
        for shortcut in ACTIONS:
            for sequence in shortcut.sequences:
                if not taken_by_field(shortcut, window):
                    heard.clear()
                    QTest.keySequence(window.focusWidget() or window, sequence)
                    assert heard == [shortcut.name], (PAGES[page], shortcut.keys)


def test_no_key_means_two_things_in_either_language(open_window: Open) -> None:
    window = open_window()
    listed = [sequence.toString() for shortcut in ACTIONS for sequence in shortcut.sequences]
    assert len(set(listed)) == len(listed)
    for language in ("en", "zh_CN"):
        window.choose_language(language)
        claimed = [key for action in window.findChildren(QAction) for key in action.shortcuts()]
        claimed += [shortcut.key() for shortcut in window.findChildren(QShortcut)]
        claimed += [button.shortcut() for button in window.findChildren(QAbstractButton)]
        labels = [label for label in window.findChildren(QLabel) if label.buddy()]
        claimed += [QKeySequence.mnemonic(label.text()) for label in labels]
        names = [key.toString() for key in claimed if not key.isEmpty()]
        assert len(set(names)) == len(names)
        assert set(listed) <= set(names) <= {q.toString() for s in SHORTCUTS for q in s.sequences}


def test_the_page_of_keys_lists_all_of_them_by_group(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    assert {shortcut.group for shortcut in SHORTCUTS} == GROUPS.keys()
    for key in (Qt.Key.Key_F1, Qt.Key.Key_Question):
        qtbot.keyClick(window, key, Qt.KeyboardModifier.NoModifier if key == Qt.Key.Key_F1 else CONTROL)
        page = next(d for d in window.findChildren(KeysDialog) if d.isVisible())
        assert page.rows.keys() == {shortcut.name for shortcut in SHORTCUTS}
        assert page.rows["measure"][0] == "F5 Ctrl+R"
        qtbot.keyClick(page, Qt.Key.Key_Escape)
        assert not page.isVisible()
    for button in (window.rail.keys, window.settings.keys):
        button.click()
        page = next(d for d in window.findChildren(KeysDialog) if d.isVisible())
        press(qtbot, page.close_it)


def test_find_goes_to_the_box_of_each_page_that_has_one(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), past=fake_history.FakeHistory(fake_history.runs(20))))
    for page, box in ((HISTORY, window.history.filter.text), (LOG, window.log.search)):
        window.show_page(page)
        window.pages.currentWidget().setFocus()
        qtbot.keyClick(window, Qt.Key.Key_F, CONTROL)
        assert box.hasFocus() or window.focusWidget() is box
    window.show_page(TUNE)
    qtbot.keyClick(window, Qt.Key.Key_F, CONTROL)
    assert window.pages.currentIndex() == TUNE


# -- a command becomes settings ------------------------------------------------------------------------------


def test_a_pasted_command_is_shown_applied_and_undone(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    before = window.bench.launchable
    dialog = pasted(qtbot, window, COMMAND)
    told = {line[0]: line[1:] for line in dialog.lines}
    assert told["Model"][0].startswith(fake_models.MOE.name)
    assert told["Engine"][0] == "/opt/other/llama-server"
    assert told["Context"][0] == "8,192 → 32,768"
    assert told["K cache type"] == ("f16 → q8_0", "can change answers")
    assert "free port" in told["--port 9000"][0]
    assert "key" in told["--api-key ***"][0]
    assert "request" in told["--temp 0.7"][0]
    assert not any("sk-secret" in part for line in dialog.lines for part in line)
    press(qtbot, dialog.apply)
    bench = window.bench
    qtbot.waitUntil(lambda: "engine_foreign" in banners(window), timeout=WAIT_MS)  # no such engine here
    assert bench.model == fake_models.MOE
    wanted = ServerSettings(
        ctx_size=32_768, cache_type_k="q8_0", threads=8, flash_attn="on", mtp=True, n_max=5
    )
    assert (bench.preset_id, bench.settings_of(CUSTOM)) == (CUSTOM, wanted)
    assert not bench.settings_of("off").mtp
    assert bench.settings_of("off").threads == 8
    assert "q8_0" in window.tune.own.words.text()
    assert [c.preset.id for c in window.tune.cards][-1] == CUSTOM
    request = bench.job_request("measure")
    assert isinstance(request, JobRequest)
    assert (request.base.threads, dict(request.custom)) == (8, {"mtp": True, "n_max": 5})
    banner = next(b for b in window.banners.banners if b.message.code == "command_taken")
    press(qtbot, banner.buttons[0])
    assert bench.launchable == before
    assert bench.model == story.MODEL
    assert CUSTOM not in [c.preset.id for c in window.tune.cards]
    assert window.tune.own.isHidden()


def test_settings_of_a_command_hold_at_the_next_start_and_can_be_dropped(
    qtbot: QtBot, open_window: Open
) -> None:
    kept = {"own_settings": '{"threads": 8, "flash_attn": 7}', "custom_settings": '{"mtp": true, "n_max": 5}'}
    window = open_window(Scene(preferences=chosen(**kept, preset=CUSTOM, custom_source="command")))
    wanted = ServerSettings(threads=8, mtp=True, n_max=5)
    assert window.bench.settings_of(window.bench.preset_id) == wanted
    assert card(window, CUSTOM).aim.text() == "From the command you pasted"
    assert not window.tune.own.isHidden()
    press(qtbot, window.tune.own.back)
    assert window.bench.base == ServerSettings()
    assert "own_dropped" in banners(window)
    qtbot.keyClick(window.tune, Qt.Key.Key_Z, CONTROL)
    assert "own_dropped" not in banners(window)
    assert window.bench.base.threads == 8
    assert desk_of(window).preference("own_settings") == '{"threads": 8}'


def test_cancel_changes_nothing_and_a_command_without_mtp_is_off(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    before = window.bench.launchable
    dialog = pasted(qtbot, window, "llama-server -t 4 --draft-max 3 --no-such-flag 7")
    told = {line[0]: line[1:] for line in dialog.lines}
    assert told["Preset"][0] == "Off"
    assert told["Model"][0] == "stays as chosen"
    assert "no setting" in told["--no-such-flag 7"][0]
    assert any(line[0].startswith("Draft length n_max: without effect") for line in dialog.lines)
    press(qtbot, dialog.cancel)
    assert window.bench.launchable == before


def test_what_is_no_command_gets_one_sentence(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    for text, code in (
        ("", "pasted_no_command"),
        ("the quick brown fox", "pasted_no_command"),
        ("llama-server -m 'half a quote", "pasted_open_quote"),
        ("x" * 200_000, "pasted_too_long"),
    ):
        paste(qtbot, window, text)
        assert banners(window) == [code]
        assert window.commands.hand_over.dialog is None
        window.banners.clear()


def test_a_model_of_the_command_that_is_gone_is_said_and_the_rest_can_be_applied(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    window = open_window()
    dialog = pasted(qtbot, window, f"llama-server -m {tmp_path}/gone.gguf -t 3")
    assert any("gone.gguf" in line[0] for line in dialog.lines)
    press(qtbot, dialog.apply)
    assert window.bench.model == story.MODEL
    assert window.bench.base.threads == 3
    window.show_page(LOG)
    QGuiApplication.clipboard().setText(COMMAND)
    qtbot.keyClick(window.log.search, Qt.Key.Key_V, CONTROL)
    assert window.log.search.text() == COMMAND  # a field keeps its own paste
    assert window.commands.hand_over.dialog is None


# -- settings become a command, results a card ---------------------------------------------------------------


def test_copy_as_command_and_paste_it_back_is_the_same_launch(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    window.bench.choose_preset("aggressive")
    wanted = window.bench.settings_of("aggressive")
    qtbot.keyClick(window, Qt.Key.Key_C, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: banners(window) == ["copied"], timeout=WAIT_MS)
    text = clipboard()
    assert text.startswith(story.LLAMA.ref.path)
    assert "--port 8080" in text
    assert "key" not in text
    window.banners._let_fleeting_go()  # the timer of the toast
    assert banners(window) == []
    window.bench.choose_preset("off")
    press(qtbot, pasted(qtbot, window, text).apply)
    assert window.bench.settings_of(window.bench.preset_id) == wanted


class Kept(fake_history.FakeHistory):
    """A history that holds what was just measured under its first keys."""

    def keys_of(self, run_ids: Sequence[str]) -> Future[list[int]]:
        self.calls.append(("keys_of", list(run_ids)))
        return self._end(list(range(1, len(run_ids) + 1)))


@pytest.mark.qt_log_ignore("does not support")
def test_the_newest_result_is_exported_and_copied_from_tune(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    past = Kept(fake_history.runs(40))
    window = open_window(Scene(preferences=chosen(export_folder=str(tmp_path)), past=past))
    qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
    assert banners(window) == ["nothing_measured"]
    window.run_job("both")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    ids = [run.id for arm in window.bench.found.findings.arms for run in arm.runs]
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: "passed_on" in banners(window), timeout=WAIT_MS)
    assert ("keys_of", ids) in past.calls
    assert "tok/s" in clipboard()
    qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
    menu = window.commands.pass_on.menu
    qtbot.waitUntil(menu.isVisible, timeout=WAIT_MS)
    data = next(a.menu() for a in menu.actions() if a.text() == "Data")
    menu.close()
    next(a for a in data.actions() if a.data() == "csv").trigger()
    chooser = window.findChild(QFileDialog)
    chooser.selectFile(str(tmp_path / "mine.csv"))
    chooser.accept()
    qtbot.waitUntil((tmp_path / "mine.csv").exists, timeout=WAIT_MS)


def test_the_menu_more_shows_the_commands_with_their_keys(open_window: Open) -> None:
    window = open_window()
    menu: QMenu = window.tune.measure.jobs.menu
    shown = {action.text(): action.shortcut().toString() for action in menu.actions()}
    assert shown["Paste a llama-server command…"] == "Ctrl+V"
    assert shown["Copy this preset as a command"] == "Ctrl+Shift+C"
    assert shown["Copy the newest result as Markdown"] == "Ctrl+Shift+M"


# -- drag and drop -------------------------------------------------------------------------------------------


def test_a_dropped_script_is_read_with_its_paths_from_its_folder(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    window = open_window()
    script = tmp_path / "start.bat"
    script.write_bytes("@echo off\r\nserver.exe -m models\\none.gguf ^\r\n -t 6\r\n".encode("utf-16"))
    drop(window, script)
    qtbot.waitUntil(lambda: window.commands.hand_over.dialog is not None, timeout=WAIT_MS)
    assert any(str(tmp_path) in line[0] for line in window.commands.hand_over.dialog.lines)
    press(qtbot, window.commands.hand_over.dialog.apply)
    assert window.bench.base.threads == 6


def test_each_dropped_thing_goes_where_it_belongs(qtbot: QtBot, open_window: Open, tmp_path: Path) -> None:
    past = fake_history.FakeHistory(fake_history.runs(20))
    window = open_window(Scene(preferences=chosen(), past=past))
    drop(window, Path(fake_models.MOE.path))
    qtbot.waitUntil(lambda: window.bench.model == fake_models.MOE, timeout=WAIT_MS)
    engine = tmp_path / "llama-server"
    engine.write_bytes(b"\x7fELF and more")
    drop(window, engine)
    qtbot.waitUntil(lambda: banners(window) == ["engine_foreign"], timeout=WAIT_MS)
    runs = tmp_path / "runs.json"
    runs.write_text("runs")
    drop(window, runs)
    qtbot.waitUntil(lambda: window.history.banner is not None, timeout=WAIT_MS)
    assert window.pages.currentIndex() == HISTORY
    drop(window, tmp_path)
    qtbot.waitUntil(lambda: window.pages.currentIndex() == MODELS, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    drop(window, text="llama-server -t 2")
    qtbot.waitUntil(lambda: window.commands.hand_over.dialog is not None, timeout=WAIT_MS)
    press(qtbot, window.commands.hand_over.dialog.apply)
    assert window.pages.currentIndex() == TUNE


def test_what_cannot_be_used_is_told_by_name(qtbot: QtBot, open_window: Open, tmp_path: Path) -> None:
    window = open_window()
    picture, other = tmp_path / "cat.png", tmp_path / "dog.png"
    for file in (picture, other):
        file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\xff")
    drop(window, picture, other)
    qtbot.waitUntil(lambda: "dropped_unknown" in banners(window), timeout=WAIT_MS)
    assert "cat.png" in window.banners.banners[0].sentence.text()
    assert "dropped_several" in banners(window)


def test_wrong_files_do_not_push_an_undo_away(qtbot: QtBot) -> None:
    area = BannerArea()
    qtbot.addWidget(area)
    area.say("command_taken", lambda: ("taken", ""), (Offer(lambda: "Undo", lambda: None),))
    for name in ("a", "b"):
        area.show_message("error", Message.of("model_without_mtp", path=name))
    assert [b.message.code for b in area.banners] == ["model_without_mtp", "command_taken"]
    assert "b" in area.banners[0].sentence.text(), "the newest of a kind"
    for code in ("measure_cancelled", "closing"):
        area.show_message("info", Message.of(code))
    assert [b.message.code for b in area.banners] == ["closing", "measure_cancelled", "command_taken"]


def test_a_list_of_choices_opens_whole(open_window: Open) -> None:
    combo = open_window().settings.language
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    as_menu = combo.style().styleHint(QStyle.StyleHint.SH_ComboBox_Popup, option, combo)
    assert not as_menu, "as a menu it is cut where the style sheet makes its lines taller"


def test_nothing_is_taken_in_while_something_is_measured(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    hold = threading.Event()
    window = open_window(Scene(preferences=chosen(), hold=hold))
    window.run_job("measure")
    qtbot.waitUntil(desk_of(window).held.is_set, timeout=WAIT_MS)
    drop(window, tmp_path)
    paste(qtbot, window, COMMAND)
    assert banners(window) == ["pasted_while_busy", "dropped_while_busy"]
    hold.set()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)


# -- what was used last --------------------------------------------------------------------------------------


@pytest.mark.qt_log_ignore("does not support")
def test_models_used_last_are_offered_and_those_gone_are_grey(qtbot: QtBot, open_window: Open) -> None:
    gone = "/media/usb/gone.gguf"
    window = open_window(Scene(preferences=chosen(recent_models=gone)))
    window.bench.take_model(fake_models.MOE)
    recent = window.tune.source.recent_models
    recent.list.popup(QPoint(0, 0))
    newest, former, missing = recent.list.actions()[:3]
    assert newest.text().startswith(Path(fake_models.MOE.path).name)
    qtbot.waitUntil(lambda: not missing.isEnabled(), timeout=WAIT_MS)
    assert missing.text().endswith("(not there)")
    former.trigger()
    recent.list.close()
    qtbot.waitUntil(lambda: window.bench.model == story.MODEL, timeout=WAIT_MS)
    recent.list.popup(QPoint(0, 0))
    recent.list.actions()[-1].trigger()
    recent.list.close()
    assert not recent.isEnabled()
    press(qtbot, window.banners.banners[0].buttons[0])
    assert gone in window.bench.recent_models.paths


def test_only_so_many_are_kept_newest_first(open_window: Open) -> None:
    window = open_window()
    recent = window.bench.recent_engines
    for number in range(12):
        recent.remember(f"/opt/{number}/llama-server")
    recent.remember("/opt/9/llama-server")
    assert [path.split("/")[2] for path in recent.paths] == ["9", "11", "10", "8", "7", "6", "5", "4"]
    assert desk_of(window).preference("recent_engines").splitlines() == list(recent.paths)


# -- where the window stood ----------------------------------------------------------------------------------


def test_page_size_and_division_come_back(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    window.resize(960, 690)
    split = window.tune.split
    split.setSizes([300, 250])
    split.splitterMoved.emit(300, 1)
    window.show_page(MODELS)
    window.shut_down()
    qtbot.waitUntil(lambda: window._ended, timeout=WAIT_MS)
    again = open_window(Scene(preferences=desk_of(window).scene.preferences))
    assert (again.width(), again.height()) == (960, 690)
    assert again.pages.currentIndex() == MODELS
    again.show_page(TUNE)
    upper, lower = again.tune.split.sizes()
    former = split.sizes()
    assert abs(upper / (upper + lower) - former[0] / sum(former)) < 0.05


class Shelf:
    """Preferences in memory."""

    def __init__(self, **values: str) -> None:
        self.values = values

    def preference(self, key: str, default: str = "") -> str:
        return self.values.get(key, default)

    def prefer(self, **values: str) -> None:
        self.values |= values


def place_of(qtbot: QtBot, shelf: Shelf, split: KeptSplitter | None = None) -> tuple[QWidget, WindowPlace]:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget, WindowPlace(widget, shelf, {} if split is None else {"tune": split})


def test_a_window_on_a_screen_that_is_gone_comes_into_view(qtbot: QtBot) -> None:
    shelf, screen = Shelf(), QGuiApplication.primaryScreen().availableGeometry()
    widget, place = place_of(qtbot, shelf)
    widget.setGeometry(9000, 7000, 700, 500)
    place.keep(0)
    again, place = place_of(qtbot, shelf)
    place.restore()
    assert screen.contains(again.geometry())
    again.setGeometry(-5000, 20, 4000, 3000)
    place._bring_into_view()
    assert screen.contains(again.geometry())


def test_a_maximised_window_comes_back_maximised_with_its_former_size(qtbot: QtBot) -> None:
    shelf = Shelf()
    widget, place = place_of(qtbot, shelf)
    widget.setGeometry(30, 40, 610, 420)
    widget.show()
    widget.showMaximized()
    place.keep(3)
    again, place = place_of(qtbot, shelf)
    assert place.restore() == 3
    assert again.isMaximized()
    assert (again.normalGeometry().width(), again.normalGeometry().height()) == (610, 420)


@pytest.mark.parametrize("stored", ["", "rubbish", "AAAA", "[1, 2]", '{"above": [0, 1]}', '{"above": [3]}'])
def test_a_damaged_place_is_passed_over(qtbot: QtBot, stored: str) -> None:
    split = KeptSplitter({Qt.Orientation.Vertical: (400, 600)}, 8)
    qtbot.addWidget(split)
    split.addWidget(QLabel("above"))
    split.addWidget(QLabel("below"))
    split.resize(300, 508)
    split.divide()
    split.show()
    _widget, place = place_of(qtbot, Shelf(window=stored, page=stored, split_tune=stored), split)
    assert place.restore() == TUNE
    assert abs(split.sizes()[0] - 200) <= 2
