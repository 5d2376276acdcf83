"""What lies ready when the desk opens: where things are kept, and data read once."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.messages import Message
from qtune.core.presets import Preset
from qtune.core.workload import Workload
from qtune.engine.probe import ProbeCache
from qtune.host.paths import AppPaths
from qtune.host.preferences import Preferences
from qtune.session.trials import Trial


@dataclass(frozen=True, slots=True)
class Shelf:
    """Folders, preferences and shipped data.

    Attributes:
        notices: What was noticed while opening.
        stale_trial: A launch during which the app or the computer went down last time.
        safe_mode: Servers are started with MTP off, and nothing is started by itself.
    """

    paths: AppPaths
    preferences: Preferences
    probes: ProbeCache
    presets: tuple[Preset, ...]
    workloads: tuple[Workload, ...]
    notices: tuple[Message, ...]
    stale_trial: Trial | None = None
    safe_mode: bool = False
