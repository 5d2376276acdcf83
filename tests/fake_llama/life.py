"""The life of the fake server: bind, load, serve, end, with the faults of each stage."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.fake_llama.command_line import Settings
from tests.fake_llama.engine_log import (
    ERROR,
    INFO,
    EngineLog,
    draft_lines,
    exit_table,
    failed_load_lines,
    load_lines,
    oom_lines,
    write_raw,
)
from tests.fake_llama.service import Service
from tests.fake_llama.switches import Switches

_GRANDCHILD_S = 120  # lives long enough for a test, and not for ever if the test forgets it


class LoadFailedError(Exception):
    """The load ended with this exit code."""

    def __init__(self, code: int = 1) -> None:
        super().__init__(code)
        self.code = code


def run(settings: Settings, switches: Switches) -> int:
    """Live until a signal or a fault; returns the exit code."""
    _no_core_files()
    # As in the original: no handler during the load, so that SIGTERM and SIGINT simply kill.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if switches.ignore_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if switches.fork_grandchild is not None:
        _fork_grandchild(Path(switches.fork_grandchild))
    return asyncio.run(_live(settings, switches))


def _no_core_files() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - POSIX only

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _fork_grandchild(pid_file: Path) -> None:
    code = f"import time; time.sleep({_GRANDCHILD_S})"
    child = subprocess.Popen([sys.executable, "-SE", "-c", code])  # inherits stdout and stderr on purpose
    whole = pid_file.with_suffix(".part")
    whole.write_text(str(child.pid), encoding="ascii")
    whole.replace(pid_file)


async def _live(settings: Settings, switches: Switches) -> int:
    log = EngineLog(settings)
    service = Service(settings, switches, log)
    host, port = settings.text("--host"), settings.number("--port")
    if switches.port_in_use:
        server = None
    else:
        try:
            server = await asyncio.start_server(service.serve, host, port, backlog=64)
        except OSError:
            server = None
    if server is None:
        log.line(
            ERROR, f"srv         start: couldn't bind HTTP server socket, hostname: {host}, port: {port}"
        )
        log.line(ERROR, "srv  llama_server: exiting due to HTTP server error")
        return 1
    port = server.sockets[0].getsockname()[1]
    flood = asyncio.create_task(_flood(log, switches.flood_log)) if switches.flood_log else None
    try:
        await _load(service)
    except LoadFailedError as error:
        return error.code
    finished: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    _handle_signals(service, finished)
    service.ready = True
    if service.is_router:
        log.line(INFO, f"srv  llama_server: router server is listening on http://{host}:{port}")
    else:
        log.line(INFO, "srv  llama_server: model loaded")
        log.line(INFO, f"srv  llama_server: server is listening on http://{host}:{port}")
    if switches.exit_after_s is not None:
        asyncio.get_running_loop().call_later(switches.exit_after_s, _finish, finished, switches.exit_code)
    deafening = asyncio.create_task(_deafen(service, server)) if switches.close_socket else None
    code = await finished
    if deafening is not None:
        deafening.cancel()
    if flood is not None:
        flood.cancel()
    if code == 0:
        log.line(INFO, "srv    operator(): cleaning up before exit...")
        for level, text in exit_table(switches):
            log.line(level, text)
    server.close()
    return code


async def _deafen(service: Service, server: asyncio.Server) -> None:
    while service.generations <= service.switches.after_requests:  # noqa: ASYNC110 - it has no event
        await asyncio.sleep(0.01)
    server.close()


def _finish(finished: asyncio.Future[int], code: int) -> None:
    if not finished.done():
        finished.set_result(code)


def _handle_signals(service: Service, finished: asyncio.Future[int]) -> None:
    if sys.platform == "win32":
        return  # TerminateProcess needs no handler

    def stop() -> None:
        if finished.done():
            os._exit(1)  # a second signal does not wait
        finished.set_result(0)

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop)
    if not service.switches.ignore_sigterm:
        loop.add_signal_handler(signal.SIGTERM, stop)


async def _load(service: Service) -> None:
    """Go through the load with its lines.

    Raises:
        LoadFailedError: the process has to end.
    """
    settings, switches, log = service.settings, service.switches, service.log
    if service.is_router:
        return
    model = settings.text("--model")
    if not model:
        log.line(ERROR, f"cmn  failed to download model: {settings.text('--hf-repo')}")
        raise LoadFailedError
    lines = load_lines(settings, switches, service.n_ctx)
    for level, text in lines[: len(lines) // 2]:
        log.line(level, text)
    if switches.megabyte_log_line:
        log.line(INFO, "x" * 1_000_000)
    block = "".join(f"0.00.000.000 I load_tensors: tensor {number:>60}\n" for number in range(1000))
    for _ in range(switches.chatter_at_load // len(block)):
        write_raw(block)
    _check_file(log, model, wanted=switches.check_model)
    await asyncio.sleep(switches.load_s)
    await _load_fault(service)
    _check_settings(service)
    for level, text in lines[len(lines) // 2 :] + draft_lines(settings, switches, service.n_ctx):
        log.line(level, text)
    unified = "true" if settings.number("--parallel") < 0 or settings.is_on("--kv-unified") else "false"
    slots = f"n_slots = {len(service.slots)}, n_ctx_slot = {service.slot_ctx}, kv_unified = '{unified}'"
    log.line(INFO, f"srv    load_model: initializing, {slots}")


async def _load_fault(service: Service) -> None:
    settings, switches, log = service.settings, service.switches, service.log
    if switches.hang_at_load:
        await asyncio.Event().wait()
    if switches.oom_at_load:
        part = switches.oom_at_load if isinstance(switches.oom_at_load, str) else "rs"
        for level, text in oom_lines(settings, part) + failed_load_lines(settings.text("--model")):
            log.line(level, text)
        raise LoadFailedError
    if switches.crash_at_load is not None:
        if switches.crash_text:
            write_raw(switches.crash_text.rstrip("\n") + "\n")
        if isinstance(switches.crash_at_load, int):
            raise LoadFailedError(switches.crash_at_load)
        os.kill(os.getpid(), signal.Signals[switches.crash_at_load])
        time.sleep(5)  # noqa: ASYNC251 - the signal has ended us by now


def _check_file(log: EngineLog, model: str, *, wanted: bool) -> None:
    if not wanted:
        return
    try:
        with Path(model).open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        why = f"gguf_init_from_file: failed to open GGUF file '{model}' ({error.strerror})"
    else:
        if magic == b"GGUF":
            return
        shown = magic.decode("latin-1")
        why = f"gguf_init_from_reader: invalid magic characters: '{shown}', expected 'GGUF'"
    log.line(ERROR, why)
    log.line(
        ERROR, f"llama_model_load: error loading model: llama_model_loader: failed to load model from {model}"
    )
    for level, text in failed_load_lines(model):
        log.line(level, text)
    raise LoadFailedError


def _check_settings(service: Service) -> None:
    """Combinations that the original cannot start with."""
    settings = service.settings
    if (
        settings.text("--cache-type-v") not in ("f32", "f16", "bf16")
        and settings.text("--flash-attn") == "off"
    ):
        text = "llama_init_from_model: quantized V cache requires flash_attn to be enabled"
        service.log.line(ERROR, text)
        for level, line in failed_load_lines(settings.text("--model")):
            service.log.line(level, line)
        raise LoadFailedError
    drafting = service.drafting
    if drafting is not None and settings.number("--ubatch-size") <= drafting.n_max:
        write_raw("llama-memory-recurrent.cpp:377: GGML_ASSERT(n_ubatch > n_keep_tail) failed\n")
        os.kill(os.getpid(), signal.SIGABRT)


async def _flood(log: EngineLog, per_second: int) -> None:
    number = 0
    while True:
        for _ in range(max(per_second // 50, 1)):
            number += 1
            log.line(
                INFO, f"srv         flood: line {number} of a talkative server, which fills the pipe quickly"
            )
        await asyncio.sleep(0.02)
