"""The proof that a server works as asked: a real completion, and drafts where MTP was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from qtune.core import figures
from qtune.core.card_memory import uses_card
from qtune.core.errors import KnownError
from qtune.core.records import ChatMessage, ChatRequest
from qtune.engine.supervisor import Running

PROVING = ChatRequest(
    messages=(ChatMessage("user", "Count from one to thirty in words."),), max_tokens=48, nonce="proof"
)
"""Long enough for drafts and a look at the speed, short enough not to be waited for."""
FAULTS_OF_DRAFTS = ("speculative", "draft")
OWN_SENTENCE = frozenset({"stream_silent"})
"""Failures of the request that say by themselves what is wrong with the server."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the proving completion showed; the speed is a look, no measurement."""

    load_ms: float
    decode_tok_s: float | None
    on_card: bool = False


async def prove(running: Running) -> Proof:
    """Have the server complete one request.

    Raises:
        KnownError: ``mtp_not_speculating`` or ``mtp_no_drafts`` when MTP was asked for and is not active,
            ``request_mtp_fault`` when it could not process its drafts, ``stream_silent``, else
            ``first_completion_failed``.
    """
    asked = running.spec.settings
    if asked.mtp and running.effective.speculative is False:
        raise KnownError("mtp_not_speculating")
    times = await running.probe.chat(PROVING)
    if times.failure is not None and times.failure.code != "answer_empty":
        if times.failure.code in OWN_SENTENCE:
            raise KnownError.from_message(times.failure)
        reason = times.failure.sentence()
        fault = asked.mtp and any(word in reason for word in FAULTS_OF_DRAFTS)
        raise KnownError("request_mtp_fault" if fault else "first_completion_failed", reason=reason)
    timings = times.timings
    tokens = figures.output_tokens(times)
    drafted = timings is None or timings.draft_n or tokens is None or tokens < ENOUGH_FOR_DRAFTS
    if asked.mtp and running.effective.speculative is None and not drafted:
        raise KnownError("mtp_no_drafts")
    on_card = uses_card(running.spec.facts, asked) and running.effective.layers_offloaded != 0
    return Proof(running.load_ms, figures.decode_tok_s(times), on_card)


ENOUGH_FOR_DRAFTS = 16
"""In a shorter answer nothing may have been drafted although MTP is active."""
