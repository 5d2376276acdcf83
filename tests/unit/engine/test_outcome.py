import json
import re
import sys
from collections.abc import Callable

import pytest

from qtune.core.causes import Cause, cause_of
from qtune.core.messages import TEXTS, Message
from qtune.engine.exit_status import signal_name
from qtune.engine.log_ring import LineSplitter
from qtune.engine.outcome import EVIDENCE_CHARS, classify

OOM = [
    "0.00.100.000 E alloc_buffer: allocating 299.25 MiB on device 0: cudaMalloc failed: out of memory",
    "0.00.100.000 E llama_init_from_model: failed to allocate buffer for kv cache",
    "0.00.100.000 E srv    load_model: failed to load model, 'm.gguf'",
    "0.00.100.000 E srv  llama_server: exiting due to model loading error",
]
NO_HEAD = "llama_init: context type MTP requested but model doesn't contain MTP layers"
NO_FILE = "gguf_init_from_file: failed to open GGUF file 'm-00002-of-00003.gguf' (No such file or directory)"
LOADING = "0.00.001.000 I load_tensors: loading model tensors"
NO_CARD = "ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected"


def e(*texts: str) -> list[str]:
    return [f"0.00.100.000 E {text}" for text in texts]


LOAD_FAILED = e(
    "llama_model_load: error loading model: llama_model_loader: failed to load model from m.gguf",
    "srv    load_model: failed to load model, 'm.gguf'",
    "srv  llama_server: exiting due to model loading error",
)
SAYS = "error while handling argument "

# Status, lines, code, and the words that the decisive line must hold (None: no line tells).
CAUSES: list[tuple[int, list[str], str, str | None]] = [
    # -- options
    (1, ["error: invalid argument: --foo"], "ended_bad_argument", "error: invalid argument: --foo"),
    (1, [SAYS + '"--spec-type": unknown speculative type: mtp', "", "usage:"], "ended_bad_argument", "mtp"),
    (1, [SAYS + '"--x": the argument has been removed. use --y'], "ended_bad_argument", "use --y"),
    (1, ['error while handling environment variable "LLAMA_ARG_X": stoi'], "ended_bad_argument", "ARG_X"),
    (
        1,
        e("llama_init_from_model: quantized V cache requires flash_attn to be enabled") + LOAD_FAILED,
        "ended_bad_argument",
        "quantized V cache",
    ),
    # -- memory
    (1, OOM, "ended_out_of_memory", "allocating 299.25 MiB on device 0: cudaMalloc failed: out of memory"),
    (1, OOM[1:], "ended_out_of_memory", OOM[1].partition("model: ")[2]),
    (-6, ["CUDA error: out of memory", "  current device: 0"], "ended_out_of_memory", "CUDA error"),
    (
        1,
        e("llama_model_load: error loading model: unable to allocate CUDA0 buffer") + LOAD_FAILED,
        "ended_out_of_memory",
        "error loading model: unable to allocate CUDA0 buffer",
    ),
    (1, OOM[:1] + e("srv load_model: failed to create MTP context"), "ended_out_of_memory", "cudaMalloc"),
    (1, e("ggml_vulkan: ErrorOutOfDeviceMemory"), "ended_out_of_memory", "ErrorOutOfDeviceMemory"),
    (-6, ["terminate called after throwing 'std::bad_alloc'"], "ended_out_of_memory", "std::bad_alloc"),
    (0xC000012D, [], "ended_out_of_memory", "COMMITMENT_LIMIT (0xC000012D)"),
    # -- MTP
    (1, e(NO_HEAD, "srv load_model: failed to create MTP context"), "ended_mtp_missing", NO_HEAD[12:]),
    (1, e("srv load_model: failed to create MTP context"), "ended_mtp_missing", "failed to create MTP"),
    (
        1,
        e("check_tensor_dims: tensor 'blk.4.nextn.eh_proj.weight' not found") + LOAD_FAILED,
        "ended_mtp_missing",
        "nextn",
    ),
    (
        -6,
        ["/src/llama-context.cpp:12: GGML_ASSERT(n_ubatch > n_keep_tail) failed", "[New LWP 1]"],
        "ended_mtp_fault",
        "/src/llama-context.cpp:12: GGML_ASSERT(n_ubatch > n_keep_tail) failed",
    ),
    (
        1,
        e("srv update_slots: decode() failed: failed to process speculative batch"),
        "ended_mtp_fault",
        "failed to process speculative batch",
    ),
    # -- files
    (1, e("gguf_init_from_file: failed to open GGUF file 'm' (No such file)") + LOAD_FAILED,
     "ended_file_missing", "failed to open GGUF file 'm' (No such file)"),
    (1, e("gguf_init_from_reader: invalid magic characters: '<!DO', expected 'GGUF'") + LOAD_FAILED,
     "ended_not_gguf", "<!DO"),
    (1, ["gguf_init_from_file: invalid magic characters '<!DO'"], "ended_not_gguf", "<!DO"),
    (1, e("gguf_init_from_reader: failed to read key-value pairs") + LOAD_FAILED, "ended_file_cut", "pairs"),
    (1, e("load: tensor 'x' data is not within the file bounds, model is corrupted") + LOAD_FAILED,
     "ended_file_cut", "tensor 'x' data is not within the file bounds, model is corrupted"),
    (1, e(NO_FILE, "llama_model_load: error loading model: failed to load GGUF split from m-2"),
     "ended_shard_missing", "failed to load GGUF split from m-2"),
    (1, e("llama_model_load: error loading model: illegal split file idx: 1 (file: m), model must be loaded "
          "with the first split"), "ended_shard_missing", "illegal split file"),
    (1, e("llama_model_load: error loading model: unknown model architecture: 'x'") + LOAD_FAILED,
     "ended_unknown_arch", "error loading model: unknown model architecture: 'x'"),
    (1, e("check_tensor_dims: tensor 'blk.0.attn_norm.weight' not found") + LOAD_FAILED,
     "ended_bad_model", "blk.0.attn_norm"),
    (1, LOAD_FAILED, "ended_bad_model", "failed to load model from m.gguf"),
    # -- the computer
    (127, ["llama-server: error while loading shared libraries: libx.so: cannot open shared object file"],
     "ended_library_missing", "libx.so"),
    (-1073741515, [], "ended_library_missing", "DLL_NOT_FOUND (0xC0000135)"),
    (3221225785, [], "ended_library_missing", "ENTRYPOINT_NOT_FOUND (0xC0000139)"),
    (0xC0000022, [], "ended_blocked", "ACCESS_DENIED (0xC0000022)"),
    (0xC000001D, [], "ended_illegal_instruction", "ILLEGAL_INSTRUCTION (0xC000001D)"),
    (1, ["CUDA error: no kernel image is available for execution on the device"], "ended_device", "kernel"),
    (1, [NO_CARD], "ended_device", "no CUDA-capable device"),
    (1, ["ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime"],
     "ended_device", "driver version is insufficient"),
    (1, [NO_CARD, *OOM], "ended_out_of_memory", "cudaMalloc"),
    # -- no line tells
    (0xC0000005, [NO_CARD], "ended_signal_silent", None),
    (0xC0000409, [LOADING], "ended_signal_silent", None),
    (1, e("init: something new went wrong"), "ended_exit", "something new went wrong"),
    (0, ["0.00.001.000 I srv init: all good"], "ended_exit_silent", None),
]  # fmt: skip
OF_POSIX: list[tuple[int, list[str], str, str | None]] = [
    (-9, [LOADING], "ended_killed", None),
    (137, [], "ended_killed", None),
    (-9, OOM[:1], "ended_killed", None),
    (-15, [], "ended_from_outside", None),
    (-11, [LOADING], "ended_signal_silent", None),
    (-11, [NO_CARD], "ended_signal_silent", None),
    (134, ["GGML_ASSERT(n > 0) failed"], "ended_signal", "GGML_ASSERT(n > 0) failed"),
    (-4, [LOADING], "ended_illegal_instruction", "SIGILL"),
    (132, [], "ended_illegal_instruction", "SIGILL"),
]
if sys.platform != "win32":
    CAUSES += OF_POSIX


def as_json(words: str) -> str:
    level = "error" if " E " in words else "info"
    return json.dumps({"type": "log", "time": 1, "level": level, "msg": re.sub(r"^[\d.]+ [EI] ", "", words)})


DRESSES: dict[str, Callable[[str], bytes]] = {
    "plain": lambda words: words.encode(),
    "crlf": lambda words: f"{words}\r".encode(),
    "colour": lambda words: f"\x1b[31m{words}\x1b[0m".encode(),
    "indent": lambda words: f"  {words}".encode(),
    "no prefix": lambda words: re.sub(r"^[\d.]+ E (?=.*(?:fail|alloc|error))", "", words).encode(),
    "json": lambda words: as_json(words).encode(),
    "bytes": lambda words: words.encode() + b" \xff\xfe",
}


@pytest.mark.parametrize(("returncode", "tail", "code", "words"), CAUSES)
@pytest.mark.parametrize("dress", DRESSES)
def test_causes(returncode: int, tail: list[str], code: str, words: str | None, dress: str) -> None:
    raw = b"".join(DRESSES[dress](line) + b"\n" for line in tail)
    outcome = classify(returncode, LineSplitter().feed(raw))
    assert outcome.message.code == code
    assert (outcome.line is None) is (words is None)
    assert words is None or words in str(outcome.line)
    assert code in TEXTS
    assert "?" not in outcome.message.sentence()


def test_the_first_of_many_lines_is_the_cause_and_has_no_prefix() -> None:
    assert classify(1, OOM).line == "allocating 299.25 MiB on device 0: cudaMalloc failed: out of memory"


def test_a_trace_of_thousands_of_lines_does_not_bury_the_cause() -> None:
    trace = [f"#{n} 0x00007f in some_function () from /lib/libc.so.6" for n in range(3000)]
    assert classify(-6, [OOM[0], *trace]).message.code == "ended_out_of_memory"


UP = "0.01.000.000 I srv  llama_server: model loaded"
FITTING = e("Gemma4Assistant requires ctx_other to be set (this warning is normal during memory fitting)")


@pytest.mark.parametrize("before", [FITTING, OOM[:1], e(NO_HEAD)], ids=["head", "memory", "mtp"])
@pytest.mark.parametrize("sign", [UP, "main: server is listening on http://x - starting the main loop"])
def test_what_was_said_before_it_ran_well_did_not_end_it(before: list[str], sign: str) -> None:
    later = ["0.02.000.000 I slot update_slots: new prompt"]
    assert classify(3, [*before, sign, *later]).message.code == "ended_exit_silent"


def test_a_draft_head_given_as_the_model_is_named() -> None:
    ended = classify(1, [*FITTING, "0.00.200.000 I srv operator(): cleaning up before exit..."])
    assert ended.message.code == "ended_sidecar"
    assert "cannot run by itself" in ended.message.sentence()


def test_an_error_that_was_survived_is_no_evidence_of_a_later_crash() -> None:
    survived = e("srv update_slots: decode() failed: failed to process speculative batch")
    idle = "0.03.000.000 I srv  update_slots: all slots are idle"
    assert classify(0xC0000005, [UP, *survived, idle]).message.code == "ended_signal_silent"
    assert classify(0xC0000005, [UP, *survived]).message.code == "ended_mtp_fault"


def test_an_orderly_end_that_was_asked_for_by_somebody_is_no_fault() -> None:
    bye = "0.09.000.000 I srv operator(): cleaning up before exit..."
    assert classify(0, [*FITTING, UP, bye]).message.code == "ended_in_order"
    assert classify(1, [UP, bye]).message.code == "ended_exit_silent"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_a_kill_for_want_of_memory_is_told_apart() -> None:
    assert classify(-9, [], oom_killed=True).message.code == "ended_oom_killed"
    assert classify(-11, [], oom_killed=True).message.code == "ended_signal_silent"


def test_every_way_to_end_has_a_class_or_is_unknown_on_purpose() -> None:
    unknown = {"ended_exit", "ended_exit_silent", "ended_signal", "ended_signal_silent"}
    codes = {code for code in TEXTS if code.startswith("ended_")}
    assert {code for _, _, code, _ in CAUSES} <= codes
    told = {code: cause_of(Message.of(code), mtp=False) for code in codes}
    assert {code for code, cause in told.items() if cause is Cause.UNKNOWN} == unknown
    on_their_own = {"ended_in_order", "ended_by_request", "ended_from_outside", "ended_killed", *unknown}
    assert all(Message.of(code).hint() for code in codes - on_their_own), "every cause has a next step"


def test_a_taken_port_is_named() -> None:
    tail = ["0.00.001.000 E srv start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8123"]
    assert classify(1, tail, port=8123).message.sentence() == "Port 8123 is taken by another program."


def test_what_we_asked_for_is_no_fault() -> None:
    assert classify(-15, OOM, stop_requested=True).message.code == "ended_by_request"


def test_long_evidence_is_cut() -> None:
    line = classify(1, ["error: invalid argument: " + "x" * 500]).line
    assert line is not None
    assert len(line) == EVIDENCE_CHARS
    assert line.endswith("…")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize(
    ("returncode", "name"), [(-11, "SIGSEGV"), (134, "SIGABRT"), (1, None), (0, None), (255, None)]
)
def test_signal_names(returncode: int, name: str | None) -> None:
    assert signal_name(returncode) == name


@pytest.mark.parametrize(
    ("returncode", "name"), [(0xC0000005, "ACCESS_VIOLATION"), (0xC0000135 - 2**32, "DLL_NOT_FOUND")]
)
def test_faults_of_windows(returncode: int, name: str) -> None:
    assert signal_name(returncode) == name
