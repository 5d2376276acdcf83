"""Render the window's states into ./screenshots/, from a scripted session, so that pictures can be compared.

Run it from the root of the source tree, best under a virtual display (offscreen lacks the system's fonts):
``xvfb-run -a -s "-screen 0 1920x1080x24" python packaging/screenshots.py [STATE ...] [--quick]``
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QMessageBox, QWidget

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from qtune.core.errors import KnownError  # noqa: E402 - the path has to be set first
from qtune.core.events import Event, TextArrived  # noqa: E402
from qtune.core.messages import Message  # noqa: E402
from qtune.core.records import ExperimentRecord  # noqa: E402
from qtune.session.jobs import JobKind, JobRequest, request_to_json  # noqa: E402
from qtune.ui.main_window import HISTORY, LOG, MODELS, SETTINGS, MainWindow  # noqa: E402
from qtune.ui.tune.job_buttons import BOTH  # noqa: E402
from qtune.ui.tune.measure_bar import LADDER, LIVE  # noqa: E402
from tests.ui import fake_comparison, fake_history, fake_ladder, fake_models  # noqa: E402
from tests.ui import fake_story as story  # noqa: E402
from tests.ui.fake_desk import FakeDesk, Scene  # noqa: E402

Look = tuple[str, str, tuple[int, int]]
"""Theme, language and size."""
SIZES = ((1440, 900), (1024, 700), (1920, 1080))
THEMES = ("light", "dark")
LANGUAGES = ("en", "zh_CN")
STATES = (
    "first-start",
    "first-missing",
    "first-ready",
    "first-no-head",
    "skipped",
    "ready",
    "full-card",
    "no-card",
    "measuring",
    "measured",
    "failed",
    "comparing",
    "better",
    "no-difference",
    "mixed",
    "indication",
    "cancelled",
    "search",
    "custom",
    "sweep",
    "selftest",
    "sample",
    "fill",
    "unfinished",
    "history",
    "history-failed",
    "history-compared",
    "history-deleted",
    "history-experiment",
    "history-folded",
    "history-beside",
    "history-runs-beside",
    "history-change",
    "no-history",
    "no-match",
    "history-broken",
    "models",
    "models-facts",
    "searching",
    "no-models",
    "log",
    "settings",
    "shared-history",
    "running",
    "rolled-back",
    "waiting",
    "foot",
    "incident",
    "steps",
    "stale-trial",
    "known-bad",
    "keep",
    "confirm",
    "leaving",
    "safe-mode",
    "two-cards",
    "keys",
    "pasted",
    "own-settings",
    "recent",
    "more",
    "second-row",
    "crosshair",
    "chart-menu",
)
JOBS: dict[str, JobKind] = {
    "comparing": "compare",
    "better": "compare",
    "no-difference": "compare",
    "mixed": "compare",
    "indication": "measure",
    "cancelled": "compare",
    "search": "sweep-n-max",
    "custom": "sweep-n-max",
    "sweep": "sweep-context",
    "selftest": "selftest",
    "sample": "compare",
    "fill": "fill",
}
"""States that show a job or its result."""
ON_FIRST = frozenset({"first-start", "first-missing", "first-ready", "first-no-head", "skipped"})
"""States of the first start, with more and more chosen, and the workplace of one who skipped it."""
ON_CHARTS = ("second-row", "crosshair", "chart-menu")
"""States of the live charts."""
ON_LADDER = frozenset(
    {"running", "rolled-back", "waiting", "foot", "incident", "steps", "known-bad", "keep", "confirm"}
)
"""States with a server that was started; some of them failed."""
ON_HABITS = frozenset({"keys", "pasted", "own-settings", "recent", "more"})
"""States of what is pasted, used last, and reached by keys."""
COMMAND = (
    f"/opt/llama.cpp/llama-server -m {fake_models.MOE.path} -c 32768 -ctk q8_0 -ctv q8_0 -fa on -t 8 -b 2048"
    " --spec-type draft-mtp --spec-draft-n-max 5 --host 0.0.0.0 --port 9000 --api-key sk-secret --temp 0.7"
    " --cache-reuse 256"
)
"""A command as people keep it in a script."""
ON_MODELS = frozenset({"models", "models-facts", "searching", "no-models"})
"""States of the Models page."""
ON_HISTORY = frozenset(name for name in STATES if "history" in name or name == "no-match")
"""States of the History page."""
WORLDS = {"no-difference": "flat", "mixed": "mixed"}
DEADLINE_S = 20


def pump(
    app: QApplication, until: Callable[[], object], settle_s: float = 0.3, deadline_s: float = DEADLINE_S
) -> None:
    """Let the window live until a condition holds, then a little longer for its timers."""
    end = time.monotonic() + deadline_s
    while not until():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            raise TimeoutError("the state was not reached")
    end = time.monotonic() + settle_s
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def nth_text(number: int) -> Callable[[Event], bool]:
    """True for the numbered piece of text and never again."""
    counter = itertools.count(1)
    return lambda event: isinstance(event, TextArrived) and next(counter) == number


def scene_of(state: str, preferences: dict[str, str]) -> Scene:
    """The computer and session behind a state."""
    scene = Scene(preferences=preferences, with_history=state not in ON_FIRST)
    if state not in ON_FIRST:
        preferences["model"] = story.MODEL.path
    if state in ("first-missing", "skipped"):
        scene.with_gpu, scene.engines, scene.at_start = False, (), ()
    if state == "sample":
        scene.with_gpu, scene.engines = False, ("bundled",)
        preferences |= {"model": story.SAMPLE.path, "prompt": "sample"}
    if state in ("measuring", "second-row", "leaving"):
        scene.hold, scene.hold_when = threading.Event(), nth_text(5 * 150 + 430)
    if state in ("comparing", "cancelled"):
        scene.hold, scene.hold_when = threading.Event(), nth_text(26 * 60 + 30)
    if state in JOBS:
        scene.world, scene.tokens = WORLDS.get(state, "usual"), 60
    if state == "unfinished":
        request = JobRequest("compare", story.LLAMA.ref, story.MODEL.path)
        scene.unfinished = ExperimentRecord(
            "earlier", "compare", "full", 42, "2026-11-29T18:20:00+00:00", request=request_to_json(request)
        )
    if state in ON_HISTORY and state != "no-history":
        broken = (
            KnownError("history_not_readable", path="qtune.db", reason="disk I/O error")
            if state == "history-broken"
            else None
        )
        scene.past = fake_history.FakeHistory(fake_comparison.with_starts(fake_history.runs()), broken)
    dress_memory(scene, state)
    dress_trouble(scene, state)
    if state == "failed":
        scene.failure = Message.of("ended_out_of_memory", line="cudaMalloc failed: out of memory")
    return scene


def dress_trouble(scene: Scene, state: str) -> None:
    """What fails, and what the last time left behind."""
    trouble = scene.trouble
    if state in ("rolled-back", "incident", "steps", "waiting"):
        scene.preferences |= {"ctx_size": "65536"}
        trouble.fails = fake_ladder.with_mtp
    if state == "waiting":
        trouble.stop_at = "waiting"
    if state == "incident":
        trouble.incidents = (fake_ladder.incident("aggressive"), fake_ladder.incident("conservative"))
    if state == "foot":
        trouble.fails = lambda _footing: fake_ladder.OUT_OF_MEMORY
        trouble.priced = False
    if state == "stale-trial":
        trouble.stale = fake_ladder.trial("aggressive", 65_536)
        trouble.good = fake_ladder.trial("balanced", 8192)
    if state == "known-bad":
        trouble.bad = (fake_ladder.trial("balanced", reason=fake_ladder.OUT_OF_MEMORY),)
    if state == "keep":
        trouble.default = fake_ladder.trial("conservative", 8192)
    trouble.safe_mode = state == "safe-mode"
    if state == "two-cards":
        small = replace(story.GPU, uuid="GPU-1030", name="NVIDIA GeForce GT 1030", vram_total_bytes=2 << 30)
        scene.gpus = (small, story.GPU)
        scene.preferences |= {"fallback_model": fake_models.Q3.path}


def show_ladder(app: QApplication, window: MainWindow, desk: FakeDesk, state: str) -> None:
    """Start a server and let it fail as far as the state wants."""
    bench = window.bench
    window.strip.toggle.click()
    if state == "known-bad":
        pump(app, lambda: bool(window.findChildren(QMessageBox)))
        return
    pump(app, lambda: bench.idle and bench.way_back.view is not None)
    for second in range(20):
        desk.emit(story.telemetry(story.Stage(), story.BASE_NS + second * story.S, 1.0, second))
    if window.tune.ladder_folded and state in ("running", "rolled-back", "waiting", "foot"):
        window.tune.show_view(LADDER)
    if state == "incident":
        window.show_incident(bench.way_back.incidents[0].id)
    if state == "steps":
        window.roll_back()
        pump(app, lambda: bench.idle)
        window.climb_back()
        pump(app, lambda: bench.idle)
        window.show_page(LOG)
        window.steps.head.click()
    if state == "confirm":
        window.close()
    if state == "keep":
        window.tune.ladder.keep.click()
        pump(app, lambda: window.recovery.dialog is not None)


def dress_memory(scene: Scene, state: str) -> None:
    """What the states of the Models page and of the memory bars differ in."""
    preferences = scene.preferences
    if state == "no-models":
        scene.models, scene.model_problems = (), ()
    if state == "searching":
        scene.survey_hold = threading.Event()
    if state == "models-facts":
        preferences |= {"model_folders": fake_models.HOME, "ctx_size": "131072"}
    if state == "fill":
        preferences |= {"ctx_size": "65536"}
    if state == "full-card":
        preferences |= {"ctx_size": "131072"}
    if state == "no-card":
        scene.with_gpu, scene.engines = False, ("bundled",)
        preferences |= {"model": story.SAMPLE.path, "prompt": "sample"}


def show_first(app: QApplication, window: MainWindow, state: str) -> None:
    """The first start as far as a state has come."""
    pump(app, lambda: window.bench.finder.report is not None)
    models = {"first-ready": story.MODEL, "first-no-head": fake_models.NO_HEAD}
    if state in models:
        window.bench.take_model(models[state])
    if state == "skipped":
        window.tune.first_start.skip.click()


def play_job(app: QApplication, window: MainWindow, desk: FakeDesk, state: str) -> None:
    """Ask for the job of a state and wait for what the state shows of it."""
    bench = window.bench
    if state == "sweep":
        bench.choose_context(32_768)
    if state == "indication":
        bench.run_job("measure", ("off", "balanced"))
    else:
        window.run_job(JOBS[state])
    if state == "comparing":
        pump(app, desk.held.is_set)
        return
    if state == "cancelled":
        pump(app, desk.held.is_set)
        bench.cancel()
        assert desk.scene.hold is not None  # noqa: S101 - set by scene_of
        desk.scene.hold.set()
    pump(app, lambda: bench.idle)
    if state == "custom" and bench.found is not None:
        window.tune.result.verdict.take.click()
        window.tune.show_view(LIVE)


def show_models(app: QApplication, window: MainWindow, desk: FakeDesk, state: str) -> None:
    """The Models page as far as its search has come."""
    window.show_page(MODELS)
    search, page = window.bench.search, window.models
    if state == "searching":
        pump(app, lambda: len(search.entries) == 2)
        return
    pump(app, lambda: search.ended)
    if state == "models-facts":
        page.table.choose(fake_models.BESIDE.path)
        page.problems_card.head.click()
        page.folders_card.head.click()
        pump(app, lambda: True)
    del desk


def show_history(app: QApplication, window: MainWindow, state: str) -> None:
    """The History page with what the state selects, finds or deletes."""
    window.show_page(HISTORY)
    page = window.history
    pump(app, lambda: not page._reading)  # noqa: SLF001 - the script waits as the tests do
    failed = [row.key for row in fake_history.runs() if row.failure is not None]
    changed = [row.key for row in fake_history.runs() if row.arm == "balanced" and row.model == "Qwen3.6-27B"]
    chosen = {
        "history-compared": [999, 998, 595],
        "history-failed": failed[-1:],
        "history-change": changed[-1:],
        "history-runs-beside": [1012, 1011, 1007, 999, 595],
    }
    if state in {"history-experiment", "history-folded", "history-beside"}:
        page.filter.grouped.setChecked(True)
        pump(app, lambda: len(page.model.lines) > len(page.model.keys))
        page.table.choose([int(page.model.lines[0])])
        pump(app, lambda: page.detail.experiment is not None)
    if state == "history-folded":
        page.table.fold_all(on=True)
        page.filter.more.setChecked(True)
        page.filter.outliers.setCurrentIndex(1)
        pump(app, lambda: not page._reading and len(page.model.keys) < 1012)  # noqa: SLF001 - as above
    if state in chosen:
        page.table.choose(chosen[state])
    if state == "no-match":
        page.filter.text.setText("mixtral")
        pump(app, lambda: not len(page.model.keys))
    if state in {"history-beside", "history-runs-beside"}:
        page.compare()
        pump(app, lambda: page.comparison.found is not None)
        pump(app, lambda: page.comparison.decode.height() > 150)
    if state == "history-change":
        pump(app, lambda: bool(page.detail.shown) and bool(page.detail.shown[0].changes))
    if state in {"history", "history-failed", "history-compared", "history-deleted"}:
        count = len(chosen.get(state, [0]))
        pump(app, lambda: len(page.detail.shown) == count)
    if state == "history-deleted":
        page.filter.grouped.setChecked(True)
        page.delete()
        pump(app, lambda: page.banner is not None and len(page.model.keys) == 1011)


def show_charts(app: QApplication, window: MainWindow, state: str) -> None:
    """The second row, the crosshair as the keyboard leads it, or an open menu."""
    charts = window.tune.charts
    window.tune.measure.more.setChecked(state == "second-row")
    pump(app, lambda: True)
    if state == "second-row":
        charts.memory.setFocus()
        send_keys(charts.memory, Qt.Key.Key_Left, Qt.Key.Key_PageUp)
    if state == "crosshair":
        charts.decode.setFocus()
        send_keys(charts.decode, Qt.Key.Key_Home, *[Qt.Key.Key_PageDown] * 6)
    if state == "chart-menu":
        QApplication.sendEvent(charts.ttft, menu_key(charts.ttft))


def show_habits(app: QApplication, window: MainWindow, state: str) -> None:
    """The list of keys, a pasted command, what it leaves behind, and open menus."""
    bar = window.tune.source
    if state == "keys":
        window.commands.show_keys()
    if state in ("pasted", "own-settings"):
        window.commands.hand_over.read(COMMAND)
        pump(app, lambda: window.commands.hand_over.dialog is not None)
    if state == "own-settings" and window.commands.hand_over.dialog is not None:
        window.commands.hand_over.dialog.apply.click()
    if state == "recent":
        window.bench.recent_models.put(
            (story.MODEL.path, "/media/usb/gone-27B-Q4_K_M.gguf", fake_models.MOE.path)
        )
        bar.recent_models.list.popup(bar.recent_models.mapToGlobal(bar.recent_models.rect().bottomLeft()))
    if state == "more":
        jobs = window.tune.measure.jobs
        jobs.menu.popup(jobs.more.mapToGlobal(jobs.more.rect().bottomLeft()))


def send_keys(widget: QWidget, *keys: Qt.Key) -> None:
    """Press keys one after the other."""
    for key in keys:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier))


def menu_key(widget: QWidget) -> QContextMenuEvent:
    """What the menu key sends."""
    middle = widget.rect().center()
    return QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, widget.mapToGlobal(middle))


def picture_of(window: MainWindow) -> QPixmap:
    """The window with its open boxes and menus, which are windows of their own that grab leaves out."""
    picture = window.grab()
    painter = QPainter(picture)
    for box in window.findChildren(QDialog):
        inside = box.grab()
        shown = inside.deviceIndependentSize()
        at = QPointF((window.width() - shown.width()) / 2, (window.height() - shown.height()) / 2)
        painter.drawPixmap(at, inside)
        box.close()
    for menu in window.findChildren(QMenu):
        if menu.isVisible():
            painter.drawPixmap(window.mapFromGlobal(menu.pos()), menu.grab())
            menu.close()
    painter.end()
    return picture


def show_page(app: QApplication, window: MainWindow, state: str) -> None:
    """The log or the settings, also with a database of a group that was tried and found."""
    window.show_page(LOG if state == "log" else SETTINGS)
    if state != "shared-history":
        return
    section = window.settings.history
    section.kept.setCurrentIndex(1)
    section.kept.activated.emit(1)
    section.address.setText("postgresql://me@bench.example.org/qtune")
    section.password.setText("not shown")
    section.attempt.click()
    pump(app, section.attempt.isEnabled)
    window.settings.ensureWidgetVisible(section, 0, 40)


def show_state(app: QApplication, window: MainWindow, desk: FakeDesk, state: str) -> None:
    """What the states of a job and of a page show."""
    if state in JOBS:
        play_job(app, window, desk, state)
    if state in ON_LADDER:
        show_ladder(app, window, desk, state)
    if state in ON_HISTORY:
        show_history(app, window, state)
    if state in ON_MODELS:
        show_models(app, window, desk, state)
    if state in ON_HABITS:
        show_habits(app, window, state)
    if state in ("log", "settings", "two-cards", "shared-history"):
        show_page(app, window, state)


def brought(app: QApplication, state: str, look: Look) -> MainWindow:
    """A window in the state and the look."""
    theme, language, size = look
    desk = FakeDesk(scene_of(state, {"theme": theme, "language": language}))
    window = MainWindow(desk, app, ROOT / "resources")
    window.resize(*size)
    window.show()
    bench = window.bench
    pump(app, lambda: bench.finder.engines_known and (state in ON_FIRST or bench.complete))
    if state in ("ready", "full-card", "failed", "settings", "unfinished", "stale-trial", "safe-mode"):
        for second in range(60):
            desk.emit(story.telemetry(story.Stage(), story.BASE_NS + second * story.S, 0.0, second))
    if state in ON_FIRST:
        desk.emit(story.telemetry(story.Stage(), story.BASE_NS, 0.0, 1))
        show_first(app, window, state)
    if state in ("measuring", "leaving", "measured", "failed", "log", *ON_CHARTS):
        window.run_job("measure" if state == "failed" else BOTH)
        pump(app, desk.held.is_set if desk.scene.hold is not None else lambda: bench.idle)
        window.tune.show_view(LIVE)
        show_charts(app, window, state)
    show_state(app, window, desk, state)
    if state == "leaving":
        window.close()
    pump(app, lambda: True, 0.5)
    return window


def sent_away(app: QApplication, window: MainWindow) -> None:
    """Let it close in order."""
    window.shut_down()
    pump(app, lambda: window._ended, 0.0)  # noqa: SLF001 - the script stands in for the application
    window.deleteLater()
    # Outside of an event loop nothing is deleted later, and each theme would go to every window there was.
    app.sendPostedEvents(window, QEvent.Type.DeferredDelete)


def render(app: QApplication, state: str, looks: Sequence[Look], out: Path) -> None:
    """Save a state in every look; the window changes its look, unless a dialog is open: that is made anew."""
    window, closed = brought(app, state, looks[0]), False
    for number, (theme, language, size) in enumerate(looks):
        if number and closed:
            sent_away(app, window)
            window = brought(app, state, (theme, language, size))
        elif number:
            window.choose_theme(theme)
            window.choose_language(language)
            window.resize(*size)
            pump(app, lambda: True, 0.4)
        opened = [*window.findChildren(QDialog), *window.findChildren(QMenu)]
        closed = any(box.isVisible() for box in opened)  # by taking the picture
        picture_of(window).save(str(out / f"{state}_{theme}_{language}_{size[0]}x{size[1]}.png"))
        print(state, theme, language, *size, flush=True)
    sent_away(app, window)


def main() -> int:
    """Render what was asked for; all of it by default."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    quick = "--quick" in sys.argv
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    out = ROOT / "screenshots"
    out.mkdir(exist_ok=True)
    looks: list[Look] = [("light", "en", SIZES[0]), ("dark", "zh_CN", SIZES[1])]
    every = looks if quick else list(itertools.product(THEMES, LANGUAGES, SIZES))
    for state in words or STATES:
        render(app, state, every, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
