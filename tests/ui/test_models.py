"""Models and memory as a user meets them: searching, choosing, what fits, and filling the context."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from qtune.core.events import TelemetryTaken
from qtune.session.jobs import JobRequest
from qtune.ui.main_window import MODELS, TUNE, MainWindow
from qtune.ui.models.table import CONTEXT, FIT, LARGEST, MTP, NAME, SIZE, ModelTable, ModelTableModel
from qtune.ui.theme import DARK
from qtune.ui.tune.fit_bar import figures_of_view
from qtune.ui.words import memory_words
from tests.ui import fake_models as models
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
GIB = story.GIB


def look(qtbot: QtBot, window: MainWindow) -> None:
    """Open the page and wait for the end of its search."""
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)


def column(window: MainWindow, number: int) -> list[str]:
    lines = window.models.table.sorted
    return [lines.index(row, number).data() for row in range(lines.rowCount())]


def commands(window: MainWindow, name: str) -> list[object]:
    return [what for command, what in desk_of(window).calls if command == name]


def card(window: MainWindow, preset: str):  # noqa: ANN201
    return next(c for c in window.tune.cards if c.preset.id == preset)


def words_of(window: MainWindow, preset: str) -> str:
    """The line under a card's bar where there is room for all of it."""
    line = card(window, preset).memory
    line.setMinimumWidth(520)
    line.layout().activate()
    line.resize(520, line.height())
    line.layout().activate()
    return line.words.text()


def drop(window: MainWindow, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    no_keys = Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, mime, LEFT, no_keys))


# -- searching -----------------------------------------------------------------------------------------------


def test_the_first_look_searches_and_the_second_does_not(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    assert commands(window, "survey_models") == []
    look(qtbot, window)
    assert sorted(column(window, NAME)) == sorted(m.name for m in models.MODELS)
    assert window.models.state.text() == "8 found"
    qtbot.keyClick(window, Qt.Key.Key_1, CONTROL)
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    assert commands(window, "survey_models") == [8192]
    qtbot.mouseClick(window.models.again, LEFT)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert commands(window, "survey_models") == [8192, 8192]


def test_each_line_says_what_the_file_is(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    table = window.models.table
    table.sortByColumn(SIZE, Qt.SortOrder.DescendingOrder)
    assert column(window, SIZE) == ["22.1", "20.6", "17.3", "16.4", "12.9", "12.5", "5.2", "0.9"]
    by_path = {}
    for row in range(table.sorted.rowCount()):
        line = [table.sorted.index(row, number).data() for number in range(8)]
        by_path[table.sorted.index(row, 0).data(Qt.ItemDataRole.ToolTipRole).split("\n")[0]] = line
    assert by_path[models.Q6.path] == [
        "Qwen3.6-27B", "Q6_K", "22.1", "qwen35", "256k", "in the file", "too large", "none",
    ]  # fmt: skip
    assert by_path[models.MODEL.path][MTP:] == ["in the file", "fits", "32k"]
    assert by_path[models.BESIDE.files[0]][MTP:] == ["in a file beside it", "fits", "128k"]
    assert by_path[models.NO_HEAD.path][MTP:] == ["none", "fits", "–"]
    assert by_path[models.HEAD_ONLY.path][MTP:] == ["only a head", "not known", "–"]
    assert by_path[models.POOR.path][CONTEXT:] == ["–", "none", "not known", "–"]


def test_a_column_sorts_by_what_it_means_not_by_its_letters(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    table = window.models.table
    table.sortByColumn(LARGEST, Qt.SortOrder.DescendingOrder)
    assert column(window, LARGEST)[:3] == ["128k", "64k", "32k"]
    table.sortByColumn(FIT, Qt.SortOrder.AscendingOrder)
    assert column(window, FIT)[-3:] == ["too large", "not known", "not known"]
    table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    same = [q for q, name in zip(column(window, 1), column(window, 0), strict=True) if name == "Qwen3.6-27B"]
    assert same == ["Q6_K", "Q4_K_M", "Q3_K_M"]


def test_models_are_there_while_it_still_searches_and_stop_keeps_them(
    qtbot: QtBot, open_window: Open
) -> None:
    hold = threading.Event()
    window = open_window(Scene(preferences=chosen(), survey_hold=hold))
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    page = window.models
    qtbot.waitUntil(lambda: len(column(window, NAME)) == 2, timeout=WAIT_MS)
    assert "2 found so far" in page.state.text()
    assert not page.bar.isHidden()
    assert page.again.isHidden()
    qtbot.mouseClick(page.stop_search, LEFT)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert "Stopped: 2 found" in page.state.text()
    assert len(column(window, NAME)) == 2
    assert page.bar.isHidden()
    hold.set()
    qtbot.mouseClick(page.again, LEFT)
    qtbot.waitUntil(lambda: page.state.text() == "8 found", timeout=WAIT_MS)


def test_what_a_given_up_search_still_brings_is_not_shown(qtbot: QtBot, open_window: Open) -> None:
    hold = threading.Event()
    window = open_window(Scene(preferences=chosen(), survey_hold=hold))
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    qtbot.waitUntil(lambda: len(column(window, NAME)) == 2, timeout=WAIT_MS)
    hold.set()
    window.models.look()
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert len(column(window, NAME)) == len(models.MODELS)
    assert not window.bench.search.cancelled


def test_closing_ends_a_search(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), survey_hold=threading.Event()))
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL)
    qtbot.waitUntil(lambda: len(column(window, NAME)) == 2, timeout=WAIT_MS)
    with qtbot.waitSignal(window.closed, timeout=WAIT_MS):
        window.close()


def test_files_that_cannot_be_used_are_listed_with_their_reasons(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    problems = window.models.problems_card
    assert problems.head.text() == "3 files or folders cannot be used"
    assert not window.models.problems.isVisible()
    qtbot.mouseClick(problems.head, LEFT)
    assert window.models.problems.isVisible()
    told = [note.text for note in window.models.problems.notes]
    assert "Qwen3.6-27B-Q8_0.gguf is incomplete: 2.1 of 28.6 GiB" in told[0]
    assert "Permission denied" in told[2]
    qtbot.mouseClick(window.models.folders_card.head, LEFT)
    assert not problems.is_open


def test_nothing_found_says_what_to_do(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), models=(), model_problems=()))
    look(qtbot, window)
    assert window.models.nothing.isVisible()
    assert "Add the folder" in window.models.nothing.text()
    assert window.models.problems_card.isHidden()
    assert not window.models.detail.use.isVisible()


# -- folders -------------------------------------------------------------------------------------------------


def test_a_dropped_folder_is_searched_kept_and_can_be_removed(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "my models é"
    folder.mkdir()
    window = open_window()
    drop(window, folder)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert window.pages.currentIndex() == MODELS
    assert len(commands(window, "survey_models")) == 1
    preferences = desk_of(window).scene.preferences
    assert preferences["model_folders"] == str(folder)
    assert window.models.folders_card.head.text().startswith("4 ")
    assert window.banners.banners == ()
    _place, remove = window.models.folder_rows[str(folder)]
    window.models.folders_card.head.click()
    qtbot.mouseClick(remove, LEFT)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert preferences["model_folders"] == ""
    assert window.models.folder_rows == {}
    assert len(commands(window, "survey_models")) == 2


def test_a_folder_is_kept_once(qtbot: QtBot, open_window: Open, tmp_path: Path) -> None:
    window = open_window()
    for _ in range(2):
        window.models.add_folder(tmp_path)
    window.models.add_folder(tmp_path / "other")
    assert window.bench.search.own_folders == (str(tmp_path), str(tmp_path / "other"))
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)


def test_a_dropped_model_is_tuned_and_a_dropped_text_gives_a_sentence(
    qtbot: QtBot, open_window: Open, tmp_path: Path
) -> None:
    window = open_window()
    look(qtbot, window)
    wrong = tmp_path / "holiday.txt"
    wrong.write_text("no model")
    drop(window, wrong)
    qtbot.waitUntil(lambda: bool(window.banners.banners), timeout=WAIT_MS)
    assert window.banners.banners[0].message.code == "dropped_no_command"
    assert window.pages.currentIndex() == MODELS
    drop(window, Path(models.MOE.path))
    qtbot.waitUntil(lambda: window.pages.currentIndex() == TUNE, timeout=WAIT_MS)
    assert window.bench.model == models.MOE


# -- choosing ------------------------------------------------------------------------------------------------


def test_the_keyboard_chooses_a_model_and_uses_it(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    table = window.models.table
    assert table.chosen().facts.path == story.MODEL.path
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.chosen().facts.path == models.Q3.path
    assert "Q3_K_M" in window.models.detail.name.text()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.pages.currentIndex() == TUNE
    assert window.bench.model.path == models.Q3.path
    assert window.tune.source.models.currentText().startswith("Qwen3.6-27B · Q3_K_M")
    assert desk_of(window).scene.preferences["model"] == models.Q3.path


def test_a_head_alone_cannot_be_used_and_says_why(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    assert window.models.table.choose(models.HEAD_ONLY.path)
    detail = window.models.detail
    assert not detail.use.isEnabled()
    assert "holds only an MTP head" in detail.obstacle.text()
    qtbot.keyClick(window.models.table, Qt.Key.Key_Return)
    assert window.pages.currentIndex() == MODELS
    assert window.bench.model.path == story.MODEL.path


def test_a_head_beside_the_model_lets_it_draft(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    window.models.table.choose(models.BESIDE.path)
    qtbot.mouseClick(window.models.detail.use, LEFT)
    assert window.bench.model == models.BESIDE
    assert window.tune.source.model_badge.text() == "MTP head beside it"
    assert window.bench.obstacle("off") is None
    assert card(window, "balanced").isEnabled() is (window.bench.obstacle("balanced") is None)


def test_the_facts_of_a_model_are_told(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    detail = window.models.detail
    grid = detail.facts
    told = {
        grid.itemAtPosition(row, 0).widget().text(): grid.itemAtPosition(row, 1).widget().text()
        for row in range(grid.rowCount())
        if grid.itemAtPosition(row, 0) is not None
    }
    assert told["Layers"] == "16 attention + 48 recurrent + 1 MTP"
    assert told["MTP head"] == "in the file: 15 tensors, mostly Q8_0; this build can run it"
    assert told["Vocabulary"] == "248,320"
    assert told["Sampling defaults"] == "temp 0.6, top_k 20, top_p 0.95"
    assert told["Same model"] == "Q6_K, Q3_K_M"
    assert told["Image encoder"] == "mmproj-Qwen3.6-27B-F16.gguf"
    assert "MTP heads beside it" not in told
    assert story.MODEL.path in detail.path.toolTip()


def test_whether_the_chosen_engine_can_run_the_head(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    window.models.table.choose(models.MOE.path)
    grid = window.models.detail.facts
    before = window.bench.finder.engine
    for changes, words in (
        ({"build": 9000}, "this build cannot run it"),
        ({"build": 9100}, "not known whether this build can run it"),
        ({"spec_types": ()}, "this build cannot run it"),
        ({}, "this build can run it"),
    ):
        facts = story.replace(before.facts, **changes)
        window.bench.finder.choose_engine(story.replace(before, facts=facts))
        shown = [
            grid.itemAtPosition(row, 1).widget().text() for row in range(13) if grid.itemAtPosition(row, 1)
        ]
        assert [text.split("; ")[1] for text in shown if "15 tensors" in text] == [words]


def test_the_choice_stays_when_the_list_is_made_anew(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    window.models.table.choose(models.MOE.path)
    qtbot.mouseClick(window.models.again, LEFT)
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)
    assert window.models.table.chosen().facts.path == models.MOE.path


def test_the_first_start_points_at_the_models_that_are_there(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences={"language": "en"}))
    found = window.tune.first_start.found
    qtbot.waitUntil(found.isVisible, timeout=WAIT_MS)
    assert "1 model" in found.text()
    qtbot.mouseClick(found, LEFT)
    assert window.pages.currentIndex() == MODELS
    qtbot.waitUntil(lambda: window.bench.search.ended, timeout=WAIT_MS)


def test_the_model_table_keeps_the_rules_of_qt(qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    room = models.room_of(None, with_gpu=True)
    model = ModelTableModel(lambda _facts: None)
    table = ModelTable(model)
    qtbot.addWidget(table)
    qtmodeltester.check(model)
    entries = [models.entry(m, 8192, room, on_card=True) for m in models.MODELS]
    model.load(tuple(entries[:3]), 8192)
    for entry in entries[3:]:
        model.add(entry, 8192)
    model.set_tokens(DARK)
    model.set_context(16_384)
    qtmodeltester.check(model)
    qtmodeltester.check(table.sorted)
    assert model.number_of(models.MOE.path) == 3


# -- memory --------------------------------------------------------------------------------------------------


def test_a_card_shows_what_its_preset_takes(open_window: Open) -> None:
    window = open_window()
    line = card(window, "balanced").memory
    figures = line.bar.figures
    assert [name for name, _ in figures.slices] == ["others", "weights", "kv", "recurrent", "compute", "mtp"]
    sizes = dict(figures.slices)
    assert sizes["kv"] == 512 * 1024**2
    assert sizes["mtp"] == models.DENSE.head + 32 * 1024**2 + 4 * models.DENSE.state + 180 * 1024**2
    assert (figures.total, figures.keep, figures.state) == (24 * GIB, GIB, "fits")
    assert words_of(window, "balanced") == "20.0 of 24.0 GiB, 1.1 GiB from MTP (estimated)"
    about = line.bar.accessibleDescription()
    assert "KV cache: 512 MiB, computed" in about
    assert "MTP: copies of the recurrent state: 599 MiB, computed" in about
    assert "Compute buffers: 600 MiB, estimated" in about
    assert "Other programs: 1.2 GiB" in about
    assert "firefox 700 MiB" in about
    assert line.bar.accessibleName() == "Memory, fits"
    assert line.bar.toolTip() == about
    assert "mtp" not in dict(card(window, "off").memory.bar.figures.slices)
    assert "20.0 of 24.0 GiB" in card(window, "balanced").accessibleDescription()


def test_figures_of_an_earlier_launch_are_not_called_estimated(open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), remembered=True))
    line = card(window, "balanced").memory
    assert words_of(window, "balanced") == "20.0 of 24.0 GiB, 1.1 GiB from MTP"
    assert "Compute buffers: 600 MiB, remembered" in line.bar.accessibleDescription()


@pytest.mark.parametrize(
    ("context", "word"),
    [(32_768, ""), (65_536, "tight: "), (131_072, "too large: ")],
    ids=["32k", "64k", "128k"],
)
def test_the_fit_follows_the_context_in_words(open_window: Open, context: int, word: str) -> None:
    window = open_window()
    window.bench.choose_context(context)
    texts = memory_words.short_lines(window.bench.memory_view("conservative"))
    assert [text.startswith(word) for text in texts] == [True] * 4
    assert any("tight" in text or "large" in text for text in texts) is bool(word)
    assert card(window, "conservative").memory.words.text() in texts
    state = window.bench.memory_view("conservative").state
    assert card(window, "conservative").memory.bar.figures.state == state


def test_a_narrow_card_says_less_but_still_that_it_is_estimated(open_window: Open) -> None:
    window = open_window()
    view = window.bench.memory_view("balanced")
    lines = memory_words.short_lines(view)
    assert all("est" in line and "20.0" in line for line in lines)
    assert [len(line) for line in lines] == sorted((len(line) for line in lines), reverse=True)
    line = card(window, "balanced").memory
    line.resize(line.words.fontMetrics().horizontalAdvance(lines[2]) + 3, 30)
    line.layout().activate()
    assert line.words.text() == lines[2]


def test_bars_follow_other_programs_but_not_at_every_reading(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    seen: list[object] = []
    window.bridge.telemetry_taken.connect(seen.append)

    def read(second: float, used_gib: float) -> int:
        sample = story.telemetry(story.Stage(), story.BASE_NS + int(second * story.S), 0.0, 1).sample
        gpu = story.replace(sample.gpus[0], vram_used_bytes=int(used_gib * GIB))
        before = len(seen)
        desk_of(window).emit(TelemetryTaken(story.replace(sample, gpus=(gpu,))))
        qtbot.waitUntil(lambda: len(seen) > before, timeout=WAIT_MS)
        return dict(card(window, "off").memory.bar.figures.slices)["others"]

    assert read(0, 3) == 3 * GIB
    assert read(1.9, 5) == 3 * GIB
    assert read(2, 6) == 6 * GIB
    assert window.bench.memory_view("off").state == "tight"
    assert read(4, 7) == 7 * GIB
    assert card(window, "aggressive").memory.words.text().startswith("too large")


def test_unknown_memory_is_said_and_not_drawn(open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(), memory_known=False))
    line = card(window, "balanced").memory
    assert words_of(window, "balanced") == "needs 18.8 GiB, 1.1 GiB from MTP (estimated)"
    assert line.bar.figures.total is None
    assert line.bar.accessibleName() == "Memory, not known"
    assert "could not be read" in line.bar.accessibleDescription()


def test_without_a_card_the_main_memory_is_shown_and_named(open_window: Open) -> None:
    preferences = chosen(model=story.SAMPLE.path, prompt="sample")
    window = open_window(Scene(with_gpu=False, engines=("bundled",), preferences=preferences))
    line = card(window, "off").memory
    assert "of 16.0 GiB of main memory" in words_of(window, "off")
    assert "main memory (" not in line.bar.accessibleDescription().split("\n")[1]
    assert line.bar.figures.total == 16 * GIB


def test_a_poor_header_gives_no_figures_and_says_so(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    window.bench.take_model(models.POOR)
    assert card(window, "off").memory.words.text() == "memory: no estimate for this file"
    assert card(window, "off").memory.bar.figures.slices == ()
    look(qtbot, window)
    window.models.table.choose(models.POOR.path)
    assert "too little for an estimate" in window.models.detail.fit.text()
    assert window.models.detail.bars == []


def test_the_details_show_the_same_bar_and_one_for_each_context(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    look(qtbot, window)
    detail = window.models.detail
    assert detail.bar.figures == figures_of_view(window.bench.memory_view("balanced", models.MODEL))
    rows = {row[0]: row[1:] for row in detail.parts.texts()}
    assert rows["KV cache"] == ["512 MiB", "computed"]
    assert rows["Together"] == ["20.0 GiB", "estimated in part"]
    assert detail.fit.text().startswith("Fits: 20.0 GiB of 24.0 GiB (NVIDIA GeForce RTX 4090)")
    assert len(detail.bars) == 7
    assert len({bar.figures.span for bar in detail.bars}) == 1
    assert "With MTP: 22.6 GiB, tight" in detail.bars[4].accessibleDescription()
    window.bench.choose_context(131_072)
    assert detail.fit.text().startswith("Too large")
    assert window.models.model.headerData(FIT, Qt.Orientation.Horizontal) == "Fit at 128k"
    assert "fits" not in [
        fit
        for fit, head in zip(column(window, FIT), column(window, MTP), strict=True)
        if head == "in the file"
    ]
    assert detail.fit_title.text() == "Memory at 128k with Balanced"


# -- filling the context -------------------------------------------------------------------------------------


def test_a_winner_is_offered_a_fill_test_whose_context_can_be_used(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(ctx_size="131072"), tokens=40))
    qtbot.mouseClick(window.tune.measure.jobs.compare, LEFT)
    qtbot.waitUntil(lambda: window.bench.found is not None and window.bench.idle, timeout=WAIT_MS)
    verdict, fill = window.tune.result.verdict, window.tune.result.fill
    assert fill.isHidden()
    assert not verdict.fill.isHidden()
    qtbot.mouseClick(verdict.fill, LEFT)
    qtbot.waitUntil(lambda: len(commands(window, "run_job")) == 2 and window.bench.idle, timeout=WAIT_MS)
    asked = commands(window, "run_job")[1]
    assert isinstance(asked, JobRequest)
    assert (asked.kind, asked.presets, asked.base.ctx_size) == ("fill", ("balanced",), 131_072)
    assert not fill.isHidden()
    assert verdict.fill.isHidden()
    assert window.tune.result.diagnosis.isHidden()
    assert window.bench.found.findings.fill.largest_safe_ctx == 32_768
    rows = fill.points.texts()
    assert [row[0] for row in rows[::3]] == ["128k", "64k", "32k"]
    assert rows[-1][1:4] == ["92 %", "30,139", "yes"]
    assert fill.largest.text().startswith("Largest safe context: 32k")
    assert verdict.seal.text() == "safe"
    qtbot.mouseClick(fill.take, LEFT)
    assert window.bench.ctx_size == 32_768
    assert window.tune.measure.context.text() == "32k"
    assert fill.take.isHidden()


def test_filling_from_the_menu_takes_the_chosen_preset(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=chosen(preset="off"), tokens=40))
    window.tune.measure.jobs.actions_of["fill"].trigger()
    qtbot.waitUntil(lambda: window.bench.found is not None and window.bench.idle, timeout=WAIT_MS)
    asked = commands(window, "run_job")[0]
    assert isinstance(asked, JobRequest)
    assert (asked.kind, asked.presets) == ("fill", ("off",))
    assert window.tune.result.fill.take.isHidden()
    window.run_job("measure")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert window.tune.result.fill.isHidden()
