"""Talks to one llama-server on 127.0.0.1: timed chat requests and the questions a supervisor asks."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import httpx

from qtune.core.messages import Message
from qtune.core.ports import CancelSignal, Health, OnDelta, OnPrompt, ServerProbe, ServerSelf, Work
from qtune.core.records import ChatRequest, DraftCounters, RequestTimes
from qtune.endpoint import dialect
from qtune.endpoint.recorder import StreamRecorder
from qtune.host.awake import AwakeLimit

HEALTH_TIMEOUT_S: Final = 2.0
QUESTION_TIMEOUT_S: Final = 10.0
FIRST_TOKEN_SILENCE_S: Final = 120.0
SILENCE_S: Final = 60.0

_SLOWEST_PROMPT_CHARS_S: Final = 100.0
"""Prompt speed, about 30 tokens a second, below which a silent server is taken for stuck."""

_SLOT_POLL_S: Final = 0.05
_MAX_ERROR_BYTES: Final = 64 * 1024
_MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024


def make_probe(port: int, api_key: str) -> ServerProbe:
    """The probe of a server on ``port``; fits ``core.ports.ProbeFactory``."""
    return LlamaServerClient(port, api_key)


class LlamaServerClient:
    """HTTP client of one llama-server; implements ``core.ports.ServerProbe``.

    Each request has a connection of its own, because the server drops idle ones after five seconds or a
    hundred requests and a pooled one could fail in the middle of a measurement.

    Args:
        port: Where it listens.
        api_key: Sent as bearer token; empty for none.
        host: Address, never a name: resolving ``localhost`` may cost two seconds.
        silence_s: Longest silence between two events of an answer.
        first_token_silence_s: Longest silence before the first token of a short prompt; a long one gets
            more.
    """

    def __init__(
        self,
        port: int,
        api_key: str,
        host: str = "127.0.0.1",
        *,
        silence_s: float = SILENCE_S,
        first_token_silence_s: float = FIRST_TOKEN_SILENCE_S,
    ) -> None:
        self._silence_s = silence_s
        self._first_silence_s = first_token_silence_s
        headers = {"Accept-Encoding": "identity"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        self._http = httpx.AsyncClient(
            base_url=f"http://{host}:{port}",
            headers=headers,
            trust_env=False,  # a proxy variable must not catch the loopback
            timeout=httpx.Timeout(5, read=None),
            limits=httpx.Limits(max_keepalive_connections=0),
            # Never used on plain http; the default loads a certificate bundle, which takes 0.1 s.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )

    async def close(self) -> None:
        """Let go of every connection."""
        await self._http.aclose()

    # -- a timed request -----------------------------------------------------------------------------------

    async def chat(
        self,
        request: ChatRequest,
        on_delta: OnDelta | None = None,
        on_prompt: OnPrompt | None = None,
        cancel: CancelSignal | None = None,
    ) -> RequestTimes:
        """Send one streamed chat request and return its raw record.

        With ``request.raw`` the text goes to the native ``/completion``, which knows no chat template; the
        record has the same fields.

        What the world does wrong is in ``RequestTimes.failure``. ``cancel`` closes the socket and returns
        what was recorded so far; cancelling the task closes the socket and raises CancelledError.

        Args:
            request: What to ask.
            on_delta: Called for each delta that holds something; must be quick.
            on_prompt: Called for each report on prompt processing; asking for them costs extra chunks.
            cancel: Set it to give the request up.
        """
        http_request = self._timed_request(request, progress=on_prompt is not None)
        prompt_chars = sum(len(turn.content) for turn in request.messages)
        first_silence_s = self._first_silence_s + prompt_chars / _SLOWEST_PROMPT_CHARS_S
        read_chunk = dialect.read_native_chunk if request.raw else dialect.read_chunk
        recorder = StreamRecorder(time.perf_counter_ns(), on_delta, on_prompt, read_chunk)
        deadline = _Deadline(first_silence_s, cancel)
        failure: Message | None = None
        try:
            async with deadline.guard():
                failure = await self._stream(http_request, recorder, deadline)
        except TimeoutError:
            if cancel is not None and cancel.is_set():
                return recorder.finish(
                    time.perf_counter_ns(), Message.of("request_cancelled"), cancelled=True
                )
            failure = Message.of("stream_silent", seconds=f"{round(deadline.silence_s, 1):g}")
        except httpx.TransportError as error:
            failure = _broken(error, recorder)
        return recorder.finish(time.perf_counter_ns(), failure)

    def _timed_request(self, request: ChatRequest, *, progress: bool) -> httpx.Request:
        write, path = (
            (dialect.completion_body, "/completion")
            if request.raw
            else (dialect.chat_body, "/v1/chat/completions")
        )
        body = json.dumps(write(request, progress=progress)).encode()
        return self._http.build_request(
            "POST", path, content=body, headers={"Content-Type": "application/json"}
        )

    async def _stream(
        self, http_request: httpx.Request, recorder: StreamRecorder, deadline: _Deadline
    ) -> Message | None:
        response = await self._http.send(http_request, stream=True)
        try:
            recorder.headers_ns = time.perf_counter_ns()
            refusal = await _refusal(response)
            if refusal is not None:
                return refusal
            async for chunk in response.aiter_raw():
                stamp_ns = time.perf_counter_ns()
                if recorder.take(chunk, stamp_ns):
                    deadline.renew(self._silence_s if recorder.started else None)
                if recorder.closed:
                    break
        finally:
            await response.aclose()
        return None

    # -- questions -----------------------------------------------------------------------------------------

    async def health(self) -> Health:
        """Ask ``/health``; a dead, foreign or hanging server is a value, not an error."""
        answer = await self._ask("GET", "/health", timeout_s=HEALTH_TIMEOUT_S)
        if answer is None:
            return Health(reachable=False)
        return Health(reachable=True, ready=answer[0] == 200, loading=answer[0] == 503)

    async def describe(self) -> ServerSelf:
        """What ``/props`` and ``/slots`` say; None in each field that neither tells."""
        props, slots = await self._ask_json("/props"), await self._ask_json("/slots")
        return dialect.server_self(props, slots)

    async def draft_counters(self) -> DraftCounters | None:
        """Counters of ``/metrics``, None where the server was started without them or is too old."""
        answer = await self._ask("GET", "/metrics")
        if answer is None or answer[0] != 200:
            return None
        return dialect.draft_counters(answer[1].decode("utf-8", "replace"))

    async def count_prompt(self, request: ChatRequest) -> int | None:
        """Prompt tokens of a request, template and nonce included; None where the server cannot count.

        Builds without the counting endpoint tokenise the bare text, a handful of template tokens short.
        """
        if not request.raw:
            body = dialect.chat_body(request, progress=False)
            counted = await self._ask_json("/v1/chat/completions/input_tokens", body)
            tokens = counted.get("input_tokens") if isinstance(counted, dict) else None
            if isinstance(tokens, int):
                return tokens
        text = dialect.completion_body(request, progress=False)["prompt"]
        answer = await self._ask_json("/tokenize", {"content": text, "add_special": False})
        listed = answer.get("tokens") if isinstance(answer, dict) else None
        return len(listed) if isinstance(listed, list) else None

    async def work(self) -> Work | None:
        """What the slots do now; None where the server does not answer in time or does not tell."""
        return dialect.work(await self._ask_json("/slots"))

    async def idle(self, timeout_s: float) -> bool | None:
        """Wait until no slot is at work: True when so, False when time ran out, None if it cannot tell.

        A cancelled request keeps its slot until the batch in hand is done.
        """
        end = time.perf_counter() + timeout_s
        while True:
            at_work = dialect.busy(await self._ask_json("/slots"))
            if at_work is not True:
                return None if at_work is None else True
            if time.perf_counter() >= end:
                return False
            await asyncio.sleep(_SLOT_POLL_S)

    async def _ask_json(self, path: str, body: object = None) -> object:
        answer = await self._ask("GET" if body is None else "POST", path, body)
        if answer is None or answer[0] != 200:
            return None
        try:
            return dialect.read_json(answer[1])
        except dialect.NotTheDialectError:
            return None

    async def _ask(
        self, method: str, path: str, body: object = None, timeout_s: float = QUESTION_TIMEOUT_S
    ) -> tuple[int, bytes] | None:
        if self._http.is_closed:
            return None  # its engine has ended; whoever asks by the clock hears so in a moment
        content = None if body is None else json.dumps(body).encode()
        headers = None if body is None else {"Content-Type": "application/json"}
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._http.stream(method, path, content=content, headers=headers) as response,
            ):
                return response.status_code, await _bounded(response, _MAX_ANSWER_BYTES)
        except (TimeoutError, httpx.TransportError):
            return None


class _Deadline:
    """Ends a request when its server falls silent or the caller gives up; both surface as TimeoutError."""

    def __init__(self, silence_s: float, cancel: CancelSignal | None) -> None:
        self.silence_s = silence_s
        self._cancel = cancel
        self._limit = AwakeLimit(silence_s)

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        """Run the body under the deadline."""
        watcher = None if self._cancel is None else asyncio.create_task(self._await_cancel(self._cancel))
        try:
            async with self._limit:
                yield
        finally:
            if watcher is not None:
                watcher.cancel()

    async def _await_cancel(self, cancel: CancelSignal) -> None:
        await cancel.wait()
        self._limit.end_now()

    def renew(self, silence_s: float | None) -> None:
        """Something came; wait as long again, or ``silence_s`` from here on."""
        if self._cancel is not None and self._cancel.is_set():
            return
        if silence_s is not None:
            self.silence_s = silence_s
        self._limit.renew(self.silence_s)


async def _refusal(response: httpx.Response) -> Message | None:
    kind = response.headers.get("content-type", "")
    if response.status_code == 200 and kind.startswith("text/event-stream"):
        return None
    raw = await _bounded(response, _MAX_ERROR_BYTES)
    text = raw.decode("utf-8", "replace")
    try:
        found = dialect.read_json(text)
    except dialect.NotTheDialectError:
        found = None
    if isinstance(found, dict) and found.get("error") is not None:
        return Message.of("request_refused", status=response.status_code, reason=dialect.error_text(found))
    if response.status_code != 200:
        reason = dialect.one_line(text) or response.reason_phrase
        return Message.of("request_refused", status=response.status_code, reason=reason)
    return Message.of("reply_not_understood", reason=dialect.one_line(f"{kind or 'no type'}: {text}"))


async def _bounded(response: httpx.Response, limit: int) -> bytes:
    """At most ``limit`` bytes of the body; what a server sends beyond is not read."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_raw():
        parts.append(part)
        size += len(part)
        if size >= limit:
            break
    return b"".join(parts)[:limit]


def _broken(error: httpx.TransportError, recorder: StreamRecorder) -> Message:
    foreign = isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error)
    if foreign and recorder.headers_ns is None:
        return Message.of("reply_not_understood", reason=dialect.one_line(str(error)))
    return Message.of("connection_lost", reason=_reason(error))


def _reason(error: httpx.TransportError) -> str:
    """The system's own words where it has some, else those of the library."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return dialect.one_line(str(error)) or type(error).__name__
