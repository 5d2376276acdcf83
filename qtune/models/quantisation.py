"""Names the quantisation of a model."""

from __future__ import annotations

from typing import Final

from qtune.models.gguf_format import GgufHeader

FILE_TYPES: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0",
    37: "TQ2_0", 38: "MXFP4", 39: "NVFP4", 40: "Q1_0", 41: "Q2_0",
}  # fmt: skip
"""llama_ftype of ``general.file_type`` -> name of the quantisation (llama.h)."""

_GUESSED: Final = 1024
"""Bit of llama_ftype that says the writer only guessed."""


def quantisation(header: GgufHeader, main_quant: str) -> str:
    """Name of the declared file type; where none is declared, the tensor type that fills most of the file."""
    declared = header.whole("general.file_type")
    if declared is not None and (known := FILE_TYPES.get(declared & ~_GUESSED)):
        return known
    return main_quant or "unknown"
