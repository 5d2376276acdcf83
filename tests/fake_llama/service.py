"""The endpoints of the fake and what they share: slots, counters, identity, the key."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fake_llama.answer import Drafting, Progress, dice, token_ids
from tests.fake_llama.chat import (
    BadRequestError,
    Completion,
    StreamBrokenError,
    Wish,
    read_native_wish,
    read_wish,
    render,
)
from tests.fake_llama.command_line import Settings
from tests.fake_llama.engine_log import INFO, EngineLog
from tests.fake_llama.http1 import Connection, Request, error_body
from tests.fake_llama.switches import Switches

TRAINED_CTX = 262144
_MAX_REQUESTS = 100  # per connection
COUNTERS = (
    "prompt_tokens_total",
    "prompt_tokens_cached_total",
    "prompt_seconds_total",
    "tokens_predicted_total",
    "tokens_predicted_seconds_total",
    "n_decode_total",
    "n_tokens_max",
    "spec_decode_num_draft_tokens_total",
    "spec_decode_num_accepted_tokens_total",
    "spec_decode_num_drafts_total",
)


@dataclass
class Slot:
    """One place for a conversation: what it holds and whether it works."""

    number: int
    kept: list[str] = field(default_factory=list)
    decoded: int = 0
    processing: bool = False
    last: Progress | None = None


class Service:
    """Answers requests; everything runs on one event loop."""

    def __init__(self, settings: Settings, switches: Switches, log: EngineLog) -> None:
        self.settings = settings
        self.switches = switches
        self.log = log
        self.ready = False
        self.generations = 0
        asked = settings.number("--ctx-size") or TRAINED_CTX
        self.n_ctx = asked if switches.ctx_shrunk is None else switches.ctx_shrunk
        unified = settings.number("--parallel") < 0 or settings.is_on("--kv-unified")
        self.slot_ctx = self.n_ctx if unified else -(-(self.n_ctx // settings.slots) // 256) * 256
        self.slots = [Slot(number) for number in range(settings.slots)]
        self._free: asyncio.Queue[Slot] = asyncio.Queue()
        for slot in self.slots:
            self._free.put_nowait(slot)
        self.drafting = Drafting.of(settings, switches)
        named = (switches.crash_after_tokens, switches.oom_after_tokens, switches.hang_after_tokens,
                 switches.close_after_tokens, switches.error_in_stream)  # fmt: skip
        self.fault_points = {point for point in named if point is not None}
        self.build_info = f"b{switches.build}-{switches.commit}"
        model = settings.text("--model")
        self.is_router = not model and not settings.text("--hf-repo")
        foreign = switches.wrong_identity
        self.shown_model = "/models/somebody-elses.gguf" if foreign else model
        alias = settings.text("--alias").partition(",")[0] or Path(model).name
        self.shown_alias = "somebody-else" if foreign else alias
        self._keys = self._read_keys()
        self._totals: dict[str, float] = {}
        self._accepted_at: list[int] = []
        self._window: dict[str, float] = {}

    def _read_keys(self) -> set[str]:
        keys = {key for key in self.settings.text("--api-key").split(",") if key}
        if name := self.settings.text("--api-key-file"):
            keys |= set(Path(name).read_text(encoding="utf-8").split())
        return keys

    def strikes(self, wish: Wish) -> bool:
        """Whether the newest generation is one that a fault may strike."""
        above = self.switches.when_prompt_above
        long = above is None or len(wish.prompt_tokens) > above
        return long and self.generations > self.switches.after_requests

    def seed_text(self, number: int) -> str:
        """A steady, id-like text."""
        return f"{zlib.crc32(f'{self.switches.seed}:{number}'.encode()):08x}{number:08x}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from its first request to its end."""
        tear = dice(self.switches.seed) if self.switches.split_packets else None
        connection = Connection(reader, writer, tear)
        try:
            for _ in range(_MAX_REQUESTS):
                request = await connection.read_request()
                if request is None:
                    break
                self._record(request)
                await self._route(connection, request)
        except (StreamBrokenError, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test wanted this end
        finally:
            connection.close()

    def _record(self, request: Request) -> None:
        if self.switches.request_log is None:
            return
        try:
            body: Any = json.loads(request.body) if request.body else None
        except ValueError:
            body = request.body.decode("latin-1")
        entry = {"method": request.method, "path": request.path, "headers": request.headers, "body": body}
        with Path(self.switches.request_log).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    async def _route(self, connection: Connection, request: Request) -> None:
        path = request.path.removeprefix(self.settings.text("--api-prefix"))
        if not self.ready:
            await connection.answer_json(503, error_body(503, "Loading model", "unavailable_error"))
            return
        if path in ("/health", "/v1/health"):
            if self.switches.hang_health:
                await connection.until_gone()
                raise StreamBrokenError
            await connection.answer_json(200, {"status": "ok"})
            return
        if self._keys and not self._has_key(request):
            await connection.answer_json(401, error_body(401, "Invalid API Key", "authentication_error"))
            return
        if request.method == "GET":
            await self._get(connection, path)
        else:
            await self._post(connection, path, request)

    def _has_key(self, request: Request) -> bool:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        return bool({given, request.headers.get("x-api-key", "")} & self._keys)

    async def _get(self, connection: Connection, path: str) -> None:
        if path == "/props":
            await connection.answer_json(200, self.props())
        elif path == "/slots":
            if self.switches.hang_slots and self.generations > self.switches.after_requests:
                await connection.until_gone()
                raise StreamBrokenError
            if self.settings.is_on("--slots"):
                await connection.answer_json(200, [self._slot_facts(slot) for slot in self.slots])
            else:
                await self._switched_off(connection, "slots", "--slots")
        elif path == "/metrics":
            if self.settings.is_on("--metrics"):
                await connection.answer(200, self.metrics(), kind="text/plain; version=0.0.4")
            else:
                await self._switched_off(connection, "metrics", "--metrics")
        elif path in ("/v1/models", "/models"):
            await connection.answer_json(200, self.models())
        else:
            await self._not_found(connection)

    async def _post(self, connection: Connection, path: str, request: Request) -> None:
        try:
            body = request.json()
        except ValueError as error:
            message = f"[json.exception.parse_error.101] parse error: {error}"
            await connection.answer_json(400, error_body(400, message, "invalid_request_error"))
            return
        if path in ("/v1/chat/completions", "/chat/completions"):
            await self._complete(connection, body, read_wish)
        elif path in ("/completion", "/completions"):
            await self._complete(connection, body, read_native_wish)
        elif path == "/v1/chat/completions/input_tokens":
            count = len(token_ids(render(body.get("messages", []))))
            await connection.answer_json(200, {"object": "response.input_tokens", "input_tokens": count})
        elif path == "/tokenize":
            await connection.answer_json(200, {"tokens": token_ids(str(body.get("content", "")))})
        elif path == "/apply-template":
            await connection.answer_json(200, {"prompt": render(body.get("messages", []))})
        else:
            await self._not_found(connection)

    @staticmethod
    async def _not_found(connection: Connection) -> None:
        await connection.answer_json(404, error_body(404, "File Not Found", "not_found_error"))

    @staticmethod
    async def _switched_off(connection: Connection, what: str, flag: str) -> None:
        message = f"This server does not support {what} endpoint. Start it with `{flag}`"
        await connection.answer_json(501, error_body(501, message, "not_supported_error"))

    async def _complete(
        self, connection: Connection, body: dict[str, Any], read: Callable[[dict[str, Any], Service], Wish]
    ) -> None:
        try:
            wish = read(body, self)
        except BadRequestError as error:
            await connection.answer_json(error.code, error.body)
            return
        slot = await self._free.get()  # while all slots are busy nothing at all is sent
        slot.processing = True
        slot.decoded = 0
        self.generations += 1
        try:
            if await self._refused(connection, wish):
                return
            if self.switches.megabyte_log_line:
                self.log.line(INFO, "x" * 1_000_000)
            completion = Completion(self, connection, wish, slot)
            slot.last = completion.progress
            try:
                await completion.run()
            except StreamBrokenError:
                await asyncio.sleep(self.switches.cancel_s)
                raise
            finally:
                self._add_up(completion.progress)
            for level, text in completion.log_lines():
                self.log.line(level, text)
        finally:
            slot.processing = False
            self._free.put_nowait(slot)
        await completion.finish()  # as in the original the slot is free and counted before the client knows

    async def _refused(self, connection: Connection, wish: Wish) -> bool:
        status = self.switches.http_error
        if status is None or not self.strikes(wish):
            return False
        if self.switches.http_error_body is not None:
            await connection.answer(status, self.switches.http_error_body)
        else:
            kind = {400: "invalid_request_error", 401: "authentication_error", 503: "unavailable_error"}
            text = error_body(status, "Compute error.", kind.get(status, "server_error"))
            await connection.answer_json(status, text)
        return True

    def _add_up(self, done: Progress) -> None:
        added = {
            "prompt_tokens_total": done.prompt_tokens - done.cached,
            "prompt_tokens_cached_total": done.cached,
            "prompt_seconds_total": done.prompt_ms / 1e3,
            "tokens_predicted_total": done.predicted,
            "tokens_predicted_seconds_total": done.predicted_ms / 1e3,
            "n_decode_total": 1 + done.predicted - done.accepted,
            "spec_decode_num_draft_tokens_total": done.drafted,
            "spec_decode_num_accepted_tokens_total": done.accepted,
            "spec_decode_num_drafts_total": done.drafts,
        }
        for store in (self._totals, self._window):
            for name, value in added.items():
                store[name] = store.get(name, 0) + value
        self._totals["n_tokens_max"] = max(
            self._totals.get("n_tokens_max", 0), done.prompt_tokens + done.predicted
        )
        self._accepted_at += [0] * (len(done.accepted_at) - len(self._accepted_at))
        for position, count in enumerate(done.accepted_at):
            self._accepted_at[position] += count

    def metrics(self) -> str:
        """The Prometheus text; gauges of rates cover the time since the last call."""
        get = self._window.get
        lines: list[str] = []
        for name in COUNTERS:
            self._series(lines, name, "counter", self._totals.get(name, 0))
        if any(self._accepted_at):
            name = "llamacpp:spec_decode_num_accepted_tokens_per_pos_total"
            lines += [f"# HELP {name} see its name", f"# TYPE {name} counter"]
            lines += [
                f'{name}{{position="{index}"}} {count}' for index, count in enumerate(self._accepted_at)
            ]
        read = _rate(get("prompt_tokens_total", 0), get("prompt_seconds_total", 0))
        self._series(lines, "prompt_tokens_seconds", "gauge", read)
        predicted = _rate(get("tokens_predicted_total", 0), get("tokens_predicted_seconds_total", 0))
        self._series(lines, "predicted_tokens_seconds", "gauge", predicted)
        self._series(lines, "requests_processing", "gauge", sum(slot.processing for slot in self.slots))
        self._series(lines, "requests_deferred", "gauge", 0)
        self._series(lines, "n_busy_slots_per_decode", "gauge", 1)
        self._window = {}
        return "\n".join(lines) + "\n"

    @staticmethod
    def _series(lines: list[str], name: str, kind: str, value: float) -> None:
        full = f"llamacpp:{name}"
        lines += [f"# HELP {full} see its name", f"# TYPE {full} {kind}", f"{full} {value:g}"]

    def props(self) -> dict[str, Any]:
        """The facts of /props; its speculative field says "none" whatever runs, as in the original."""
        return {
            "default_generation_settings": {
                "params": {"seed": -1, "temperature": 0.8, "speculative.types": "none"},
                "n_ctx": self.slot_ctx,
            },
            "total_slots": len(self.slots),
            "model_alias": self.shown_alias,
            "model_ftype": "Q4_K - Medium",
            "model_path": self.shown_model,
            "modalities": {"vision": False, "audio": False},
            "endpoint_slots": self.settings.is_on("--slots"),
            "endpoint_props": self.settings.is_on("--props"),
            "endpoint_metrics": self.settings.is_on("--metrics"),
            "chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}",
            "chat_template_caps": {},
            "bos_token": "",
            "eos_token": "<|im_end|>",
            "build_info": self.build_info,
            "is_sleeping": False,
            **({"role": "router"} if self.is_router else {}),
        }

    def models(self) -> dict[str, Any]:
        """The list of one model."""
        meta = {
            "vocab_type": 2,
            "n_vocab": 248320,
            "n_ctx": self.slot_ctx,
            "n_ctx_train": TRAINED_CTX,
            "n_embd": 5120,
            "n_params": 27_000_000_000,
            "size": 16_863_000_000,
            "ftype": "Q4_K - Medium",
        }
        aliases = [name for name in self.settings.text("--alias").split(",") if name]
        entry = {
            "id": self.shown_alias,
            "aliases": aliases,
            "object": "model",
            "owned_by": "llamacpp",
            "meta": meta,
        }
        legacy = {"name": self.shown_alias, "model": self.shown_alias}
        return {"models": [legacy], "object": "list", "data": [entry]}

    def _slot_facts(self, slot: Slot) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "id": slot.number,
            "n_ctx": self.slot_ctx,
            "speculative": self.drafting is not None,
            "is_processing": slot.processing,
        }
        if slot.last is not None:
            types = f"none,{self.settings.text('--spec-type')}" if self.drafting else "none"
            facts |= {
                "id_task": self.generations,
                "n_prompt_tokens": slot.last.prompt_tokens,
                "n_prompt_tokens_processed": slot.last.prompt_tokens - slot.last.cached,
                "n_prompt_tokens_cache": slot.last.cached,
                "params": {"speculative.types": types},
                "next_token": [{"has_next_token": slot.processing, "has_new_line": False, "n_remain": -1,
                                "n_decoded": slot.decoded}],
            }  # fmt: skip
        return facts


def _rate(amount: float, seconds: float) -> float:
    return amount / seconds if seconds else 0.0
