from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from qtune.core.errors import KnownError
from qtune.host.child import GuardedChild, spawn_guarded
from qtune.host.program import self_command
from tests.conftest import LongLived

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the guard is for POSIX")

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], list[str]]:
    """Command line of a small Python program."""

    def write(body: str) -> list[str]:
        file = tmp_path / f"child_{len(list(tmp_path.iterdir()))}.py"
        file.write_text(
            "import os, signal, subprocess, sys, time\n" + textwrap.dedent(body), encoding="utf-8"
        )
        return [sys.executable, str(file)]

    return write


KEPT: set[int] = set()


@pytest.fixture(autouse=True)
def kept(long_lived: LongLived) -> None:
    """Servers of the whole test session are no children of what is tested."""
    KEPT.clear()
    KEPT.update(long_lived.family())


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if child.pid not in KEPT]


def gone(pid: int) -> bool:
    """Whether the process has ended; a zombie that only init has yet to collect counts as ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(condition: Callable[[], bool], limit_s: float, what: str) -> float:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < limit_s, f"not within {limit_s} s: {what}"
        time.sleep(0.005)
    return time.monotonic() - start


async def line(child: GuardedChild) -> str:
    async with asyncio.timeout(120):
        return (await child.stdout.readline()).decode().strip()


SLEEP = "time.sleep(300)"
GRANDCHILD = (
    'grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]{options})\n'
)


async def test_exit_code_and_both_streams_come_through(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(
        script('print("out", os.getpid()); print("err", os.getcwd(), file=sys.stderr); sys.exit(7)'),
        dict(os.environ),
        cwd=Path("/"),
    )
    assert await child.stdout.read() == f"out {child.pid}\n".encode()
    assert await child.stderr.read() == b"err /\n"
    assert await child.wait() == 7
    assert child.returncode == 7
    assert await child.stop() == 7  # stopping what has ended answers the same
    assert children() == []


async def test_only_the_given_environment_reaches_the_child(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(script("print(sorted(os.environ))"), {"ONLY": "this", "LC_ALL": "C"})
    assert (await child.stdout.read()).decode().strip() == str(["LC_ALL", "ONLY"])
    assert await child.wait() == 0


async def test_death_by_signal_is_negative_and_noticed_at_once(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(script('print("up", flush=True); ' + SLEEP), dict(os.environ))
    assert await line(child) == "up"
    start = time.monotonic()
    os.kill(child.pid, signal.SIGSEGV)
    assert await child.wait() == -signal.SIGSEGV
    assert time.monotonic() - start < 5  # the bar of 200 ms is for an idle machine, see benchmarks


async def test_stop_lets_the_child_end_by_itself(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(
        script("""
        def bye(*_):
            print("bye", flush=True)
            sys.exit(3)
        signal.signal(signal.SIGTERM, bye)
        print("up", flush=True)
        time.sleep(300)
        """),
        dict(os.environ),
    )
    assert await line(child) == "up"
    assert await child.stop(grace_s=20) == 3
    assert await line(child) == "bye"


async def test_a_child_deaf_to_sigterm_is_killed_after_the_grace(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(
        script('signal.signal(signal.SIGTERM, signal.SIG_IGN); print("up", flush=True); ' + SLEEP),
        dict(os.environ),
    )
    assert await line(child) == "up"
    start = time.monotonic()
    assert await child.stop(grace_s=0.3) == -signal.SIGKILL
    assert 0.3 <= time.monotonic() - start < 5


async def test_sigterm_to_the_guard_is_passed_on(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(script('print("up", flush=True); ' + SLEEP), dict(os.environ))
    assert await line(child) == "up"
    psutil.Process(child.pid).parent().terminate()
    assert await child.wait() == -signal.SIGTERM


async def test_guard_killed_takes_the_whole_group_along(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(
        script(GRANDCHILD.format(options="") + "print(grandchild.pid, flush=True); " + SLEEP),
        dict(os.environ),
    )
    grandchild = int(await line(child))
    psutil.Process(child.pid).parent().kill()
    assert await child.wait() == -signal.SIGKILL
    wait_until(lambda: gone(child.pid) and gone(grandchild), 60, "child and grandchild gone")
    assert await child.stdout.read() == b""


@pytest.mark.parametrize(
    "options", ["", ", start_new_session=True"], ids=["in the group", "out of the group"]
)
async def test_what_the_child_leaves_behind_is_swept_and_holds_nothing_up(
    script: Callable[[str], list[str]], options: str
) -> None:
    if options and sys.platform != "linux":
        pytest.skip("only Linux hands orphans to the guard")
    child = await spawn_guarded(
        script(GRANDCHILD.format(options=options) + "print(grandchild.pid, flush=True); os._exit(5)"),
        dict(os.environ),
    )
    grandchild = int(await line(child))
    assert await child.wait() == 5
    wait_until(lambda: gone(grandchild), 60, "grandchild gone")
    assert await child.stdout.read() == b""


@pytest.mark.parametrize("victim", ["app", "app and guard"])
def test_app_killed_leaves_nothing(script: Callable[[str], list[str]], victim: str) -> None:
    engine = script(GRANDCHILD.format(options="") + "print(grandchild.pid, flush=True)\n" + SLEEP)
    app = script(f"""
    import asyncio
    sys.path.insert(0, {str(REPO)!r})
    from qtune.host.child import spawn_guarded
    async def main():
        child = await spawn_guarded({engine!r}, dict(os.environ))
        print(child.pid, (await child.stdout.readline()).decode().strip(), flush=True)
        await asyncio.sleep(300)
    asyncio.run(main())
    """)
    with subprocess.Popen(app, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child, grandchild = map(int, process.stdout.readline().split())
        guard = psutil.Process(child).ppid()
        assert guard != process.pid
        process.kill()
        if victim == "app and guard":
            os.kill(guard, signal.SIGKILL)
        wait_until(lambda: gone(child) and gone(guard), 60, "child and guard gone")
        if victim == "app":  # with both gone at once nobody is left to sweep; the engine itself must still go
            wait_until(lambda: gone(grandchild), 60, "grandchild gone")
        else:
            os.kill(grandchild, signal.SIGKILL)


def test_lost_app_and_deaf_engine(script: Callable[[str], list[str]]) -> None:
    engine = script('signal.signal(signal.SIGTERM, signal.SIG_IGN); print("up", flush=True); ' + SLEEP)
    lifeline_r, lifeline_w = os.pipe()
    status_r, status_w = os.pipe()
    command = self_command("--guard", "--lifeline", str(lifeline_r), "--status", str(status_w))
    with subprocess.Popen(
        [*command, "--grace", "0.3", "--", *engine], pass_fds=(lifeline_r, status_w), stdout=subprocess.PIPE
    ) as guard:
        assert guard.stdout is not None
        os.close(lifeline_r)
        os.close(status_w)
        assert guard.stdout.readline() == b"up\n"
        os.close(lifeline_w)
        try:
            assert guard.wait(60) == 0
        finally:
            guard.kill()
        with os.fdopen(status_r) as status:
            started, ended = status.read().splitlines()
        assert started.startswith('{"started": ')
        assert ended == '{"ended": -9}'


@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        (None, 0, "No such file or directory"),
        ("MZ\0\0no program", 0o755, "Exec format error"),
        ("#!/nowhere/interpreter\n", 0o755, "the loader or interpreter it asks for is missing"),
        ("no program", 0o644, "Permission denied"),
    ],
)
async def test_what_cannot_be_run_is_a_known_error(
    tmp_path: Path, content: str | None, mode: int, reason: str
) -> None:
    file = tmp_path / "llama-server"
    if content is not None:
        file.write_text(content, encoding="utf-8")
        file.chmod(mode)
    with pytest.raises(KnownError) as caught:
        await spawn_guarded([str(file), "--version"], dict(os.environ))
    assert caught.value.code == "engine_not_started"
    assert dict(caught.value.message.params) == {"path": str(file), "reason": reason}
    assert children() == []


async def test_missing_working_directory_is_a_known_error(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="nowhere"):
        await spawn_guarded([sys.executable, "-V"], dict(os.environ), cwd=tmp_path / "nowhere")


async def test_much_output_flows_while_it_is_drained(script: Callable[[str], list[str]]) -> None:
    child = await spawn_guarded(
        script('sys.stderr.write("x" * 20_000_000 + "\\n"); sys.exit(0)'), dict(os.environ)
    )
    size = 0
    while chunk := await child.stderr.read(65536):
        size += len(chunk)
    assert size == 20_000_001
    assert await child.wait() == 0


async def test_output_written_before_the_end_is_not_lost_on_a_slow_reader(
    script: Callable[[str], list[str]],
) -> None:
    child = await spawn_guarded(script('sys.stdout.write("y" * 60_000); sys.exit(1)'), dict(os.environ))
    assert await child.wait() == 1
    assert len(await child.stdout.read()) == 60_000


def test_loop_on_another_thread_that_ends_first_ends_the_child(script: Callable[[str], list[str]]) -> None:
    command = script('print("up", flush=True); ' + SLEEP)
    pids: list[int] = []

    async def main() -> None:
        child = await spawn_guarded(command, dict(os.environ))
        assert await line(child) == "up"
        pids.append(child.pid)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    wait_until(lambda: gone(pids[0]), 60, "child gone")


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 60, 8, None])
async def test_cancelled_start_leaves_nothing(script: Callable[[str], list[str]], steps: int | None) -> None:
    command = script(SLEEP)
    task = asyncio.create_task(spawn_guarded(command, dict(os.environ)))
    if steps is not None:
        for _ in range(steps):
            await asyncio.sleep(0)
    else:
        async with asyncio.timeout(120):
            while not children():  # noqa: ASYNC110 - another process has no event
                await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == []
    wait_until(lambda: not running(command[-1]), 60, "engine gone")


def running(argument: str) -> bool:
    """Whether any process was started with this argument."""
    return any(argument in (process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"]))
