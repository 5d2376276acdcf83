"""The bundled engine: llama.cpp's own server from the xllamacpp package, behind llama-server's command line.

Run as `python -m qtune --bundled-engine ARGUMENTS`. To the rest of qtune it is one more llama-server binary.
"""

from __future__ import annotations

import faulthandler
import http.client
import importlib.metadata
import importlib.util
import json
import os
import signal
import sys
import threading
import urllib.parse
from http import HTTPStatus
from types import FrameType
from typing import Any, Final

from qtune.engine.bundled_parser import ParsedCommand, UsageError, help_text, parse_command

_NOT_INSTALLED: Final = (
    'error: the bundled engine is not installed: add it with  pip install "qtune[engine]"  or choose a '
    "llama-server of your own\n"
)

_LONGEST_STOP_S: Final = 1.5


def bundled_engine_available() -> bool:
    """Whether xllamacpp is installed. Looks for it without loading it (it takes 100 MB)."""
    return importlib.util.find_spec("xllamacpp") is not None


def main(argv: list[str]) -> int:
    """Behave as llama-server called with `argv` (without the program's name); return its exit status."""
    try:
        command = parse_command(argv, os.environ)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for warning in command.warnings:
        sys.stderr.write(f"{warning}\n")
    if command.action == "help":
        sys.stdout.write(help_text())
        return 0
    if not bundled_engine_available():
        sys.stderr.write(_NOT_INSTALLED)
        return 1
    import xllamacpp  # noqa: PLC0415 - heavy, and not always there

    if command.action == "version":
        _print_version(xllamacpp)
    elif command.action == "list-devices":
        _print_devices(xllamacpp)
    else:
        return _serve(xllamacpp, command)
    return 0


def _print_version(library: Any) -> None:  # noqa: ANN401 - xllamacpp has no types
    """Version on stderr. The wheels do not record llama.cpp's build; their own version's last part is it."""
    facts = library.BUILD_INFO
    package = importlib.metadata.version("xllamacpp")
    build = facts["build_number"] or int(package.split(".")[2])
    sys.stderr.write(f"version: xllamacpp-{package} (build {build}, commit {facts['commit']})\n")
    sys.stderr.write(f"built with {facts['compiler']} for {facts['build_target']}\n")


def _print_devices(library: Any) -> None:  # noqa: ANN401
    cpu = library.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    devices = [device for device in library.get_device_info() if device["type"] != cpu]
    lines = [
        f"  {device['name']}: {device['description']} "
        f"({device['memory_total'] >> 20} MiB, {device['memory_free'] >> 20} MiB free)"
        for device in devices
    ]
    sys.stdout.write("\n".join(["Available devices:", *(lines or ["  (none)"])]) + "\n")


def _parameters(library: Any, command: ParsedCommand) -> Any:  # noqa: ANN401
    params = library.CommonParams()
    # llama-server's defaults, where the library has its own.
    params.port = 8080
    params.n_parallel = -1
    for option, value in command.values:
        if option.apply:
            option.apply(library, params, value)
    return params


def _serve(library: Any, command: ParsedCommand) -> int:  # noqa: ANN401
    """Load the model and serve until a signal asks for the end."""
    if not command.value_of("--model"):
        # llama-server would become a router here, which the library does not offer.
        sys.stderr.write("error: --model is required\n")
        return 1
    try:
        params = _parameters(library, command)
    except (ValueError, RuntimeError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    signals = [signal.SIGINT, signal.SIGTERM]
    for number in signals:
        # As in llama-server, a signal simply kills until the model is loaded: nothing is there to clean up,
        # and Python's own handlers would not run before the native call returns.
        signal.signal(number, signal.SIG_DFL)
    try:
        server = library.Server(params)
    except (RuntimeError, ValueError):
        return 1  # the native log has said why
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for number in signals:
        signal.signal(number, on_signal)
    # Waiting without a limit would keep Windows from delivering Ctrl+C.
    while not stop.wait(None if os.name == "posix" else 0.25):
        pass
    if not _is_idle(server.listening_address, params.api_keys):
        # The native shutdown may wait half a minute for a stream in flight, holding Python's lock.
        sys.stderr.write("stopping in the middle of a request\n")
        sys.stderr.flush()
        os._exit(0)
    faulthandler.dump_traceback_later(_LONGEST_STOP_S, exit=True)
    del server  # joins the native threads and writes the memory table
    faulthandler.cancel_dump_traceback_later()
    return 0


def _is_idle(address: str, keys: list[str]) -> bool:
    """Whether the server says, within half a second, that no slot is at work."""
    headers = {"Authorization": f"Bearer {keys[0]}"} if keys else {}
    host = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(host.hostname or "127.0.0.1", host.port, timeout=0.5)
    try:
        connection.request("GET", "/slots", headers=headers)
        response = connection.getresponse()
        slots = json.loads(response.read())
        return response.status == HTTPStatus.OK and not any(slot["is_processing"] for slot in slots)
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
