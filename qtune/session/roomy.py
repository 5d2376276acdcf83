"""What a start is compared with to see whether its card spilled: earlier starts that had room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from qtune.core.settings import ServerSettings
from qtune.core.spill_series import RoomyFigures
from qtune.core.verdict import BASELINE
from qtune.session.requests import ArmResult

_READING: Final = ("gpu_layers", "n_cpu_moe", "parallel", "batch_size", "ubatch_size", "flash_attn")
"""Settings on which the speed of reading a prompt depends."""


def roomy_of(results: Sequence[ArmResult], settings: ServerSettings) -> RoomyFigures:
    """What a launch with these settings does when it has room, by the starts of the same experiment.

    A start with the same settings says all. Off says only how fast prompts are read: a round that drafts
    takes longer than a token of off, and what MTP pins in main memory, or moves over the bus, is its own.
    """
    roomy = [(r.run, r.roomy) for r in results if r.roomy is not None]
    for run, figures in reversed(roomy):
        if run.settings_requested == settings:
            return figures
    for run, figures in reversed(roomy):
        off = run.settings_requested
        if run.arm == BASELINE and all(off.get(name) == settings.get(name) for name in _READING):
            return RoomyFigures(prefill_tok_s=figures.prefill_tok_s)
    return RoomyFigures()
