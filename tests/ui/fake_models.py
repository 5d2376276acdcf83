"""Models on the disk of the scripted computer, what they take of its card, and what is broken there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from qtune.core.machine_facts import TelemetrySample
from qtune.core.memory_facts import FitState, MemoryEstimate, MemoryPart, MemoryView, Room
from qtune.core.messages import Message
from qtune.core.model_facts import KvLayer, ModelFacts, ModelShape, RecurrentShape, WeightBytes
from qtune.core.settings import ServerSettings
from qtune.session.requests import ContextFit, ModelEntry, ModelReport
from qtune.session.survey import has_head
from tests.ui import fake_story as story

GIB = story.GIB
MIB = 1024**2
CONTEXTS = (4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144)
HOME = "/home/me/models"
HUB = "/home/me/.cache/huggingface/hub"


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a model needs: bytes per token of context, per copy of its state, and for its head."""

    kv: int
    mtp_kv: int = 0
    state: int = 0
    head: int = 0
    compute: int = 600 * MIB


# Figures of the published models: 64 and 20 KiB per token, 149.625 and 62.8125 MiB per copy of the state.
DENSE = Sizes(64 * 1024, 4 * 1024, int(149.625 * MIB), int(0.26 * GIB))
EXPERTS = Sizes(20 * 1024, 2 * 1024, int(62.8125 * MIB), int(0.5 * GIB))
PLAIN = Sizes(96 * 1024)
TINY = Sizes(2 * 1024, 512, 0, 4 * MIB, 40 * MIB)


def _shape(
    layers: int, recurrent: int, vocabulary: int, size: int, *, gaps: tuple[str, ...] = ()
) -> ModelShape:
    layer = KvLayer(4, 256, 256)
    states = RecurrentShape(recurrent, 4, 6144, 16, 128) if recurrent else None
    weights = WeightBytes(size, 682 * MIB, 682 * MIB, int(0.26 * GIB))
    return ModelShape(5120, 17_408, vocabulary, 24, (layer,) * layers, (layer,), states, weights, gaps)


def _model(path: str, quant: str, size_gib: float, **changes: object) -> ModelFacts:
    size = int(size_gib * GIB)
    made = replace(
        story.MODEL,
        path=path,
        files=(path,),
        quant=quant,
        size_bytes=size,
        shape=_shape(16, 48, 248_320, size),
        size_label="27B",
        mtp_tensors=15,
        mtp_quant="Q8_0",
        sampling=(("temp", 0.6), ("top_k", 20.0), ("top_p", 0.95)),
        imatrix=True,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


MODEL = _model(
    story.MODEL.path,
    "Q4_K_M",
    16.4,
    mmproj=("/models/mmproj-Qwen3.6-27B-F16.gguf",),
)
Q6 = _model(f"{HOME}/Qwen3.6-27B-MTP-GGUF/Qwen3.6-27B-UD-Q6_K_XL.gguf", "Q6_K", 22.1)
Q3 = _model(f"{HOME}/Qwen3.6-27B-MTP-GGUF/Qwen3.6-27B-Q3_K_M.gguf", "Q3_K_M", 12.9)
MOE = _model(
    f"{HUB}/models--someone--Qwen3.6-35B-A3B-GGUF/snapshots/5f0c9d/Qwen3.6-35B-A3B-UD-Q4_K_XL.gguf",
    "Q4_K_M",
    20.6,
    name="Qwen3.6-35B-A3B",
    arch="qwen35moe",
    size_label="35B-A3B",
    shape=_shape(10, 30, 248_320, int(20.6 * GIB)),
)
NO_HEAD = _model(
    f"{HOME}/gemma 3 12b it/gemma-3-12b-it-Q8_0.gguf",
    "Q8_0",
    12.5,
    name="Gemma 3 12B Instruct",
    arch="gemma3",
    mtp="none",
    nextn_layers=0,
    mtp_tensors=0,
    mtp_quant="",
    size_label="12B",
    context_train=131_072,
    imatrix=False,
    shape=_shape(48, 0, 262_144, int(12.5 * GIB)),
)
BESIDE = replace(
    NO_HEAD,
    path=f"{HOME}/模型/GLM-4.7-Flash-Q4_K_M.gguf",
    files=tuple(f"{HOME}/模型/GLM-4.7-Flash-Q4_K_M-0000{n}-of-00002.gguf" for n in (1, 2)),
    name="GLM 4.7 Flash",
    size_label="30B-A3B",
    arch="deepseek2",
    quant="Q4_K_M",
    size_bytes=int(17.3 * GIB),
    sidecars=(f"{HOME}/模型/MTP/GLM-4.7-Flash-MTP-Q8_0.gguf",),
)
HEAD_ONLY = replace(
    NO_HEAD,
    path=f"{HOME}/模型/MTP/GLM-4.7-Flash-MTP-Q8_0.gguf",
    files=(f"{HOME}/模型/MTP/GLM-4.7-Flash-MTP-Q8_0.gguf",),
    name="GLM 4.7 Flash MTP",
    arch="deepseek2",
    mtp="sidecar",
    size_bytes=int(0.9 * GIB),
    shape=None,
)
POOR = replace(
    NO_HEAD,
    path=f"{HOME}/old/unnamed.gguf",
    files=(f"{HOME}/old/unnamed.gguf",),
    name="unnamed",
    arch="gptneox",
    quant="F16",
    size_bytes=int(5.2 * GIB),
    context_train=None,
    chat_template=False,
    shape=None,
)
MODELS = (MODEL, Q6, Q3, MOE, NO_HEAD, BESIDE, HEAD_ONLY, POOR)
SIZES = {
    BESIDE.path: EXPERTS,
    MODEL.path: DENSE,
    Q6.path: DENSE,
    Q3.path: DENSE,
    MOE.path: EXPERTS,
    story.SAMPLE.path: TINY,
}
FOLDERS = (HUB, "/home/me/.lmstudio/models", "/home/me/.cache/llama.cpp")
PROBLEMS = (
    Message.of("model_truncated", path=f"{HOME}/Qwen3.6-27B-Q8_0.gguf", reason="2.1 of 28.6 GiB are there"),
    Message.of("model_damaged", path=f"{HOME}/odd.gguf", reason="it declares 18446744073709551615 keys"),
    Message.of("model_not_readable", path="/mnt/share/locked.gguf", reason="Permission denied"),
)


def estimate(model: ModelFacts, settings: ServerSettings, *, on_card: bool) -> MemoryEstimate | None:
    """The parts of a launch; None where the header is too poor."""
    if model.shape is None and model.path not in SIZES:
        return None
    sizes, mtp = SIZES.get(model.path, PLAIN), settings.mtp and has_head(model)
    ctx = settings.ctx_size * settings.parallel
    parts = [
        MemoryPart("weights", model.size_bytes - sizes.head, "computed"),
        MemoryPart("kv", ctx * sizes.kv, "computed"),
        MemoryPart("compute", sizes.compute, "estimated"),
        MemoryPart("overhead", 420 * MIB if on_card else 60 * MIB, "estimated"),
    ]
    if sizes.state:
        parts.insert(2, MemoryPart("recurrent", settings.parallel * sizes.state, "computed"))
    if mtp:
        parts += [
            MemoryPart("mtp_weights", sizes.head, "computed"),
            MemoryPart("mtp_kv", ctx * sizes.mtp_kv, "computed"),
            MemoryPart("mtp_recurrent", settings.parallel * settings.n_max * sizes.state, "computed"),
            MemoryPart("mtp_compute", 180 * MIB if on_card else 10 * MIB, "estimated"),
        ]
    return MemoryEstimate(tuple(part for part in parts if part.size_bytes), on_card)


def remembered(view: MemoryView) -> MemoryView:
    """The same launch once its log was read: no guesses any more."""
    sure = {"estimated": "remembered"}
    parts = tuple(
        replace(part, source=sure.get(part.source, part.source))  # type: ignore[arg-type]
        for part in view.estimate.parts
    )
    return replace(view, estimate=replace(view.estimate, parts=parts))


def room_of(sample: TelemetrySample | None, *, with_gpu: bool) -> Room | None:
    """The memory there is, by the newest reading."""
    if with_gpu:
        used = int(1.2 * GIB)
        if sample is not None and sample.gpus and sample.gpus[0].vram_used_bytes is not None:
            read = sample.gpus[0].vram_used_bytes
            used = read if read < 8 * GIB else used  # more is our own engine, which is no other program
        return Room(story.GPU.name, story.GPU.uuid, 24 * GIB, used, (("firefox", 700 * MIB), ("Xorg", None)))
    return Room("", "", 16 * GIB, int(5.1 * GIB))


def view(
    model: ModelFacts, settings: ServerSettings, keep: int, room: Room | None, *, on_card: bool
) -> MemoryView | None:
    """A launch against a room."""
    planned = estimate(model, settings, on_card=on_card)
    if planned is None:
        return None
    state = fit(planned.total_bytes, keep, room)
    largest = None
    for ctx in CONTEXTS:
        other = estimate(model, replace(settings, ctx_size=ctx), on_card=on_card)
        if other is not None and fit(other.total_bytes, keep, room) == "fits":
            largest = ctx
    return MemoryView(planned, room, keep, state, largest)


def fit(size: int, keep: int, room: Room | None) -> FitState:
    """Whether so many bytes fit."""
    if room is None or room.free_bytes is None:
        return "unknown"
    left = room.free_bytes - size
    return "too_large" if left < 0 else "tight" if left < keep else "fits"


def entry(model: ModelFacts, ctx_size: int, room: Room | None, *, on_card: bool) -> ModelEntry:
    """What a search says of a model."""
    head = has_head(model)
    off = next(p for p in story.PRESETS if p.id == "off")
    balanced = next(p for p in story.PRESETS if p.id == "balanced")
    preset = balanced if head else off
    base = ServerSettings(ctx_size=ctx_size)
    fits = []
    for ctx in (c for c in CONTEXTS if c <= (model.context_train or 0)):
        plain = estimate(model, off.apply(replace(base, ctx_size=ctx)), on_card=on_card)
        drafting = (
            estimate(model, balanced.apply(replace(base, ctx_size=ctx)), on_card=on_card) if head else None
        )
        if plain is None:
            continue
        size = None if drafting is None else drafting.total_bytes
        keep = preset.vram_keep_bytes
        mtp = None if size is None else fit(size, keep, room)
        fits.append(ContextFit(ctx, plain.total_bytes, fit(plain.total_bytes, keep, room), size, mtp))
    same = sorted(
        (m for m in MODELS if m.name == model.name and m.path != model.path), key=lambda m: -m.size_bytes
    )
    seen = view(model, preset.apply(base), preset.vram_keep_bytes, room, on_card=on_card)
    return ModelEntry(model, seen, tuple(fits), tuple(m.path for m in same))


def survey(  # noqa: PLR0917
    entries: list[ModelEntry],
    own: tuple[str, ...],
    problems: tuple[Message, ...],
    cancel: threading.Event | None,
    found: Callable[[ModelEntry], None] | None,
    hold: threading.Event | None = None,
) -> ModelReport:
    """Search as the real desk does: one model after the other, broken off when ``cancel`` is set.

    With ``hold`` it waits behind the second model until that or ``cancel`` is set.
    """
    done: list[ModelEntry] = []
    for number, one in enumerate(entries):
        if hold is not None and number == 2:
            while not hold.wait(0.01) and not (cancel is not None and cancel.is_set()):
                pass
        if cancel is not None and cancel.is_set():
            return ModelReport(tuple(done), (), (*own, *FOLDERS), cancelled=True)
        done.append(one)
        if found is not None:
            found(replace(one, siblings=()))
    return ModelReport(tuple(done), problems, (*own, *FOLDERS))
