"""Figures of one request, derived from its raw record.

Formulas follow llama-server's own definitions: ``predicted_ms`` runs from the first sampled token to the
last, so the rate is (n - 1) tokens over it. Builds before b10549 divided n by it; we never use their
ready-made rate.
"""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core.records import DraftCounters, RequestTimes

NS_PER_MS = 1e6


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Drafted and accepted tokens.

    Attributes:
        by_position: Share of drafts whose token at this position was accepted; empty when unknown.
        mean_len: L, tokens gained per round, the target's own token included; None when rounds are unknown.
    """

    drafted: int
    accepted: int
    by_position: tuple[float, ...] = ()
    mean_len: float | None = None

    @property
    def rate(self) -> float:
        """Accepted over drafted, 0 to 1."""
        return self.accepted / self.drafted


def _ms(start_ns: int, end_ns: int | None) -> float | None:
    return None if end_ns is None else (end_ns - start_ns) / NS_PER_MS


def output_tokens(times: RequestTimes) -> int | None:
    """Tokens generated, by the server's count, else by ``usage``; None when neither was sent."""
    if times.timings is not None and times.timings.predicted_n is not None:
        return times.timings.predicted_n
    return None if times.usage is None else times.usage.completion_tokens


def prompt_tokens(times: RequestTimes) -> int | None:
    """Prompt tokens, cached ones included; None when the server did not say."""
    if times.usage is not None and times.usage.prompt_tokens is not None:
        return times.usage.prompt_tokens
    t = times.timings
    return None if t is None or t.prompt_n is None else t.prompt_n + (t.cache_n or 0)


def ttft_ms(times: RequestTimes) -> float | None:
    """Request sent to first delta with text, reasoning or a tool call, ms."""
    return _ms(times.sent_ns, times.first_token_ns)


def ttfa_ms(times: RequestTimes) -> float | None:
    """Request sent to first delta of the answer itself, ms."""
    return _ms(times.sent_ns, times.first_answer_ns)


def total_ms(times: RequestTimes) -> float:
    """Whole request, ms."""
    return (times.ended_ns - times.sent_ns) / NS_PER_MS


def server_decode_tok_s(times: RequestTimes) -> float | None:
    """(n - 1) tokens over the server's own first-to-last-token time."""
    t = times.timings
    if t is None or t.predicted_n is None or not t.predicted_ms or t.predicted_n < 2:
        return None
    return (t.predicted_n - 1) / t.predicted_ms * 1000


def client_decode_tok_s(times: RequestTimes) -> float | None:
    """(n - 1) tokens over first-to-last delta as they arrived here; n is the server's count, never chunks."""
    n, first, last = output_tokens(times), times.first_token_ns, times.last_token_ns
    if n is None or n < 2 or first is None or last is None or last <= first:
        return None
    return (n - 1) / (last - first) * 1e9


def decode_tok_s(times: RequestTimes) -> float | None:
    """Steady output rate: by the server's raw timings, else by our own clock."""
    server = server_decode_tok_s(times)
    return client_decode_tok_s(times) if server is None else server


def prefill_tok_s(times: RequestTimes) -> float | None:
    """Prompt tokens really computed over the server's prompt time."""
    t = times.timings
    return None if t is None or not t.prompt_n or not t.prompt_ms else t.prompt_n / t.prompt_ms * 1000


def acceptance(times: RequestTimes, drafts: DraftCounters | None = None) -> Acceptance | None:
    """Acceptance of one request; None (not 0) when nothing was drafted.

    Rounds come from the server's counters where it has them, else from the timings: every token after the
    first that was not an accepted draft cost one round.
    """
    t = times.timings
    if t is None or not t.draft_n or t.draft_n_accepted is None:
        return None
    if drafts is not None and drafts.drafts > 0:
        by_position = tuple(n / drafts.drafts for n in drafts.accepted_by_position)
        return Acceptance(t.draft_n, t.draft_n_accepted, by_position, 1 + drafts.accepted / drafts.drafts)
    rounds = None if t.predicted_n is None else t.predicted_n - 1 - t.draft_n_accepted
    mean_len = 1 + t.draft_n_accepted / rounds if rounds and rounds > 0 else None
    return Acceptance(t.draft_n, t.draft_n_accepted, (), mean_len)


def rounds_per_s(times: RequestTimes, drafts: DraftCounters | None = None) -> float | None:
    """Verification rounds per second, so that decode rate = rounds/s x L; None without drafts."""
    found, rate = acceptance(times, drafts), decode_tok_s(times)
    return None if found is None or rate is None or found.mean_len is None else rate / found.mean_len
