from pathlib import Path

import pytest

from qtune.engine.log_facts import DraftAcceptance, LogFacts, LogReader, without_prefix

MIB = 1024**2
REAL = Path(__file__).parents[2] / "data" / "engine_logs" / "mtp-cpu-b11549.log"

CARD = """\
0.00.100.000 I load_tensors: offloading 65 repeating layers to GPU
0.00.100.000 I load_tensors: offloaded 66/66 layers to GPU
0.00.100.000 I load_tensors:   CPU_Mapped model buffer size =   682.03 MiB
0.00.100.000 I load_tensors:        CUDA0 model buffer size = 15400.12 MiB
0.00.100.000 I load_tensors:        CUDA0 model buffer size =   100.00 MiB
0.00.100.000 I llama_context: n_ctx         = 32768
0.00.100.000 I llama_context: n_ctx_seq     = 16384
0.00.100.000 I llama_kv_cache:      CUDA0 KV buffer size =  1088.00 MiB
0.00.100.000 I llama_kv_cache: size = 1088.00 MiB ( 32768 cells), K (q8_0):  544.00 MiB, V (q5_1):  544.00 MiB
0.00.100.000 I llama_memory_recurrent:      CUDA0 RS buffer size =   598.50 MiB
0.00.100.000 I sched_reserve:      CUDA0 compute buffer size =   400.00 MiB
0.00.100.000 I sched_reserve:      CUDA0 compute buffer size =   495.00 MiB
0.00.200.000 I srv    load_model: creating MTP draft context against the target model 'm.gguf'
0.00.100.000 I llama_context: n_ctx         = 999
0.00.200.000 I llama_kv_cache:      CUDA0 KV buffer size =   128.00 MiB
0.00.200.000 I llama_kv_cache: size =  128.00 MiB ( 32768 cells), K (f16):   64.00 MiB, V (f16):   64.00 MiB
0.00.200.000 I sched_reserve:      CUDA0 compute buffer size =   250.50 MiB
0.00.300.000 I spec  init: - n_max=4, n_min=1, p_min=0.25, n_embd=5120, backend_sampling=1
0.00.300.000 I srv    load_model: speculative decoding context initialized
0.00.300.000 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 16384, kv_unified = 'false'
0.00.400.000 I srv          init: listening on http://127.0.0.1:8123
"""


def read(text: str) -> LogFacts:
    reader = LogReader()
    reader.feed(text.splitlines())
    return reader.facts()


def test_a_card_with_mtp() -> None:
    facts = read(CARD)
    assert (facts.layers_offloaded, facts.layers_total) == (66, 66)
    assert (facts.ctx_total, facts.ctx_slot, facts.slots) == (32768, 16384, 2)
    assert (facts.cache_type_k, facts.cache_type_v) == ("q8_0", "q5_1")
    assert (facts.draft_cache_type_k, facts.draft_cache_type_v) == ("f16", "f16")
    assert (facts.n_max, facts.n_min, facts.p_min) == (4, 1, 0.25)
    assert facts.speculation == "initialized"
    assert facts.url == "http://127.0.0.1:8123"
    by_key = {(b.device, b.kind, b.context): b.size_bytes for b in facts.buffers}
    assert by_key["CUDA0", "model", "target"] == round(15500.12 * MIB)  # shards add up
    assert by_key["CUDA0", "compute", "target"] == 495 * MIB  # a new reservation replaces the old one
    assert by_key["CUDA0", "compute", "mtp"] == round(250.5 * MIB)
    assert by_key["CUDA0", "kv", "mtp"] == 128 * MIB
    assert by_key["CUDA0", "rs", "target"] == round(598.5 * MIB)
    assert facts.buffer_bytes("kv") == 1216 * MIB
    assert facts.buffer_bytes("output") is None


def test_the_real_log_of_an_engine_with_mtp_on_a_processor() -> None:
    facts = read(REAL.read_text(encoding="utf-8"))
    assert facts.layers_offloaded is None
    assert (facts.ctx_total, facts.ctx_slot, facts.slots, facts.n_max) == (8192, 8192, 1, 3)
    assert facts.buffer_bytes("model") == round(148.39 * MIB)
    assert facts.buffer_bytes("kv", "target") == 16 * MIB
    assert facts.buffer_bytes("kv", "mtp") == 8 * MIB
    assert facts.buffer_bytes("rs", "target") == round(12.56 * MIB)
    assert facts.buffer_bytes("compute", "target") == round(39.02 * MIB)
    assert facts.buffer_bytes("compute", "mtp") == round(24.02 * MIB)
    assert facts.speculation == "initialized"
    assert facts.model_loaded
    assert facts.acceptance == (DraftAcceptance(121, 231, 2.57),)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("draft acceptance = 0.57576 (  171 accepted /   297 generated), mean len =  2.73", (171, 297, 2.73)),
        (
            "draft acceptance = 0.5 (  171 accepted /   297 generated), mean acceptance length =  2.73, rate",
            (171, 297, 2.73),
        ),
        ("draft acceptance = 0.5 (  1 accepted /  2 generated)", (1, 2, None)),
        ("draft acceptance rate = 0.57 ( 4 accepted / 7 generated)", (4, 7, None)),
    ],
)
def test_acceptance_of_every_build(line: str, expected: tuple[int, int, float | None]) -> None:
    assert read(f"slot print_timing: id  0 | task 0 | {line}").acceptance == (DraftAcceptance(*expected),)


def test_what_can_go_wrong_quietly() -> None:
    facts = read(
        "0.00.001.000 I cmn  common_param: using config file: /home/u/.config/llama.cpp/config.ini\n"
        "0.00.001.000 I common_fit_params: context size reduced from 32768 to 4096\n"
        "0.00.001.000 E spec  init: failed to initialize speculative decoding context: no MTP layers\n"
        "0.00.001.000 W spec  init: synthetic speculative acceptance is enabled for benchmarking\n"
    )
    assert facts.config_files == ("/home/u/.config/llama.cpp/config.ini",)
    assert facts.context_reduced == (32768, 4096)
    assert facts.speculation == "failed"
    assert facts.speculation_line == "failed to initialize speculative decoding context: no MTP layers"
    assert facts.synthetic


def test_a_context_that_cannot_speculate() -> None:
    assert read(
        "0.00.001.000 W srv  load_model: speculative decoding not supported by this context"
    ).speculation == ("unsupported")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0.00.001.000 E srv    load_model: failed to load model, 'm'", "failed to load model, 'm'"),
        ("0.00.001.000 E llama_model_load: error loading model: x", "error loading model: x"),
        ("1.02.003.004 E CUDA error: out of memory", "CUDA error: out of memory"),
        ("error: invalid argument: --foo", "error: invalid argument: --foo"),
        ("0.00.001.000 E error: something: else", "error: something: else"),
    ],
)
def test_prefixes_are_taken_off(line: str, words: str) -> None:
    assert without_prefix(line) == words
