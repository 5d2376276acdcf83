"""Sentences about memory that spilled out of a card, or did not, and about cards that were throttled."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

SPILL_TEXTS: dict[str, Text] = {
    # -- yes -------------------------------------------------------------------------------------------------
    "spill_yes_shared": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The card spilled: {free} MiB were left, and {grown} MiB more of main memory were used by it.",
        ),
        QT_TRANSLATE_NOOP("messages", "Lower the context, or choose a smaller quantisation or KV type."),
    ),
    "spill_yes_speed": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The card spilled: {free} MiB were left, the speed fell to {share} % of what it was, "
            "power to {power} %, and the traffic of its bus rose {pcie}-fold.",
        ),
        QT_TRANSLATE_NOOP("messages", "Lower the context, or choose a smaller quantisation or KV type."),
    ),
    # -- no --------------------------------------------------------------------------------------------------
    "spill_no_room": Text(
        QT_TRANSLATE_NOOP("messages", "No spill: at least {free} MiB of the card stayed free."),
    ),
    "spill_no_calm": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "No spill: only {free} MiB were left, but main memory used by the card stayed as it was.",
        ),
        QT_TRANSLATE_NOOP("messages", "Another program that needs the card could change that; keep 1 GiB."),
    ),
    "spill_no_out_of_memory": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "No spill: only {free} MiB were left, but this driver refuses memory rather than borrow it.",
        ),
        QT_TRANSLATE_NOOP("messages", "Too much would end in out of memory; keep 1 GiB free."),
    ),
    "spill_no_offload": Text(
        QT_TRANSLATE_NOOP(
            "messages", "No spill: part of the model runs on the processor because it was asked to."
        ),
    ),
    "spill_no_layers": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "No spill: only {layers} of {total} layers were put on the card; the processor runs the rest.",
        ),
        QT_TRANSLATE_NOOP(
            "messages", "Ask for all layers (--n-gpu-layers), one slot, and compare the effective context."
        ),
    ),
    "spill_no_integrated": Text(
        QT_TRANSLATE_NOOP("messages", "No spill: integrated graphics work in main memory anyway."),
    ),
    "spill_no_slow_elsewhere": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "No spill: the speed fell to {share} % of what it was, but nothing was moved to main memory.",
        ),
        QT_TRANSLATE_NOOP("messages", "Look at temperature, power limit and other programs."),
    ),
    # -- unknown ---------------------------------------------------------------------------------------------
    "spill_unknown_vram": Text(
        QT_TRANSLATE_NOOP("messages", "Whether the card spilled is not known. Not reported: {missing}."),
        QT_TRANSLATE_NOOP("messages", "Keep an eye on the speed: a spill makes it fall to a fraction."),
    ),
    "spill_unknown_vram_slow": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The speed fell to {share} % of what it was, which a spill would explain. "
            "Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Repeat with a lower context; if it runs freely, it was memory."),
    ),
    "spill_unknown_steady": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Only {free} MiB were left, but the speed shows no sign of a spill. Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Keep more memory free to be sure."),
    ),
    "spill_unknown_speed": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Only {free} MiB were left; too little was measured to see a spill in the speed. "
            "Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Keep more memory free to be sure."),
    ),
    "spill_unknown_throttled": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Only {free} MiB were left and the speed fell to {share} %, but the card was throttled as well "
            "({reasons}). Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Let the card cool down and measure again."),
    ),
    "spill_likely": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Most likely a spill: {free} MiB were left, and the speed fell to {share} % of what it was. "
            "Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Lower the context first; MTP is not to blame yet."),
    ),
    "spill_likely_layers": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{free} MiB were left and the speed fell to {share} % of what it was, but this driver refuses "
            "memory rather than borrow it. Not reported: {missing}.",
        ),
        QT_TRANSLATE_NOOP(
            "messages", "Look at the layers on the card and the effective context in the engine log first."
        ),
    ),
    "spill_unknown_roomy": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{grown} MiB more of main memory were used by the card and the speed fell to {share} %, though "
            "{free} MiB stayed free.",
        ),
        QT_TRANSLATE_NOOP("messages", "Look at other programs that use the card."),
    ),
    # -- what to do about it ---------------------------------------------------------------------------------
    "spill_advice_context": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "To be sure: the same prompt with a lower context. If it is fast again, it was the context.",
        ),
    ),
    "spill_advice_windows": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "In the NVIDIA control panel set the CUDA sysmem fallback policy of llama-server.exe to "
            '"Prefer No Sysmem Fallback": then too much ends in an error instead of a crawl.',
        ),
    ),
    "spill_advice_wsl": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Under WSL the sysmem fallback policy of the NVIDIA control panel has no effect; "
            "only less memory helps.",
        ),
    ),
    # -- marks on a request ----------------------------------------------------------------------------------
    "mark_spill": Text(QT_TRANSLATE_NOOP("messages", "The card had spilled into main memory.")),
    "mark_throttled": Text(QT_TRANSLATE_NOOP("messages", "The card was throttled: {reasons}.")),
    # -- cards -----------------------------------------------------------------------------------------------
    "no_amd_gpu": Text(QT_TRANSLATE_NOOP("messages", "No AMD GPU found: {reason}.")),
    "no_gpu": Text(
        QT_TRANSLATE_NOOP("messages", "No graphics card found (NVIDIA: {nvidia}; AMD: {amd})."),
    ),
}
