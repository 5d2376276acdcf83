"""Facts of two published models, written by hand from their published numbers."""

from __future__ import annotations

from dataclasses import replace

from qtune.core.model_facts import KvLayer, ModelFacts, ModelShape, RecurrentShape, WeightBytes

MIB = 1024**2
GIB = 1024**3


def facts(name: str, arch: str, blocks: int, shape: ModelShape) -> ModelFacts:
    return ModelFacts(
        path=f"/models/{name}.gguf",
        files=(f"/models/{name}.gguf",),
        name=name,
        arch=arch,
        quant="Q4_K_M",
        size_bytes=shape.weights.total + 10 * MIB,
        block_count=blocks,
        nextn_layers=1,
        context_train=262_144,
        mtp="embedded",
        chat_template=True,
        shape=shape,
    )


QWEN36_27B = facts(
    "Qwen3.6-27B",
    "qwen35",
    65,
    ModelShape(
        embedding_length=5120,
        feed_forward_length=17_408,
        vocabulary=248_320,
        heads=24,
        kv=(KvLayer(4, 256, 256),) * 16,
        mtp_kv=(KvLayer(4, 256, 256),),
        recurrent=RecurrentShape(48, 4, 6144, 16, 128),
        weights=WeightBytes(total=16 * GIB, embedding=682 * MIB, output=994 * MIB, head=256 * MIB),
    ),
)
QWEN36_35B_A3B = facts(
    "Qwen3.6-35B-A3B",
    "qwen35moe",
    41,
    ModelShape(
        embedding_length=2048,
        feed_forward_length=None,
        vocabulary=248_320,
        heads=16,
        kv=(KvLayer(2, 256, 256),) * 10,
        mtp_kv=(KvLayer(2, 256, 256),),
        recurrent=RecurrentShape(30, 4, 4096, 16, 128),
        weights=WeightBytes(
            total=20 * GIB, embedding=273 * MIB, output=398 * MIB, head=450 * MIB, experts=(432 * MIB,) * 41
        ),
        experts_used=8,
    ),
)


def with_shape(model: ModelFacts, **changes: object) -> ModelFacts:
    assert model.shape is not None
    return replace(model, shape=replace(model.shape, **changes))  # type: ignore[arg-type]
