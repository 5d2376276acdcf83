"""What llama-server's HTTP API looks like: the body of a request, the chunks of an answer, its own facts.

Field names follow the OpenAI chat API and llama-server's additions to it, and for raw text its native
``/completion`` (b9093 to b11434).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from qtune.core.ports import ServerSelf, Work
from qtune.core.records import ChatRequest, DraftCounters, ServerTimings, Usage

MAX_REASON: Final = 300
"""Longest piece of a server's own text that is carried in a failure, in characters."""

_MAX_POSITIONS: Final = 256


class NotTheDialectError(ValueError):
    """The server's words are not the OpenAI protocol."""


# -- what is sent ------------------------------------------------------------------------------------------


def chat_body(request: ChatRequest, *, progress: bool) -> dict[str, Any]:
    """Body of ``/v1/chat/completions`` for one streamed request.

    All sampling is written out, also what is switched off, because ``general.sampling.*`` in a GGUF file
    would otherwise decide. Thinking goes through the template's own switch alone: a template without it
    ignores the argument, whereas some refuse a ``reasoning_effort`` they do not know.
    """
    body: dict[str, Any] = {
        "messages": _messages(request),
        "max_tokens": request.max_tokens,
        "stream_options": {"include_usage": True},
        **_common_body(request, progress=progress),
    }
    if request.thinking is not None:
        body["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    return body


def completion_body(request: ChatRequest, *, progress: bool) -> dict[str, Any]:
    """Body of the native ``/completion`` for one streamed request.

    The prompt is the text of all turns with blank lines between, the nonce first; there are no roles and no
    template. All sampling is written out, as for a chat.
    """
    texts = [turn.content for turn in request.messages]
    return {
        "prompt": "\n\n".join([request.nonce, *texts] if request.nonce else texts),
        "n_predict": request.max_tokens,
        **_common_body(request, progress=progress),
    }


def _common_body(request: ChatRequest, *, progress: bool) -> dict[str, Any]:
    """Fields that both endpoints take under the same names."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "stream": True,
        "cache_prompt": request.cache_prompt,
        "timings_per_token": False,
        "temperature": sampling.temperature,
        "top_k": sampling.top_k,
        "top_p": sampling.top_p,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "seed": sampling.seed,
        "xtc_probability": 0.0,
        "mirostat": 0,
    }
    if progress:
        body["return_progress"] = True
    return body


def _messages(request: ChatRequest) -> list[dict[str, str]]:
    turns = [{"role": m.role, "content": m.content} for m in request.messages]
    if request.nonce and turns:
        first = next((turn for turn in turns if turn["role"] == "user"), turns[0])
        first["content"] = f"{request.nonce}\n{first['content']}"
    return turns


# -- what streams back -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chunk:
    """One JSON chunk of a stream.

    Attributes:
        deltas: Kind (``reasoning``, ``content``, ``tool``) and text of each part that holds something.
        progress: Prompt tokens processed and in all, on a progress chunk.
        error: The server's own words when it gave up in mid-answer.
        last: The chunk itself says that none will follow; a chat says so by an event of its own.
    """

    deltas: tuple[tuple[str, str], ...] = ()
    finish_reason: str | None = None
    timings: ServerTimings | None = None
    usage: Usage | None = None
    progress: tuple[int, int] | None = None
    error: str | None = None
    last: bool = False


def read_chunk(data: str) -> Chunk:
    """Parse the data of one event of a chat.

    Unknown fields, empty ``choices`` and null contents are part of the protocol.

    Raises:
        NotTheDialectError: it is not a JSON object.
    """
    found = _read_object(data)
    if found.get("error") is not None:
        return Chunk(error=error_text(found))
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    choice = choice if isinstance(choice, dict) else {}
    finish = choice.get("finish_reason")
    return Chunk(
        deltas=_deltas(choice.get("delta")),
        finish_reason=finish if isinstance(finish, str) else None,
        timings=_timings(found.get("timings")),
        usage=_usage(found.get("usage")),
        progress=_progress(found.get("prompt_progress")),
    )


def read_native_chunk(data: str) -> Chunk:
    """Parse the data of one event of ``/completion``.

    Its chunks count tokens from the first on; as in a chat, only the figures of the last one are taken.

    Raises:
        NotTheDialectError: it is not a JSON object.
    """
    found = _read_object(data)
    if found.get("error") is not None:
        return Chunk(error=error_text(found))
    text = found.get("content")
    deltas = (("content", text),) if isinstance(text, str) and text else ()
    if found.get("stop") is not True:
        return Chunk(deltas, progress=_progress(found.get("prompt_progress")))
    timings = _timings(found.get("timings"))
    return Chunk(
        deltas,
        # Any other type ends as a chat does that was cut off: the server itself translates it so.
        finish_reason="stop" if found.get("stop_type") in ("eos", "word") else "length",
        timings=timings,
        usage=Usage(
            prompt_tokens=count(found.get("tokens_evaluated")),
            completion_tokens=count(found.get("tokens_predicted")),
            # "tokens_cached" is what the slot holds at the end, not what it knew before.
            cached_tokens=timings.cache_n if timings is not None else None,
        ),
        last=True,
    )


def _read_object(data: str) -> dict[str, Any]:
    found = read_json(data)
    if not isinstance(found, dict):
        raise NotTheDialectError(f"not a JSON object: {one_line(data, 80)}")
    return found


def _deltas(delta: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(delta, dict):
        return ()
    found: list[tuple[str, str]] = []
    for kind, key in (("reasoning", "reasoning_content"), ("content", "content")):
        text = delta.get(key)
        if isinstance(text, str) and text:
            found.append((kind, text))
    calls = delta.get("tool_calls")
    if isinstance(calls, list) and calls:
        found.append(("tool", "".join(_tool_text(call) for call in calls)))
    return tuple(found)


def _tool_text(call: object) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ""
    return "".join(part for key in ("name", "arguments") if isinstance(part := function.get(key), str))


def _timings(raw: object) -> ServerTimings | None:
    if not isinstance(raw, dict):
        return None
    return ServerTimings(
        cache_n=count(raw.get("cache_n")),
        prompt_n=count(raw.get("prompt_n")),
        prompt_ms=_duration(raw.get("prompt_ms")),
        predicted_n=count(raw.get("predicted_n")),
        predicted_ms=_duration(raw.get("predicted_ms")),
        draft_n=count(raw.get("draft_n")),
        draft_n_accepted=count(raw.get("draft_n_accepted")),
    )


def _usage(raw: object) -> Usage | None:
    if not isinstance(raw, dict):
        return None
    details = raw.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=count(raw.get("prompt_tokens")),
        completion_tokens=count(raw.get("completion_tokens")),
        cached_tokens=count(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )


def _progress(raw: object) -> tuple[int, int] | None:
    if not isinstance(raw, dict):
        return None
    processed, total = count(raw.get("processed")), count(raw.get("total"))
    return None if processed is None or total is None else (processed, total)


# -- what a server says of itself --------------------------------------------------------------------------


def server_self(props: object, slots: object) -> ServerSelf:
    """Merge the answers of ``/props`` and ``/slots``; either may be missing (None).

    Whether it speculates is read from the slots: ``/props`` says ``none`` even with MTP on.
    """
    p = props if isinstance(props, dict) else {}
    rows = [row for row in slots if isinstance(row, dict)] if isinstance(slots, list) else []
    generation = p.get("default_generation_settings")
    ctx = count(generation.get("n_ctx")) if isinstance(generation, dict) else None
    speculates = [row.get("speculative") for row in rows]
    return ServerSelf(
        alias=_word(p.get("model_alias")),
        model_path=_word(p.get("model_path")),
        ctx_size=ctx if ctx is not None or not rows else count(rows[0].get("n_ctx")),
        slots=count(p.get("total_slots")) if props is not None else (len(rows) or None),
        speculative=all(speculates) if rows and all(isinstance(s, bool) for s in speculates) else None,
        build=_word(p.get("build_info")),
    )


def work(slots: object) -> Work | None:
    """State of all slots by ``/slots``; the mark holds task, prompt tokens read and tokens decoded."""
    at_work = busy(slots)
    if at_work is None or not isinstance(slots, list):
        return None
    mark: list[int] = []
    decoding = False
    for row in slots:
        if not isinstance(row, dict):
            continue
        raw = row.get("next_token")
        following = raw if isinstance(raw, list) else []
        decoded = [count(t.get("n_decoded")) for t in following if isinstance(t, dict)]
        figures = [count(row.get("id_task")), count(row.get("n_prompt_tokens_processed")), *decoded]
        mark += [-1 if figure is None else figure for figure in figures]
        decoding = decoding or (row.get("is_processing") is True and any(decoded))
    return Work(at_work, tuple(mark), decoding)


def busy(slots: object) -> bool | None:
    """Whether any slot is at work; None when ``/slots`` did not answer with slots."""
    if not isinstance(slots, list):
        return None
    return any(isinstance(row, dict) and row.get("is_processing") is True for row in slots)


_METRIC = re.compile(r"llamacpp:spec_decode_num_(\w+)_total(?:\{position=\"(\d+)\"\})? (\S+)")


def draft_counters(metrics: str) -> DraftCounters | None:
    """Speculation counters of a Prometheus text; None where the family is missing (before b10549)."""
    plain: dict[str, int] = {}
    by_position: dict[int, int] = {}
    for line in metrics.splitlines():
        match = _METRIC.match(line)
        if match is None or (value := _number(match[3])) is None:
            continue
        if match[2] is None:
            plain[match[1]] = int(value)
        elif len(match[2]) <= 4 and int(match[2]) < _MAX_POSITIONS:
            by_position[int(match[2])] = int(value)
    if not {"drafts", "draft_tokens", "accepted_tokens"} <= plain.keys():
        return None
    length = max(by_position, default=-1) + 1
    positions = tuple(by_position.get(position, 0) for position in range(length))
    return DraftCounters(plain["drafts"], plain["draft_tokens"], plain["accepted_tokens"], positions)


# -- small readings of foreign values ----------------------------------------------------------------------


def read_json(text: str | bytes) -> object:
    """Decode foreign JSON.

    Raises:
        NotTheDialectError: it is not JSON.
    """
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError):
        shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        raise NotTheDialectError(f"not JSON: {one_line(shown, 80)}") from None
    return decoded


def error_text(found: Mapping[str, object]) -> str:
    """The message of an error body, in one short line."""
    error = found.get("error")
    if isinstance(error, dict):
        message = error.get("message")
        return one_line(message if isinstance(message, str) else json.dumps(error))
    return one_line(error if isinstance(error, str) else json.dumps(error))


def one_line(text: str, limit: int = MAX_REASON) -> str:
    """Foreign text as one line of at most ``limit`` characters, without control characters."""
    words = "".join(c if c.isprintable() else " " for c in text[: 8 * limit]).split()
    line = " ".join(words)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _number(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        value = float(raw)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and value >= 0 else None


def count(raw: object) -> int | None:
    """A number of something: not negative, whole; None for anything else."""
    value = None if isinstance(raw, str) else _number(raw)
    return None if value is None or value != int(value) else int(value)


def _duration(raw: object) -> float | None:
    return None if isinstance(raw, str) else _number(raw)


def _word(raw: object) -> str | None:
    return raw if isinstance(raw, str) and raw else None
