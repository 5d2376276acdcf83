"""How much memory a launch will take, part by part, and whether there is that much.

Formulas of the exact parts: llama-server's own allocation (b11434), checked against its log lines. A context
is what one slot gets, as in the settings; the engine's caches of all slots are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from qtune.core.memory_compute import (
    batch_tokens,
    cells_per_slot,
    mtp_compute_bytes,
    state_bytes,
    target_compute_bytes,
)
from qtune.core.memory_facts import (
    FitState,
    MemoryEstimate,
    MemoryKind,
    MemoryPart,
    MemorySource,
    MemoryView,
    Room,
)
from qtune.core.messages import Message
from qtune.core.model_facts import KvLayer, ModelFacts, ModelShape
from qtune.core.mtp_archs import ASSISTANT_ARCH, rolls_back
from qtune.core.settings import SETTINGS, ServerSettings

_GIB: Final = 1024**3

CARD_OVERHEAD_BYTES: Final = 4 * _GIB // 10
"""What a CUDA process takes besides its buffers (context, kernels, graphs): reports say 0.3 to 0.8 GiB."""

CTX_STEP: Final = 256
"""The engine rounds contexts up to this."""

_BITS: Final = {
    "f32": 32 * 32, "f16": 32 * 16, "bf16": 32 * 16, "q8_0": 34 * 8, "q5_1": 24 * 8, "q5_0": 22 * 8,
    "q4_1": 20 * 8, "q4_0": 18 * 8, "iq4_nl": 18 * 8,
}  # fmt: skip
"""Bits of 32 elements in each number format a cache can have (block sizes of ggml)."""

_ORDER: Final[tuple[MemoryKind, ...]] = (
    "weights", "kv", "recurrent", "compute",
    "mtp_weights", "mtp_kv", "mtp_recurrent", "mtp_compute", "overhead",
)  # fmt: skip


def estimate(
    model: ModelFacts,
    settings: ServerSettings,
    *,
    on_card: bool,
    learned: Sequence[MemoryPart] = (),
    head: ModelFacts | None = None,
) -> MemoryEstimate | None:
    """What a launch will take; None where the model's sizes were never read.

    Args:
        model: The model's header.
        settings: With ``gpu_layers`` at none everything is counted in main memory, whatever ``on_card`` says.
        on_card: Count what is placed on a graphics card; otherwise everything, once. A copy of the weights in
            another order (``CPU_REPACK``) is not counted beside the mapped file, whose pages the system may
            take back.
        learned: Figures of these very settings, measured or remembered; each replaces the part of its kind.
            Weights learned in one piece with an embedded head are divided by the head's size in the header.
        head: Header of a separate file with the MTP head, where the launch uses one.
    """
    if model.shape is None:
        return None
    on_card = on_card and settings.gpu_layers != "none"
    parts = _own_parts(model, model.shape, settings, on_card=on_card, head=head)
    parts.update(_known(learned, parts, settings, divide=head is None))
    ordered = tuple(parts[kind] for kind in _ORDER if kind in parts and parts[kind].size_bytes > 0)
    experts = sum(model.shape.weights.experts[settings.n_cpu_moe :]) if on_card else 0
    return MemoryEstimate(ordered, on_card, _gaps(model, settings, head), experts)


def _known(
    learned: Sequence[MemoryPart],
    own: dict[MemoryKind, MemoryPart],
    settings: ServerSettings,
    *,
    divide: bool,
) -> dict[MemoryKind, MemoryPart]:
    """What was learned, by kind."""
    parts = {part.kind: part for part in learned if settings.mtp or not part.kind.startswith("mtp_")}
    whole, head = parts.get("weights"), own.get("mtp_weights")
    if divide and whole is not None and head is not None and "mtp_weights" not in parts:
        parts["weights"] = replace(whole, size_bytes=max(whole.size_bytes - head.size_bytes, 0))
    return parts


def _own_parts(
    model: ModelFacts, shape: ModelShape, settings: ServerSettings, *, on_card: bool, head: ModelFacts | None
) -> dict[MemoryKind, MemoryPart]:
    """All parts from the header alone."""
    parts: dict[MemoryKind, MemoryPart] = {}

    def add(kind: MemoryKind, size: int | None, source: MemorySource = "computed") -> None:
        if size is not None:
            parts[kind] = MemoryPart(kind, size, source)

    one_copy = _recurrent_bytes(shape, settings)
    extra = settings.n_max if settings.mtp and rolls_back(model.arch) else 0
    add("weights", _trunk_bytes(model, shape, settings, on_card=on_card))
    add("kv", _kv_bytes(shape.kv, settings, settings.cache_type_k, settings.cache_type_v))
    add("recurrent", one_copy)
    compute = target_compute_bytes(shape, settings, copies=1 + extra, on_card=on_card)
    add("compute", compute, "estimated")
    if settings.mtp:
        drafting = shape if head is None or head.shape is None else head.shape
        types = settings.draft_cache_type_k, settings.draft_cache_type_v
        add("mtp_weights", _head_bytes(model, shape, settings, on_card=on_card, head=head))
        add("mtp_kv", _kv_bytes(drafting.mtp_kv, settings, *types))
        add("mtp_recurrent", one_copy * extra)
        if drafting.mtp_kv:
            add("mtp_compute", mtp_compute_bytes(drafting, settings), "estimated")
    if on_card:
        add("overhead", CARD_OVERHEAD_BYTES, "estimated")
    return parts


def _trunk_bytes(model: ModelFacts, shape: ModelShape, settings: ServerSettings, *, on_card: bool) -> int:
    weights = shape.weights
    trunk = weights.total - weights.head
    if not on_card:
        return trunk
    # A tied embedding is needed on both sides: the card holds a copy of it as its output matrix.
    kept = 0 if weights.output is None else weights.embedding
    last = min(settings.n_cpu_moe, _trunk_blocks(model))
    return max(trunk - kept - sum(weights.experts[:last]), 0)


def _head_bytes(
    model: ModelFacts,
    shape: ModelShape,
    settings: ServerSettings,
    *,
    on_card: bool,
    head: ModelFacts | None,
) -> int | None:
    if head is not None:
        if head.shape is None:
            return head.size_bytes
        own = head.shape.weights
        return own.total - (own.embedding if on_card and own.output is not None else 0)
    # --n-cpu-moe counts the blocks from the front, and the head's are the last ones.
    moved = shape.weights.experts[_trunk_blocks(model) : settings.n_cpu_moe] if on_card else ()
    return max(shape.weights.head - sum(moved), 0)


def _trunk_blocks(model: ModelFacts) -> int:
    return max(model.block_count - model.nextn_layers, 0)


def _kv_bytes(layers: Iterable[KvLayer], settings: ServerSettings, type_k: str, type_v: str) -> int:
    """Keys and values of all slots; a layer with a sliding window needs no more than that and one batch."""
    cells, total = cells_per_slot(settings.ctx_size), 0
    for layer in layers:
        held = min(cells, cells_per_slot(layer.window + batch_tokens(settings))) if layer.window else cells
        rows = held * settings.parallel * layer.heads
        total += rows * (layer.key_length * _BITS[type_k] + layer.value_length * _BITS[type_v])
    return total // (32 * 8)


def _recurrent_bytes(shape: ModelShape, settings: ServerSettings) -> int:
    """One copy of the state of all slots; always f32."""
    if shape.recurrent is None:
        return 0
    return shape.recurrent.layers * sum(state_bytes(shape.recurrent)) * settings.parallel


def _gaps(model: ModelFacts, settings: ServerSettings, head: ModelFacts | None) -> tuple[str, ...]:
    assert model.shape is not None  # noqa: S101 - asked by the caller
    gaps = list(model.shape.gaps)
    drafting = model if head is None else head
    # An assistant head reads the caches of its model and has none.
    has_cache = drafting.arch != ASSISTANT_ARCH
    if settings.mtp and has_cache and (drafting.shape is None or not drafting.shape.mtp_kv):
        gaps.append(f"{drafting.arch}.nextn_predict_layers")
    return tuple(dict.fromkeys(gaps))


# -- against the memory there is --------------------------------------------------------------------------


def fit_state(needed_bytes: int, free_bytes: int | None, keep_bytes: int) -> FitState:
    """Whether it fits, and whether as much stays free as was promised."""
    if free_bytes is None:
        return "unknown"
    if needed_bytes > free_bytes:
        return "too_large"
    return "tight" if needed_bytes > free_bytes - keep_bytes else "fits"


class Sizes:
    """What one launch takes, at any context. Remembers what it worked out: the window asks again and again.

    Args are those of ``estimate``.
    """

    def __init__(
        self,
        model: ModelFacts,
        settings: ServerSettings,
        *,
        on_card: bool,
        learned: Sequence[MemoryPart] = (),
        head: ModelFacts | None = None,
    ) -> None:
        self.model, self.settings = model, settings
        self._on_card, self._learned, self._head = on_card, tuple(learned), head
        self.estimate = estimate(model, settings, on_card=on_card, learned=self._learned, head=head)
        self._totals: dict[int, int] = {}

    def total_bytes(self, ctx: int) -> int:
        """At a context. What was learned holds at the settings' own, elsewhere as ``moved`` takes it."""
        if ctx not in self._totals:
            model, on_card, head = self.model, self._on_card, self._head
            parts = moved(self._learned, model, self.settings, ctx, on_card=on_card, head=head)
            there = replace(self.settings, ctx_size=ctx)
            found = estimate(model, there, on_card=on_card, learned=parts, head=head)
            assert found is not None  # noqa: S101 - whoever asks has seen the shape
            self._totals[ctx] = found.total_bytes
        return self._totals[ctx]

    def largest(self, room_free_bytes: int | None, keep_bytes: int) -> int | None:
        """Largest context that leaves ``keep_bytes`` free, a multiple of 256 up to the training context.

        Returns:
            None when not even the smallest context fits, or model or memory are unknown.
        """
        if self.model.shape is None or room_free_bytes is None:
            return None
        budget, trained = room_free_bytes - keep_bytes, self.model.context_train
        limit = int(SETTINGS["ctx_size"].high or CTX_STEP)
        limit = limit if trained is None else min(limit, trained)
        if limit < CTX_STEP:  # the engine rounds it up, so that only this one size is to be had
            return limit if self.total_bytes(limit) <= budget else None
        steps = _last(limit // CTX_STEP, lambda n: self.total_bytes(n * CTX_STEP) <= budget)
        return steps * CTX_STEP or None

    def view(self, room: Room | None, keep_bytes: int) -> MemoryView | None:
        """Against the memory there is; None where the model's sizes were never read.

        Where the header lacks something the estimate is too small, so that it can only be said not to fit.
        """
        found = self.estimate
        if found is None:
            return None
        free = None if room is None else room.free_bytes
        state = fit_state(found.total_bytes, free, keep_bytes)
        largest = None
        if not found.gaps:
            largest = self.largest(free, keep_bytes)
        elif state != "too_large":
            state = "unknown"
        return MemoryView(found, room, keep_bytes, state, largest)


def _last(high: int, holds: Callable[[int], bool]) -> int:
    """Largest number from 1 to ``high`` for which it still holds; 0 if for none."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def moved(
    learned: Sequence[MemoryPart],
    model: ModelFacts,
    settings: ServerSettings,
    ctx: int,
    *,
    on_card: bool,
    head: ModelFacts | None = None,
) -> tuple[MemoryPart, ...]:
    """What was learned at the settings' own context, as it will be at another one.

    Weights and states do not depend on it. Caches grow in the proportion, compute buffers by the difference,
    that the header's formulas give.
    """
    if not learned:
        return ()
    here = estimate(model, settings, on_card=on_card, head=head)
    there = estimate(model, replace(settings, ctx_size=ctx), on_card=on_card, head=head)
    if here is None or there is None:
        return tuple(learned)
    sizes = [_moved(part, here.bytes_of(part.kind), there.bytes_of(part.kind)) for part in learned]
    return tuple(replace(part, size_bytes=size) for part, size in zip(learned, sizes, strict=True))


def _moved(part: MemoryPart, here: int, there: int) -> int:
    if part.kind in {"kv", "mtp_kv"}:
        return part.size_bytes * there // here if here else part.size_bytes
    if part.kind in {"compute", "mtp_compute"}:
        return max(part.size_bytes + there - here, 0)
    return part.size_bytes


def beyond_training(model: ModelFacts, settings: ServerSettings) -> Message | None:
    """That the context is longer than the model ever saw; None if it is not, or if nobody says."""
    trained = model.context_train
    if trained is None or settings.ctx_size <= trained:
        return None
    return Message.of("context_beyond_training", ctx=settings.ctx_size, trained=trained)


def view(
    model: ModelFacts,
    settings: ServerSettings,
    room: Room | None,
    *,
    keep_bytes: int,
    on_card: bool,
    learned: Sequence[MemoryPart] = (),
    head: ModelFacts | None = None,
) -> MemoryView | None:
    """A launch against the memory there is, for those who ask once."""
    return Sizes(model, settings, on_card=on_card, learned=learned, head=head).view(room, keep_bytes)


def refusal(view: MemoryView) -> Message | None:
    """Why this launch cannot be: what is certain alone exceeds all the memory there is. Else None.

    Guesses do not count, nor does what other programs use, for they may go; nor weights in main memory, which
    the engine may read from the file again and again (slow, but it runs). Graphics that borrow main memory
    may be given more of it, so that nothing is impossible there.
    """
    if view.room is None or view.room.borrows:
        return None
    found = view.estimate
    certain = sum(
        part.size_bytes
        for part in found.parts
        if part.source != "estimated" and (found.on_card or part.kind not in {"weights", "mtp_weights"})
    )
    if certain <= view.room.total_bytes:
        return None
    return _said("memory_impossible", view, needed=_gib(certain), total=_gib(view.room.total_bytes))


def warning(view: MemoryView) -> Message | None:
    """That this launch will probably not fit, or leaves too little free; None if it fits or none can tell."""
    if view.room is None or view.room.free_bytes is None or view.state not in {"too_large", "tight"}:
        return None
    needed, free = view.estimate.total_bytes, view.room.free_bytes
    if view.state == "too_large":
        return _said("memory_too_large", view, needed=_gib(needed), free=_gib(free))
    rest, keep = _gib(free - needed), _gib(view.keep_bytes)
    return _said("memory_tight", view, needed=_gib(needed), free=_gib(free), rest=rest, keep=keep)


def _said(code: str, view: MemoryView, **figures: float) -> Message:
    """The sentence with the advice that the view allows; see ``memory_texts``."""
    params: dict[str, float] = dict(figures)
    if view.estimate.expert_bytes:
        code = f"{code}_moe"
    if view.estimate.mtp_bytes:
        code, params = f"{code}_mtp", {**params, "mtp": _gib(view.estimate.mtp_bytes)}
    if view.largest_ctx is not None:
        code, params = f"{code}_ctx", {**params, "ctx": view.largest_ctx}
    return Message.of(code, **params)


def _gib(size: int) -> float:
    return round(size / _GIB, 1)
