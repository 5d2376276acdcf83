"""A guarded child on Windows: a process in a Job Object that the system ends when our handle goes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from qtune.core.errors import KnownError
from qtune.host.child import OUTPUT_LIMIT_BYTES, STOP_GRACE_S

if sys.platform == "win32":
    from qtune.host.windows_job import Job, default_dll_search

    _LOOK_S = 0.05
    _KILL_LIMIT_S = 5.0

    async def spawn(command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> WindowsChild:
        """Start the command inside a job of its own; see ``child.spawn_guarded``."""
        job = Job()
        try:
            with default_dll_search():
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env=dict(env),
                    cwd=cwd,
                    limit=OUTPUT_LIMIT_BYTES,
                    creationflags=subprocess.CREATE_NO_WINDOW,
                )
        except BaseException as error:
            job.close()
            if isinstance(error, OSError):
                reason = error.strerror or str(error)
                raise KnownError("engine_not_started", path=command[0], reason=reason) from error
            raise
        try:
            job.add(process.pid)
        except OSError as error:
            process.kill()
            await process.wait()
            job.close()
            raise KnownError("engine_not_started", path=command[0], reason=str(error)) from error
        return WindowsChild(process, job)

    class WindowsChild:
        """The engine in its job, see ``child.GuardedChild``; the job is open as long as the engine runs."""

        def __init__(self, process: asyncio.subprocess.Process, job: Job) -> None:
            assert process.stdout is not None  # noqa: S101 - opened with PIPE
            assert process.stderr is not None  # noqa: S101
            self.stdout = process.stdout
            self.stderr = process.stderr
            self._process = process
            self._job = job
            self._watcher = asyncio.create_task(self._watch(), name=f"watch engine {process.pid}")

        @property
        def pid(self) -> int:
            """The engine's process id."""
            return self._process.pid

        @property
        def returncode(self) -> int | None:
            """Exit code (NTSTATUS values as unsigned numbers); None while it runs."""
            return self._process.returncode

        async def wait(self) -> int:
            """Exit code. Does not wait for the pipes, which a stray process may hold."""
            await asyncio.shield(self._watcher)
            code = self._process.returncode
            return 1 if code is None else code

        def terminate(self) -> None:
            """TerminateProcess: the engine hears only Ctrl-C, which a windowed app cannot send."""
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    self._process.terminate()

        def kill(self) -> None:
            """End everything in the job."""
            self._job.terminate()

        async def stop(self, grace_s: float = STOP_GRACE_S) -> int:
            """End the process, after ``grace_s`` seconds everything in the job; answers the exit code."""
            self.terminate()
            done, _ = await asyncio.wait([self._watcher], timeout=grace_s)
            if not done:
                self.kill()
                done, _ = await asyncio.wait([self._watcher], timeout=_KILL_LIMIT_S)
            if not done:
                self._watcher.cancel()
                return 1
            return await self.wait()

        async def _watch(self) -> None:
            """Wait for the process, then end what it left. asyncio's own wait() waits for the pipes too."""
            try:
                while self._process.returncode is None:  # noqa: ASYNC110 - asyncio has no event for it
                    await asyncio.sleep(_LOOK_S)
            finally:
                self._job.terminate()
                self._job.close()
