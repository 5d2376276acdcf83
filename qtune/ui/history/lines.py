"""What stands on each line of the history: a run, or the heading of an experiment, which may be folded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qtune.core.history_query import Groups, Keys
from qtune.ui.history.row_pages import NO_KEYS

Marks = NDArray[np.bool_]


class TableLines:
    """Runs in the order SQL gave, headings between them. A folded experiment stays so in another order.

    Attributes:
        keys: All runs in the order shown, those of folded experiments too.
        groups: The experiments; None where runs stand for themselves.
        lines: The key of the run of each line, or the number of an experiment, made negative. It is that
            of ``groups.names``, which stays the same in another order and when runs come.
        places: Which of ``keys`` a line stands for, of a heading its first run.
        heads: The line of each heading.
        sizes: How many runs are listed of each experiment.
        folded: Whether each experiment is.
    """

    def __init__(self) -> None:
        self._all = False
        self._others: set[int] = set()
        self.load(NO_KEYS, None)

    def load(self, keys: Keys, groups: Groups | None) -> None:
        """Take other runs; experiments that were folded stay so."""
        self.keys, self.groups = keys, groups
        self.sizes = NO_KEYS if groups is None else np.diff(groups.begins, append=keys.size)
        self._arrange()

    def _arrange(self) -> None:
        if self.groups is None:
            self.lines, self.places, self.heads = self.keys, np.arange(self.keys.size), NO_KEYS
            self.folded: Marks = np.zeros(0, np.bool_)
            return
        others = np.fromiter(self._others, np.int64, len(self._others))
        self.folded = np.isin(self.groups.names, others) ^ self._all
        counts = np.where(self.folded, 0, self.sizes) + 1
        self.heads = np.cumsum(counts) - counts
        is_heading = np.zeros(int(counts.sum()), np.bool_)
        is_heading[self.heads] = True
        self.places = np.empty(is_heading.size, np.int64)
        self.places[is_heading] = self.groups.begins
        self.places[~is_heading] = np.flatnonzero(np.repeat(~self.folded, self.sizes))
        self.lines = self.keys[self.places]
        self.lines[is_heading] = -self.groups.names

    def fold(self, groups: int | Keys, *, on: bool) -> None:
        """Hide the runs of experiments below their headings, or show them again."""
        wanted = np.atleast_1d(groups)
        changed = wanted[self.folded[wanted] != on] if self.groups is not None else wanted[:0]
        if self.groups is not None and changed.size:
            self._others ^= set(self.groups.names[changed].tolist())
            self._arrange()

    def fold_all(self, *, on: bool) -> None:
        """Hide the runs of all experiments, also of those that come, or show them again."""
        self._all, self._others = on, set()
        self._arrange()

    def is_heading(self, line: int) -> bool:
        """Whether a line is a heading."""
        return bool(self.lines[line] < 0)

    def group_of(self, lines: Keys) -> Keys:
        """Which experiments these lines belong to."""
        found: Keys = np.searchsorted(self.heads, lines, side="right") - 1
        return found

    def groups_with(self, keys: Keys) -> Keys:
        """The experiments with some of these runs, in their order; none where runs stand for themselves."""
        if self.groups is None:
            return NO_KEYS
        places = np.flatnonzero(np.isin(self.keys, keys))
        return np.unique(np.searchsorted(self.groups.begins, places, side="right") - 1)

    def first_runs(self, lines: Keys) -> Keys:
        """Keys of the first listed run of each experiment whose heading is on these lines."""
        return self.keys[self.places[lines[self.lines[lines] < 0]]]

    def runs_of(self, lines: Keys) -> Keys:
        """Runs on these lines, from the top; a heading stands for all listed runs of its experiment."""
        if self.groups is None:
            return self.lines[lines]
        headings = self.lines[lines] < 0
        chosen = self.group_of(lines[headings])
        steps = np.zeros(self.keys.size + 1, np.int64)
        np.add.at(steps, self.groups.begins[chosen], 1)
        np.add.at(steps, self.groups.begins[chosen] + self.sizes[chosen], -1)
        meant = np.cumsum(steps[:-1]) > 0
        meant[self.places[lines[~headings]]] = True
        return self.keys[meant]

    def between(self, first: int, last: int) -> tuple[int, int]:
        """The lines on which runs from one place to another stand; the second may lie before the first."""
        begin, end = np.searchsorted(self.places, first), np.searchsorted(self.places, last, side="right")
        return int(begin), int(end) - 1
