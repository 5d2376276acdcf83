"""The fill test: how full the context is made, when a step down is tried, and which context is safe.

Booting is not fitting: a context that starts may die half filled. So each step fills a fresh process to 50,
75 and 92 % and asks for a real answer each time. A context is safe when all three came complete and the card
kept as much memory free as the preset promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from qtune.core import figures
from qtune.core.card_memory import METAL, MemoryPeak, ran_on_card
from qtune.core.messages import Message
from qtune.core.records import RequestRecord, RunRecord, RunStatus

SHARES = (50, 75, 92)
"""Percent of the context that prompt and template fill."""
ANSWER_TOKENS = 100
"""Tokens answered at each share."""
FILL_ROOM = 64
"""Tokens kept free beside prompt and answer, since a first line of other figures may have more tokens."""
STEPS = (65536, 32768, 16384, 8192, 4096, 2048)
"""Contexts tried one after the other; above the largest, half is tried."""
MEMORY_CAUSES = frozenset({"ended_out_of_memory", "ended_killed"})
"""Ends of an engine for which a smaller context is the remedy; a system short of memory kills."""
WELL_FILLED = 0.9
"""Share of the wanted depth below which a prompt did not fill the context as it should."""
GIB = 1024**3


def fill_prompt(ctx_size: int, share: int) -> str:
    """Prompt id of a share of a context."""
    return f"fill-{ctx_size}-{share}"


def fill_prompts(ctx_size: int) -> tuple[str, ...]:
    """Prompt ids of a step, in the order they are sent."""
    return tuple(fill_prompt(ctx_size, share) for share in SHARES)


def fill_depth(ctx_size: int, share: int, answer_tokens: int = ANSWER_TOKENS) -> int:
    """Prompt tokens wanted at a share; the answer always has its room."""
    return min(ctx_size * share // 100, ctx_size - answer_tokens - FILL_ROOM)


def depth_of(prompt_id: str, slot_ctx: int | None, answer_tokens: int = ANSWER_TOKENS) -> int:
    """Depth of a prompt of ``fill_prompt`` in a server whose slots have ``slot_ctx`` tokens, if known."""
    _, ctx_size, share = prompt_id.split("-")
    return fill_depth(min(int(ctx_size), slot_ctx or int(ctx_size)), int(share), answer_tokens)


def has_room(ctx_size: int, answer_tokens: int = ANSWER_TOKENS) -> bool:
    """Whether a context can be half full and still take the answer."""
    return fill_depth(ctx_size, SHARES[0], answer_tokens) == ctx_size * SHARES[0] // 100


def lower_ctx(ctx_size: int, answer_tokens: int = ANSWER_TOKENS) -> int | None:
    """The context to try after this one; None below the smallest."""
    if ctx_size > 2 * STEPS[0]:
        return ctx_size // 2
    found = next((step for step in STEPS if step < ctx_size), None)
    return found if found is not None and has_room(found, answer_tokens) else None


@dataclass(frozen=True, slots=True)
class FillPoint:
    """One context filled to one share.

    Attributes:
        ctx_size: Context of the server, in tokens.
        share: Percent filled; 0 stands for a server that never came up.
        depth: Prompt tokens wanted.
        filled: Prompt tokens the server really counted, None when it did not say.
        ok: Whether the whole answer came.
        answered_tokens: Its length.
        peak_bytes: Most memory in use from the request on to the reading after it, None if not read.
        free_bytes: What the card had left then; None where no card is watched.
        failure: Why it is not ok.
    """

    ctx_size: int
    share: int
    depth: int
    filled: int | None
    ok: bool
    answered_tokens: int | None
    peak_bytes: int | None
    free_bytes: int | None
    decode_tok_s: float | None
    ttft_ms: float | None
    failure: Message | None


@dataclass(frozen=True, slots=True)
class FillAsk:
    """What a fill test was asked for.

    Attributes:
        ctx_size: Context it begins with.
        keep_bytes: What the preset promises to keep free.
        answer_tokens: Length of each answer.
    """

    arm: str
    preset: str
    ctx_size: int
    keep_bytes: int
    answer_tokens: int = ANSWER_TOKENS


StepState = Literal["safe", "memory", "failed", "open"]


@dataclass(frozen=True, slots=True)
class FillStep:
    """One start: a context filled to its shares as far as it came.

    Attributes:
        asked_ctx: Context the server was asked for.
        ctx_size: Context it had; smaller where it did not obey.
        state: ``memory`` calls for a smaller context, ``failed`` ends the test, ``open`` was broken off.
        free_bytes: Smallest free memory of the card, None where it is not known or not judged.
        memory: Kind of memory the engine sits in, None where nothing was read.
        reason: Why it is not safe.
        remarks: What else should be known of it.
    """

    asked_ctx: int
    ctx_size: int
    state: StepState
    points: tuple[FillPoint, ...]
    free_bytes: int | None
    memory: Literal["vram", "ram"] | None
    reason: Message | None = None
    remarks: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class FillOutcome:
    """How a fill test went.

    Attributes:
        largest_safe_ctx: None when no context tried is safe, or the test did not come to its end.
        margin_bytes: Smallest free memory in the last step; None where it is not known or not judged.
        keep_bytes: What the preset promises to keep free.
        points: All steps, in the order they were tried.
        reasons: Why larger contexts are not safe, and what else should be known.
        memory: Kind of memory the engine sits in, None where nothing was read; only ``vram`` has a margin.
    """

    arm: str
    preset: str
    asked_ctx: int
    largest_safe_ctx: int | None
    margin_bytes: int | None
    keep_bytes: int
    points: tuple[FillPoint, ...]
    sentence: Message
    reasons: tuple[Message, ...] = ()
    memory: Literal["vram", "ram"] | None = None


def fill_step(
    ask: FillAsk, run: RunRecord, requests: Sequence[RequestRecord], peaks: Sequence[MemoryPeak | None]
) -> FillStep:
    """Judge one start, ended or broken off; ``peaks`` of its requests is short or empty where not read."""
    ctx_size, memory = _ctx_in_force(run), _memory_kind(run)
    known = [*peaks, *[None] * len(requests)]
    points = [
        _point(ask, run, record, peak)
        for record, peak in zip(requests, known, strict=False)
        if not record.times.cancelled
    ]
    if run.status is RunStatus.FAILED:
        points = _with_failure(points, run.failure, ctx_size)
    frees = [p.free_bytes for p in points if p.free_bytes is not None]
    if memory == "vram" and run.memory is not None and run.memory.free_min is not None:
        frees.append(run.memory.free_min)
    free = min(frees, default=None)
    state, reason = _judge(run, points, free, ask.keep_bytes)
    return FillStep(
        asked_ctx=run.settings_requested.ctx_size,
        ctx_size=ctx_size,
        state=state,
        points=tuple(points),
        free_bytes=free,
        memory=memory,
        reason=reason,
        remarks=_remarks(run, points),
    )


def _memory_kind(run: RunRecord) -> Literal["vram", "ram"] | None:
    """Where the engine sits: main memory, even beside a card, when it computes on the processor.

    None on a card that nobody watches, about which the engine's resident memory says nothing; where the
    card's memory is main memory (Apple) it does.
    """
    if run.memory is None:
        return None
    if not ran_on_card(run):
        return "ram"
    is_main = any(device.name.startswith(METAL) for device in run.engine.devices)
    return None if run.memory.kind == "ram" and not is_main else run.memory.kind


def _ctx_in_force(run: RunRecord) -> int:
    """Context of a slot; smaller than asked where the server did not obey."""
    asked = run.settings_requested.ctx_size
    told = None if run.settings_effective is None else run.settings_effective.ctx_size
    return min(asked, told or asked)


def _point(ask: FillAsk, run: RunRecord, record: RequestRecord, peak: MemoryPeak | None) -> FillPoint:
    times, ctx_size = record.times, _ctx_in_force(run)
    answered, failure = figures.output_tokens(times), times.failure
    if times.ok and times.finish_reason == "length" and answered is not None and answered < record.max_tokens:
        failure = Message.of("fill_answer_cut", tokens=answered, wanted=record.max_tokens)
    kind = _memory_kind(run)
    # Of an engine in main memory a card's readings, as older records have them, are not its own.
    read = peak if run.memory is not None and kind == run.memory.kind else None
    return FillPoint(
        ctx_size=ctx_size,
        share=int(record.prompt_id.rpartition("-")[2]),
        depth=depth_of(record.prompt_id, ctx_size, ask.answer_tokens),
        filled=figures.prompt_tokens(times),
        ok=times.ok and failure is None,
        answered_tokens=answered,
        peak_bytes=None if read is None else read.used_bytes,
        free_bytes=read.free_bytes if read is not None and kind == "vram" else None,
        decode_tok_s=figures.decode_tok_s(times) if times.ok else None,
        ttft_ms=figures.ttft_ms(times),
        failure=failure or (None if times.ok else Message.of("answer_failed")),
    )


def _with_failure(points: list[FillPoint], failure: Message | None, ctx_size: int) -> list[FillPoint]:
    """The reason the start ended for, where it struck: a broken connection is only what was seen of it."""
    if points and not points[-1].ok:
        return [*points[:-1], replace(points[-1], failure=failure)]
    if points:  # it died after an answer that was complete
        return points
    nothing = FillPoint(
        ctx_size,
        share=0,
        depth=0,
        filled=None,
        ok=False,
        answered_tokens=None,
        peak_bytes=None,
        free_bytes=None,
        decode_tok_s=None,
        ttft_ms=None,
        failure=failure,
    )
    return [nothing]


def _judge(
    run: RunRecord, points: Sequence[FillPoint], free: int | None, keep_bytes: int
) -> tuple[StepState, Message | None]:
    ctx_size = _ctx_in_force(run)
    if run.status not in {RunStatus.DONE, RunStatus.FAILED}:
        return "open", None
    bad = next((p for p in points if not p.ok), None)
    cause = run.failure if run.status is RunStatus.FAILED else None
    failure = cause or (None if bad is None else bad.failure)
    if failure is not None:
        share = bad.share if bad is not None else points[-1].share
        code = "fill_step_loading" if share == 0 else "fill_step_died"
        reason = Message.of(code, ctx=ctx_size, share=share, reason=failure.sentence())
        return ("memory" if failure.code in MEMORY_CAUSES else "failed"), reason
    if run.memory is not None and run.memory.spill == "yes":
        return "memory", Message.of("fill_step_spilled", ctx=ctx_size)
    if free is not None and free < keep_bytes:
        tight = Message.of("fill_step_tight", ctx=ctx_size, free=_gib(free), keep=_gib(keep_bytes))
        return "memory", tight
    return "safe", None


def _remarks(run: RunRecord, points: Sequence[FillPoint]) -> tuple[Message, ...]:
    shallow = [p for p in points if p.ok and p.filled is not None and p.filled < WELL_FILLED * p.depth]
    found = [
        Message.of("fill_shallow", ctx=p.ctx_size, share=p.share, filled=p.filled, depth=p.depth)
        for p in shallow
    ]
    memory = run.memory
    if memory is not None and _memory_kind(run) == "vram" and memory.spill != "no":
        found += [m for m in (memory.spill_reason, *memory.spill_advice) if m is not None]
    if run.mtp_active is False:
        found.append(Message.of("verdict_mtp_not_active", arm=run.arm))
    return tuple(found)


def next_ctx(ask: FillAsk, steps: Sequence[FillStep]) -> int | None:
    """Context of the next start after these steps, None when the test is at its end.

    A start that was broken off is done again.
    """
    ended = [step for step in steps if step.state != "open"]
    if not ended:
        return ask.ctx_size
    last = ended[-1]
    if last.state != "memory":
        return None
    coming = lower_ctx(last.asked_ctx, ask.answer_tokens)
    while coming is not None and coming >= last.ctx_size:  # the server had less than was asked
        coming = lower_ctx(coming, ask.answer_tokens)
    return coming


def fill_outcome(ask: FillAsk, steps: Sequence[FillStep]) -> FillOutcome:
    """What the steps say together."""
    kept = _without_repeated(steps)
    ended = [step for step in kept if step.state != "open"]
    last = ended[-1] if ended and next_ctx(ask, kept) is None else None
    reasons = [step.reason for step in ended if step.reason is not None]
    remarks = dict.fromkeys(remark for step in kept for remark in step.remarks)
    return FillOutcome(
        arm=ask.arm,
        preset=ask.preset,
        asked_ctx=ask.ctx_size,
        largest_safe_ctx=last.ctx_size if last is not None and last.state == "safe" else None,
        margin_bytes=ended[-1].free_bytes if ended else None,
        keep_bytes=ask.keep_bytes,
        points=tuple(point for step in kept for point in step.points),
        sentence=Message.of("fill_unfinished") if last is None else _say(ask, last, ended),
        reasons=(*reasons, *remarks),
        memory=ended[-1].memory if ended else None,
    )


def _without_repeated(steps: Sequence[FillStep]) -> list[FillStep]:
    """A start that was broken off and done again stands only once."""
    last = {step.asked_ctx: place for place, step in enumerate(steps)}
    return [step for place, step in enumerate(steps) if last[step.asked_ctx] == place]


def _say(ask: FillAsk, last: FillStep, ended: Sequence[FillStep]) -> Message:
    """The sentence of a test that came to its end with the last of these steps."""
    ctx_size, free = last.ctx_size, last.free_bytes
    if last.state == "failed":
        reason = "?" if last.reason is None else dict(last.reason.params)["reason"]
        return Message.of("fill_failed", reason=reason)
    if last.state != "safe":
        return Message.of("fill_none_safe", tried=", ".join(str(step.ctx_size) for step in ended))
    if last.memory == "ram":
        return Message.of("fill_safe_ram", ctx=ctx_size)
    if free is None:
        return Message.of("fill_safe_unknown", ctx=ctx_size)
    return Message.of("fill_safe", ctx=ctx_size, free=_gib(free), keep=_gib(ask.keep_bytes))


def _gib(size_bytes: int) -> float:
    """Rounded down, so that what is too little never looks like enough."""
    return size_bytes * 100 // GIB / 100
