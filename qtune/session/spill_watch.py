"""Notices that the card of a running server has spilled into main memory, which no error tells of."""

from __future__ import annotations

import asyncio
from typing import Final

from qtune.core.card_memory import uses_card
from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.core.server_state import ServerState
from qtune.core.spill import judge_spill
from qtune.core.spill_series import SpillContext, spill_signs
from qtune.engine.launch import Running
from qtune.session.memory_evidence import is_planned_offload, platform_of
from qtune.session.rooms import Rooms

SURE_AFTER: Final = 3
"""Looks in a row that must agree: another program may take memory for a moment."""


async def spilled(
    rooms: Rooms, running: Running, cards: tuple[GpuFacts, ...], loaded_ns: int, poll_s: float
) -> Message:
    """Return once a card in use is at its limit and main memory used by it has grown since the load.

    Speed is no sign here, since the requests are other people's. Where the driver does not count what it
    moved (NVIDIA), nothing is concluded. Nothing is looked at while a measurement is on: its runs are judged.
    """
    settings = running.spec.settings
    if not uses_card(running.spec.facts, settings) or is_planned_offload(settings):
        cards = ()
    agreed = 0
    while True:
        await asyncio.sleep(poll_s)
        if rooms.supervisor.state is ServerState.MEASURING:
            agreed = 0
            continue
        reason = _spilled_now(rooms, cards, loaded_ns)
        agreed = 0 if reason is None else agreed + 1
        if reason is not None and agreed >= SURE_AFTER:
            return reason


def _spilled_now(rooms: Rooms, cards: tuple[GpuFacts, ...], loaded_ns: int) -> Message | None:
    now_ns = rooms.clock.now_ns()
    samples = rooms.sampler.samples_between(loaded_ns, now_ns)
    # What is free now counts, not what was free at some time since the load.
    latest = samples[:1] + samples[-2:]
    for card in cards:
        context = SpillContext(
            uuid=card.uuid,
            launched_ns=loaded_ns,
            loaded_ns=loaded_ns,
            platform=platform_of(rooms.machine.os),
            vendor=card.vendor,
        )
        verdict = judge_spill(spill_signs(latest, (), context))
        if verdict.state == "yes":
            return verdict.reason
    return None
