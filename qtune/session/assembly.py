"""Builds the desk: each room once, in the order they need each other. Used by window and terminal alike."""

from __future__ import annotations

from pathlib import Path

from qtune.core.clock import SystemClock
from qtune.core.events import Notice
from qtune.core.messages import Message
from qtune.core.ports import ServerProbe
from qtune.engine.probe import ProbeCache
from qtune.engine.supervisor import Supervisor
from qtune.host.engine_log import EngineLog
from qtune.host.io_loop import IoLoop
from qtune.host.leftovers import end_leftovers
from qtune.host.logging_setup import configure_logging
from qtune.host.machine import machine_facts
from qtune.host.paths import app_paths, resource_dir
from qtune.host.preferences import open_preferences
from qtune.session.announcer import Announcer
from qtune.session.catalog import load_presets, load_workloads
from qtune.session.desk import Desk
from qtune.session.history_place import place_in_force
from qtune.session.means import USUAL_TIMING, Timing
from qtune.session.rooms import Rooms
from qtune.session.shelf import Shelf
from qtune.session.trials import Trial, Trials
from qtune.store.history import open_history
from qtune.telemetry.cards import Cards
from qtune.telemetry.host import HostProbe
from qtune.telemetry.sampler import Sampler


def log_file(base_dir: Path | None) -> Path:
    """Where the log of the app is kept."""
    return app_paths(base_dir).logs / "qtune.log"


def open_desk(
    base_dir: Path | None = None, *, safe_mode: bool = False, timing: Timing = USUAL_TIMING
) -> Desk:
    """A desk on the user's folders, ready to work.

    Args:
        base_dir: Keep everything below this folder instead of the system's usual ones.
        safe_mode: Start servers with MTP off; said in a notice.
        timing: How long things are waited for while a server is kept.

    Raises:
        KnownError: ``folder_not_writable``, ``history_not_writable``, ``history_newer``, ``history_url_bad``.
    """
    paths = app_paths(base_dir)
    paths.ensure()
    configure_logging(paths.logs)
    notices: list[Message] = []
    preferences, problem = open_preferences(paths.settings_file)
    if problem is not None:
        notices.append(problem)
    end_leftovers(paths.leftovers_file)
    clock = SystemClock()
    history = open_history(place_in_force(base_dir, preferences), paths.backups, clock)
    trials = Trials(paths.trials, clock)
    notices += trials.set_aside_damaged()
    stale = _stale_trial(trials, notices)
    if safe_mode:
        notices.append(Message.of("safe_mode"))
    shelf = Shelf(
        paths=paths,
        preferences=preferences,
        probes=ProbeCache(paths.cache / "engines.json"),
        presets=load_presets(resource_dir()),
        workloads=load_workloads(resource_dir()),
        notices=(*notices, *history.notices),
        stale_trial=stale,
        safe_mode=safe_mode,
    )
    cards = Cards.of_this_computer()
    sampler = Sampler(cards, HostProbe(), clock)
    announcer = Announcer()
    history.writer.watch(lambda message: announcer.announce(Notice(message)))
    io = IoLoop()
    engine_log = EngineLog(paths.engine_log_file)
    supervisor = Supervisor(
        _make_probe,
        clock,
        announcer.announce,
        announcer.announce,
        empty_config_dir=paths.empty_config_dir,
        leftovers_file=paths.leftovers_file,
        keep_log=engine_log.keep,
    )
    rooms = Rooms(history, sampler, cards, supervisor, engine_log, machine_facts(), clock)
    desk = Desk(rooms, io, shelf, announcer, timing)
    sampler.start()  # last, so that everyone who listens hears of the first reading
    return desk


def _stale_trial(trials: Trials, notices: list[Message]) -> Trial | None:
    """What took us down last time is told; a launch is remembered as bad until the build changes.

    A server that had proved itself is not: whoever pulled the plug hours later says nothing against it.
    """
    for trial in trials.all_stale():
        if trial.phase == "launching":
            trials.mark_bad(trial, trial.told_stale())
    stale = trials.stale()
    if stale is not None:
        notices.append(stale.told_stale())
    return stale


def _make_probe(port: int, api_key: str) -> ServerProbe:
    # Its library takes a fifth of a second to import; most commands never talk to a server.
    from qtune.endpoint.client import make_probe  # noqa: PLC0415

    return make_probe(port, api_key)
