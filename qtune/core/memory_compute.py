"""How large the engine's compute buffers will be: a guess from the widest moments of its graph.

The engine plans one buffer for all intermediate results of a batch, so its size is that of the widest moment:
in the feed-forward network, in a recurrent layer, in attention or at the logits. Which tensors live at each
moment was found by asking llama-server b11434 for its plan (``--fit on``, which allocates nothing) for
Qwen3.6-27B, Qwen3.6-35B-A3B and the sample model, with physical batches of 64 to 4096 and contexts of 2048 to
131072. The formulas meet all their buffers of more than 20 MiB to within 6 %, and to within 13 % those of
other families that were not used to find them (shapes of Llama 3 8B, Qwen3 4B and 30B-A3B, Gemma 3 12B).
"""

from __future__ import annotations

from qtune.core.model_facts import ModelShape, RecurrentShape
from qtune.core.settings import ServerSettings

_FLOAT = 4
_USUAL_EXPERTS = 8
"""Experts at work on a token where the header does not say; Qwen3.6-35B-A3B and most others have 8."""

_FEW_TOKENS = 128
"""Up to here, seen at 64 and 128 but not at 256, the engine's recurrent layers hold all states at once."""


def cells_per_slot(ctx: int) -> int:
    """Tokens of the cache of one slot: the engine rounds up to 256."""
    return -(-ctx // 256) * 256


def batch_tokens(settings: ServerSettings) -> int:
    """Tokens computed at once; the engine cuts the batch to the context."""
    total = cells_per_slot(settings.ctx_size) * settings.parallel
    return min(settings.ubatch_size, settings.batch_size, total)


def state_bytes(recurrent: RecurrentShape) -> tuple[int, int]:
    """Bytes of one copy of one layer's state: of the short convolution (R) and of the layer itself (S)."""
    channels = recurrent.inner_size + 2 * recurrent.group_count * recurrent.state_size
    convolution = (recurrent.conv_kernel - 1) * channels * _FLOAT
    return convolution, recurrent.state_size * recurrent.inner_size * _FLOAT


def target_compute_bytes(
    shape: ModelShape, settings: ServerSettings, *, copies: int, on_card: bool
) -> int | None:
    """Compute buffer of the model itself, None where the header says too little.

    On a card there is room for the logits of a whole batch. Builds before about b9509 plan for them; later
    ones do not, but on a card they take memory that no log line tells (pools for quantised caches, work space
    of the matrix library). ``copies`` is the number of recurrent states kept for each slot.
    """
    embedding, vocabulary = shape.embedding_length, shape.vocabulary
    if embedding is None or vocabulary is None:
        return None
    tokens, mask = batch_tokens(settings), _mask_bytes(shape, settings)
    moments = [_feed_forward(shape, embedding, rows=5) * tokens, _attention(shape, settings, embedding)]
    if shape.recurrent is not None:
        moments.append(_recurrent(shape.recurrent, settings, copies))
    drafted = settings.n_max + 1 if settings.mtp else 1
    outputs = tokens if on_card else min(tokens, settings.parallel * drafted)
    moments.append((outputs * vocabulary + 5 * tokens * embedding) * _FLOAT)
    return mask + max(moments)


def mtp_compute_bytes(shape: ModelShape, settings: ServerSettings) -> int | None:
    """Compute buffer of the MTP head's own context, None where the header says too little.

    It has a single layer, so that the attention mask's place is used again once attention is over. Builds
    before about b9509 take ``tokens * vocabulary * 4`` more.
    """
    embedding = shape.embedding_length
    if embedding is None:
        return None
    tokens, mask = batch_tokens(settings), _mask_bytes(shape, settings)
    row = tokens * embedding * _FLOAT
    after = _feed_forward(shape, embedding, rows=2) * tokens + min(mask, row)
    return max(after, mask + _attention(shape, settings, embedding) - row)


def _feed_forward(shape: ModelShape, embedding: int, *, rows: int) -> int:
    """Bytes per token: gate, up and their product beside ``rows`` rows of the residual stream.

    With experts it may be the answers of all experts at work, before and after their weighting.
    """
    experts = 0
    if shape.weights.experts:
        experts = (2 * (shape.experts_used or _USUAL_EXPERTS) + max(rows - 2, 0)) * embedding
    width = shape.feed_forward_length or (0 if experts else 4 * embedding)
    return max(experts, 3 * width + rows * embedding) * _FLOAT


def _recurrent(recurrent: RecurrentShape, settings: ServerSettings, copies: int) -> int:
    """Rows of a layer's inner width; with few tokens for each slot its states are held beside them."""
    tokens = batch_tokens(settings)
    if tokens > _FEW_TOKENS * settings.parallel:
        return tokens * 9 * recurrent.inner_size * _FLOAT
    states = settings.parallel * copies * state_bytes(recurrent)[1]
    return tokens * 10 * recurrent.inner_size * _FLOAT + states


def _attention(shape: ModelShape, settings: ServerSettings, embedding: int) -> int:
    """Queries with their gates and answers of all heads; all scores as well where attention is not fused."""
    layer = max((*shape.kv, *shape.mtp_kv), key=lambda one: one.key_length, default=None)
    if layer is None or shape.heads is None:
        return 0
    tokens = batch_tokens(settings)
    fused = settings.flash_attn != "off"
    scores = 0 if fused else shape.heads * cells_per_slot(settings.ctx_size)
    return tokens * (4 * shape.heads * layer.key_length + (3 if fused else 4) * embedding + scores) * _FLOAT


def _mask_bytes(shape: ModelShape, settings: ServerSettings) -> int:
    """One mask for full attention and one for each width of sliding window."""
    tokens, cells = batch_tokens(settings), cells_per_slot(settings.ctx_size)
    windows = {layer.window for layer in shape.kv or shape.mtp_kv}
    total = sum(min(cells, window + tokens) if window else cells for window in windows)
    return tokens * total * (4 if settings.flash_attn == "off" else 2)
