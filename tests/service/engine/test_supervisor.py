"""The supervisor against real processes: whatever the engine does is told, and nothing is left."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from qtune.core.errors import KnownError
from qtune.core.server_state import ServerState
from qtune.core.settings import ServerSettings
from qtune.engine import supervisor as supervisor_module
from qtune.engine.process import LogFeed
from tests.patience import soon
from tests.service.engine.conftest import QUESTION, Stand

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fake engines are POSIX scripts")

MTP = ServerSettings(mtp=True, n_max=4)


async def failed_start(stand: Stand, settings: ServerSettings | None = None, **switches: Any) -> KnownError:
    with pytest.raises(KnownError) as caught:
        await stand.start(settings, **switches)
    assert "?" not in str(caught.value)
    assert stand.states[-1].reason == caught.value.message
    assert stand.supervisor.running is None
    return caught.value


# -- the good path --------------------------------------------------------------------------------------


async def test_start_answer_stop(stand: Stand) -> None:
    running = await stand.start(MTP)
    assert stand.steps == ["starting", "loading", "ready"]
    assert stand.supervisor.running is running
    assert running.effective.mismatches == ()
    assert running.effective.verified
    assert (running.effective.speculative, running.effective.n_max) == (True, 4)
    assert running.effective.alias == running.alias
    assert running.load_ms > 0
    assert running.notes == ()
    assert stand.states[-1].effective == running.effective
    assert stand.states[-1].port == running.port
    assert psutil.pid_exists(running.pid)
    (note,) = json.loads((stand.folder / "leftovers.json").read_text())
    assert (note["pid"], note["port"]) == (running.pid, running.port)

    times = await running.probe.chat(QUESTION)
    assert times.ok
    await soon(lambda: running.log_facts().acceptance)

    began = time.perf_counter()
    await stand.supervisor.stop()
    assert time.perf_counter() - began < 8  # by force it would take longer
    assert stand.steps[-2:] == ["stopping", "stopped"]
    assert not psutil.pid_exists(running.pid)
    assert (await stand.supervisor.wait_ended()).code == "ended_by_request"


async def test_the_key_travels_by_environment_only(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_ARG_CTX_SIZE", "512")
    running = await stand.start()
    (launch,) = stand.launches()
    assert launch["env"]["LLAMA_API_KEY"] == running.api_key
    assert not any(running.api_key in word for word in (*launch["argv"], *running.argv))
    assert running.api_key not in repr(running)
    assert "LLAMA_API_KEY" in running.environment
    assert "LLAMA_ARG_CTX_SIZE" in running.environment
    assert "LLAMA_ARG_CTX_SIZE" not in launch["env"]
    assert launch["argv"] == list(running.argv[1:])
    assert running.effective.ctx_size == 8192


async def test_measuring_is_a_state_of_its_own(stand: Stand) -> None:
    with pytest.raises(KnownError):
        stand.supervisor.begin_measuring()
    running = await stand.start()
    assert stand.supervisor.begin_measuring() is running
    assert stand.supervisor.running is running
    stand.supervisor.end_measuring()
    assert stand.steps[-3:] == ["ready", "measuring", "ready"]
    stand.supervisor.begin_measuring()
    await stand.supervisor.stop()
    stand.supervisor.end_measuring()
    assert stand.steps[-3:] == ["measuring", "stopping", "stopped"]


async def test_one_after_the_other_each_with_its_own_name_and_key(stand: Stand) -> None:
    first = await stand.start()
    with pytest.raises(KnownError, match="already running"):
        await stand.start()
    await stand.supervisor.stop()
    second = await stand.start()
    assert first.alias != second.alias
    assert first.api_key != second.api_key


async def test_a_slow_first_token_is_no_failure(stand: Stand) -> None:
    running = await stand.start(load_s=0.5, ttft_ms=500.0)
    assert running.load_ms > 900


async def test_nothing_was_launched_yet(stand: Stand) -> None:
    await stand.supervisor.stop()
    with pytest.raises(KnownError, match="No server is running"):
        await stand.supervisor.wait_ended()
    assert stand.steps == []


# -- what is refused before anything happens ------------------------------------------------------------


async def test_settings_that_would_abort_are_refused(stand: Stand) -> None:
    spec = await stand.spec(ServerSettings(mtp=True, n_max=8, ubatch_size=8))
    with pytest.raises(KnownError) as caught:
        await stand.supervisor.start(spec)
    assert caught.value.code == "ubatch_too_small"
    assert stand.steps == []
    assert stand.launches() == []


async def test_a_program_that_cannot_be_started(stand: Stand) -> None:
    spec = await stand.spec()
    os.truncate(spec.facts.ref.path, 0)
    with pytest.raises(KnownError) as caught:
        await stand.supervisor.start(spec)
    assert caught.value.code == "engine_not_started"
    assert stand.steps == ["starting", "crashed"]


# -- ends during the load -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switches", "code", "words"),
    [
        ({"crash_at_load": "SIGSEGV"}, "ended_signal_silent", "SIGSEGV"),
        ({"crash_at_load": 3, "crash_text": "error: the sky fell\n"}, "ended_exit", "the sky fell"),
        ({"oom_at_load": "kv"}, "ended_out_of_memory", "cudaMalloc failed: out of memory"),
        ({"lacks": ("--metrics",)}, "ended_bad_argument", "invalid argument: --metrics"),
    ],
    ids=["signal", "exit", "memory", "argument"],
)
async def test_an_end_at_load_ends_the_wait_at_once(
    stand: Stand, switches: dict[str, Any], code: str, words: str
) -> None:
    spec = await stand.spec(**switches)
    began = time.perf_counter()
    with pytest.raises(KnownError) as caught:
        await stand.supervisor.start(spec)
    assert time.perf_counter() - began < 30
    error = caught.value
    assert error.code == code
    assert stand.states[-1].reason == error.message
    assert words in str(error)
    assert stand.steps == ["starting", "loading", "crashed"]
    assert (await stand.supervisor.wait_ended()) == error.message
    assert stand.supervisor.log is not None
    assert (words in "\n".join(stand.supervisor.log.lines())) or "SIG" in words


async def test_a_file_that_is_no_model(stand: Stand) -> None:
    spec = await stand.spec()
    os.truncate(spec.model_path, 3)
    with pytest.raises(KnownError) as caught:
        await stand.supervisor.start(spec)
    assert caught.value.code == "ended_not_gguf"


async def test_after_a_crash_one_can_start_again(stand: Stand) -> None:
    await failed_start(stand, oom_at_load=True)
    await stand.supervisor.stop()
    assert stand.supervisor.state is ServerState.CRASHED
    await stand.start()
    assert stand.supervisor.state is ServerState.READY


async def test_a_taken_port_is_tried_once_more(stand: Stand) -> None:
    running = await stand.start(port_in_use=True, when_launch_at_most=1)
    assert len(stand.launches()) == 2
    assert running.effective.verified
    assert stand.steps == ["starting", "loading", "ready"]


async def test_two_taken_ports_are_told(stand: Stand) -> None:
    error = await failed_start(stand, port_in_use=True)
    assert error.code == "ended_port_taken"
    assert len(stand.launches()) == 2


async def test_a_hang_at_load_has_a_limit(stand: Stand) -> None:
    error = await failed_start(stand, hang_at_load=True, load_timeout_s=1.0)
    assert error.code == "start_timeout"
    assert stand.steps == ["starting", "loading", "stopping", "stopped"]


async def test_a_server_that_never_answers_health_has_a_limit(stand: Stand) -> None:
    assert (await failed_start(stand, hang_health=True, load_timeout_s=1.0)).code == "start_timeout"


# -- stopping a start -----------------------------------------------------------------------------------


async def test_stop_during_a_load_that_hangs(stand: Stand) -> None:
    spec = await stand.spec(hang_at_load=True)
    starting = asyncio.create_task(stand.supervisor.start(spec))
    await soon(stand.launches)
    began = time.perf_counter()
    await asyncio.gather(*(stand.supervisor.stop() for _ in range(3)))
    assert time.perf_counter() - began < 8
    with pytest.raises(KnownError) as caught:
        await starting
    assert caught.value.code == "start_cancelled"
    assert stand.steps == ["starting", "loading", "stopping", "stopped"]


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
async def test_stop_at_any_moment_of_a_launch(stand: Stand, turns: int) -> None:
    starting = asyncio.create_task(stand.supervisor.start(await stand.spec()))
    for _ in range(1 + turns):
        await asyncio.sleep(0)
    await stand.supervisor.stop()
    with pytest.raises(KnownError, match="cancelled"):
        await starting
    assert stand.supervisor.state is ServerState.STOPPED


@pytest.mark.parametrize("heard", [ServerState.STARTING, ServerState.LOADING, ServerState.READY])
async def test_stop_by_who_hears_of_a_step(stand: Stand, heard: ServerState) -> None:
    stops: list[asyncio.Task[None]] = []
    stand.hear(heard, lambda: stops.append(asyncio.ensure_future(stand.supervisor.stop())))
    starting = asyncio.create_task(stand.supervisor.start(await stand.spec()))
    await asyncio.wait({starting})
    await asyncio.gather(*stops)
    if heard is not ServerState.READY:
        with pytest.raises(KnownError, match="cancelled"):
            await starting
    assert stand.steps[-2:] == ["stopping", "stopped"]
    assert stand.supervisor.running is None


async def test_start_again_by_who_hears_of_the_crash(stand: Stand) -> None:
    spec = await stand.spec()
    again: list[asyncio.Task[Any]] = []
    stand.hear(ServerState.CRASHED, lambda: again.append(asyncio.ensure_future(stand.supervisor.start(spec))))
    running = await stand.supervisor.start(spec)
    os.kill(running.pid, signal.SIGKILL)
    await soon(lambda: again)
    assert (await again[0]).pid != running.pid
    assert stand.steps[-4:] == ["crashed", "starting", "loading", "ready"]


async def test_a_starter_that_leaves_takes_the_engine_with_it(stand: Stand) -> None:
    starting = asyncio.create_task(stand.supervisor.start(await stand.spec(hang_at_load=True)))
    launch = await soon(stand.launches)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not psutil.pid_exists(launch[0]["pid"])
    assert stand.steps[-1] == "stopped"


async def test_an_engine_that_ignores_the_request_is_killed(stand: Stand) -> None:
    running = await stand.start(ignore_sigterm=True)
    began = time.perf_counter()
    await stand.supervisor.stop(grace_s=0.3)
    assert 0.25 < time.perf_counter() - began < 8
    assert not psutil.pid_exists(running.pid)


async def test_a_grandchild_goes_too(stand: Stand) -> None:
    note = stand.folder / "grandchild"
    running = await stand.start(fork_grandchild=str(note))
    await soon(lambda: note.exists() and note.read_text().strip())
    grandchild = int(note.read_text())
    assert psutil.pid_exists(grandchild)
    await stand.supervisor.stop()
    await soon(lambda: not psutil.pid_exists(grandchild))
    assert not psutil.pid_exists(running.pid)


async def test_a_grandchild_goes_too_when_the_engine_crashes(stand: Stand) -> None:
    note = stand.folder / "grandchild"
    running = await stand.start(fork_grandchild=str(note))
    await soon(lambda: note.exists() and note.read_text().strip())
    os.kill(running.pid, signal.SIGSEGV)
    assert (await stand.supervisor.wait_ended()).code == "ended_signal_silent"
    await soon(lambda: not psutil.pid_exists(int(note.read_text())))


# -- crashes of a running server ------------------------------------------------------------------------


async def test_a_crash_is_noticed_and_told(stand: Stand) -> None:
    running = await stand.start()
    stand.supervisor.begin_measuring()
    waiting = asyncio.create_task(stand.supervisor.wait_ended())
    os.kill(running.pid, signal.SIGKILL)
    ended = await waiting
    assert ended.code == "ended_killed"
    assert stand.steps[-2:] == ["measuring", "crashed"]
    assert stand.states[-1].reason == ended
    assert stand.supervisor.running is None
    assert stand.supervisor.pid is None


async def test_a_crash_is_noticed_within_moments(stand: Stand) -> None:
    """200 ms are meant. A crowded machine may need longer now and then, but not each time."""
    seen_ms = []
    while len(seen_ms) < 5:
        running = await stand.start()
        killed_at = time.perf_counter()
        os.kill(running.pid, signal.SIGKILL)
        await stand.supervisor.wait_ended()
        seen_ms.append((stand.stamps[ServerState.CRASHED] - killed_at) * 1e3)
        if seen_ms[-1] < 1000:
            return
    raise AssertionError(f"noticed after {seen_ms} ms")


async def test_out_of_memory_in_mid_answer(stand: Stand) -> None:
    running = await stand.start(oom_after_tokens=20)
    times = await running.probe.chat(QUESTION)
    assert times.failure is not None
    ended = await stand.supervisor.wait_ended()
    assert ended.code == "ended_out_of_memory"
    assert "CUDA error: out of memory" in ended.sentence()
    assert stand.steps[-1] == "crashed"


async def test_a_crash_at_the_first_request_is_a_crash(stand: Stand) -> None:
    error = await failed_start(stand, crash_after_tokens=0)
    assert error.code == "ended_signal_silent"
    assert stand.steps[-1] == "crashed"


async def test_a_server_that_cannot_answer_is_not_ready(stand: Stand) -> None:
    error = await failed_start(stand, http_error=500)
    assert error.code == "first_completion_failed"
    assert stand.steps == ["starting", "loading", "stopping", "stopped"]


# -- other servers --------------------------------------------------------------------------------------


async def test_a_server_with_another_name_is_not_ours(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtune.engine.readiness.PATIENCE_S", 0.3)
    error = await failed_start(stand, wrong_identity=True)
    assert error.code == "foreign_server"


async def test_a_stranger_on_the_port_is_left_alone(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took the port between our look and the launch; ours ends by itself, and another port is taken."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        taken = stranger.getsockname()[1]
        ports = iter([taken])
        real = supervisor_module.free_port
        monkeypatch.setattr(supervisor_module, "free_port", lambda _wanted: next(ports, None) or real())
        running = await stand.start()
        assert running.port != taken
        assert len(stand.launches()) == 2
        socket.create_connection(("127.0.0.1", taken)).close()


# -- requested is not effective -------------------------------------------------------------------------


async def test_mtp_that_fails_silently_is_seen(stand: Stand) -> None:
    running = await stand.start(MTP, spec_fails_silently=True)
    assert running.effective.speculative is False
    assert [m.code for m in running.effective.mismatches] == ["mtp_not_speculating"]
    assert not running.effective.verified


async def test_a_shrunk_context_is_seen(stand: Stand) -> None:
    running = await stand.start(ctx_shrunk=4096)
    (mismatch,) = running.effective.mismatches
    assert mismatch.sentence() == "Context: asked for 8192, the engine runs with 4096."
    assert [note.code for note in running.notes] == ["context_reduced"]


async def test_the_users_config_file_does_not_reach_the_engine(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stand.folder / "home" / "llama.cpp"
    folder.mkdir(parents=True)
    (folder / "config.ini").write_text("[*]\nctx-size = 512\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.parent))
    assert (await stand.start()).notes == ()


async def test_a_config_file_that_was_read_is_told(stand: Stand) -> None:
    folder = stand.config / "llama.cpp"
    folder.mkdir()
    (folder / "config.ini").write_text("[*]\ntop-k = 3\n")
    (note,) = (await stand.start()).notes
    assert note.code == "config_file_in_use"
    assert str(folder / "config.ini") in note.sentence()


# -- the log --------------------------------------------------------------------------------------------


async def test_a_flood_of_log_lines_holds_nobody_up(stand: Stand) -> None:
    running = await stand.start(flood_log=20_000)
    times = await asyncio.wait_for(running.probe.chat(QUESTION), 20)
    assert times.ok
    log = stand.supervisor.log
    assert log is not None
    await soon(lambda: len(stand.lines) + stand.unsaid > 5000)
    await stand.supervisor.stop()
    assert sum(map(len, log.lines())) <= 2 << 20


async def test_a_megabyte_line_is_survived_and_cut(stand: Stand) -> None:
    running = await stand.start(megabyte_log_line=True)
    assert (await running.probe.chat(QUESTION)).ok
    long = await soon(lambda: [line for line in stand.lines if "bytes cut]" in line])
    assert max(map(len, stand.lines)) < 5000
    assert len(long) >= 1


async def test_last_words_are_announced_before_the_crash(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogFeed, "BATCH_S", 100.0)
    seen: list[bool] = []
    stand.hear(ServerState.CRASHED, lambda: seen.append(any("out of memory" in line for line in stand.lines)))
    await failed_start(stand, oom_at_load=True)
    assert seen == [True]


# -- faults of ours -------------------------------------------------------------------------------------


async def test_a_bug_of_ours_strands_nobody(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, expect_log: Callable[..., None]
) -> None:
    expect_log("ERROR qtune.engine")

    def broken(*_args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(supervisor_module, "read_back", broken)
    with pytest.raises(ZeroDivisionError):
        await stand.start()
    assert stand.states[-1].state is ServerState.STOPPED
    assert stand.states[-1].reason is not None
    assert stand.states[-1].reason.code == "internal_fault"
    (launch,) = stand.launches()
    assert not psutil.pid_exists(launch["pid"])
