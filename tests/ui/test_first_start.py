"""The three steps of the first start, as somebody new walks them, with mouse or keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qtune.session.jobs import JobRequest
from qtune.ui.tune.measure_bar import RESULT
from tests.ui import fake_models
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, desk_of
from tests.ui.fake_desk import Scene

LEFT = Qt.MouseButton.LeftButton
NEW = {"language": "en", "theme": "light"}


def new(**changes: object) -> Scene:
    """A computer on which qtune has never been used."""
    return Scene(preferences=dict(NEW), **changes)  # type: ignore[arg-type]


def states(panel) -> list[str]:  # noqa: ANN001
    return [step.standing.state for step in panel.steps]


def test_from_nothing_to_a_result_by_keyboard_alone(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(new(with_gpu=False, engines=("bundled",), at_start=()))
    panel, tune = window.tune.first_start, window.tune
    qtbot.waitUntil(lambda: states(panel) == ["done", "missing", "todo"], timeout=WAIT_MS)
    assert not panel.measure.isEnabled()
    window.activateWindow()
    panel.primary().setFocus()
    assert panel.primary() is panel.sample
    qtbot.keyClick(panel.sample, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: states(panel) == ["done", "done", "todo"], timeout=WAIT_MS)
    assert tune.faces.currentWidget() is panel, "what was chosen is shown before anything runs"
    assert "a minute or two" in panel.first.text.text()
    assert "No NVIDIA GPU" in panel.first.hint.text()
    assert panel.primary() is panel.measure
    assert window.focusWidget() is panel.measure, "the keyboard goes on where the way goes on"
    qtbot.keyClick(panel.measure, Qt.Key.Key_Space)
    assert tune.faces.currentWidget() is not panel
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    asked = [what for command, what in desk_of(window).calls if command == "run_job"]
    assert isinstance(asked[0], JobRequest)
    assert (asked[0].kind, asked[0].form) == ("compare", "quick")
    assert window.bench.form == "full", "the first look changes no choice"
    assert tune.views.currentIndex() == RESULT
    assert desk_of(window).scene.preferences["first_start"] == "left"
    head = tune.result.verdict.arms.layout()
    heading = [head.itemAtPosition(0, column) for column in range(head.columnCount())]
    unexplained = [i.widget().text() for i in heading if i is not None and not i.widget().toolTip()]
    assert unexplained == [], "hovering defines every figure"


def test_tab_walks_the_steps_from_top_to_bottom(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(new(engines=("llama",)))
    panel = window.tune.first_start
    qtbot.waitUntil(panel.use_found.isVisible, timeout=WAIT_MS)
    walked, widget = [], panel.pick_engine
    while widget is not panel.skip and len(walked) < 40:
        widget = widget.nextInFocusChain()
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            walked.append(widget)
    order = [panel.again, panel.copy, panel.use_found, panel.pick_model, panel.found, panel.skip]
    assert [w for w in walked if w in order] == order
    for step, title in zip(panel.steps, ("Engine", "Model", "First measurement"), strict=True):
        assert title in step.accessibleName()
        assert step.word.text() in step.accessibleName()


def test_it_says_what_is_missing_and_how_to_get_it(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(new(engines=(), with_gpu=False, at_start=()))
    panel = window.tune.first_start
    qtbot.waitUntil(lambda: states(panel) == ["missing", "missing", "todo"], timeout=WAIT_MS)
    assert not panel.sample.isEnabled()
    assert "step 1" in panel.honest.text()
    assert "llama.cpp/releases" in panel.engine.hint.text()
    qtbot.mouseClick(panel.copy, LEFT)
    assert QApplication.clipboard().text() == 'pip install "qtune[engine]"'
    assert "Qwen3.6-27B" in panel.model.hint.text()
    assert panel.primary() is panel.pick_engine


def test_skipping_leads_to_a_workplace_that_says_what_is_missing(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(new(engines=(), at_start=()))
    tune = window.tune
    qtbot.waitUntil(lambda: window.bench.finder.report is not None, timeout=WAIT_MS)
    qtbot.mouseClick(tune.first_start.skip, LEFT)
    assert tune.faces.currentWidget() is not tune.first_start
    assert len(tune.missing.notes.notes) == 2
    assert "no model chosen" in tune.cards[0].memory.words.text()
    qtbot.mouseClick(tune.missing.steps, LEFT)
    assert tune.faces.currentWidget() is tune.first_start
    again = open_window(Scene(preferences=dict(NEW) | {"first_start": "left"}, at_start=()))
    assert again.tune.faces.currentWidget() is not again.tune.first_start
    qtbot.waitUntil(again.tune.missing.isVisible, timeout=WAIT_MS)
    again.settings.first_steps.click()
    assert again.tune.faces.currentWidget() is again.tune.first_start
    assert again.pages.currentWidget() is again.tune


def test_a_model_that_was_found_is_one_click_away(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(new(at_start=(fake_models.NO_HEAD, story.MODEL)))
    panel = window.tune.first_start
    qtbot.waitUntil(panel.use_found.isVisible, timeout=WAIT_MS)
    assert "Qwen3.6-27B" in panel.use_found.text()
    qtbot.mouseClick(panel.use_found, LEFT)
    assert window.bench.model == story.MODEL
    assert panel.measure.isEnabled()
    assert "about 4 minutes" in panel.first.text.text()


@pytest.mark.parametrize("lacking", ["head", "engine"])
def test_without_mtp_it_offers_what_can_be_measured(qtbot: QtBot, open_window: Open, lacking: str) -> None:
    window = open_window(new())
    panel = window.tune.first_start
    if lacking == "engine":
        window.bench.finder.engine = replace(
            window.bench.finder.engines[0], facts=replace(story.LLAMA, spec_types=())
        )
        window.bench.finder.source_changed.emit()
    window.bench.take_model(fake_models.NO_HEAD if lacking == "head" else story.MODEL)
    assert states(panel) == (
        ["done", "caution", "caution"] if lacking == "head" else ["caution", "done", "caution"]
    )
    assert panel.measure.text() == "Measure without MTP"
    qtbot.mouseClick(panel.measure, LEFT)
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    asked = [what for command, what in desk_of(window).calls if command == "run_job"]
    assert isinstance(asked[0], JobRequest)
    assert (asked[0].kind, asked[0].presets) == ("measure", ("off",))


def test_once_measured_it_shows_the_result_again(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(Scene(preferences=dict(NEW) | {"model": story.MODEL.path}))
    tune, panel = window.tune, window.tune.first_start
    assert tune.faces.currentWidget() is not panel, "who chose a model before knows the way"
    window.jobs.first_look()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    tune.show_first_start()
    assert states(panel) == ["done", "done", "done"]
    assert "tok/s without MTP" in panel.first.text.text()
    assert panel.primary() is panel.result
    qtbot.mouseClick(panel.result, LEFT)
    assert tune.faces.currentWidget() is not panel
    assert tune.views.currentIndex() == RESULT
