"""What the keeper of the server works with: the books it writes, the facts it asks for, and its patience."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from qtune.core.ladder import Footing, LadderFacts
from qtune.core.model_facts import ModelFacts
from qtune.core.recovery import PAUSES_S
from qtune.session.ladder_record import LadderRecord
from qtune.session.launch_book import LaunchBook
from qtune.session.prices import Prices
from qtune.session.trials import Trials
from qtune.session.watchdog import USUAL, Patience

Choice = Callable[[str], str]
"""A preference by its key, as text; empty if it was never set."""

FactsOf = Callable[[Footing], Awaitable[LadderFacts]]
"""Finds the rungs below what was asked: siblings on disk, the named fallback."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things are waited for, in seconds.

    Attributes:
        pauses_s: Before the first, second and third restart by itself.
        patience: With a server that does nothing.
        death_notice_s: For the end of an engine after a request broke; writing a core dump takes its time.
        force_s: How long a stalled engine may take to end before it is killed.
    """

    pauses_s: tuple[float, ...] = PAUSES_S
    patience: Patience = USUAL
    death_notice_s: float = 3.0
    force_s: float = 1.0


USUAL_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class Means:
    """What the keeper works with besides the rooms.

    Attributes:
        model: Header facts of a file.
        ladder: Rungs below a footing.
    """

    trials: Trials
    launches: LaunchBook
    record: LadderRecord
    prices: Prices
    preference: Choice
    model: Callable[[Path], Awaitable[ModelFacts]]
    ladder: FactsOf
    timing: Timing = USUAL_TIMING
