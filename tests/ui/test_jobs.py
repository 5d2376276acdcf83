"""Comparisons, searches and sweeps in the window: from the button to verdict, cards and curve."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from qtune.core.events import RequestFinished, ServerChanged
from qtune.core.memory_facts import MemoryPart
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RunStatus
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.session.jobs import JobKind, JobRequest, request_to_json
from qtune.session.requests import LaunchRequest
from qtune.ui.main_window import MainWindow
from qtune.ui.state.job_requests import Order, depths_of, request_of
from qtune.ui.tune.measure_bar import LIVE, RESULT
from qtune.ui.words import texts
from qtune.ui.words.verdict_words import notes_of
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene

LEFT = Qt.MouseButton.LeftButton


def scene(**what: object) -> Scene:
    """A quick story: short answers."""
    return Scene(**{"preferences": chosen(), "tokens": 24, **what})  # type: ignore[arg-type]


def ask(qtbot: QtBot, window: MainWindow, kind: str) -> JobRequest:
    """Press the button of a job and wait for its end."""
    qtbot.mouseClick(window.tune.measure.jobs.buttons[kind], LEFT)
    assert not window.bench.idle
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    asked = [what for command, what in desk_of(window).calls if command == "run_job"][-1]
    assert isinstance(asked, JobRequest)
    return asked


def card(window: MainWindow, preset: str):  # noqa: ANN201
    return next(c for c in window.tune.cards if c.preset.id == preset)


def notes(window: MainWindow) -> str:
    result = window.tune.result
    return "\n".join(note.text for note in (*result.verdict.notes.notes, *result.diagnosis.notes.notes))


# -- comparison ----------------------------------------------------------------------------------------------


def test_compare_all_fills_record_cards_and_verdict(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    asked = ask(qtbot, window, "compare")
    assert (asked.kind, asked.form, asked.prompts) == ("compare", "full", ())
    assert asked.presets == ("off", "conservative", "balanced", "aggressive")
    tune, verdict = window.tune, window.tune.result.verdict
    assert tune.views.currentIndex() == RESULT
    assert verdict.seal.text() == "better"
    assert verdict.sentence.text().startswith("Balanced is worth it: decode 38.")
    rows = verdict.arms.texts()
    assert [row[0] for row in rows] == ["Off", "Conservative", "Balanced", "Aggressive"]
    assert rows[2][2].startswith("+8")
    assert rows[2][3].endswith(" %")
    use = verdict.by_text.texts()[-1]
    assert use[0] == "Use"
    assert set(use[1:]) == {"Balanced"}
    balanced = card(window, "balanced")
    assert balanced.badge.text() == "better"
    assert balanced.interval.text() == rows[2][3]
    assert balanced.checks.text().endswith("1/3")
    assert "Run a context sweep" in "".join(n.hint for n in tune.result.diagnosis.checks.notes)
    assert card(window, "off").badge.text() == "measured"
    assert "verdict" in tune.summary.caution.text()
    starts = {tune.record.index(n, 1).data() for n in range(tune.record.rowCount())}
    assert {"1", "2"} <= starts
    prompts = {tune.record.index(n, 12).data() for n in range(tune.record.rowCount())}
    assert prompts == {"summary", "code", "mathematics"}


def test_the_winner_is_chosen_with_one_click(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    window.bench.choose_preset("off")
    ask(qtbot, window, "compare")
    assert window.tune.result.verdict.take.text() == "Choose Balanced"
    qtbot.mouseClick(window.tune.result.verdict.take, LEFT)
    assert window.bench.preset_id == "balanced"


def test_no_difference_is_said_plainly(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(world="flat"))
    ask(qtbot, window, "compare")
    verdict = window.tune.result.verdict
    assert verdict.seal.text() == "no difference"
    assert "off stays" in verdict.sentence.text()
    assert verdict.take.isHidden()
    assert card(window, "balanced").badge.text() == "no difference"
    assert card(window, "balanced").checks.text().endswith("0/3")


def test_a_gain_on_one_text_alone_is_shown_text_by_text(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(world="mixed"))
    ask(qtbot, window, "compare")
    verdict = window.tune.result.verdict
    assert verdict.seal.text() == "depends on the text"
    assert "code (Conservative, +4" in verdict.sentence.text()
    rows = {row[0]: row[1:] for row in verdict.by_text.texts()}
    assert rows["Use"] == ["Conservative", "Off", "Off", "Off"]
    assert rows["Balanced"][0].startswith("+4")
    assert rows["Balanced"][2].startswith("−")


def test_quick_is_marked_as_an_indication(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(preferences=chosen(form="quick")))
    asked = ask(qtbot, window, "compare")
    assert (asked.form, asked.prompts) == ("quick", ("summary",))
    verdict = window.tune.result.verdict
    assert verdict.seal.text() == "indication"
    assert "Full can" in notes(window)
    assert "too few pairs" not in notes(window)
    assert card(window, "balanced").badge.text() == "no answer yet"
    assert card(window, "balanced").interval.text() == ""


@pytest.mark.parametrize(("with_gpu", "memory"), [(True, "Free memory"), (False, "Engine memory")])
def test_the_memory_column_says_whose_memory_it_is(
    qtbot: QtBot, open_window: Open, *, with_gpu: bool, memory: str
) -> None:
    window = open_window(scene(with_gpu=with_gpu))
    ask(qtbot, window, "measure")
    found = window.bench.found
    heading = window.tune.result.verdict._arm_heading(found)
    assert memory in [cell.text for cell in heading]


def test_why_the_card_spilled_and_what_to_try_stand_in_the_diagnosis(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    window.run_job("both")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    calm = Message.of("spill_no_room", free=4000)
    spilled = Message.of("spill_yes_shared", free=100, grown=900)
    advice = Message.of("spill_advice_context")

    def told(**verdict: object) -> list[tuple[str, str]]:
        found, parts = window.bench.found, (MemoryPart("kv", 512 * 1024**2, "measured"),)
        arms = tuple(
            story.replace(arm, memory=story.replace(arm.memory, parts=parts, **verdict))
            for arm in found.findings.arms
        )
        window.bench.found = story.replace(found, findings=story.replace(found.findings, arms=arms))
        window.tune.result.verdict.refresh()
        window.tune.result.diagnosis.refresh()
        return [
            (n.text, n.tone) for n in window.tune.result.diagnosis.notes.notes if "spill" in n.text.lower()
        ]

    assert told(spill="no", spill_reason=calm) == []
    about = [cell.about for row in window.tune.result.verdict.arms._rows for cell in row]
    assert f"{texts.sentence(calm)}\nBy the engine's own log:\nKV cache: 512 MiB" in about
    assert told(spill="yes", spill_reason=spilled, spill_advice=(advice,)) == [
        (f"Off, Balanced: {texts.sentence(spilled)}", "bad")
    ]
    assert texts.sentence(advice) in notes(window)
    likely = Message.of("spill_likely", free=100, share=10, missing="PCIe")
    assert told(spill="unknown", spill_reason=likely, spill_advice=(advice,))[0][1] == "warn"


def test_what_held_before_the_job_is_said_once(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    window.run_job("both")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    found = window.bench.found
    noted = (Message.of("preflight_battery"), Message.of("mtp_no_drafts"))
    arms = tuple(
        story.replace(arm, runs=tuple(story.replace(run, notes=noted) for run in arm.runs))
        for arm in found.findings.arms
    )
    told = [n.text for n in notes_of(story.replace(found, findings=story.replace(found.findings, arms=arms)))]
    assert [text.startswith("The computer runs on battery") for text in told].count(True) == 1
    assert sum("battery" in text for text in told) == 1
    assert sum(texts.sentence(noted[1]) in text for text in told) == len(arms) == 2
    readings = [(Message.of("preflight_busy", percent=percent),) for percent in (91, 97)]
    again = tuple(story.replace(r, notes=n) for r, n in zip(arms[0].runs[:1] * 2, readings, strict=True))
    one = story.replace(found.findings, arms=(story.replace(arms[0], runs=again),))
    told = [n.text for n in notes_of(story.replace(found, findings=one))]
    assert [text for text in told if "processor busy" in text] == [texts.sentence(readings[0][0])]


def test_what_was_broken_off_and_then_done_is_not_called_cancelled(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    window.run_job("measure")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    (arm,) = window.bench.found.findings.arms
    cancelled = story.replace(arm.runs[0], status=RunStatus.CANCELLED)
    state = window.tune.result.verdict._state
    assert state(story.replace(arm, runs=(arm.runs[0], cancelled)), None).text == "cancelled"
    assert state(story.replace(arm, runs=(cancelled, arm.runs[0])), None).text == ""


def test_what_changed_since_is_named_in_chinese(open_window: Open) -> None:
    window = open_window(scene())
    window.choose_language("zh_CN")
    assert "引擎" in texts.sentence(Message.of("changed_since", what="the engine"))


def test_an_indication_does_not_replace_a_verdict(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    ask(qtbot, window, "compare")
    interval = card(window, "balanced").interval.text()
    window.run_job("both")
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert window.tune.result.verdict.seal.text() == "indication"
    assert card(window, "balanced").badge.text() == "better"
    assert card(window, "balanced").interval.text() == interval


def test_cancel_keeps_rows_and_cards_and_going_on_resumes(qtbot: QtBot, open_window: Open) -> None:
    hold = threading.Event()
    begun = scene(hold=hold)
    count = iter(range(1, 1000))
    begun.hold_when = lambda event: isinstance(event, RequestFinished) and next(count) == 18
    window = open_window(begun)
    bar = window.tune.measure
    qtbot.mouseClick(bar.jobs.compare, LEFT)
    qtbot.waitUntil(lambda: window.tune.record.rowCount() == 18, timeout=WAIT_MS)
    assert window.tune.views.currentIndex() == LIVE
    assert "of 64 requests" in bar.elapsed.text()
    assert "left" in bar.elapsed.text()
    qtbot.mouseClick(bar.cancel, LEFT)
    hold.set()
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert [b.message.code for b in window.banners.banners] == ["measure_cancelled"]
    assert window.tune.record.rowCount() == 19
    measured = [c.preset.id for c in window.tune.cards if c.decode.text() != "–"]
    assert len(measured) == 2
    verdict = window.tune.result.verdict
    assert "Cancelled" in notes(window)
    assert not verdict.go_on.isHidden()
    experiment = window.bench.found.result.experiment.id
    qtbot.mouseClick(verdict.go_on, LEFT)
    qtbot.waitUntil(lambda: window.bench.idle, timeout=WAIT_MS)
    assert ("resume", experiment) in desk_of(window).calls
    assert verdict.go_on.isHidden()


def test_an_engine_that_dies_leaves_its_reason_in_both_languages(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(failure=Message.of("ended_out_of_memory", line="cudaMalloc failed")))
    ask(qtbot, window, "compare")
    assert "Balanced could not be measured" in notes(window) or "Off could not be measured" in notes(window)
    assert "The engine ran out of memory: cudaMalloc failed" in notes(window)
    window.choose_language("zh_CN")
    assert "The engine" not in notes(window)
    assert "cudaMalloc failed" in notes(window)


def test_comparing_asks_before_it_stops_a_server_of_the_user(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    desk_of(window).emit(ServerChanged(ServerState.READY, preset="balanced"))
    qtbot.waitUntil(lambda: window.bench.user_server_alive, timeout=WAIT_MS)
    qtbot.mouseClick(window.tune.measure.jobs.compare, LEFT)
    box = window.findChild(QMessageBox)
    assert window.bench.idle
    next(b for b in box.buttons() if b.text() == "Stop and measure").click()
    qtbot.waitUntil(lambda: window.bench.found is not None and window.bench.idle, timeout=WAIT_MS)


# -- search and sweep ----------------------------------------------------------------------------------------


def test_the_search_makes_a_custom_preset_that_starts_the_server(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    asked = ask(qtbot, window, "sweep-n-max")
    assert (asked.kind, asked.presets) == ("sweep-n-max", ())
    result = window.tune.result
    assert not result.curve.isHidden()
    rows = {row[0]: row for row in result.curve.grid.texts()}
    assert "best" in rows["4"]
    assert any(curve.winner for curve in result.curve.decode.curves)
    arms = {window.tune.record.index(n, 0).data() for n in range(window.tune.record.rowCount())}
    assert {"trial: n_max 6", "trial: Off", "n_max 4", "Off"} <= arms
    assert result.verdict.take.text() == "Use n_max = 4"
    qtbot.mouseClick(result.verdict.take, LEFT)
    custom = card(window, "custom")
    assert custom.chosen
    assert custom.badge.text() == "better"
    assert "--spec-draft-n-max 4" in custom.flags.text()
    jobs = window.tune.measure.jobs
    assert jobs.measure.isEnabled()
    assert jobs.state.text() == ""
    qtbot.mouseClick(window.strip.toggle, LEFT)
    qtbot.waitUntil(lambda: window.bench.server.state is ServerState.READY, timeout=WAIT_MS)
    launch = next(what for command, what in desk_of(window).calls if command == "start_server")
    assert isinstance(launch, LaunchRequest)
    assert (launch.preset, launch.settings.mtp, launch.settings.n_max) == ("custom", True, 4)
    again = open_window(Scene(preferences=dict(desk_of(window).scene.preferences)))
    assert card(again, "custom").chosen


def test_the_custom_preset_is_measured_like_the_others(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(
        scene(preferences=chosen(preset="custom", custom_settings='{"mtp": true, "n_max": 3}', form="quick"))
    )
    values = (("mtp", True), ("n_max", 3))
    assert card(window, "custom").decode.text() == "–"
    asked = ask(qtbot, window, "measure")
    assert (asked.presets, asked.custom) == (("custom",), values)
    assert window.bench.found.findings.arms[0].runs[0].settings_requested.n_max == 3
    assert card(window, "custom").decode.text() != "–"
    compared = ask(qtbot, window, "compare")
    assert compared.custom == values
    rows = window.tune.result.verdict.arms.texts()
    assert [row[0] for row in rows] == ["Off", "Conservative", "Balanced", "Aggressive", "Custom"]


def test_a_model_without_a_head_is_swept_with_off_alone(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    window.bench.take_model(story.replace(story.MODEL, mtp="none"))
    jobs = window.tune.measure.jobs
    assert not jobs.compare.isEnabled()
    assert ask(qtbot, window, "sweep-context").presets == ("off",)
    curves = window.tune.result.curve.decode.curves
    assert [(curve.arm, len(curve.points)) for curve in curves] == [("off", 3)]


def test_the_sweep_shows_a_curve_for_each_arm(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(preferences=chosen(ctx_size="32768")))
    asked = ask(qtbot, window, "sweep-context")
    assert (asked.depths, asked.presets) == ((8192, 16_384, 32_768), ("off", "balanced"))
    result = window.tune.result
    decode = {curve.arm: curve.points for curve in result.curve.decode.curves}
    assert {arm: len(points) for arm, points in decode.items()} == {"off": 3, "balanced": 3}
    assert all(points[0][1] > points[-1][1] for points in decode.values())
    assert [len(curve.points) for curve in result.curve.ttft.curves] == [3, 3]
    assert result.verdict.arms.isHidden()
    assert result.verdict.seal.text() == "a look, no verdict"
    assert len(result.curve.grid.texts()) == 6
    # The sweep is what the preset's promise about depth waits for.
    assert "?" not in card(window, "balanced").checks.text()
    assert "passed: From 8192 to 32768" in card(window, "balanced").checks.toolTip()


def test_a_later_job_without_a_curve_takes_the_curve_away(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    ask(qtbot, window, "sweep-context")
    assert not window.tune.result.curve.isHidden()
    ask(qtbot, window, "measure")
    assert window.tune.result.curve.isHidden()


@pytest.mark.parametrize(
    ("kind", "word"), [("ten", "passed"), ("selftest", "passed"), ("seeds", "a look, no verdict")]
)
def test_jobs_of_the_menu_end_in_a_result(qtbot: QtBot, open_window: Open, kind: str, word: str) -> None:
    window = open_window(scene())
    window.tune.measure.jobs.actions_of[kind].trigger()
    qtbot.waitUntil(lambda: window.bench.found is not None and window.bench.idle, timeout=WAIT_MS)
    assert window.tune.result.verdict.seal.text() == word


# -- what was left unfinished --------------------------------------------------------------------------------


def unfinished() -> ExperimentRecord:
    request = JobRequest("compare", story.LLAMA.ref, story.MODEL.path, form="quick")
    return ExperimentRecord(
        "earlier", "compare", "quick", 42, "2026-11-29T18:20:00+00:00", request=request_to_json(request)
    )


def test_an_unfinished_comparison_is_offered_and_gone_on_with(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(unfinished=unfinished()))
    qtbot.waitUntil(lambda: bool(window.banners.banners), timeout=WAIT_MS)
    banner = window.banners.banners[0]
    assert banner.sentence.text().startswith("Not finished: the comparison of")
    assert [b.text() for b in banner.buttons] == ["Go on", "Leave it"]
    window.choose_language("zh_CN")
    assert [b.text() for b in banner.buttons] == ["继续", "不再继续"]
    qtbot.mouseClick(banner.buttons[0], LEFT)
    qtbot.waitUntil(lambda: window.bench.found is not None and window.bench.idle, timeout=WAIT_MS)
    assert ("resume", "earlier") in desk_of(window).calls
    assert window.banners.banners == ()


def test_what_is_left_is_not_offered_again(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene(unfinished=unfinished()))
    qtbot.waitUntil(lambda: bool(window.banners.banners), timeout=WAIT_MS)
    qtbot.mouseClick(window.banners.banners[0].buttons[1], LEFT)
    assert window.banners.banners == ()
    assert window.bench.idle
    again = open_window(scene(preferences=dict(desk_of(window).scene.preferences), unfinished=unfinished()))
    qtbot.waitUntil(lambda: again.bench.finder.engines_known, timeout=WAIT_MS)
    assert again.banners.banners == ()


# -- languages and words -------------------------------------------------------------------------------------


def test_a_result_changes_language_with_the_window(qtbot: QtBot, open_window: Open) -> None:
    window = open_window(scene())
    ask(qtbot, window, "compare")
    window.choose_language("zh_CN")
    result = window.tune.result
    shown = [
        result.verdict.seal.text(),
        result.verdict.sentence.text(),
        result.verdict.take.text(),
        *(cell for row in result.verdict.arms.texts() for cell in (row[0], row[-1])),
        *(note.text for note in result.verdict.notes.notes),
        *(note.text + note.hint for note in result.diagnosis.notes.notes),
        *(note.text + note.hint for note in result.diagnosis.checks.notes),
        card(window, "balanced").badge.text(),
        card(window, "balanced").checks.text(),
    ]
    assert result.verdict.seal.text() == "更好"
    for text in filter(None, shown):
        words = [
            w for w in text.replace("MTP", "").replace("token", "").split() if w.isascii() and w.isalpha()
        ]
        assert words == [], text
    window.choose_language("en")
    assert result.verdict.seal.text() == "better"


def test_names_of_arms_and_prompts() -> None:
    names = ("off", "balanced", "n4", "try n6", "try off", "off_again", "raw")
    assert [texts.arm_title(name) for name in names] == [
        "Off",
        "Balanced",
        "n_max 4",
        "trial: n_max 6",
        "trial: Off",
        "Off again",
        "Without template",
    ]
    assert texts.prompt_name("depth-8192") == "8k deep"
    assert texts.prompt_name("file:mine.txt") == "mine.txt"
    message = Message.of("verdict_only_some", where="code (balanced, 1.40x), json_zh (n4, 1.20x)")
    assert "code (Balanced, +40\u00a0%), JSON (Chinese) (n_max 4, +20\u00a0%)" in texts.sentence(message)


def test_quoted_answers_are_not_taken_for_names() -> None:
    message = Message.of("drift_differs", count=1, total=3, index=7, off="the cat", arm="the dog")
    assert texts.sentence(message).endswith("the cat / the dog")


# -- what is asked -------------------------------------------------------------------------------------------


def order(**what: object) -> Order:
    usual = {
        "engine": story.LLAMA.ref,
        "model": story.MODEL,
        "base": ServerSettings(ctx_size=8192),
        "preset": "balanced",
        "workload": story.WORKLOADS[0],
        "workloads": story.WORKLOADS,
        "runs": 5,
        "form": "full",
    }
    return Order(**(usual | what))  # type: ignore[arg-type]


def test_a_prompt_outside_the_usual_set_comes_first() -> None:
    own = story.replace(story.WORKLOADS[0], id="creative", domain="creative")
    assert request_of("compare", order(workload=own)).prompts == (
        "creative",
        "summary",
        "code",
        "mathematics",
    )
    assert request_of("compare", order()).prompts == ()
    assert request_of("compare", order(form="quick")).prompts == ("summary",)
    assert request_of("measure", order()).runs == 5
    assert request_of("compare", order()).runs is None


def test_a_sweep_beside_off_needs_a_preset_with_mtp() -> None:
    assert request_of("sweep-context", order(preset="off")).presets == ("off", "balanced")
    assert request_of("sweep-context", order(preset="aggressive")).presets == ("off", "aggressive")
    assert request_of("sweep-context", order(mtp=False)).presets == ("off",)


@pytest.mark.parametrize(
    ("kind", "presets"),
    [
        ("measure", ("custom",)),
        ("ten", ("custom",)),
        ("soak", ("custom",)),
        ("raw", ("custom",)),
        ("seeds", ("off", "custom")),
        ("sweep-context", ("off", "custom")),
        ("compare", ("off", "conservative", "balanced", "aggressive", "custom")),
    ],
)
def test_the_custom_preset_brings_its_values(kind: JobKind, presets: tuple[str, ...]) -> None:
    values = (("mtp", True), ("n_max", 3))
    asked = request_of(kind, order(preset="custom", custom=values))
    assert (asked.presets, asked.custom) == (presets, values)


def test_a_job_without_the_custom_preset_carries_none_of_its_values() -> None:
    custom = (("mtp", True), ("n_max", 3))
    assert request_of("selftest", order(preset="custom", custom=custom)).custom == ()
    assert request_of("measure", order(custom=custom)).custom == ()


@pytest.mark.parametrize(
    ("ctx_size", "trained", "depths"),
    [
        (32_768, 262_144, (8192, 16_384, 32_768)),
        (32_768, None, (8192, 16_384, 32_768)),
        (8192, 8192, (1920, 3840, 7680)),
        (1024, 262_144, (512, 1024)),
    ],
)
def test_depths_follow_the_context(ctx_size: int, trained: int | None, depths: tuple[int, ...]) -> None:
    model = story.replace(story.MODEL, context_train=trained)
    assert depths_of(model, ctx_size) == depths


def test_the_sample_has_depths_of_its_own() -> None:
    assert depths_of(story.SAMPLE, 65_536) == (512, 1024, 2048)
