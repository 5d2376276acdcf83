"""Boards as data: what the driver library answers call by call, and what qtune must make of it.

The answers are composed by hand from nvml.h, published listings and bug reports. One file is one computer:

- ``init``, ``driver``, ``environment``, ``absent`` (functions the library of that driver does not have),
  ``programs`` (pid to name);
- ``boards``: for each board its answers by function of the C library, ``name:argument`` where it takes one;
  an answer is a figure, a text, a list, or ``{"error": code}``. What is not there is NotSupported (3).
  ``slices`` holds the same for the slices of a partitioned board. ``{"error": 15}`` alone is a board whose
  handle is not to be had.
- ``expect``: facts, sample and programs, each in full; what is not named is None.

``answers`` lays a file out as one table (function, handle) -> (code, words), from which the replayer here
and the stub of the C library play alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml

FOLDER = Path(__file__).parent
BOARDS = sorted(path.stem for path in FOLDER.glob("*.json"))

NOT_SUPPORTED = 3
NOT_FOUND = 6
NOT_AVAILABLE = (1 << 64) - 1

Table = dict[tuple[str, str], tuple[int, list[str]]]

_SUFFIXED = {
    "nvmlInit": "nvmlInitWithFlags",
    "nvmlDeviceGetCount": "nvmlDeviceGetCount_v2",
    "nvmlDeviceGetHandleByIndex": "nvmlDeviceGetHandleByIndex_v2",
    "nvmlDeviceGetPciInfo": "nvmlDeviceGetPciInfo_v3",
}
"""The function of the C library behind a function of the binding."""

_BY_ARGUMENT = {
    "nvmlDeviceGetHandleByIndex_v2",
    "nvmlDeviceGetHandleByUUID",
    "nvmlDeviceGetMigDeviceHandleByIndex",
    "nvmlDeviceGetClockInfo",
    "nvmlDeviceGetPcieThroughput",
    "nvmlSystemGetProcessName",
}


def load(board: str) -> dict[str, Any]:
    """One computer, with sizes such as ``"24564 MiB"`` as bytes."""
    found: dict[str, Any] = _sizes(json.loads((FOLDER / f"{board}.json").read_text(encoding="utf-8")))
    return found


def _sizes(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sizes(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_sizes(one) for one in value]
    if isinstance(value, str) and value.endswith(" MiB"):
        return int(value.removesuffix(" MiB")) << 20
    return value


def answers(computer: dict[str, Any]) -> Table:
    """What each function answers for each handle ("" for none, "0" a board, "0.1" its second slice)."""
    boards = computer.get("boards", [])
    table: Table = {
        ("nvmlInitWithFlags", ""): (computer.get("init", 0), []),
        ("nvmlShutdown", ""): (0, []),
        ("nvmlDeviceGetCount_v2", ""): (0, [str(len(boards))]),
        ("nvmlSystemGetDriverVersion", ""): _answer(computer.get("driver", {"error": NOT_SUPPORTED})),
    }
    for pid, name in computer.get("programs", {}).items():
        table[f"nvmlSystemGetProcessName:{pid}", ""] = _answer(name)
    for index, board in enumerate(boards):
        handle = str(index)
        _place(table, board, (f"nvmlDeviceGetHandleByIndex_v2:{index}", ""), handle)
        table["nvmlDeviceGetIndex", handle] = (0, [handle])
        for position, part in enumerate(board.get("slices", [])):
            inner = f"{index}.{position}"
            _place(table, part, (f"nvmlDeviceGetMigDeviceHandleByIndex:{position}", handle), inner)
            table["nvmlDeviceGetDeviceHandleFromMigDeviceHandle", inner] = (0, [handle])
    return table


def _place(table: Table, board: dict[str, Any], entry: tuple[str, str], handle: str) -> None:
    if "error" in board:
        table[entry] = (board["error"], [])
        return
    table[entry] = (board.get("listed", 0), [handle])
    for function, answer in board.items():
        if function.startswith("nvml"):
            table[function, handle] = _answer(answer)
    uuid = board.get("nvmlDeviceGetUUID")
    if isinstance(uuid, str):
        table[f"nvmlDeviceGetHandleByUUID:{uuid}", ""] = (0, [handle])


def _answer(value: Any) -> tuple[int, list[str]]:
    if isinstance(value, dict):
        return value["error"], []
    if isinstance(value, list):
        flat = [one for entry in value for one in (entry if isinstance(entry, list) else [entry])]
        return 0, [str(NOT_AVAILABLE if one is None else one) for one in flat]
    return 0, [str(value)]


class Replay:
    """Answers like the module ``pynvml`` from a table; ``asked`` keeps the functions, newest last."""

    NVMLError = pynvml.NVMLError
    NVML_TEMPERATURE_GPU = pynvml.NVML_TEMPERATURE_GPU
    NVML_CLOCK_SM = pynvml.NVML_CLOCK_SM
    NVML_CLOCK_MEM = pynvml.NVML_CLOCK_MEM
    nvmlMemory_v2 = pynvml.nvmlMemory_v2  # noqa: N815 - the module's own name

    def __init__(self, computer: dict[str, Any]) -> None:
        self.asked: list[str] = []
        self.load(computer)

    def load(self, computer: dict[str, Any]) -> None:
        """From now on this computer answers, as after a card has left or moved."""
        self.table = answers(computer)
        self.absent = set(computer.get("absent", ()))
        self.missing_library = computer.get("library") == "missing"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        getattr(pynvml, name)  # the module's own AttributeError for what it does not have
        return lambda *args, **kwargs: self._call(name, *args, **kwargs)

    def _call(self, name: str, *args: Any, version: int | None = None) -> Any:
        function = _SUFFIXED.get(name, name)
        if name == "nvmlDeviceGetMemoryInfo" and version:
            function = "nvmlDeviceGetMemoryInfo_v2"
        self.asked.append(function)
        if self.missing_library:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)
        if function in self.absent:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        handle = str(args[0]) if args and isinstance(args[0], str) else ""
        if function in _BY_ARGUMENT:
            argument = args[-1]
            handle = handle if len(args) == 2 else ""
            function = f"{function}:{argument}"
        fallback = NOT_FOUND if "HandleBy" in function or "ProcessName" in function else NOT_SUPPORTED
        code, words = self.table.get((function, handle), (fallback, []))
        if code:
            raise pynvml.NVMLError(code)
        return _shaped(function.partition(":")[0], words)


def _shaped(function: str, words: list[str]) -> Any:
    """The words as the binding hands them out."""
    if function.endswith(("UUID", "Name", "Version", "HandleByIndex_v2", "HandleByIndex")) or (
        "Handle" in function
    ):
        return words[0]
    numbers = [int(word) for word in words]
    names = {
        "nvmlDeviceGetPciInfo_v3": "domain bus device",
        "nvmlDeviceGetMemoryInfo": "total free used",
        "nvmlDeviceGetMemoryInfo_v2": "total reserved free used",
        "nvmlDeviceGetUtilizationRates": "gpu memory",
    }
    if function in names:
        return SimpleNamespace(**dict(zip(names[function].split(), numbers, strict=True)))
    if "RunningProcesses" in function:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return [
            SimpleNamespace(pid=pid, usedGpuMemory=None if used == NOT_AVAILABLE else used)
            for pid, used in pairs
        ]
    if function == "nvmlDeviceGetMigMode":
        return numbers
    return numbers[0] if numbers else None
