"""What launches took: read from the engine's own lines, kept, and found again."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.memory import estimate
from qtune.core.memory_facts import MemoryPart
from qtune.core.settings import ServerSettings
from qtune.engine.log_facts import LogFacts, LogReader
from qtune.host.files import locked
from qtune.session.remembered import Remembered, parts_of_log
from tests.patience import until
from tests.unit.core.published_shapes import MIB, QWEN36_27B, QWEN36_35B_A3B

ENGINE = EngineFacts(
    ref=EngineRef("binary", ("llama-server",), "llama-server", "PATH"),
    version="0.6.0-dev (build 11434, commit abcdef123)",
    build=11_434,
    commit="abcdef123",
    options=frozenset(),
    removed=frozenset(),
    spec_types=("draft-mtp",),
    devices=(DeviceFacts("CUDA0", "NVIDIA GeForce RTX 3090", 24 << 30, 23 << 30),),
)
MTP = ServerSettings(ctx_size=8192, mtp=True, n_max=3)


def measured(**sizes: int) -> tuple[MemoryPart, ...]:
    return tuple(MemoryPart(kind, size, "measured") for kind, size in sizes.items())  # type: ignore[arg-type]


PARTS = measured(
    weights=15_000 * MIB,
    kv=512 * MIB,
    recurrent=150 * MIB,
    compute=160 * MIB,
    mtp_kv=32 * MIB,
    mtp_recurrent=449 * MIB,
    mtp_compute=130 * MIB,
)


def facts_of(*lines: str) -> LogFacts:
    reader = LogReader()
    reader.feed(lines)
    return reader.facts()


# -- from the log -----------------------------------------------------------------------------------------

ON_CARD = (
    "load_tensors:   CPU_Mapped model buffer size =   682.03 MiB",
    "load_tensors:        CUDA0 model buffer size = 15000.00 MiB",
    "llama_context: n_rs_seq              = 3",
    "llama_context:  CUDA_Host  output buffer size =     3.79 MiB",
    "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB",
    "llama_memory_recurrent:      CUDA0 RS buffer size =   598.50 MiB",
    "sched_reserve:      CUDA0 compute buffer size =   160.00 MiB",
    "sched_reserve:  CUDA_Host compute buffer size =    26.00 MiB",
    "common_speculative_init_result: creating MTP draft context against the target model 'x.gguf'",
    "llama_context: n_rs_seq              = 0",
    "llama_kv_cache:      CUDA0 KV buffer size =    32.00 MiB",
    "sched_reserve:      CUDA0 compute buffer size =   130.02 MiB",
    "sched_reserve:      CUDA0 compute buffer size =   130.00 MiB",
    "speculative decoding context initialized",
)


def test_on_a_card_only_its_own_memory_counts() -> None:
    assert {p.kind: p.size_bytes / MIB for p in parts_of_log(facts_of(*ON_CARD))} == {
        "weights": 15_000,
        "kv": 512,
        "recurrent": 149.625,
        "mtp_recurrent": 448.875,
        "compute": 160,
        "mtp_kv": 32,
        "mtp_compute": 130,
    }


def test_in_main_memory_all_counts_and_weights_in_another_order_count_once() -> None:
    parts = parts_of_log(
        facts_of(
            "load_tensors:   CPU_Mapped model buffer size =   103.07 MiB",
            "load_tensors:   CPU_REPACK model buffer size =    13.15 MiB",
            "llama_context:        CPU  output buffer size =     0.01 MiB",
            "llama_kv_cache:        CPU KV buffer size =     4.00 MiB",
            "sched_reserve:        CPU compute buffer size =    18.77 MiB",
        )
    )
    assert {p.kind: round(p.size_bytes / MIB, 2) for p in parts} == {
        "weights": 103.07,
        "kv": 4.0,
        "compute": 18.78,
    }
    read_not_mapped = facts_of(
        "load_tensors:          CPU model buffer size =    87.05 MiB",
        "load_tensors:   CPU_REPACK model buffer size =     9.00 MiB",
    )
    assert sum(p.size_bytes for p in parts_of_log(read_not_mapped)) == pytest.approx(96.05 * MIB, abs=2)


def test_states_are_divided_by_what_the_engine_says_of_copies() -> None:
    state = "llama_memory_recurrent:      CUDA0 RS buffer size =   300.00 MiB"
    drafting = ("- n_max=2, n_min=0, p_min=0.00", "speculative decoding context initialized")

    def first(*lines: str) -> float:
        return sum(p.size_bytes for p in parts_of_log(facts_of(*lines)) if p.kind == "recurrent") / MIB

    assert first(state) == 300
    assert first("llama_context: n_rs_seq = 0", state, *drafting) == 300
    assert first(state, *drafting) == 100
    assert parts_of_log(LogFacts()) == ()


# -- kept -------------------------------------------------------------------------------------------------


def test_the_same_launch_is_found_with_all_its_parts(tmp_path: Path) -> None:
    file = tmp_path / "new" / "memory.json"
    Remembered(file).learn(QWEN36_27B, ENGINE, MTP, PARTS)
    found = Remembered(file).recall(QWEN36_27B, ENGINE, replace(MTP, threads=4, p_min=0.5))
    assert found == tuple(replace(part, source="remembered") for part in PARTS)


def test_whatever_the_parts_depend_on_makes_it_another_launch(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "memory.json")
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    for settings in (
        replace(MTP, n_max=4),
        replace(MTP, mtp=False),
        replace(MTP, parallel=2),
        replace(MTP, ubatch_size=1024),
        replace(MTP, cache_type_k="q8_0"),
        replace(MTP, draft_cache_type_v="q8_0"),
        replace(MTP, flash_attn="off"),
        replace(MTP, gpu_layers="none"),
        replace(MTP, n_cpu_moe=1),
    ):
        assert kept.recall(QWEN36_27B, ENGINE, settings) == ()
    assert kept.recall(QWEN36_35B_A3B, ENGINE, MTP) == ()
    assert kept.recall(replace(QWEN36_27B, size_bytes=1), ENGINE, MTP) == ()
    assert kept.recall(QWEN36_27B, replace(ENGINE, build=11_435), MTP) == ()
    assert kept.recall(QWEN36_27B, replace(ENGINE, devices=()), MTP) == ()
    assert kept.recall(QWEN36_27B, ENGINE, MTP, head=QWEN36_27B) == ()


def test_at_another_context_only_what_helps_is_told_and_honestly(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "memory.json")
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    kept.learn(QWEN36_27B, ENGINE, replace(MTP, ctx_size=131_072), measured(compute=999 * MIB))
    found = {p.kind: p for p in kept.recall(QWEN36_27B, ENGINE, replace(MTP, ctx_size=32_768))}
    assert {kind: part.source for kind, part in found.items()} == {
        "weights": "remembered",
        "recurrent": "remembered",
        "mtp_recurrent": "remembered",
        "compute": "estimated",
        "mtp_compute": "estimated",
    }
    assert found["compute"].size_bytes == (160 + 24) * MIB  # the mask: 512 x 24576 x 2 bytes
    whole = estimate(QWEN36_27B, replace(MTP, ctx_size=32_768), on_card=True, learned=tuple(found.values()))
    assert whole is not None
    assert whole.bytes_of("kv") == 2048 * MIB
    assert whole.bytes_of("weights") + whole.bytes_of("mtp_weights") == 15_000 * MIB


def test_only_measured_parts_are_kept_and_the_newest_figure_holds(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "memory.json")
    guess = (MemoryPart("compute", 700 * MIB, "estimated"), MemoryPart("kv", 1, "remembered"))
    kept.learn(QWEN36_27B, ENGINE, MTP, guess)
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == ()
    kept.learn(QWEN36_27B, ENGINE, MTP, (*guess, *measured(recurrent=5)))
    kept.learn(QWEN36_27B, ENGINE, MTP, measured(recurrent=6))
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == (MemoryPart("recurrent", 6, "remembered"),)


def test_the_oldest_launches_go(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "memory.json", max_entries=3)
    contexts = (1024, 2048, 4096, 1024, 8192)
    for size, ctx in enumerate(contexts, start=1):
        kept.learn(QWEN36_27B, ENGINE, replace(MTP, ctx_size=ctx), measured(kv=size))
    sizes = {
        ctx: [
            p.size_bytes
            for p in kept.recall(QWEN36_27B, ENGINE, replace(MTP, ctx_size=ctx))
            if p.kind == "kv"
        ]
        for ctx in contexts
    }
    assert sizes == {1024: [4], 2048: [], 4096: [3], 8192: [5]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"[1]",
        b"[" * 100_000,
        b'{"format": 2, "entries": []}',
        b'{"format": 1, "entries": {}}',
        b'{"format": 1, "entries": [7, {"key": 1}, {"key": "k", "ctx": true, "parts": {}}]}',
    ],
)
def test_a_damaged_file_counts_as_empty_and_heals(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "memory.json"
    file.write_bytes(content)
    kept = Remembered(file)
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == ()
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    assert len(Remembered(file).recall(QWEN36_27B, ENGINE, MTP)) == len(PARTS)


@pytest.mark.parametrize("parts", ['{"nonsense": 5}', '{"kv": -5}', '{"kv": "5"}', '{"kv": 1e300}'])
def test_a_damaged_entry_is_left_out_and_the_others_stay(tmp_path: Path, parts: str) -> None:
    file = tmp_path / "memory.json"
    Remembered(file).learn(QWEN36_27B, ENGINE, MTP, PARTS)
    content = json.loads(file.read_text())
    good = content["entries"][0]
    content["entries"].append({"key": good["key"], "ctx": 512, "parts": json.loads(parts)})
    file.write_text(json.dumps(content))
    kept = Remembered(file)
    assert len(kept.recall(QWEN36_27B, ENGINE, MTP)) == len(PARTS)
    assert {p.source for p in kept.recall(QWEN36_27B, ENGINE, replace(MTP, ctx_size=512))} >= {"estimated"}


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in the place of the file")
def test_a_file_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    kept = Remembered(tmp_path / "file" / "memory.json")
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == ()


def test_several_windows_lose_nothing_to_each_other(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"

    def work(first: int) -> None:
        kept = Remembered(file)
        for step in range(8):
            ctx = 256 * (first + step)
            kept.learn(QWEN36_27B, ENGINE, replace(MTP, ctx_size=ctx), measured(kv=ctx))

    workers = [threading.Thread(target=work, args=(1 + 8 * n,)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    kept = Remembered(file)
    for n in range(1, 25):
        found = kept.recall(QWEN36_27B, ENGINE, replace(MTP, ctx_size=256 * n))
        assert found == (MemoryPart("kv", 256 * n, "remembered"),)


def test_what_a_card_alone_took_is_not_what_all_of_them_take(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "memory.json")
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS, card="GPU-1")
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == ()
    assert len(kept.recall(QWEN36_27B, ENGINE, MTP, card="GPU-1")) == len(PARTS)


def test_asking_waits_neither_for_a_disk_nor_for_another_window_that_writes(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    kept = Remembered(file)
    kept.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    learns = threading.Thread(target=kept.learn, args=(QWEN36_27B, ENGINE, MTP, measured(kv=1)))
    answers: list[int] = []
    asks = threading.Thread(
        target=lambda: answers.append(len(kept.recall(QWEN36_27B, ENGINE, MTP))), daemon=True
    )
    with locked(file):
        learns.start()
        until(kept._lock.locked)
        asks.start()
        asks.join(60)
        assert answers == [len(PARTS)]
    learns.join(60)
    assert kept.recall(QWEN36_27B, ENGINE, MTP) == (MemoryPart("kv", 1, "remembered"),)


def test_what_another_window_learned_is_known_after_a_refresh(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    here, there = Remembered(file), Remembered(file)
    there.learn(QWEN36_27B, ENGINE, MTP, PARTS)
    here.refresh()
    assert len(here.recall(QWEN36_27B, ENGINE, MTP)) == len(PARTS)
