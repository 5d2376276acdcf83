"""Which builds of llama.cpp can run the MTP head of which architecture."""

from __future__ import annotations

from typing import Final, Literal

MtpSupport = Literal["yes", "no", "unknown"]

ASSISTANT_ARCH: Final = "gemma4-assistant"
"""A draft model that is a head as a whole; it reads the KV cache of its target."""

ASSISTED_ARCH: Final = "gemma4"
"""Architecture of that target."""

_EARLIEST: Final = 9246

_SINCE: Final[dict[str, tuple[int, int]]] = {
    arch: span
    for span, archs in {
        (9093, _EARLIEST): ("qwen35", "qwen35moe"),
        (9341, 9509): ("step35",),
        (9628, 9754): ("cohere2moe", ASSISTANT_ARCH),
        (10019, 10156): ("hy_v3",),
        (10280, 10423): (
            "deepseek2", "deepseek32", "deepseek4", "glm-dsa", "mimo2", "nemotron_h_moe", "qwen3next",
        ),
        (10549, 10688): ("bailingmoe3", "glm4moe"),
        (11218, 11434): ("glm5-next", "qwen4exp"),
    }.items()
    for arch in archs
}  # fmt: skip
"""Architecture -> last build seen without its MTP graph, first build seen with it; in the gap either may be.

From the sources of 18 builds, b9093 to b11434 (``LLM_GRAPH_TYPE_DECODER_MTP`` in ``src/models``).
"""

_NEWEST_SEEN: Final = 11434

ROLLBACK_ARCHS: Final = frozenset({
    "qwen35", "qwen35moe", "qwen4exp", "deepseek4", "glm5-next", "nemotron_h", "nemotron_h_moe", "lfm2",
    "lfm2moe", "bailingmoe3", "kimi_k3",
})  # fmt: skip
"""Architectures whose recurrent state is kept once more per drafted token, so that a draft can be taken back
(``src/llama-arch.cpp`` of b11434)."""


def mtp_support(arch: str, build: int | None) -> MtpSupport:
    """Whether ``build`` can run an MTP head of ``arch``.

    ``unknown`` where the sources of that build were not seen: between the builds in which it appeared, in a
    build newer than all seen, and without a build number (None or 0). The architectures of the first builds
    with MTP need no number, since a build too old for them knows no MTP at all.
    """
    known = _SINCE.get(arch)
    if known is None:
        return "no" if build and build <= _NEWEST_SEEN else "unknown"
    without, since = known
    if not build:
        return "yes" if since == _EARLIEST else "unknown"
    if build >= since:
        return "yes"
    return "no" if build <= without else "unknown"


def rolls_back(arch: str) -> bool:
    """Whether drafting costs one more copy of the recurrent state per drafted token."""
    return arch in ROLLBACK_ARCHS
