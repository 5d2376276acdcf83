"""A PostgreSQL server of the test session: started for the first test that asks, gone at the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import pytest

from qtune.store.address import Place

PASSWORD = "geheim#1"
_ADMIN = "postgres"
_START_S = 120.0
_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")
_SERVICE = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Sql(Protocol):
    """Runs statements past qtune, wherever the history is; returns the rows of the last that has some."""

    def __call__(self, place: Place, *statements: str) -> list[tuple[Any, ...]]: ...


@dataclass
class Server:
    """One server, local only; every test has databases of its own."""

    folder: Path
    port: int
    _numbers: Iterator[int] = field(default_factory=count)

    def url(self, database: str, user: str = _ADMIN, password: str = PASSWORD) -> str:
        """Address of a database."""
        return f"postgresql://{user}:{password.replace('#', '%23')}@127.0.0.1:{self.port}/{database}"

    def new_database(self, template: str = "template0") -> str:
        """Make a database, as a copy of another one; returns its name."""
        name = f"t{next(self._numbers)}"
        self.run("postgres", f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def run(self, database: str, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements one by one, past qtune; returns the rows of the last that has some."""
        import psycopg  # noqa: PLC0415 - an optional package

        found: list[tuple[Any, ...]] = []
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                # The statements are constants of the tests.
                done = connection.execute(statement.encode())
                found = done.fetchall() if done.description else found
        return found

    @contextmanager
    def out_of_reach(self, database: str) -> Iterator[None]:
        """End every connection to a database and let nobody in for a while."""
        self.run("postgres", f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
        self.cut(database)
        try:
            yield
        finally:
            self.run("postgres", f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")

    def cut(self, database: str) -> None:
        """End every connection to a database."""
        others = f"datname = '{database}' AND pid <> pg_backend_pid()"
        end = f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {others}"  # noqa: S608
        self.run("postgres", end)


def binaries() -> Path | None:
    """Folder of ``initdb`` and ``postgres``: the newest of Debian's, or wherever they are found."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if found:
        return found[-1]
    program = shutil.which("initdb")
    return None if program is None else Path(program).resolve().parent


@contextmanager
def running_server(long_lived_pids: set[int]) -> Iterator[Server]:
    """A server in a folder of its own; skips the test where there is none to start."""
    programs = binaries()
    if programs is None or sys.platform == "win32":
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="the driver is not installed: pip install 'qtune[postgres]'")
    # It refuses to run as root.
    user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="qtune-pg-") as name:
        folder = Path(name)
        if user:
            shutil.chown(folder, "nobody", "nogroup")
        _initialise(programs, folder, user)
        port = _free_port()
        command = [programs / "postgres", "-D", folder / "data", "-p", port, "-k", ""]
        words = [str(word) for word in (*command, *(f"--{option}" for option in _QUICK))]
        log = (folder / "log").open("wb")
        process = subprocess.Popen(words, stdout=log, stderr=log, env=_environment(folder), **user)
        long_lived_pids.add(process.pid)
        try:
            server = Server(folder, port)
            _wait_until_up(process, server, folder / "log")
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
            process.wait(_START_S)
            log.close()


def _initialise(programs: Path, folder: Path, user: dict[str, Any]) -> None:
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    if user:
        shutil.chown(secret, "nobody", "nogroup")
    words = [str(programs / "initdb"), "-D", str(folder / "data"), "-U", _ADMIN, f"--pwfile={secret}"]
    words += ["-A", "scram-sha-256", "--no-sync", "-E", "UTF8"]
    words += ["--locale=C.UTF-8"]
    known = subprocess.run([words[0], "--help"], capture_output=True, text=True, check=True, timeout=_START_S)
    if "--icu-locale" in known.stdout:
        # The language of the server sorts as people do, which our order must not depend on.
        words += ["--locale-provider=icu", "--icu-locale=en-US"]
    done = subprocess.run(
        words,
        env=_environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_START_S,
        **user,
    )
    assert done.returncode == 0, done.stderr


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return {**kept, **_SERVICE, "HOME": str(folder)}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(process: subprocess.Popen[bytes], server: Server, log: Path) -> None:
    end = time.monotonic() + _START_S
    while True:
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            server.run("postgres", "SELECT 1")
        except Exception:  # noqa: BLE001 - of a driver that may not be installed
            assert time.monotonic() < end, log.read_text(errors="replace")
            time.sleep(0.02)
        else:
            return
