"""Child processes that die with us: started under a guard on POSIX, in a Job Object on Windows."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

STOP_GRACE_S = 5.0
"""How long an engine may take to end after it was asked to."""

OUTPUT_LIMIT_BYTES = 1 << 20
"""Unread output kept per stream before the pipe is left to fill."""


class GuardedChild(Protocol):
    """An engine process that cannot outlive the app.

    Belongs to the event loop it was started on; every method is called there. When the loop ends, so does the
    process.
    """

    @property
    def pid(self) -> int:
        """The engine's own process id (not the guard's)."""
        ...

    @property
    def stdout(self) -> asyncio.StreamReader:
        """What the engine prints. Read chunks: ``readline`` raises on very long lines."""
        ...

    @property
    def stderr(self) -> asyncio.StreamReader:
        """What the engine logs."""
        ...

    @property
    def returncode(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        ...

    async def wait(self) -> int:
        """Exit code, negative for a signal. Always answered, whoever still holds the pipes."""
        ...

    def terminate(self) -> None:
        """Ask the engine to end (on Windows: end it, it has no other ear); nothing if it has ended."""
        ...

    def kill(self) -> None:
        """Kill the engine and everything it started."""
        ...

    async def stop(self, grace_s: float = STOP_GRACE_S) -> int:
        """Ask, wait up to ``grace_s`` seconds, kill; answers the exit code."""
        ...


async def spawn_guarded(
    command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None
) -> GuardedChild:
    """Start a program that ends when this process ends, however it ends.

    Works on the event loop of any thread.

    Args:
        command: Program and arguments.
        env: Its whole environment, see ``child_environment``.
        cwd: Its working directory, ours by default.

    Raises:
        KnownError: ``engine_not_started`` when the system refuses to run it.
    """
    if sys.platform == "win32":
        from qtune.host.child_windows import spawn  # noqa: PLC0415 - imports what only Windows has
    else:
        from qtune.host.child_posix import spawn  # noqa: PLC0415
    return await spawn(command, env, cwd)
