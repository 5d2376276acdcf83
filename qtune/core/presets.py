"""Presets as values: which settings each changes, and what it promises to keep free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qtune.core.settings import SETTINGS, ServerSettings, SettingValue, setting_unknown

PRESET_IDS = ("off", "conservative", "balanced", "aggressive")
"""The four cards, in their order."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named bundle of settings.

    Attributes:
        id: One of ``PRESET_IDS``.
        title: English name.
        aim: What it is for, one English phrase.
        vram_keep_bytes: Memory of the card it leaves free.
        values: Settings it changes; all others stay as the user has them.
    """

    id: str
    title: str
    aim: str
    vram_keep_bytes: int
    values: tuple[tuple[str, SettingValue], ...]

    def apply(self, base: ServerSettings) -> ServerSettings:
        """Settings of this preset on top of the user's own (model-independent)."""
        return base.with_values(dict(self.values))


def preset_from_table(table: Mapping[str, object]) -> Preset:
    """Read a preset from its TOML table.

    Raises:
        KnownError: ``setting_unknown`` or ``setting_invalid``.
        KeyError: A key of the format is missing (the shipped files are ours).
    """
    values = table["settings"]
    assert isinstance(values, Mapping)  # noqa: S101 - the format of our own file
    for key in values:
        if key not in SETTINGS:
            raise setting_unknown(key)
    return Preset(
        id=str(table["id"]),
        title=str(table["title"]),
        aim=str(table["aim"]),
        vram_keep_bytes=int(str(table["vram_keep_mib"])) * 1024**2,
        values=tuple((key, SETTINGS[key].check(value)) for key, value in values.items()),
    )
