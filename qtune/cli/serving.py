"""``qtune serve``: one server under supervision until Ctrl-C; ``qtune ladder``: where the way back stands."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console

from qtune.cli import ladder_document, ladder_tables
from qtune.cli.asking import Asked
from qtune.cli.ladder_tables import footing_words
from qtune.cli.options import AsJson, BaseDir, Ctx, EnginePath, ModelPath, Sample, Settings
from qtune.cli.printing import Done, run_command
from qtune.cli.serve_words import ServeTeller
from qtune.cli.waiting import interrupts, wait_for
from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice
from qtune.core.ladder import LadderView
from qtune.core.messages import Message
from qtune.core.verdict import BASELINE
from qtune.host.paths import app_paths
from qtune.session.access_file import AccessFile
from qtune.session.desk import Desk
from qtune.session.keeper import Entry
from qtune.session.requests import LaunchRequest, ServerAccess
from qtune.session.trials import Trial

POLL_S = 0.2
ENDING_S = 5.0
"""How long a start may take to notice that it was stopped."""
STEPS_READ = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """How to serve, besides what."""

    asked: Asked
    preset: str | None
    no_rollback: bool
    roll_back: bool
    keep: bool

    def check(self) -> None:
        """What is to be served, or nothing at all.

        Raises:
            typer.BadParameter: Otherwise.
        """
        asked = self.asked
        if asked.model is not None or asked.sample:
            asked.check()
        elif self.preset or asked.engine or asked.ctx or asked.settings:
            raise typer.BadParameter("--preset, --ctx, --set and --engine need --model FILE or --sample")


class Serving:
    """One run of ``qtune serve`` on one desk."""

    def __init__(self, desk: Desk, wish: Wish, access_file: AccessFile, *, url_on_stderr: bool) -> None:
        self._desk = desk
        self._wish = wish
        self._file = access_file
        self._url_on_stderr = url_on_stderr
        self._teller = ServeTeller(Console(stderr=True))
        self._stop = threading.Event()
        self._access: ServerAccess | None = None
        self._was_ready = False
        self._view: LadderView | None = None
        self._steps_before: frozenset[str] = frozenset()

    def run(self) -> Done:
        """Serve until someone wants it to end or the server is gone for good."""
        desk = self._desk
        desk.subscribe(self._teller)
        if self._wish.no_rollback:
            desk.set_for_this_run("automatic_rollback", "off")
        self._steps_before = frozenset(s.id for s in wait_for(desk.ladder_steps(STEPS_READ)))
        self._file.clear_leftovers()
        try:
            with interrupts(self._stop.set):
                failure = self._served()
        except KeyboardInterrupt:  # while the model or an engine was looked for, or at the second Ctrl-C
            failure = None
        finally:
            self._file.remove()
        if failure is not None and self._teller.incidents:
            self._teller.say(f"All that the engine printed: {desk.engine_log_file}")
        cancelled = failure is None and not self._was_ready
        return self._done(Message.of("serve_cancelled") if cancelled else failure, cancelled=cancelled)

    def _served(self) -> Message | None:
        """Why it ended, None if it was asked to."""
        try:
            request, entry = self._chosen()
            started = self._desk.start_server(request, entry)
            try:
                return self._until_over(started)
            finally:
                self._view = self._desk.ladder()  # how it stood, before it is stopped for good
                wait_for(self._desk.stop_server())
                with suppress(NotYet, KnownError):
                    started.result(timeout=ENDING_S)
        except KnownError as error:
            return None if self._stop.is_set() else error.message

    def _done(self, failure: Message | None, *, cancelled: bool) -> Done:
        steps = wait_for(self._desk.ladder_steps(STEPS_READ))
        new = [step for step in steps if step.id not in self._steps_before]
        told = ladder_document.serve_json(self._view, self._teller.incidents, new[::-1])
        return Done(told, [], failure, cancelled)

    # -- what to serve ---------------------------------------------------------------------------------------

    def _chosen(self) -> tuple[LaunchRequest, Entry]:
        entry: Entry = "below" if self._wish.roll_back else "top"
        asked, desk = self._wish.asked, self._desk
        if asked.model is None and not asked.sample:
            return self._remembered(), entry
        request = asked.launch(desk, self._wish.preset)
        if self._wish.preset is None and request.preset == BASELINE:
            self._teller.say("Serving without MTP: the engine cannot draft, or the model has no head for it.")
        bad = wait_for(desk.known_bad(request))
        if bad is not None and entry == "top":
            reason = "?" if bad.reason is None else bad.reason.sentence()
            self._tell(Message.of("known_bad", date=bad.at_utc[:10], reason=reason))
        return request, entry

    def _remembered(self) -> LaunchRequest:
        """The user's default or the last good settings; to go below, what took us down comes first."""
        desk = self._desk
        stale = desk.stale_trial
        good = wait_for(desk.last_good())
        if self._wish.roll_back and stale is not None:
            self._teller.say(f"One step below what was broken off: {_dated(stale)}")
            return _again(stale)
        if good is None:
            known = wait_for(desk.ladder_report())
            raise KnownError("no_last_good" if stale is None and not known.bad else "no_other_good")
        what = "One step below" if self._wish.roll_back else "Starting"
        self._teller.say(f"{what} the last settings that worked: {_dated(good)}")
        return _again(good)

    # -- while it serves -------------------------------------------------------------------------------------

    def _until_over(self, started: Future[None]) -> Message | None:
        while not self._stop.is_set():
            if started.done():
                started.result()
                if not self._was_ready:
                    self._proved()
                self._hand_out()
                if not self._desk.keeping:
                    return self._teller.reason or Message.of("server_not_running")
            self._stop.wait(POLL_S)
        return None

    def _proved(self) -> None:
        self._was_ready = True
        wait_for(self._desk.dismiss_stale_trial())
        if not self._wish.keep:
            return
        try:
            wait_for(self._desk.keep_as_default())
        except (
            KnownError
        ) as error:  # a full disk, or it just crashed: the server is looked after all the same
            self._teller.say(f"Not kept as your default: {error.message.sentence()} {error.message.hint()}")
        else:
            view = self._desk.ladder()
            what = "what runs" if view is None else footing_words(view.current)
            self._teller.say(f"Kept as your default: {what}")

    def _hand_out(self) -> None:
        """Say where the server is and where its key lies, whenever that has changed."""
        access = self._desk.server_access()
        if access is None or access == self._access:
            return
        first = self._access is None
        self._access = access
        try:
            self._file.write(access.key)
        except KnownError as error:
            if first:
                raise
            self._tell(error.message)  # who is connected already must not lose the server over a full disk
        for line in (f"URL {access.url}", f"API key in {self._file.path}"):
            if self._url_on_stderr:
                self._teller.say(line)
            else:
                with suppress(OSError):
                    print(line, flush=True)

    def _tell(self, message: Message) -> None:
        self._teller.say(f"{message.sentence()} {message.hint()}")


def _again(trial: Trial) -> LaunchRequest:
    footing = trial.footing
    return LaunchRequest(trial.ref, footing.model_path, footing.settings, footing.preset)


def _dated(trial: Trial) -> str:
    return f"{footing_words(trial.footing)} ({trial.at_utc})"


def serve(
    model: ModelPath = None,
    sample: Sample = False,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Settings to serve; balanced, off without a head.")
    ] = None,
    ctx: Ctx = None,
    setting: Settings = None,
    engine: EnginePath = None,
    no_rollback: Annotated[
        bool, typer.Option("--no-rollback", help="Start nothing again by itself in this run.")
    ] = False,
    roll_back: Annotated[
        bool, typer.Option("--roll-back", help="Begin one step down the ladder from what would be started.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep what works as the default, also when it is less.")
    ] = False,
    safe_mode: Annotated[bool, typer.Option("--safe-mode", help="With MTP off.")] = False,
    base_dir: BaseDir = None,
    as_json: AsJson = False,
) -> int:
    """Run a server under supervision until Ctrl-C; without a model: your default, or what last worked."""
    wish = Wish(Asked(model, sample, engine, ctx, setting), preset, no_rollback, roll_back, keep)
    wish.check()

    def job(desk: Desk) -> Done:
        file = AccessFile(app_paths(base_dir).state)
        return Serving(desk, wish, file, url_on_stderr=as_json).run()

    return run_command(
        "serve", base_dir, job, as_json=as_json, safe_mode=safe_mode, cancelled="serve_cancelled"
    )


def ladder(base_dir: BaseDir = None, as_json: AsJson = False) -> int:
    """Show the way back: what was asked last, what works, the rungs, what fails, what happened."""

    def job(desk: Desk) -> Done:
        teller = ServeTeller(Console(stderr=True))

        stale = desk.stale_trial
        known = None if stale is None else Notice(stale.told_stale())  # told with the rest

        def tell(event: Event) -> None:
            if event != known:
                teller(event)

        desk.subscribe(tell)
        report = wait_for(desk.ladder_report())
        return Done(ladder_document.ladder_json(report), ladder_tables.parts(report))

    return run_command("ladder", base_dir, job, as_json=as_json)
