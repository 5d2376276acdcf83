"""A field for a context length, which is a number of tokens written as ``8k``."""

from __future__ import annotations

from qtune.ui.widgets.number_spin import NumberSpin, plain, read_number
from qtune.ui.words import figures_text

CONTEXT_STEPS = (4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144)
LEAST_CONTEXT = 1024


class ContextSpin(NumberSpin):
    """Reads ``8k``, ``8K`` and ``8192``; the arrows go from one usual length to the next."""

    def __init__(self) -> None:
        super().__init__(LEAST_CONTEXT, CONTEXT_STEPS[-1])

    def limit(self, tokens: int | None) -> None:
        """Longest context the model was trained for; None when unknown."""
        self.setMaximum(max(LEAST_CONTEXT, tokens or CONTEXT_STEPS[-1]))

    def read(self, text: str) -> int | None:
        """Tokens; ``k`` stands for 1024 of them, also half of them where that is a whole number."""
        word = plain(text)
        number = read_number(word.removesuffix("k"))
        tokens = None if number is None else number * 1024 if word.endswith("k") else number
        return int(tokens) if tokens is not None and tokens.is_integer() else None

    def examples(self) -> str:
        """Both ways of writing."""
        return self.tr("{short} or {long}").format(short="8k", long="8192")

    def stepBy(self, steps: int) -> None:
        """Go to the next usual step in that direction, from what is typed."""
        self.interpretText()
        for _ in range(abs(steps)):
            if steps > 0:
                wanted = [s for s in CONTEXT_STEPS if s > self.value()][:1]
            else:
                wanted = [s for s in reversed(CONTEXT_STEPS) if s < self.value()][:1]
            if wanted:
                self.setValue(wanted[0])

    def textFromValue(self, value: int) -> str:
        """``8k`` for multiples of 1024."""
        return figures_text.context(value)
