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


def telling(runs: Sequence[RunRecord]) -> list[tuple[Aspect, ...]]:
    """What has to be named beside the arm of each run, so that no two bear the same name.

    Model and quantisation are named on all wherever they differ: whoever reads the name of an arm takes them
    for equal. Everything else only where a name would stand for several runs, and only what parts them.
    """
    names: list[tuple[Hashable, ...]] = [(run.arm,) for run in runs]
    found: list[tuple[Aspect, ...]] = [()] * len(runs)
    for aspect, value in _VALUES.items():
        values = [value(run) for run in runs]
        alike: dict[Hashable, set[Hashable]] = {}
        for name, mine in zip(names, values, strict=True):
            alike.setdefault(name, set()).add(mine)
        everywhere = aspect in _ALWAYS and len(set(values)) > 1
        for at, name in enumerate(names):
            if everywhere or len(alike[name]) > 1:
                found[at] = (*found[at], aspect)
                names[at] = (*name, aspect, values[at])
    return found
