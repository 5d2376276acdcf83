"""The columns of the history's table, and what a click on a heading asks for."""

from __future__ import annotations

from typing import Final

from qtune.core.history_query import SortColumn

(STAR, DATE, MODEL, QUANT, ARM, CONTEXT, N_MAX, DECODE) = range(8)
(TTFT, ACCEPTED, MEMORY, VERDICT, STATUS, BUILD, NOTE) = range(8, 15)
SORTS: Final[dict[int, SortColumn]] = {
    STAR: "starred",
    DATE: "started_utc",
    MODEL: "model",
    QUANT: "quant",
    ARM: "arm",
    CONTEXT: "ctx_size",
    N_MAX: "n_max",
    DECODE: "decode_tok_s",
    TTFT: "ttft_ms",
    ACCEPTED: "acceptance_rate",
    MEMORY: "vram_peak_bytes",
    VERDICT: "decision",
    STATUS: "status",
    BUILD: "engine_build",
}
"""By which figure a column sorts; notes have no order."""
LARGEST_FIRST: Final = frozenset({STAR, DATE, CONTEXT, N_MAX, DECODE, ACCEPTED, MEMORY, VERDICT, BUILD})
"""Columns that a first click sorts downwards."""
FIGURES: Final = frozenset({CONTEXT, N_MAX, DECODE, TTFT, ACCEPTED, MEMORY, BUILD})
