"""What tells compared runs apart beside their arm: as few facts as will do, in the order of their weight."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, Literal

from qtune.core.records import RunRecord
from qtune.core.run_difference import device_names

Aspect = Literal["model", "quant", "build", "card", "n_max", "ctx_size", "date", "start"]

_VALUES: Final[Mapping[Aspect, Callable[[RunRecord], Hashable]]] = {
    "model": lambda run: run.model.name,
    "quant": lambda run: run.model.quant,
    "build": lambda run: run.engine.version,
    "card": device_names,
    "n_max": lambda run: run.settings_requested.n_max if run.settings_requested.mtp else None,
    "ctx_size": lambda run: run.settings_requested.ctx_size,
    "date": lambda run: run.started_utc[:16],  # to the minute, as it is shown
    "start": lambda run: run.start,
}
_ALWAYS: Final = frozenset({"model", "quant"})


def telling(runs: Sequence[RunRecord]) -> tuple[Aspect, ...]:
    """What has to be named beside the arm of each run, so that no two bear the same name.

    Model and quantisation are named wherever they differ: whoever reads the name of an arm takes them for
    equal. Everything else only until the names are told apart, and only where it helps.
    """
    names: list[tuple[Hashable, ...]] = [(run.arm,) for run in runs]
    found: list[Aspect] = []
    for aspect, value in _VALUES.items():
        finer = [(*name, value(run)) for name, run in zip(names, runs, strict=True)]
        differs = len({value(run) for run in runs}) > 1
        helps = len(set(finer)) > len(set(names))
        if helps or (differs and aspect in _ALWAYS):
            names = finer
            found.append(aspect)
    return tuple(found)
