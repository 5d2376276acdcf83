"""Leads windows on scripted desks through the states in which a text can stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.ui.main_window import HISTORY, LOG, MODELS, SETTINGS, TUNE, MainWindow
from qtune.ui.tune.job_buttons import BOTH
from qtune.ui.tune.measure_bar import LADDER, LIVE, RESULT
from tests.ui import fake_history, fake_ladder, fake_models
from tests.ui import fake_story as story
from tests.ui.fake_desk import FakeDesk, Scene

Wait = Callable[[Callable[[], bool]], None]
"""Lets the window live until a condition holds."""
SIZES = ((1440, 900), (1024, 700))


@dataclass(frozen=True, slots=True)
class Stage:
    """A state of the window, and the pages and views in which it is looked at, each by what shows it."""

    name: str
    views: Mapping[str, Callable[[], object]]


def scenes(language: str = "en") -> dict[str, Scene]:
    """The desks of the tour: a computer where nothing was chosen, one with a long past, one in trouble."""
    look = {"language": language, "theme": "light"}
    first = Scene(preferences=dict(look), engines=(), with_gpu=False)
    full = Scene(preferences={**look, "model": story.MODEL.path}, with_history=True, tokens=12)
    full.preferences["form"] = "quick"
    small = replace(story.GPU, uuid="GPU-1030", name="NVIDIA GeForce GT 1030", vram_total_bytes=2 << 30)
    full.gpus = (small, story.GPU)
    full.past = fake_history.FakeHistory(fake_history.runs())
    full.trouble.incidents = (fake_ladder.incident("aggressive"), fake_ladder.incident("conservative"))
    full.trouble.stale = fake_ladder.trial("aggressive", 65_536)
    full.trouble.good = fake_ladder.trial("balanced", 8192)
    full.preferences |= {"model_folders": fake_models.HOME, "fallback_model": fake_models.Q3.path}
    broken = Scene(preferences={**look, "model": story.MODEL.path}, tokens=12)
    broken.failure = Message.of("ended_out_of_memory", line="cudaMalloc failed: out of memory")
    return {"first": first, "full": full, "broken": broken}


def walk(name: str, window: MainWindow, wait: Wait) -> Iterator[Stage]:
    """Bring a window on the scene of that name into one state after the other."""
    yield from {"first": _first, "full": _full, "broken": _broken}[name](window, wait)


def _page(window: MainWindow, number: int) -> Callable[[], None]:
    return lambda: window.show_page(number)


def _first(window: MainWindow, wait: Wait) -> Iterator[Stage]:
    wait(lambda: window.bench.finder.engines_known)
    window.show_page(MODELS)
    wait(lambda: window.bench.search.ended)
    window.log.search.setText("nothing like it")
    names = {"first start": TUNE, "no history": HISTORY, "models without a card": MODELS, "empty log": LOG}
    yield Stage("first start", {name: _page(window, page) for name, page in names.items()})


def _broken(window: MainWindow, wait: Wait) -> Iterator[Stage]:
    wait(lambda: window.bench.complete)
    window.run_job(BOTH)
    wait(lambda: window.bench.idle)
    yield Stage("failed", {"failed": lambda: None})


def _full(window: MainWindow, wait: Wait) -> Iterator[Stage]:
    desk, bench = window._desk, window.bench
    assert isinstance(desk, FakeDesk)
    wait(lambda: bench.complete and len(window.banners.banners) > 0)
    for second in range(4):
        desk.emit(story.telemetry(story.Stage(), story.BASE_NS + second * story.S, 1.0, second))
    window.strip.toggle.click()
    wait(lambda: bench.idle and bench.way_back.view is not None and bench.server.state is ServerState.READY)
    window.roll_back()
    wait(lambda: bench.idle)
    yield Stage(
        "running",
        {"rolled back": lambda: window.tune.show_view(LIVE), "ladder": lambda: window.tune.show_view(LADDER)},
    )
    window.strip.toggle.click()
    wait(lambda: bench.idle and bench.server.state is ServerState.STOPPED)
    bench.run_job("compare")
    wait(lambda: bench.idle)
    fill_pages(window, wait)
    yield Stage("measured", _views(window, wait))


def fill_pages(window: MainWindow, wait: Wait) -> None:
    """Something on every page of the scene with a past."""
    history, models = window.history, window.models
    window.show_page(HISTORY)
    wait(lambda: len(history.model.keys) > 0)
    window.show_page(MODELS)
    wait(lambda: window.bench.search.ended)
    models.table.choose(fake_models.BESIDE.path)
    models.problems_card.head.click()
    models.folders_card.head.click()
    window.show_incident(window.bench.way_back.incidents[0].id)
    window.steps.head.click()


def _views(window: MainWindow, wait: Wait) -> dict[str, Callable[[], object]]:
    failed = [row.key for row in fake_history.runs() if row.failure is not None]

    def tune(view: int) -> None:
        window.show_page(TUNE)
        window.tune.show_view(view)

    def history(keys: list[int]) -> None:
        window.show_page(HISTORY)
        window.history.table.choose(keys)
        wait(lambda: len(window.history.detail.shown) == len(keys))

    return {
        "live": lambda: tune(LIVE),
        "compared": lambda: tune(RESULT),
        "runs compared": lambda: history([999, 998, 595]),
        "failed run": lambda: history(failed[-1:]),
        "models": _page(window, MODELS),
        "incident": _page(window, LOG),
        "settings": _page(window, SETTINGS),
    }
