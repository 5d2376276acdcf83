"""Windows Job Objects: the system ends every process in a job when the last handle of the job is closed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    from ctypes import wintypes

    # winnt.h
    _JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
    _JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x2000
    _PROCESS_TERMINATE = 0x0001
    _PROCESS_SET_QUOTA = 0x0100

    class _BasicLimits(ctypes.Structure):
        """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

        _fields_ = (
            ("PerProcessUserTimeLimit", wintypes.LARGE_INTEGER),
            ("PerJobUserTimeLimit", wintypes.LARGE_INTEGER),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the middle field is IO_COUNTERS."""

        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_ulonglong * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    def _kernel32() -> ctypes.WinDLL:
        """kernel32 with the signatures used here: handles are pointers, which the default int would cut."""
        dll = ctypes.WinDLL("kernel32", use_last_error=True)
        handle, dword, boolean = wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL
        for name, result, arguments in (
            ("CreateJobObjectW", handle, (ctypes.c_void_p, wintypes.LPCWSTR)),
            ("SetInformationJobObject", boolean, (handle, ctypes.c_int, ctypes.c_void_p, dword)),
            ("AssignProcessToJobObject", boolean, (handle, handle)),
            ("TerminateJobObject", boolean, (handle, wintypes.UINT)),
            ("OpenProcess", handle, (dword, boolean, dword)),
            ("CloseHandle", boolean, (handle,)),
            ("SetDllDirectoryW", boolean, (wintypes.LPCWSTR,)),
        ):
            function = getattr(dll, name)
            function.restype = result
            function.argtypes = arguments
        return dll

    def _last_error() -> OSError:
        return ctypes.WinError(ctypes.get_last_error())

    class Job:
        """One job with KILL_ON_JOB_CLOSE. Its handle is not inheritable, so that it goes with this process.

        Our own process is not in it: a browser opened by the window must not end with us.
        """

        def __init__(self) -> None:
            self._dll = _kernel32()
            self._handle: int | None = self._dll.CreateJobObjectW(None, None)
            if not self._handle:
                raise _last_error()
            limits = _ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
            if not self._dll.SetInformationJobObject(
                self._handle,
                _JOB_OBJECT_EXTENDED_LIMIT_INFORMATION,
                ctypes.byref(limits),
                ctypes.sizeof(limits),
            ):
                error = _last_error()
                self.close()
                raise error

        def add(self, pid: int) -> None:
            """Put a process into the job; OSError if the system refuses."""
            process = self._dll.OpenProcess(_PROCESS_TERMINATE | _PROCESS_SET_QUOTA, False, pid)  # noqa: FBT003
            if not process:
                raise _last_error()
            try:
                if not self._dll.AssignProcessToJobObject(self._handle, process):
                    raise _last_error()
            finally:
                self._dll.CloseHandle(process)

        def terminate(self) -> None:
            """End every process in the job."""
            if self._handle:
                self._dll.TerminateJobObject(self._handle, 1)

        def close(self) -> None:
            """Close the handle, which also ends every process in the job."""
            if self._handle:
                self._dll.CloseHandle(self._handle)
                self._handle = None

    @contextmanager
    def default_dll_search() -> Iterator[None]:
        """Take the bundle out of the DLL search path for a child: a frozen build's choice is inherited."""
        bundle = getattr(sys, "_MEIPASS", None)
        if bundle is None:
            yield
            return
        dll = _kernel32()
        dll.SetDllDirectoryW(None)
        try:
            yield
        finally:
            dll.SetDllDirectoryW(str(bundle))
