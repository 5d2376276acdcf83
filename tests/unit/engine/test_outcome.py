import sys

import pytest

from qtune.engine.log_ring import LineSplitter
from qtune.engine.outcome import EVIDENCE_CHARS, classify, signal_name

OOM = [
    "0.00.100.000 E alloc_buffer: allocating 299.25 MiB on device 0: cudaMalloc failed: out of memory",
    "0.00.100.000 E llama_init_from_model: failed to allocate buffer for kv cache",
    "0.00.100.000 E srv    load_model: failed to load model, 'm.gguf'",
    "0.00.100.000 E srv  llama_server: exiting due to model loading error",
]
CAUSES = [
    (1, ["error: invalid argument: --foo"], "ended_bad_argument", "error: invalid argument: --foo"),
    (
        1,
        [
            'error while handling argument "--spec-type": unknown speculative type: mtp',
            "",
            "usage:",
            "--spec-type",
        ],
        "ended_bad_argument",
        'error while handling argument "--spec-type": unknown speculative type: mtp',
    ),
    (
        1,
        ['error while handling environment variable "LLAMA_ARG_X": stoi'],
        "ended_bad_argument",
        'error while handling environment variable "LLAMA_ARG_X": stoi',
    ),
    (1, OOM, "ended_out_of_memory", "allocating 299.25 MiB on device 0: cudaMalloc failed: out of memory"),
    (1, OOM[1:], "ended_out_of_memory", OOM[1].partition("model: ")[2]),
    (
        -6,
        ["CUDA error: out of memory", "  current device: 0, in function alloc at pool.cu:99"],
        "ended_out_of_memory",
        "CUDA error: out of memory",
    ),
    (
        1,
        [
            "0.00.001.000 E llama_model_load: error loading model: unable to allocate CUDA0 buffer",
            "0.00.001.000 E srv    load_model: failed to load model, 'm.gguf'",
        ],
        "ended_out_of_memory",
        "error loading model: unable to allocate CUDA0 buffer",
    ),
    (
        1,
        [
            "0.00.001.000 E gguf_init_from_file: failed to open GGUF file 'm.gguf' (No such file)",
            "0.00.001.000 E llama_model_load: error loading model: failed to load model from m",
        ],
        "ended_bad_model",
        "failed to open GGUF file 'm.gguf' (No such file)",
    ),
    (
        1,
        ["0.00.001.000 E load: tensor 'x' data is not within the file bounds, model is corrupted"],
        "ended_bad_model",
        "tensor 'x' data is not within the file bounds, model is corrupted",
    ),
    (
        1,
        ["0.00.001.000 E llama_model_load: error loading model: unknown model architecture: 'x'"],
        "ended_bad_model",
        "error loading model: unknown model architecture: 'x'",
    ),
    (
        1,
        [
            "0.00.001.000 E llama_init: context type MTP requested but model doesn't contain MTP layers",
            "0.00.001.000 E srv    load_model: failed to create MTP context",
            "0.00.001.000 E srv  llama_server: exiting due to model loading error",
        ],
        "ended_mtp_missing",
        "context type MTP requested but model doesn't contain MTP layers",
    ),
    (-9, ["0.00.001.000 I load_tensors: loading model tensors"], "ended_killed", None),
    (137, [], "ended_killed", None),
    (-15, [], "ended_from_outside", None),
    (-11, ["0.00.001.000 I load_tensors: loading model tensors"], "ended_signal_silent", None),
    (
        -6,
        ["/src/llama-context.cpp:12: GGML_ASSERT(n_ubatch > n_keep_tail) failed", "[New LWP 1]"],
        "ended_signal",
        "/src/llama-context.cpp:12: GGML_ASSERT(n_ubatch > n_keep_tail) failed",
    ),
    (1, ["0.00.001.000 E init: something new went wrong"], "ended_exit", "something new went wrong"),
    (0, ["0.00.001.000 I srv init: all good"], "ended_exit_silent", None),
]


@pytest.mark.parametrize(("returncode", "tail", "code", "line"), CAUSES)
@pytest.mark.parametrize(
    "dress", ["{}", "{}\r", "\x1b[0m{}", "  {}"], ids=["plain", "crlf", "colour", "indent"]
)
def test_causes(returncode: int, tail: list[str], code: str, line: str | None, dress: str) -> None:
    raw = "".join(dress.format(words) + "\n" for words in tail).encode()
    outcome = classify(returncode, LineSplitter().feed(raw))
    assert (outcome.message.code, outcome.line) == (code, line)
    assert "?" not in outcome.message.sentence()


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
