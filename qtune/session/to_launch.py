"""Which run of an experiment is meant when its result is to be launched."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.errors import KnownError
from qtune.core.history_query import RunSummary
from qtune.core.records import RunStatus
from qtune.core.verdict import BASELINE, Verdict


def to_launch(rows: Sequence[RunSummary], verdict: Verdict | None, arm: str | None = None) -> RunSummary:
    """The newest finished run of the arm that won; of the baseline where nothing was better than it.

    A run that the user marked as an outlier is taken only where there is no other.

    Args:
        rows: Runs of one experiment in the order they were started.
        verdict: What the experiment came to.
        arm: The arm that is meant whatever the verdict says.

    Raises:
        KnownError: ``export_no_winner`` where several arms were measured and none is to be preferred;
            ``export_arm_unknown`` where the arm has no run that finished.
    """
    done = [row for row in rows if row.status is RunStatus.DONE]
    arms = tuple(dict.fromkeys(row.arm for row in done))
    meant = arm or arm_to_launch(arms, verdict)
    if meant is None:
        raise KnownError("export_no_winner", arms=", ".join(arms) or "–")
    mine = [row for row in done if row.arm == meant]
    if not mine:
        raise KnownError("export_arm_unknown", arm=meant, arms=", ".join(arms) or "–")
    return max(mine, key=lambda row: (not row.outlier, row.started_utc))


def arm_to_launch(arms: Sequence[str], verdict: Verdict | None) -> str | None:
    """Which of the arms that finished is to be preferred; None where nothing tells."""
    if len(arms) == 1:
        return arms[0]
    if verdict is None:
        return None
    if verdict.decision == "better":
        return verdict.winner
    return BASELINE if verdict.decision in {"no_difference", "worse"} else None
