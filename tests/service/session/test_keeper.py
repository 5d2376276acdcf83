"""The keeper on a real desk with real processes: each failure gets its class, line and answer, once."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.core.causes import Cause
from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import Event, LadderChanged, Notice, RequestStarted, RolledBack, ServerChanged
from qtune.core.incident import Incident, LadderStep
from qtune.core.ladder import LadderView
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.jobs import JobRequest
from qtune.session.means import Timing
from qtune.session.requests import LaunchRequest
from qtune.session.watchdog import Patience
from tests.conftest import ExpectLog
from tests.fake_llama.make import make_fake_model
from tests.patience import until
from tests.unit.session.test_trials import killed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fake engines are POSIX scripts")

LIMIT_S = 120.0
PACE: dict[str, Any] = {"load_s": 0.0, "ttft_ms": 1, "itl_ms": 0.5, "tokens": 48}
QUICK = Timing(
    pauses_s=(0.01, 0.02, 0.03), patience=Patience(poll_s=0.05, stall_s=0.5, prompt_s=0.5, deaf_s=5)
)
MTP = ServerSettings(mtp=True, n_max=4, ctx_size=16384)
OFF = ServerSettings(ctx_size=16384)


@dataclass
class Home:
    """A desk, what it said, and how often the engine was launched."""

    folder: Path
    fake: Callable[..., EngineRef]
    model: Path
    timing: Timing = QUICK
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.desk: Desk = open_desk(self.folder / "home", timing=self.timing)
        self.desk.subscribe(self.events.append)

    def request(self, settings: ServerSettings = MTP, **switches: Any) -> LaunchRequest:
        engine = self.fake(**{**PACE, "launch_log": str(self.folder / "launches"), **switches})
        return LaunchRequest(engine, str(self.model), settings, "balanced" if settings.mtp else "off")

    def start(self, settings: ServerSettings = MTP, **switches: Any) -> None:
        self.desk.start_server(self.request(settings, **switches)).result(LIMIT_S)

    def failed(self, future: Future[None]) -> Message:
        with pytest.raises(KnownError) as caught:
            future.result(LIMIT_S)
        assert "?" not in str(caught.value)
        return caught.value.message

    def launches(self) -> list[list[str]]:
        file = self.folder / "launches"
        lines = file.read_text().splitlines() if file.exists() else []
        return [json.loads(line)["argv"] for line in lines]

    def contexts(self) -> list[tuple[bool, int]]:
        """MTP and context of each launch."""
        return [("--spec-type" in a, int(a[a.index("--ctx-size") + 1])) for a in self.launches()]

    @property
    def view(self) -> LadderView:
        view = self.desk.ladder()
        assert view is not None
        return view

    def wait_for(self, state: str) -> LadderView:
        def there() -> bool:
            seen = self.desk.ladder()
            return seen is not None and seen.state == state

        try:
            until(there)
        except AssertionError:
            why = [e.reason for e in self.events if isinstance(e, ServerChanged)][-1:]
            raise AssertionError(f"wanted {state}, is {self.view.state} because of {why}") from None
        return self.view

    def incidents(self) -> list[Incident]:
        """Oldest first."""
        return self.desk.incidents().result(LIMIT_S)[::-1]

    def steps(self) -> list[LadderStep]:
        """Oldest first."""
        return self.desk.ladder_steps().result(LIMIT_S)[::-1]

    def notices(self, code: str) -> list[Message]:
        return [e.message for e in self.events if isinstance(e, Notice) and e.message.code == code]

    def rolled_back(self) -> list[RolledBack]:
        return [e for e in self.events if isinstance(e, RolledBack)]

    def engine_pid(self) -> int:
        pid = self.desk._rooms.supervisor.pid
        assert pid is not None
        return pid

    def ask(self, on: Callable[[], object] = lambda: None) -> threading.Thread:
        """Have somebody else ask the server for a long answer; what becomes of it does not matter."""
        import httpx  # noqa: PLC0415 - a client as others use one

        access = self.desk.server_access()
        assert access is not None

        def talk() -> None:
            body = {"messages": [{"role": "user", "content": "Go on."}], "max_tokens": 2000, "stream": True}
            try:
                with httpx.Client(trust_env=False, timeout=30) as client:
                    head = {"Authorization": f"Bearer {access.key}"}
                    client.post(f"{access.url}/chat/completions", json=body, headers=head)
            except httpx.HTTPError:
                pass
            on()

        thread = threading.Thread(target=talk, name="somebody")
        thread.start()
        return thread


@pytest.fixture
def home(tmp_path: Path, fake_llama: Callable[..., EngineRef], fake_model: Path) -> Iterator[Home]:
    made = Home(tmp_path, fake_llama, fake_model)
    yield made
    made.desk.close()
    assert not list((tmp_path / "home").rglob("trial-*.json")), "an orderly end leaves no note"


def test_it_is_known_whether_somebody_is_being_answered(home: Home) -> None:
    assert home.desk.server_busy().result(LIMIT_S) is False, "nothing runs"
    home.start(OFF, tokens=2000, itl_ms=5)
    assert home.desk.server_busy().result(LIMIT_S) is False
    asked = home.ask()
    until(lambda: home.desk.server_busy().result(LIMIT_S) is True)
    home.desk.stop_server().result(LIMIT_S)
    asked.join()


# -- each cause: class, line, action, number of launches -------------------------------------------------


def test_memory_with_mtp_turns_mtp_off_and_says_so(home: Home) -> None:
    home.start(oom_at_load="rs", when_mtp=True)

    view = home.view
    assert view.state == "in_force"
    assert (view.asked.settings.mtp, view.current.settings.mtp) == (True, False)
    assert view.lowered
    assert view.why is not None
    assert view.why.code == "ended_out_of_memory"
    assert home.contexts() == [(True, 16384), (False, 16384)]
    (incident,) = home.incidents()
    assert incident.cause is Cause.MEMORY
    assert "cudaMalloc failed: out of memory" in incident.evidence
    assert incident.footing.settings.mtp
    assert incident.action is not None
    assert incident.action.code == "recovery_step"
    start, down = home.steps()
    assert (start.direction, start.verified, start.by) == ("start", False, "user")
    assert (down.direction, down.kind, down.verified, down.by) == ("down", "mtp_off", True, "automatic")
    assert down.reason == view.why
    (event,) = home.rolled_back()
    assert event.why == view.why
    assert "MTP off" in event.told().sentence()
    assert "out of memory" in event.told().sentence()


def test_memory_above_a_context_steps_down_until_it_fits(home: Home) -> None:
    home.start(OFF, oom_at_load="kv", when_ctx_above=4096)

    assert home.contexts() == [(False, 16384), (False, 8192), (False, 4096)]
    assert home.view.current.settings.ctx_size == 4096
    assert home.view.asked.settings.ctx_size == 16384
    assert [i.cause for i in home.incidents()] == [Cause.MEMORY] * 2
    (event,) = home.rolled_back()
    assert "16384 to 8192" in event.told().sentence()
    assert "8192 to 4096" in event.told().sentence()


def test_at_most_three_restarts(home: Home) -> None:
    deep = MTP.with_values({"ctx_size": 65536})
    failure = home.failed(home.desk.start_server(home.request(deep, oom_at_load=True)))

    assert failure.code == "ended_out_of_memory"
    assert len(home.launches()) == 4
    actions = [i.action.code for i in home.incidents() if i.action is not None]
    assert actions == ["recovery_step"] * 3 + ["recovery_too_often"]
    assert home.view.state == "failed"


def test_a_segfault_only_with_mtp_takes_exactly_two_launches(home: Home) -> None:
    home.start(crash_at_load="SIGSEGV", when_mtp=True)

    assert home.contexts() == [(True, 16384), (False, 16384)]
    (incident,) = home.incidents()
    assert incident.cause is Cause.MTP_FAULT
    assert incident.message.code == "ended_signal_silent"


def test_an_assertion_of_drafting_is_told_with_its_line(home: Home) -> None:
    line = "llama-memory-recurrent.cpp:377: GGML_ASSERT(n_ubatch > n_keep_tail) failed"
    home.start(crash_at_load="SIGABRT", crash_text=line, when_mtp=True)

    (incident,) = home.incidents()
    assert (incident.cause, incident.evidence) == (Cause.MTP_FAULT, line)
    assert len(home.launches()) == 2


def test_a_server_that_does_not_speculate_is_rolled_back(home: Home) -> None:
    home.start(spec_fails_silently=True)

    (incident,) = home.incidents()
    assert incident.message.code == "mtp_not_speculating"
    assert incident.cause is Cause.MTP_MISSING
    assert [mtp for mtp, _ in home.contexts()] == [True, False]


def test_a_batch_that_cannot_be_drafted_is_a_fault_of_mtp(home: Home) -> None:
    body = '{"error":{"code":500,"message":"decode() failed: failed to process speculative batch"}}'
    home.start(http_error=500, http_error_body=body, when_mtp=True, after_requests=1)

    (incident,) = home.incidents()
    assert incident.message.code == "request_mtp_fault"
    assert "failed to process speculative batch" in incident.evidence
    assert [mtp for mtp, _ in home.contexts()] == [True, False]


ANSWERED_AT_ONCE: list[tuple[dict[str, Any], str, Cause, str]] = [
    ({"crash_text": "error: invalid argument: --x"}, "ended_bad_argument", Cause.FLAGS, "argument: --x"),
    ({"port_in_use": True}, "ended_port_taken", Cause.PORT, "couldn't bind HTTP server socket"),
    (
        {"crash_text": "llama_model_load: error loading model: unknown model architecture: 'x'"},
        "ended_unknown_arch",
        Cause.FILE,
        "unknown model architecture: 'x'",
    ),
    (
        {"crash_text": "tensor 'x' data is not within the file bounds"},
        "ended_file_cut",
        Cause.FILE,
        "not within the file bounds",
    ),
    (
        {"crash_at_load": 127, "crash_text": "x: error while loading shared libraries: libcudart.so.12"},
        "ended_library_missing",
        Cause.DEVICE,
        "libcudart.so.12",
    ),
    (
        {"crash_text": "CUDA driver version is insufficient for CUDA runtime version"},
        "ended_device",
        Cause.DEVICE,
        "driver version is insufficient",
    ),
]


@pytest.mark.parametrize(
    ("switches", "code", "cause", "line"), ANSWERED_AT_ONCE, ids=[c[1] for c in ANSWERED_AT_ONCE]
)
def test_what_the_ladder_cannot_cure_gets_its_answer_and_no_ladder(
    home: Home, switches: dict[str, Any], code: str, cause: Cause, line: str
) -> None:
    given = switches if "port_in_use" in switches else {"crash_at_load": 1, **switches}
    failure = home.failed(home.desk.start_server(home.request(**given)))

    assert failure.code == code
    assert failure.hint()
    assert len(home.launches()) == (2 if "port_in_use" in switches else 1), "a port is tried once more"
    (incident,) = home.incidents()
    assert incident.cause is cause
    assert line in incident.evidence
    assert incident.action is not None
    assert incident.action.code == "recovery_not_curable"
    assert home.view.state == "failed"
    assert not home.view.lowered


def test_a_port_taken_once_is_avoided(home: Home) -> None:
    home.start(port_in_use=True, when_launch_at_most=1)

    ports = [argv[argv.index("--port") + 1] for argv in home.launches()]
    assert len(set(ports)) == 2
    assert home.incidents() == []
    assert home.view.state == "in_force"


def test_a_file_that_is_gone_is_named_before_anything_is_launched(home: Home) -> None:
    request = home.request()
    home.model.unlink()
    assert home.failed(home.desk.start_server(request)).code == "model_missing"
    assert home.launches() == []


# -- while it runs ------------------------------------------------------------------------------------------


def test_a_kill_is_followed_by_one_retry_and_then_a_step(home: Home) -> None:
    home.start()
    os.kill(home.engine_pid(), signal.SIGKILL)
    until(lambda: len(home.launches()) == 2 and home.view.state == "in_force")
    assert not home.view.lowered, "the same settings got a second chance"
    os.kill(home.engine_pid(), signal.SIGKILL)
    until(lambda: len(home.launches()) == 3 and home.view.state == "in_force")

    assert home.view.lowered
    assert [i.cause for i in home.incidents()] == [Cause.KILLED] * 2
    assert [(s.direction, s.by) for s in home.steps()] == [
        ("start", "user"),
        ("retry", "automatic"),
        ("down", "automatic"),
    ]
    assert [s.kind for s in home.steps()] == [None, None, "mtp_off"]


def test_a_kill_after_which_the_file_is_gone_ends_failed_not_waiting(home: Home) -> None:
    home.start(OFF)
    home.model.unlink()
    os.kill(home.engine_pid(), signal.SIGKILL)
    until(lambda: home.notices("model_missing"))
    assert home.view.state == "failed"
    assert until(lambda: not home.desk.keeping)
    assert len(home.launches()) == 1


def test_a_crash_in_mid_answer_without_mtp_is_retried_once_and_then_lowered(home: Home) -> None:
    home.start(OFF, crash_after_tokens=60, tokens=500)
    home.ask().join()
    until(lambda: len(home.launches()) == 2 and home.view.state == "in_force")
    assert home.desk.ladder_report().result(LIMIT_S).bad == (), "one crash proves nothing yet"
    home.ask().join()
    until(lambda: len(home.launches()) == 3 and home.view.state == "in_force")

    assert home.contexts() == [(False, 16384), (False, 16384), (False, 8192)]
    assert [i.message.code for i in home.incidents()] == ["ended_signal_silent"] * 2
    (bad,) = home.desk.ladder_report().result(LIMIT_S).bad
    assert bad.footing.settings.ctx_size == 16384


def test_memory_in_mid_answer_is_not_retried(home: Home) -> None:
    home.start(oom_after_tokens=60, tokens=500, when_mtp=True)
    home.ask().join()
    until(lambda: len(home.launches()) == 2 and home.view.state == "in_force")

    (incident,) = home.incidents()
    assert "CUDA error: out of memory" in incident.evidence
    assert not home.view.current.settings.mtp


def test_a_stall_is_ended_by_force_and_started_once_more(home: Home) -> None:
    home.start(hang_after_tokens=60, tokens=500, ignore_sigterm=True, when_launch_at_most=1)
    first = home.engine_pid()
    asked = home.ask()
    until(lambda: len(home.launches()) == 2 and home.view.state == "in_force")
    asked.join()

    assert not psutil.pid_exists(first)
    (incident,) = home.incidents()
    assert (incident.cause, incident.message.code) == (Cause.STALL, "server_stalled")
    assert incident.action is not None
    assert incident.action.code == "recovery_retry"
    assert not home.view.lowered


def test_an_idle_or_busy_server_is_no_stall(home: Home) -> None:
    home.start(tokens=400, itl_ms=5)
    began = time.monotonic()
    home.ask().join()
    until(lambda: time.monotonic() - began > 4 * QUICK.patience.stall_s)

    assert len(home.launches()) == 1
    assert home.incidents() == []


def test_an_end_wanted_by_somebody_else_is_respected(home: Home) -> None:
    home.start()
    os.kill(home.engine_pid(), signal.SIGTERM)
    home.wait_for("stopped")

    assert len(home.launches()) == 1
    assert home.incidents() == []


def test_off_means_off_with_advice(home: Home) -> None:
    home.desk.set_preferences({"automatic_rollback": "off"})
    home.failed(home.desk.start_server(home.request(oom_at_load=True, when_mtp=True)))

    assert len(home.launches()) == 1
    (incident,) = home.incidents()
    assert incident.action is not None
    assert incident.action.code == "recovery_not_automatic"
    assert incident.action.hint()
    home.desk.roll_back().result(LIMIT_S)
    assert home.view.state == "in_force"
    assert not home.view.current.settings.mtp


# -- stop ---------------------------------------------------------------------------------------------------


def stopped_in_time(home: Home, seconds: float) -> None:
    began = time.monotonic()
    home.desk.stop_server().result(LIMIT_S)
    assert time.monotonic() - began < 4 * seconds, "the bar itself is in benchmarks/supervision.py"
    assert home.view.state == "stopped"
    assert home.desk._rooms.supervisor.pid is None


def nothing_follows(home: Home, launches: int) -> None:
    end = time.monotonic() + 0.5
    until(lambda: time.monotonic() > end)
    assert len(home.launches()) == launches
    assert home.view.state == "stopped"
    assert not home.desk.keeping


def test_stop_during_a_load(home: Home) -> None:
    starting = home.desk.start_server(home.request(hang_at_load=True))
    until(home.launches)
    stopped_in_time(home, 2)
    assert home.failed(starting).code == "start_cancelled"
    nothing_follows(home, 1)
    assert home.incidents() == []


def test_stop_during_the_load_of_a_rung(home: Home) -> None:
    starting = home.desk.start_server(home.request(oom_at_load=True, when_mtp=True, load_s=0.5))
    until(lambda: len(home.launches()) == 2)
    stopped_in_time(home, 2)
    assert home.failed(starting).code == "start_cancelled"
    nothing_follows(home, 2)
    assert len(home.incidents()) == 1


def test_stop_during_an_answer(home: Home) -> None:
    home.start(tokens=5000, itl_ms=5)
    asked = home.ask()
    stopped_in_time(home, 2)
    asked.join()
    nothing_follows(home, 1)


def test_an_engine_that_ignores_the_request_to_end(home: Home) -> None:
    home.start(ignore_sigterm=True)
    stopped_in_time(home, 10)
    nothing_follows(home, 1)


def test_what_was_asked_before_the_stop_does_not_start_after_it(home: Home) -> None:
    first = home.desk.start_server(home.request(hang_at_load=True))
    waiting = home.desk.start_server(home.request())  # waits for its turn
    until(home.launches)
    stopped_in_time(home, 2)
    assert home.failed(first).code == home.failed(waiting).code == "start_cancelled"
    nothing_follows(home, 1)


def test_stop_while_the_engine_is_asked_what_it_knows(home: Home) -> None:
    starting = home.desk.start_server(home.request(slow_help_s=30.0))
    home.desk.stop_server().result(LIMIT_S)
    assert home.failed(starting).code == "start_cancelled"
    assert home.desk.ladder() is None
    assert home.launches() == []
    assert not home.desk.keeping


def test_what_is_asked_right_after_the_stop_starts(home: Home) -> None:
    first = home.desk.start_server(home.request(hang_at_load=True, ignore_sigterm=True))
    until(home.launches)
    stopping = home.desk.stop_server()
    home.start(OFF)
    stopping.result(LIMIT_S)
    home.failed(first)
    assert home.view.state == "in_force"
    assert len(home.launches()) == 2
    os.kill(home.engine_pid(), signal.SIGKILL)
    until(lambda: len(home.launches()) == 3 and home.view.state == "in_force")


class TestLongPauses:
    """What comes between a failure and the restart."""

    @pytest.fixture
    def home(self, tmp_path: Path, fake_llama: Callable[..., EngineRef], fake_model: Path) -> Iterator[Home]:
        made = Home(tmp_path, fake_llama, fake_model, Timing(pauses_s=(60.0, 60.0, 60.0)))
        yield made
        made.desk.close()

    def test_stop_ends_the_pause(self, home: Home) -> None:
        home.start()
        os.kill(home.engine_pid(), signal.SIGKILL)
        home.wait_for("waiting")
        stopped_in_time(home, 2)
        nothing_follows(home, 1)
        assert len(home.incidents()) == 1

    def test_a_click_does_not_wait_for_the_pause(self, home: Home) -> None:
        home.start()
        os.kill(home.engine_pid(), signal.SIGKILL)
        home.wait_for("waiting")
        home.desk.roll_back().result(LIMIT_S)
        assert home.view.state == "in_force"
        assert home.contexts() == [(True, 16384), (False, 16384)]

    def test_a_measurement_takes_over(self, home: Home) -> None:
        home.start(OFF)
        os.kill(home.engine_pid(), signal.SIGKILL)
        home.wait_for("waiting")
        home.desk.run_job(measurement(home)).result(LIMIT_S)
        nothing_follows(home, 2)

    def test_closing_ends_the_pause(self, home: Home) -> None:
        home.start()
        os.kill(home.engine_pid(), signal.SIGKILL)
        home.wait_for("waiting")
        began = time.monotonic()
        home.desk.close()
        assert time.monotonic() - began < 20
        assert len(home.launches()) == 1


@pytest.mark.parametrize("state", ["starting", "in_force", "failed"])
def test_closing_in_every_state_leaves_nothing(home: Home, state: str) -> None:
    switches: dict[str, Any] = {"starting": {"hang_at_load": True}, "failed": {"crash_at_load": 1}}.get(
        state, {}
    )
    if state == "failed":
        switches["crash_text"] = "error: unknown argument: --x"
    starting = home.desk.start_server(home.request(**switches))
    home.wait_for(state)
    began = time.monotonic()
    home.desk.close()
    assert time.monotonic() - began < 30
    assert starting.done() or starting.cancelled()


# -- a measurement beside it --------------------------------------------------------------------------------


def measurement(home: Home, settings: ServerSettings = OFF, **switches: Any) -> JobRequest:
    request = home.request(settings, **switches)
    return JobRequest(
        "measure",
        request.engine,
        request.model_path,
        base=settings,
        max_tokens=32,
        presets=("off",),
        prompts=("sample",),
        runs=1,
    )


def test_a_measurement_ends_the_server_and_the_keeper_lets_it(home: Home) -> None:
    home.start(OFF)
    home.desk.run_job(measurement(home)).result(LIMIT_S)

    nothing_follows(home, 2)
    assert home.incidents() == []


def test_a_failure_within_a_measurement_is_an_incident_of_its_run(home: Home) -> None:
    found = home.desk.run_job(measurement(home, oom_at_load=True)).result(LIMIT_S)

    (arm,) = {r.run.id: r.run for r in found.result.arms}.values()
    (incident,) = home.incidents()
    assert (incident.cause, incident.run_id, incident.action) == (Cause.MEMORY, arm.id, None)
    assert "cudaMalloc" in incident.evidence
    assert len(home.launches()) == 1, "a measurement is not rolled back"


def test_stop_in_a_measurement_starts_nothing(home: Home) -> None:
    home.start(OFF)
    begun = threading.Event()
    home.desk.subscribe(lambda event: begun.set() if isinstance(event, RequestStarted) else None)
    job = home.desk.run_job(measurement(home, tokens=5000, itl_ms=5))
    assert begun.wait(LIMIT_S)
    stopped_in_time(home, 3)
    assert job.result(LIMIT_S).result.cancelled
    nothing_follows(home, 2)


# -- what the last time left behind --------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["launching", "running"])
def test_what_took_us_down_is_told_and_not_started_by_itself(home: Home, phase: str) -> None:
    home.start(OFF)
    good = home.desk.last_good().result(LIMIT_S)
    assert good is not None
    home.desk.close()
    killed(next((home.folder / "home").rglob("good.json")).parent, phase, 2048)

    again = Home(home.folder, home.fake, home.model)
    try:
        stale = again.desk.stale_trial
        assert stale is not None
        assert (stale.phase, stale.footing.settings.ctx_size) == (phase, 2048)
        assert len(again.notices("trial_stale" if phase == "launching" else "trial_cut_off")) == 1
        assert len(again.launches()) == 1, "nothing starts by itself"
        marked = again.desk.ladder_report().result(LIMIT_S).bad
        assert len(marked) == (1 if phase == "launching" else 0), "what had proved itself is not bad"
        assert again.desk.last_good().result(LIMIT_S) == good
        again.desk.start_last_good().result(LIMIT_S)
        assert again.view.current == good.footing
        again.desk.dismiss_stale_trial().result(LIMIT_S)
        assert again.desk.stale_trial is None
    finally:
        again.desk.close()


# -- the ladder by hand --------------------------------------------------------------------------------------


def test_down_and_up_again_each_proved_and_recorded(home: Home) -> None:
    small = make_fake_model(home.model.parent, name="fake-Q2_K.gguf")
    small.write_bytes(small.read_bytes()[:-4])  # smaller, so that it counts as the next quantisation
    home.start(MTP.with_values({"ctx_size": 4096}))
    home.desk.roll_back().result(LIMIT_S)
    home.desk.roll_back().result(LIMIT_S)
    assert home.contexts() == [(True, 4096), (False, 4096), (False, 2048)]
    assert home.view.why is None, "the user took the step"
    home.desk.climb_back().result(LIMIT_S)
    home.desk.climb_back().result(LIMIT_S)

    assert home.contexts()[3:] == [(False, 4096), (True, 4096)]
    assert not home.view.lowered
    steps = home.steps()
    assert [(s.direction, s.kind) for s in steps] == [
        ("start", None),
        ("down", "mtp_off"),
        ("down", "context"),
        ("up", "context"),
        ("up", "mtp_off"),
    ]
    assert all(s.verified and s.load_ms and s.decode_tok_s for s in steps)
    assert [s.before for s in steps[1:]] == [s.after for s in steps[:-1]]
    assert home.failed(home.desk.climb_back()).code == "ladder_at_top"


def test_two_clicks_at_once_are_two_rungs(home: Home) -> None:
    home.start()
    clicks = [home.desk.roll_back(), home.desk.roll_back()]
    for click in clicks:
        click.result(LIMIT_S)

    assert home.contexts() == [(True, 16384), (False, 16384), (False, 8192)]
    assert len(home.view.taken) == 2


def test_a_climb_that_fails_ends_where_it_began_even_without_automatic_rollback(home: Home) -> None:
    home.desk.set_preferences({"automatic_rollback": "off"})
    home.failed(home.desk.start_server(home.request(oom_at_load=True, when_mtp=True)))
    home.desk.roll_back().result(LIMIT_S)
    home.desk.climb_back().result(LIMIT_S)

    assert home.contexts() == [(True, 16384), (False, 16384), (True, 16384), (False, 16384)]
    assert home.view.state == "in_force"
    assert home.view.why is not None
    assert home.view.why.code == "ended_out_of_memory"
    assert len(home.rolled_back()) == 1
    last = home.steps()[-2:]
    assert [(s.direction, s.kind, s.verified) for s in last] == [
        ("up", "mtp_off", False),
        ("down", "mtp_off", True),
    ]


def test_rungs_known_to_fail_are_passed_over(home: Home) -> None:
    request = home.request(OFF, oom_at_load=True, when_ctx_above=4096)
    home.desk.start_server(request).result(LIMIT_S)
    assert home.view.current.settings.ctx_size == 4096
    before = len(home.launches())
    larger = LaunchRequest(request.engine, request.model_path, OFF.with_values({"ctx_size": 32768}), "off")
    home.desk.start_server(larger).result(LIMIT_S)

    assert [ctx for _, ctx in home.contexts()[before:]] == [32768, 4096]
    known = home.desk.known_bad(request).result(LIMIT_S)
    assert known is not None
    assert "out of memory" in known.reason.sentence()


def test_nothing_to_roll_back_and_the_foot_are_told(home: Home) -> None:
    assert home.failed(home.desk.roll_back()).code == "ladder_nothing_asked"
    assert home.failed(home.desk.climb_back()).code == "ladder_nothing_asked"
    home.start(ServerSettings(ctx_size=256))
    assert home.failed(home.desk.roll_back()).code == "recovery_at_foot"
    assert home.view.state == "in_force", "a click that leads nowhere leaves the server alone"
    os.kill(home.engine_pid(), signal.SIGKILL)
    until(lambda: len(home.launches()) == 2 and home.view.state == "in_force")


def test_a_rung_whose_file_is_gone_leaves_the_server_alone(home: Home) -> None:
    home.start()
    home.desk.roll_back().result(LIMIT_S)
    home.model.unlink()
    assert home.failed(home.desk.climb_back()).code == "model_missing"
    assert home.view.state == "in_force"
    assert len(home.launches()) == 2
    assert home.desk.server_access() is not None


def test_the_state_is_told_as_it_changes(home: Home) -> None:
    home.start(oom_at_load=True, when_mtp=True)
    told = [e.view.state for e in home.events if isinstance(e, LadderChanged)]
    assert told == ["starting", "failed", "waiting", "starting", "in_force"]


def test_a_fault_of_ours_is_logged_and_the_server_goes_on(home: Home, expect_log: ExpectLog) -> None:
    expect_log("ERROR qtune.session: the keeper failed")
    home.start()

    def broken(_key: str) -> str:
        raise ZeroDivisionError

    object.__setattr__(home.desk._keeper._means, "preference", broken)
    os.kill(home.engine_pid(), signal.SIGKILL)
    home.wait_for("failed")
    stopped_in_time(home, 2)
