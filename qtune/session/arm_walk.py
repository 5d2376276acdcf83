"""One start of an arm: launch, prove, warm up, count; keeps what it saw whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from qtune.bench.compare_plan import DoneRequest, PlannedRequest, next_request
from qtune.bench.soak_plan import soak_goes_on
from qtune.bench.warmup import given_up
from qtune.core import figures
from qtune.core.card_memory import MemoryPeak
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.events import Event, RequestFinished, RequestStarted, TextArrived
from qtune.core.ladder import Footing
from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.ports import ServerProbe
from qtune.core.records import DraftCounters, MemoryFacts, RequestRecord, RunRecord, RunStatus, Sampling
from qtune.core.spill_series import RoomyFigures, SpillContext, roomy_figures
from qtune.core.workload import Workload
from qtune.engine.log_facts import LogFacts
from qtune.engine.supervisor import LaunchSpec, Running
from qtune.session.evidence import mtp_proof, request_marks
from qtune.session.job_progress import NS_PER_S, JobProgress
from qtune.session.launch_book import LaunchBook
from qtune.session.memory_evidence import (
    joule_per_token,
    memory_around,
    memory_peaks,
    memory_series,
    spill_context,
    telemetry_marks,
    with_verdict,
)
from qtune.session.plans import StartOrder
from qtune.session.remembered import parts_of_log
from qtune.session.rooms import Rooms

BASELINE_S = 1.5
"""How long the idle baseline is waited for: one reading after the engine before has gone."""
DEATH_NOTICE_S = 3.0
"""How long to wait, after a request broke, for the news that the engine died of it; a dump takes its time."""
SOAK_MOST = 1_000_000
"""A soak ends by time; this only bounds its plan."""
BROKEN = frozenset({"connection_lost", "stream_cut"})
"""Failures of a request that may be the death of its server."""


@dataclass(frozen=True, slots=True)
class JobContext:
    """What every start of one job shares.

    Attributes:
        workloads: By id, all that the plan may ask for.
        max_tokens: Longest answer, None for each workload's own.
        preflight: What spoke against a fair measurement before it began.
        prepare: Called once a server is ready, before its first request, with its probe, the prompts of
            this start and the context of a slot, if known; may complete ``workloads``.
    """

    rooms: Rooms
    engine: EngineFacts
    model: ModelFacts
    workloads: Mapping[str, Workload]
    sampling: Sampling
    seed: int
    max_tokens: int | None
    announce: Callable[[Event], None]
    cancel: asyncio.Event
    progress: JobProgress
    launches: LaunchBook
    preflight: tuple[Message, ...] = ()
    prepare: Callable[[ServerProbe, Sequence[str], int | None], Awaitable[None]] | None = None


class ArmWalk:
    """Lives for one run on the io loop. ``run`` and ``requests`` are true at any moment."""

    def __init__(
        self, context: JobContext, order: StartOrder, run: RunRecord, expected: RoomyFigures
    ) -> None:
        self._context = context
        self._rooms = context.rooms
        self._order = order
        self._expected = expected
        self._entered_ns = self._began_ns = context.rooms.clock.now_ns()
        self._loaded_ns: int | None = None
        self._counting_since_ns: int | None = None
        self._seed = context.seed if order.seed is None else order.seed
        self._sampling = replace(context.sampling, seed=self._seed)
        self.run = run
        self.requests: list[RequestRecord] = []
        self.memory_bytes: tuple[int, ...] = ()
        self.joule_per_token: float | None = None
        self.roomy: RoomyFigures | None = None
        self._log_facts: Callable[[], LogFacts] | None = None
        self.request_peaks: tuple[MemoryPeak | None, ...] = ()

    async def perform(self) -> tuple[RunStatus, Message | None]:
        """Walk the plan to its end; says how the run ended and why."""
        try:
            return await self._walk(await self._launch())
        except KnownError as error:
            if self._context.cancel.is_set():
                return RunStatus.CANCELLED, Message.of("measure_cancelled")
            return RunStatus.FAILED, error.message

    async def close(self, status: RunStatus, failure: Message | None) -> RunRecord:
        """Complete the run's record and put it and its telemetry on disk."""
        samples = self._rooms.sampler.samples_between(self._entered_ns, self._rooms.clock.now_ns())
        self.memory_bytes = memory_series(samples, self.run, self._loaded_ns)
        self.request_peaks = memory_peaks(samples, self.requests, self.run) if self._order.filling else ()
        self.joule_per_token = joule_per_token(samples, self.requests, self.run, self._began_ns)
        active, why_not = mtp_proof(self.run.settings_requested, self.run.settings_effective, self.requests)
        self.run = replace(
            self.run,
            status=status,
            failure=failure,
            mtp_active=active,
            notes=(*self.run.notes, *_notes(self.requests), *(() if why_not is None else (why_not,))),
            memory=self._memory(samples),
            ended_utc=self._rooms.clock.utc().isoformat(timespec="seconds"),
        )
        await asyncio.wrap_future(self._rooms.history.writer.save_telemetry(self.run.id, samples))
        await asyncio.wrap_future(self._rooms.history.writer.update_run(self.run))
        return self.run

    def _memory(self, samples: Sequence[TelemetrySample]) -> MemoryFacts | None:
        """Memory around the run, with the verdict on spill and what the engine's own log names."""
        parts = () if self._log_facts is None else parts_of_log(self._log_facts())
        context = self._spill_context(samples)
        self.roomy = None if context is None else roomy_figures(samples, self.requests, context)
        found = memory_around(samples, self.run, self._began_ns, self._loaded_ns)
        if found is None:
            return None
        return with_verdict(replace(found, parts=parts), samples, self.requests, context)

    def _spill_context(self, samples: Sequence[TelemetrySample]) -> SpillContext | None:
        return spill_context(samples, self.run, self._began_ns, self._loaded_ns, self._expected)

    async def _launch(self) -> Running:
        self._say("doing_load", self._order.requests_left())
        run = self.run
        footing = Footing(run.model.path, run.settings_requested, run.preset)
        spec = await self._context.launches.begin(run.engine, run.model, footing)
        await self._wait_for_baseline()
        self._began_ns = self._rooms.clock.now_ns()
        running = await self._start(spec)
        self._loaded_ns = self._rooms.clock.now_ns()
        self._log_facts = running.log_facts
        await self._context.launches.proved(running, run.model, keep=False)
        self._context.progress.load_took((self._loaded_ns - self._began_ns) / NS_PER_S)
        self.run = replace(
            self.run,
            settings_effective=running.effective,
            argv=running.argv,
            environment=running.environment,
            notes=(*self.run.notes, *running.notes, *running.effective.mismatches),
            load_ms=running.load_ms,
        )
        await asyncio.wrap_future(self._rooms.history.writer.update_run(self.run))
        if self._context.prepare is not None:
            await self._context.prepare(running.probe, self._order.prompts, running.effective.ctx_size)
        return running

    async def _wait_for_baseline(self) -> None:
        """Wait for a reading of the cards without our engine; without cards there is nothing to wait for."""
        if await self._context.launches.cards():
            await self._wait_for_reading(self._entered_ns)

    async def _wait_for_reading(self, since_ns: int) -> None:
        """Wait for the first reading after a moment, but not for long."""
        rooms, end_ns = self._rooms, since_ns + int(BASELINE_S * NS_PER_S)
        while rooms.clock.now_ns() < end_ns:
            if rooms.sampler.samples_between(since_ns, rooms.clock.now_ns()):
                return
            await asyncio.sleep(0.05)

    async def _start(self, spec: LaunchSpec) -> Running:
        """Start the server; cancelling the job stops the start, which then ends with its own error."""
        starting = asyncio.ensure_future(self._rooms.supervisor.start(spec))
        cancelling = asyncio.ensure_future(self._context.cancel.wait())
        try:
            await asyncio.wait({starting, cancelling}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                await self._rooms.supervisor.stop()
            return await starting
        finally:
            cancelling.cancel()
            starting.cancel()

    async def _walk(self, running: Running) -> tuple[RunStatus, Message | None]:
        done: list[DoneRequest] = []
        self._rooms.supervisor.begin_measuring()
        while (planned := self._next(done)) is not None:
            self._say_request(planned, done)
            record = await self._perform(running, planned)
            self.requests.append(record)
            await asyncio.wrap_future(self._rooms.history.writer.add_request(record))
            self._context.announce(RequestFinished(record, self.run.arm))
            if record.times.cancelled:
                return RunStatus.CANCELLED, Message.of("measure_cancelled")
            await self._raise_if_dead(record)
            if self._order.filling:
                await self._wait_for_reading(record.times.ended_ns)
            rate = figures.decode_tok_s(record.times) if record.times.ok else None
            done.append(DoneRequest(planned.phase, planned.prompt_id, rate))
            self._context.progress.request_took(figures.total_ms(record.times) / 1000)
        self._rooms.supervisor.end_measuring()
        if self._failed_filling() or given_up([d.decode_tok_s for d in done]):
            return RunStatus.FAILED, self.requests[-1].times.failure or Message.of("answer_empty")
        return RunStatus.DONE, None

    def _failed_filling(self) -> bool:
        return self._order.filling and bool(self.requests) and not self.requests[-1].times.ok

    def _next(self, done: Sequence[DoneRequest]) -> PlannedRequest | None:
        order = self._order
        if self._failed_filling():
            return None
        counted = order.requests if order.minutes is None else SOAK_MOST
        planned = next_request(
            done, order.prompts, counted, self._seed, order.start, warm_up=not order.filling
        )
        if order.minutes is None or planned is None or planned.phase == "warmup":
            return planned
        now_ns = self._rooms.clock.now_ns()
        if self._counting_since_ns is None:
            self._counting_since_ns = now_ns
        failed = sum(1 for _ in takewhile(lambda d: d.decode_tok_s is None, reversed(done)))
        elapsed_s = (now_ns - self._counting_since_ns) / NS_PER_S
        return planned if soak_goes_on(elapsed_s, order.minutes, failed) else None

    def _say_request(self, planned: PlannedRequest, done: Sequence[DoneRequest]) -> None:
        order = self._order
        left = order.requests_left(done)
        number = 1 + sum(d.phase == planned.phase for d in done)
        if planned.phase == "warmup":
            self._say("doing_warmup", left, number=number)
        else:
            runs = order.requests * len(order.prompts) if order.minutes is None else "…"
            self._say("doing_counted", left, number=number, runs=runs)

    def _say(self, code: str, left_here: int, **params: int | str) -> None:
        self._context.progress.say(Message.of(code, arm=self.run.arm, **params), left_here)

    async def _perform(self, running: Running, planned: PlannedRequest) -> RequestRecord:
        context = self._context
        workload = context.workloads[planned.prompt_id]
        chat = workload.request(planned.nonce, self._sampling, context.max_tokens)
        chat = replace(chat, raw=self._order.arm.raw)
        context.announce(
            RequestStarted(
                self.run.id, self.run.arm, planned.index, planned.phase, chat.messages, chat.max_tokens
            )
        )

        def on_delta(kind: str, text: str, t_ns: int) -> None:
            context.announce(TextArrived(self.run.id, kind, text, t_ns))

        before = await self._counters(running)
        times = await running.probe.chat(chat, on_delta=on_delta, cancel=context.cancel)
        after = await self._counters(running) if before is not None and times.ok else None
        record = RequestRecord(
            run_id=self.run.id,
            index=planned.index,
            phase=planned.phase,
            prompt_id=planned.prompt_id,
            nonce=planned.nonce,
            max_tokens=chat.max_tokens,
            sampling=self._sampling,
            times=times,
            marks=request_marks(times),
            drafts=None if before is None or after is None else after.since(before),
        )
        return self._marked(record)

    def _marked(self, record: RequestRecord) -> RequestRecord:
        """The request with what the readings of the card say against it."""
        if not record.times.ok:
            return record
        samples = self._rooms.sampler.samples_between(self._entered_ns, self._rooms.clock.now_ns())
        context = self._spill_context(samples)
        marks = telemetry_marks(samples, self.requests, record, context)
        return replace(record, marks=(*record.marks, *marks)) if marks else record

    async def _counters(self, running: Running) -> DraftCounters | None:
        """Speculation counters, read between requests only: a scrape in mid-request would disturb it."""
        return await running.probe.draft_counters() if self.run.settings_requested.mtp else None

    async def _raise_if_dead(self, record: RequestRecord) -> None:
        """When the connection broke, find out whether the engine died of it, and say why."""
        failure = record.times.failure
        if failure is None or failure.code not in BROKEN:
            return
        try:
            ended = await asyncio.wait_for(self._rooms.supervisor.wait_ended(), DEATH_NOTICE_S)
        except TimeoutError:
            return
        raise KnownError.from_message(ended)


def _notes(requests: Sequence[RequestRecord]) -> tuple[Message, ...]:
    """What the answers of a run show about its server."""
    untimed = any(r.times.ok and r.times.timings is None for r in requests)
    return (Message.of("mark_no_server_timings"),) if untimed else ()
