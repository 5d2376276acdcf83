"""What lies ready when the desk opens: where things are kept, and data read once."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.messages import Message
from qtune.core.presets import Preset
from qtune.core.workload import Workload
from qtune.engine.probe import ProbeCache
from qtune.host.paths import AppPaths
from qtune.host.preferences import Preferences


@dataclass(frozen=True, slots=True)
class Shelf:
    """Folders, preferences and shipped data; ``notices`` are what was noticed while opening."""

    paths: AppPaths
    preferences: Preferences
    probes: ProbeCache
    presets: tuple[Preset, ...]
    workloads: tuple[Workload, ...]
    notices: tuple[Message, ...]
