"""Puts together what is on disk about the ladder: what was asked, what works, what fails, what happened."""

from __future__ import annotations

from qtune.core.errors import KnownError
from qtune.core.incident import asked_last
from qtune.core.ladder import Footing, Ladder, RungView
from qtune.session.prices import Prices
from qtune.session.requests import LadderReport
from qtune.session.rungs import Rungs
from qtune.session.trials import Trial, Trials
from qtune.store.reader import Reader

NEWEST = 50


def ladder_report(
    trials: Trials, reader: Reader, rungs: Rungs, prices: Prices, stale: Trial | None
) -> LadderReport:
    """Read it all from disk; ``stale`` is the launch that took us down, while it is not dismissed.

    Raises:
        KnownError: ``history_not_readable``.
    """
    steps = reader.ladder_steps(limit=NEWEST)
    asked = asked_last(steps)
    return LadderReport(
        asked=asked,
        rungs=() if asked is None else _rungs(asked, rungs, prices),
        running=trials.under_way(),
        last_good=trials.last_good(stale),
        default=trials.default(),
        stale=stale,
        bad=trials.bad(),
        steps=tuple(steps),
        incidents=tuple(reader.incidents(limit=NEWEST)),
    )


def _rungs(asked: Footing, rungs: Rungs, prices: Prices) -> tuple[RungView, ...]:
    try:
        facts = rungs.below(asked)
    except KnownError:
        return ()  # the file was moved or deleted since
    return tuple(prices.view(rung) for rung in Ladder(facts).rungs_below())
