"""From the header of a published model to the memory its launch takes."""

from __future__ import annotations

from pathlib import Path

from qtune.core.memory import Sizes, estimate
from qtune.core.settings import ServerSettings
from qtune.models.gguf_header import read_model
from tests.unit.models.published import write_qwen36_27b, write_qwen36_35b_a3b

MIB = 1024**2
GIB = 1024**3


def test_qwen36_27b(tmp_path: Path) -> None:
    model = read_model(write_qwen36_27b(tmp_path / "27b.gguf"))
    small = {"cache_type_k": "q8_0", "cache_type_v": "q8_0"}
    settings = ServerSettings.from_dict({"ctx_size": 65_536, "mtp": True, "n_max": 3, **small})
    found = estimate(model, settings, on_card=True)
    assert found is not None
    assert found.gaps == ()
    assert found.bytes_of("kv") == 2176 * MIB
    assert found.bytes_of("mtp_kv") == 256 * MIB
    assert found.bytes_of("recurrent") == 149.625 * MIB
    assert found.bytes_of("mtp_recurrent") == 448.875 * MIB
    assert 400 * MIB < found.bytes_of("mtp_weights") < 440 * MIB  # 425 M parameters in Q8_0
    everything = estimate(model, settings, on_card=False)
    assert everything is not None
    embedding = 5120 * 248_320 * 144 // 256
    assert everything.bytes_of("weights") - found.bytes_of("weights") == embedding
    assert everything.bytes_of("weights") + everything.bytes_of("mtp_weights") < model.size_bytes
    largest = Sizes(model, settings, on_card=True).largest(23 * GIB, GIB)
    assert largest is not None
    assert 65_536 < largest < 262_144


def test_qwen36_35b_a3b(tmp_path: Path) -> None:
    model = read_model(write_qwen36_35b_a3b(tmp_path / "35b.gguf"))
    assert model.shape is not None
    assert model.shape.experts_used == 8
    settings = ServerSettings(ctx_size=65_536, mtp=True, n_max=6)
    found, moved = (estimate(model, settings.with_values({"n_cpu_moe": n}), on_card=True) for n in (0, 40))
    assert found is not None
    assert moved is not None
    assert found.gaps == ()
    assert found.bytes_of("kv") == 1280 * MIB
    assert found.bytes_of("mtp_kv") == 128 * MIB
    assert found.bytes_of("recurrent") == 62.8125 * MIB
    assert found.bytes_of("recurrent") + found.bytes_of("mtp_recurrent") == 7 * 62.8125 * MIB
    assert found.bytes_of("weights") - moved.bytes_of("weights") == 40 * 3 * 2048 * 512 * 256 * 144 // 256
    assert found.bytes_of("mtp_weights") == moved.bytes_of("mtp_weights")
