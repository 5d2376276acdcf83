"""What the raw record proves: whether MTP ran, which requests must not count, how much memory was used."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.figures import output_tokens
from qtune.core.looping import is_looping
from qtune.core.messages import Message
from qtune.core.records import (
    EffectiveSettings,
    RequestRecord,
    RequestTimes,
)
from qtune.core.settings import ServerSettings

NS_PER_S = 1e9
TOKENS_LEAST = 16
"""Shorter answers give no steady rate: near the limit drafts are cut, and (n - 1)/t is mostly noise."""


def request_marks(times: RequestTimes) -> tuple[Message, ...]:
    """Reasons why a request that ended well still does not count."""
    if not times.ok:
        return ()
    marks = []
    cached = (times.timings.cache_n if times.timings is not None else None) or (
        times.usage.cached_tokens if times.usage is not None else None
    )
    if cached:
        marks.append(Message.of("mark_cached", tokens=cached))
    tokens = output_tokens(times)
    if tokens is not None and tokens < TOKENS_LEAST:
        marks.append(Message.of("mark_short", tokens=tokens))
    share = is_looping(times.content or times.reasoning)
    if share is not None:
        marks.append(Message.of("mark_looping", share=round(100 * share)))
    return tuple(marks)


def mtp_proof(
    asked: ServerSettings, effective: EffectiveSettings | None, requests: Sequence[RequestRecord]
) -> tuple[bool | None, Message | None]:
    """Whether MTP really ran, and if not, why; None where it was not asked for or nothing was answered.

    The proof is drafted tokens in the server's timings; a server whose slots do not speculate is disproof.
    """
    if not asked.mtp:
        return None, None
    if effective is not None and effective.speculative is False:
        return False, Message.of("mtp_not_speculating")
    answered = [r for r in requests if r.times.ok and r.times.timings is not None]
    if not answered:
        return None, None
    if any(r.times.timings is not None and r.times.timings.draft_n for r in answered):
        return True, None
    return False, Message.of("mtp_no_drafts")
