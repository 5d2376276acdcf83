"""One completion: reads the request, keeps the pace of the model, writes events, and breaks as told."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fake_llama.answer import Progress, answer_pieces, dice, pieces_of, steps
from tests.fake_llama.engine_log import INFO, TRACE, WARN, write_raw
from tests.fake_llama.forms import ChatForm, Ending, Form, NativeForm
from tests.fake_llama.http1 import Connection, error_body, to_json

if TYPE_CHECKING:
    from tests.fake_llama.service import Service, Slot

_SPIN_NS = 1_500_000  # the event loop wakes up to 1 ms late, so the rest is slept exactly
_CATCH_UP_NS = 5_000_000


class BadRequestError(Exception):
    """An error answer before any work: its arguments are those of `error_body`."""

    def __init__(self, code: int, message: str, kind: str, **more: int) -> None:
        super().__init__(message)
        self.code = code
        self.body = error_body(code, message, kind, **more)


class StreamBrokenError(Exception):
    """The answer ended early on purpose, or the client has gone; the connection is of no more use."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request asks for."""

    prompt: str
    prompt_tokens: list[str]
    limit: int
    stream: bool
    usage: bool
    progress: bool
    timings_per_token: bool
    cache: bool
    thinks: bool
    native: bool


def read_wish(body: dict[str, Any], service: Service) -> Wish:
    """Check a chat body and fill in the defaults.

    Raises:
        BadRequestError: as llama-server would answer with 400.
    """
    return _wish(body, service, render(_messages(body)), thinks=_thinks(body, service))


def read_native_wish(body: dict[str, Any], service: Service) -> Wish:
    """Check a body of /completion and fill in the defaults; its prompt is text.

    Raises:
        BadRequestError: as llama-server would answer with 400.
    """
    if not isinstance(body.get("prompt"), str):
        missing = "[json.exception.out_of_range.403] key 'prompt' not found"
        raise BadRequestError(400, missing, "invalid_request_error")
    return _wish(body, service, body["prompt"], thinks=False, native=True)


def _messages(body: dict[str, Any]) -> list[Any]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError(400, "'messages' is required", "invalid_request_error")
    return messages


def _thinks(body: dict[str, Any], service: Service) -> bool:
    kwargs = body.get("chat_template_kwargs") or {}
    thinking = kwargs.get("enable_thinking", True)
    if not isinstance(thinking, bool):
        raise BadRequestError(
            400, 'invalid type for "enable_thinking" (expected boolean)', "invalid_request_error"
        )
    off = body.get("reasoning_effort") == "none" or service.settings.text("--reasoning") == "off"
    return thinking and not off


def _wish(body: dict[str, Any], service: Service, prompt: str, *, thinks: bool, native: bool = False) -> Wish:
    limit = -1
    for key in ("max_tokens", "max_completion_tokens", "n_predict"):
        if body.get(key) is not None:
            limit = int(body[key])
    if limit < -1:
        raise BadRequestError(400, "max_tokens must be -1 or more", "invalid_request_error")
    tokens = pieces_of(prompt)
    if len(tokens) >= service.slot_ctx:
        raise BadRequestError(
            400,
            f"request ({len(tokens)} tokens) exceeds the available context size ({service.slot_ctx} tokens), "
            "try increasing it",
            "exceed_context_size_error",
            n_prompt_tokens=len(tokens),
            n_ctx=service.slot_ctx,
        )
    return Wish(
        prompt=prompt,
        prompt_tokens=tokens,
        limit=max(limit, 1) if limit >= 0 else service.slot_ctx,
        stream=bool(body.get("stream", False)),
        usage=bool((body.get("stream_options") or {}).get("include_usage", False)),
        progress=bool(body.get("return_progress", False)),
        timings_per_token=bool(body.get("timings_per_token", False)),
        cache=bool(body.get("cache_prompt", service.settings.is_on("--cache-prompt"))),
        thinks=thinks,
        native=native,
    )


def render(messages: list[Any]) -> str:
    """The prompt after a ChatML-like template."""
    parts = [
        f"<|im_start|>{m.get('role')}\n{_content(m)}<|im_end|>\n" for m in messages if isinstance(m, dict)
    ]
    return "".join(parts) + "<|im_start|>assistant\n"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return str(content or "")


class Completion:
    """One answer on one slot, from the prompt to the last event."""

    def __init__(self, service: Service, connection: Connection, wish: Wish, slot: Slot) -> None:
        self._service = service
        self._connection = connection
        self._wish = wish
        self._slot = slot
        self._switches = service.switches
        self._task = service.generations
        self._faulty = service.strikes(wish)
        self._pieces = answer_pieces(service.switches, wish.prompt)
        room = service.slot_ctx - len(wish.prompt_tokens)
        self._thoughts = self._switches.reasoning_tokens if wish.thinks else 0
        natural = len(self._pieces) + self._thoughts
        self._wanted = max(1, min(natural, wish.limit, room))
        self._cut = natural > min(wish.limit, room)
        self.progress = Progress(len(wish.prompt_tokens), self._cached())
        self._form = self._choose_form()
        self._deadline_ns = 0
        self._jitter = dice(self._switches.seed, self._task)
        self._drafts = dice(self._switches.seed, wish.prompt)
        self._content: list[str] = []
        self._reasoning: list[str] = []

    def _choose_form(self) -> Form:
        service, wish = self._service, self._wish
        if wish.native:
            return NativeForm(wish.prompt, wish.limit, service.shown_alias, self._slot.number, self.progress)
        name = f"chatcmpl-{service.seed_text(self._task)}"
        return ChatForm(name, service.shown_alias, service.build_info, wish.usage)

    def _cached(self) -> int:
        total = len(self._wish.prompt_tokens)
        if self._faulty and self._switches.cached is not None:
            return min(self._switches.cached, total - 1)
        if not self._wish.cache:
            return 0
        same = 0
        for old, new in zip(self._slot.kept, self._wish.prompt_tokens, strict=False):
            if old != new:
                break
            same += 1
        return min(same, total - 1)

    async def run(self) -> None:
        """Compute the answer, and stream its tokens where that is wanted.

        Raises:
            StreamBrokenError: the connection must be closed.
        """
        self.progress.started_ns = time.perf_counter_ns()
        self._deadline_ns = self.progress.started_ns
        if self._service.drafting is not None and self._service.drafting.n_max == 0:
            write_raw("llama-context.cpp:1842: GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed\n")
            os.kill(os.getpid(), signal.SIGABRT)
        if self._wish.stream:
            await self._connection.start_stream()
        await self._read_prompt()
        await self._generate()
        self._slot.kept = [*self._wish.prompt_tokens, *self._pieces[: self.progress.predicted]]

    async def finish(self) -> None:
        """Write what ends the answer, or the whole of it where it is no stream."""
        if self._wish.stream:
            await self._connection.chunk(*self._form.end(self._ending()))
            await self._connection.end_stream()
        else:
            said = "".join(self._content), "".join(self._reasoning)
            await self._connection.answer_json(200, self._form.whole(*said, self._ending()))

    async def _read_prompt(self) -> None:
        computed = self.progress.prompt_tokens - self.progress.cached
        share = max(computed / self.progress.prompt_tokens, 0.05)
        wait_ms = self._switches.ttft_ms * share
        if self._switches.prefill_tok_s > 0:
            wait_ms += 1e3 * computed / self._switches.prefill_tok_s
        if self._service.drafting is not None:
            wait_ms *= 1 + self._switches.prefill_cost
        if self._wish.stream and self._wish.progress:
            await self._send_progress(0.0)
            await self._wait(wait_ms * 0.9)
            await self._send_progress(1.0)
            await self._wait(wait_ms * 0.1)
        else:
            await self._wait(wait_ms)
        await self._ping(0)

    async def _send_progress(self, share: float) -> None:
        cached, total = self.progress.cached, self.progress.prompt_tokens
        spent = int((time.perf_counter_ns() - self.progress.started_ns) / 1e6)
        done = cached + round(share * (total - cached))
        state = {"total": total, "cache": cached, "processed": done, "time_ms": spent}
        await self._connection.chunk(*self._form.progress(state))

    async def _generate(self) -> None:
        await self._break_if_due()
        self.progress.first_ns = self.progress.last_ns = time.perf_counter_ns()
        await self._emit(1)
        for step in steps(self._drafts, self._wanted, self._service.drafting):
            jitter = (
                1 + self._jitter.gauss(0, self._switches.itl_jitter) if self._switches.itl_jitter else 1.0
            )
            await self._wait(self._switches.itl_ms * step.cost * max(jitter, 0.05))
            self.progress.count(step)
            self.progress.last_ns = time.perf_counter_ns()
            await self._emit(step.tokens)

    async def _emit(self, tokens: int) -> None:
        """Write the events of tokens that left the model together: they carry the same moment."""
        events: list[bytes] = []
        for _ in range(tokens):
            index = self.progress.predicted
            self.progress.predicted += 1
            silent = (
                self._switches.silent_every and self.progress.predicted % self._switches.silent_every == 0
            )
            if index < self._thoughts:
                key, piece = "reasoning_content", " hm"
                self._reasoning.append(piece)
            else:
                key, piece = "content", self._pieces[index - self._thoughts]
                if not silent:
                    self._content.append(piece)
            if self._wish.stream and not silent:
                timings = self.progress.timings() if self._wish.timings_per_token else None
                events += self._form.token(key, piece, timings)
            if self._faulty and self._fault_due():
                break
        self._slot.decoded = self.progress.predicted
        if events:
            await self._connection.chunk(*events)
            if self._switches.pings and self.progress.predicted % self._switches.pings == 0:
                await self._ping(1)
        await self._break_if_due()

    def _fault_due(self) -> bool:
        return self.progress.predicted in self._service.fault_points

    async def _break_if_due(self) -> None:
        if not self._faulty or not self._fault_due():
            return
        done, switches = self.progress.predicted, self._switches
        if switches.crash_after_tokens == done:
            os.kill(os.getpid(), signal.SIGSEGV)
        if switches.oom_after_tokens == done:
            write_raw(
                "CUDA error: out of memory\n  current device: 0, in function alloc at ggml-cuda.cu:451\n"
            )
            write_raw("  cuMemCreate(&handle, reserve_size, &prop, 0)\nggml-cuda.cu:98: CUDA error\n")
            os.kill(os.getpid(), signal.SIGABRT)
        if switches.hang_after_tokens == done:
            await self._connection.until_gone()
            raise StreamBrokenError
        if switches.close_after_tokens == done:
            raise StreamBrokenError
        if switches.error_in_stream == done:
            body = error_body(500, "Compute error.", "server_error")
            if self._wish.stream:
                await self._connection.chunk(f"data: {to_json(body)}\n\n".encode())
                await self._connection.end_stream()
            else:
                await self._connection.answer_json(500, body)
            raise StreamBrokenError

    async def _ping(self, enough: int) -> None:
        if self._wish.stream and self._switches.pings > enough - 1 and self._switches.pings:
            await self._connection.chunk(b":\n\n")

    async def _wait(self, span_ms: float) -> None:
        """Wait until the span after the last deadline is over; lateness is made up, unless it is large."""
        now = time.perf_counter_ns()
        if now - self._deadline_ns > _CATCH_UP_NS:
            self._deadline_ns = now
        self._deadline_ns += round(span_ms * 1e6)
        while (left := self._deadline_ns - time.perf_counter_ns()) > _SPIN_NS:
            await asyncio.sleep(min((left - _SPIN_NS) / 1e9, 0.05))
            self._check_client()
        await asyncio.sleep(0)
        if (left := self._deadline_ns - time.perf_counter_ns()) > 0:
            time.sleep(left / 1e9)  # noqa: ASYNC251 - under 1.5 ms, and exact where the loop is not
        self._check_client()

    def _check_client(self) -> None:
        if self._connection.gone:
            self._service.log.line(WARN, f"srv          stop: cancel task, id_task = {self._task}")
            raise StreamBrokenError

    def _ending(self) -> Ending:
        return Ending(
            cut=self._cut,
            usage=None if self._hides(self._switches.no_usage) else self.progress.usage(),
            timings=None if self._hides(self._switches.no_timings) else self.progress.timings(),
        )

    def _hides(self, switch: bool) -> bool:
        return switch and self._faulty

    def log_lines(self) -> list[tuple[int, str]]:
        """What the log says once the answer is out."""
        p = self.progress
        head = f"slot print_timing: id  {self._slot.number} | task {self._task} | "
        computed = p.prompt_tokens - p.cached
        per = p.prompt_ms / max(computed, 1)
        spent = p.predicted_ms
        rate = 1e3 * (p.predicted - 1) / spent if spent else 0.0
        each = spent / max(p.predicted - 1, 1)
        prompt_rate = f"({per:8.2f} ms per token, {1e3 / per:8.2f} tokens per second)"
        eval_rate = f"({each:8.2f} ms per token, {rate:8.2f} tokens per second)"
        total = f"{p.prompt_ms + spent:10.2f} ms / {computed + p.predicted:5d} tokens"
        lines = [
            (INFO, f"{head}prompt eval time = {p.prompt_ms:10.2f} ms / {computed:5d} tokens {prompt_rate}"),
            (INFO, f"{head}       eval time = {spent:10.2f} ms / {p.predicted:5d} tokens {eval_rate}"),
            (INFO, f"{head}      total time = {total}"),
            (INFO, f"{head}   graphs reused = {p.predicted:10d}"),
        ]
        if p.drafted:
            mean = 1 + p.accepted / p.drafts
            share = p.accepted / p.drafted
            counts = f"({p.accepted:5d} accepted / {p.drafted:5d} generated), mean len = {mean:5.2f}"
            lines.append((INFO, f"{head}draft acceptance = {share:.5f} {counts}"))
            places = ", ".join(f"{count / p.drafts:.3f}" for count in p.accepted_at)
            lines.append((TRACE, f"{head}     acc per pos = ({places})"))
        stop = f"stop processing: n_tokens = {p.prompt_tokens + p.predicted}, truncated = 0"
        return [*lines, (INFO, f"slot      release: id  {self._slot.number} | task {self._task} | {stop}")]
