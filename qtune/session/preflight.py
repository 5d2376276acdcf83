"""What speaks against a fair measurement, looked at before it begins. Said, never refused."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.host.neighbours import on_battery, other_servers

BUSY_PCT = 35.0
"""Load of the processor while our own engine is stopped."""
HOT_C = 75.0
READINGS_LEAST = 3


def preflight(latest: Sequence[TelemetrySample]) -> tuple[Message, ...]:
    """Other servers, battery, a busy processor, a hot card; our own engine must be stopped.

    Args:
        latest: Readings while nothing of ours works; the calmest one counts.
    """
    found = []
    if other_servers():
        found.append(Message.of("preflight_other_server"))
    if on_battery():
        found.append(Message.of("preflight_battery"))
    loads = [s.host.cpu_pct for s in latest if s.host.cpu_pct is not None]
    if len(loads) >= READINGS_LEAST and min(loads) > BUSY_PCT:
        found.append(Message.of("preflight_busy", percent=round(min(loads))))
    cards = latest[-1].gpus if latest else ()
    hottest = max((g.temperature_c for g in cards if g.temperature_c is not None), default=None)
    if hottest is not None and hottest > HOT_C:
        found.append(Message.of("preflight_hot", celsius=round(hottest)))
    return tuple(found)
