"""What every test gets: a home of its own, a quiet log, no process and no thread left behind."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

# Before anything imports Qt: windows of tests are drawn in memory, and no test asks the user's key ring.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
_FOREIGN = re.compile(r"(https?|all|ftp|no)_proxy|(LLAMA|GGML|QTUNE|HF)_.*", re.IGNORECASE)
for _name in [name for name in os.environ if _FOREIGN.fullmatch(name)]:
    if not _name.startswith("QTUNE_TEST_"):
        del os.environ[_name]

import psutil  # noqa: E402 - after the environment is clean
import pytest  # noqa: E402

from qtune.core.engine_facts import EngineRef  # noqa: E402
from qtune.host.program import self_command  # noqa: E402

_GRACE_S = 20.0  # a process that was told to go, or a thread that was told to end, may still be on its way
_HELPERS_OF_PYTHON = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def _poll(condition: Callable[[], bool], limit_s: float) -> bool:
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _has_xllamacpp() -> bool:
    return importlib.util.find_spec("xllamacpp") is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of the bundled engine where it is not installed."""
    if _has_xllamacpp():
        return
    for item in items:
        if item.get_closest_marker("engine"):
            item.add_marker(pytest.mark.skip(reason="the bundled engine (xllamacpp) is not installed"))


# -- a home and a clean environment ------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def qtune_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_leftovers: None) -> Path:
    """The folder in which qtune keeps everything during this test; QTUNE_HOME names it. Not made yet."""
    del no_leftovers  # asked for so that it looks last, after every other fixture has gone
    home = tmp_path / "qtune-home"
    monkeypatch.setenv("QTUNE_HOME", str(home))
    return home


# -- the log -----------------------------------------------------------------------------------------------


@dataclass
class _Expected:
    pattern: re.Pattern[str]
    always: bool
    seen: bool = False


@dataclass
class _LogWatch:
    # asyncio on Python 3.11: closing a transport asks for the exit just when its own watcher does. Whoever is
    # second says this; the exit is known either way. Drop together with 3.11.
    HARMLESS = re.compile(r"asyncio: Unknown child process pid \d+, will report returncode 255")
    expected: list[_Expected] = field(default_factory=list)

    def __call__(self, pattern: str, *, always: bool = True) -> None:
        self.expected.append(_Expected(re.compile(pattern), always))

    def unexpected(self, records: list[logging.LogRecord]) -> list[str]:
        found = []
        for record in records:
            if record.levelno < logging.WARNING:
                continue
            text = f"{record.levelname} {record.name}: {record.getMessage()}"
            if self.HARMLESS.search(text):
                continue
            matching = [one for one in self.expected if one.pattern.search(text)]
            for one in matching:
                one.seen = True
            if not matching:
                found.append(text)
        return found


class ExpectLog(Protocol):
    """Allow records of warning level or above whose "LEVEL logger: message" holds the pattern.

    With `always`, the test fails when no such record came.
    """

    def __call__(self, pattern: str, *, always: bool = True) -> None: ...


@pytest.fixture(autouse=True)
def expect_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[ExpectLog]:
    """Fails the test on a log record of warning level or above that it did not expect."""
    watch = _LogWatch()
    for mark in request.node.iter_markers("expect_log"):
        watch(*mark.args, **mark.kwargs)
    yield watch
    records = [record for phase in ("setup", "call", "teardown") for record in caplog.get_records(phase)]
    unexpected = watch.unexpected(records)
    if unexpected:
        pytest.fail("unexpected in the log:\n  " + "\n  ".join(unexpected), pytrace=False)
    report = getattr(request.node, "call_report", None)
    missing = [one.pattern.pattern for one in watch.expected if one.always and not one.seen]
    if missing and report is not None and report.passed:
        pytest.fail(f"expected in the log, but it never came: {missing}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Keep how the test itself went, for fixtures that look at it afterwards."""
    report = yield
    if report.when == "call":
        item.call_report = report  # type: ignore[attr-defined]
    return report


# -- warnings of Qt ----------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Any:
    """Fail the test on a warning of Qt while it is cleaned up; pytest-qt looks at the test itself only."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None:
        return (yield)
    said: list[str] = []
    warnings = (core.QtMsgType.QtWarningMsg, core.QtMsgType.QtCriticalMsg, core.QtMsgType.QtFatalMsg)

    def take(kind: object, _context: object, text: str) -> None:
        if kind in warnings and not any(re.search(p, text) for p in item.config.getini("qt_log_ignore")):
            said.append(text)

    before = core.qInstallMessageHandler(take)
    try:
        result = yield
    finally:
        core.qInstallMessageHandler(before)
    if said:
        pytest.fail("Qt warned while the test was cleaned up:\n  " + "\n  ".join(said), pytrace=False)
    return result


# -- processes and threads ---------------------------------------------------------------------------------


def _family() -> dict[int, psutil.Process]:
    """Our children and theirs that still run; a zombie has ended and only waits to be read."""
    running = {}
    for process in psutil.Process().children(recursive=True):
        try:
            words = " ".join(process.cmdline())
            if process.status() == psutil.STATUS_ZOMBIE or any(h in words for h in _HELPERS_OF_PYTHON):
                continue
        except psutil.Error:
            continue
        running[process.pid] = process
    return running


def _orphans(folder: Path) -> dict[int, psutil.Process]:
    """Processes that lost their parent but still have their home below the test's folder (Linux only)."""
    mark = f"QTUNE_HOME={folder}{os.sep}".encode()
    found = {}
    for process in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        try:
            words = (process / "environ").read_bytes().split(b"\0")
            if any(word.startswith(mark) for word in words) and process.name != str(os.getpid()):
                found[int(process.name)] = psutil.Process(int(process.name))
        except (OSError, psutil.Error):
            continue
    return found


def _threads() -> set[threading.Thread]:
    # A thread that Qt made and that once ran Python stays listed as a dummy until the program ends.
    dummy = threading._DummyThread
    return {thread for thread in threading.enumerate() if not isinstance(thread, dummy)}


@dataclass
class LongLived:
    """What fixtures of the session started and keep between tests."""

    pids: set[int] = field(default_factory=set)
    threads: set[threading.Thread] = field(default_factory=set)

    def family(self) -> set[int]:
        """The processes kept, with everything below them."""
        found = set(self.pids)
        for pid in self.pids:
            try:
                found.update(child.pid for child in psutil.Process(pid).children(recursive=True))
            except psutil.Error:
                continue
        return found


@pytest.fixture(scope="session")
def long_lived() -> LongLived:
    """Where a session fixture enters the processes and threads that outlive a test."""
    return LongLived()


@pytest.fixture(autouse=True)
def no_leftovers(tmp_path: Path, long_lived: LongLived) -> Iterator[None]:
    """Fails the test when a process or a thread that it started is still there after all its fixtures."""
    known_pids, known_threads = set(_family()), _threads()

    def processes() -> dict[int, psutil.Process]:
        kept = known_pids | long_lived.family()
        return {pid: p for pid, p in {**_orphans(tmp_path), **_family()}.items() if pid not in kept}

    def threads() -> set[threading.Thread]:
        return _threads() - known_threads - long_lived.threads

    yield
    _poll(lambda: not processes() and not threads(), _GRACE_S)
    faults = []
    for process in processes().values():
        try:
            faults.append(f"process {process.pid}: {' '.join(process.cmdline())[:300]}")
            process.kill()
        except psutil.Error:
            continue
    faults += [f"thread {thread.name}" for thread in threads()]
    if faults:
        pytest.fail("left behind by this test:\n  " + "\n  ".join(faults), pytrace=False)


# -- PostgreSQL --------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server(long_lived: LongLived) -> Iterator[Any]:
    """A server of this session (`tests.postgres.Server`); the test is skipped where none is installed."""
    from tests.postgres import running_server  # noqa: PLC0415 - only where it is needed

    with running_server(long_lived.pids) as server:
        yield server


# -- the engine and the sample model -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def bundled_engine() -> EngineRef:
    """The engine that comes with qtune; the test is skipped where it is not installed."""
    if not _has_xllamacpp():
        pytest.skip("the bundled engine (xllamacpp) is not installed")
    return EngineRef(
        kind="bundled",
        command=tuple(self_command("--bundled-engine")),
        path=sys.executable,
        found_in="bundled",
    )


@pytest.fixture(scope="session")
def sample_model(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The sample model's files (`SampleModel`). The first test that asks for them waits about 15 s.

    They are kept from one test run to the next; QTUNE_TEST_CACHE names another place for them.
    """
    from qtune.models.sample import ensure_sample  # noqa: PLC0415 - gguf only where it is needed

    chosen, cache = os.environ.get("QTUNE_TEST_CACHE"), getattr(pytestconfig, "cache", None)
    if chosen:
        folder = Path(chosen)
    else:
        folder = cache.mkdir("qtune-sample") if cache else tmp_path_factory.mktemp("qtune-sample")
    return ensure_sample(folder)


@pytest.fixture(scope="session")
def sample_cache(sample_model: Any) -> Path:
    """The folder that holds the sample model; a home may have it linked in as cache/sample."""
    folder: Path = sample_model.q8_0.parent
    return folder


# -- the false llama-server --------------------------------------------------------------------------------


class MakeFake(Protocol):
    """Makes one more false llama-server with these switches; see tests/fake_llama/README.md."""

    def __call__(self, **switches: Any) -> EngineRef: ...


@pytest.fixture
def fake_llama(tmp_path: Path) -> MakeFake:
    """Makes false llama-servers, each a program file of its own that misbehaves as asked."""
    from tests.fake_llama.make import make_fake_binary  # noqa: PLC0415 - only where it is needed

    def make(**switches: Any) -> EngineRef:
        folder = tmp_path / "fakes" / str(len(list((tmp_path / "fakes").glob("*"))))
        path = make_fake_binary(folder, **switches)
        return EngineRef(kind="binary", command=(str(path),), path=str(path), found_in="chosen")

    return make


@pytest.fixture
def fake_model(tmp_path: Path) -> Path:
    """A tiny, well-formed GGUF file with an MTP head, for the false llama-server."""
    from tests.fake_llama.make import make_fake_model  # noqa: PLC0415

    return make_fake_model(tmp_path / "models")
