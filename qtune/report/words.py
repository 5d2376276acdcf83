"""Figures and settings in words for people, shared by Markdown and HTML; texts go through a translator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qtune.core.messages import CONTEXT as MESSAGES
from qtune.core.messages import Message, render, text_of
from qtune.core.records import MemoryFacts, RunRecord
from qtune.core.stats import Spread
from qtune.core.verdict import Ratio

Translate = Callable[[str, str], str]
"""Context and English text -> text in the reader's language, as Qt's ``translate`` takes them."""


def english(context: str, text: str) -> str:
    """The translator of those who have none."""
    del context
    return text


def as_named(name: str) -> str:
    """The name as it stands in the record."""
    return name


@dataclass(frozen=True, slots=True)
class Words:
    """How a report speaks; by itself English.

    Attributes:
        language: Tag of the language of ``translate``, e.g. ``zh-CN``.
        translate: From context and English text; the contexts are ``report``, ``messages``, ``settings`` and
            ``states``.
        say: Sentence of a message; None for what ``translate`` makes of it.
        arm: Name of an arm in that language.
        prompt: Name of a prompt.
    """

    language: str = "en"
    translate: Translate = english
    say: Callable[[Message], str] | None = None
    arm: Callable[[str], str] = as_named
    prompt: Callable[[str], str] = as_named

    def said(self, message: Message) -> str:
        """Sentence of a message in the reader's language."""
        if self.say is not None:
            return self.say(message)
        return render(self.translate(MESSAGES, text_of(message.code).sentence), message.params)


ENGLISH = Words()


def number(value: float | None, digits: int = 1) -> str:
    """A figure with a decimal point, or a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def with_range(found: Spread | None, digits: int = 1) -> str:
    """Median with the range seen, e.g. ``52.3 (50.1–53.0)``."""
    if found is None:
        return "–"
    return f"{found.median:.{digits}f} ({found.low:.{digits}f}–{found.high:.{digits}f})"


def gain(ratio: Ratio | None, to: str = "to") -> str:
    """Gain over off in per cent, with the interval where there is one; ``to`` stands between its ends."""
    if ratio is None:
        return "–"
    whole = f"{_percent(ratio.ratio)} %"
    if ratio.bounds is None:
        return whole
    low, high = map(_percent, ratio.bounds)
    return f"{whole} ({low} {to} {high} %)"


def _percent(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.1f}"


def gib(size_bytes: int | None) -> str:
    """Size in GiB, or MiB below one."""
    if size_bytes is None:
        return "–"
    return f"{size_bytes / 1024**3:.2f} GiB" if size_bytes >= 1024**3 else f"{size_bytes / 1024**2:.0f} MiB"


def memory_words(memory: MemoryFacts | None) -> str:
    """Memory before, loaded, peak and total."""
    if memory is None:
        return "–"
    return " → ".join(map(gib, (memory.before, memory.loaded, memory.peak))) + f" / {gib(memory.total)}"


def speculation(run: RunRecord) -> str:
    """Flags of speculation as they were set."""
    s = run.settings_requested
    if not s.mtp:
        return "off"
    more = {"n-max": s.n_max, "n-min": s.n_min, "p-min": s.p_min}
    return "draft-mtp, " + ", ".join(f"{name} {value:g}" for name, value in more.items())


def card_words(run: RunRecord) -> str:
    """Cards with driver and power limit, or the processor."""
    if not run.gpus:
        return f"{run.machine.cpu} (CPU)"
    cards = []
    for gpu in run.gpus:
        more = [gib(gpu.vram_total_bytes), f"driver {gpu.driver}" if gpu.driver else ""]
        more.append(f"power limit {gpu.power_limit_w:.0f} W" if gpu.power_limit_w is not None else "")
        cards.append(f"{gpu.name} ({', '.join(filter(None, more))})")
    return "; ".join(cards)
