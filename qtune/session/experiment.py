"""Walks a plan start by start, each in a process of its own, everything stored as it ends."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import cast

from qtune.core.events import RunFinished, RunStarted
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RunRecord, RunStatus
from qtune.core.stats import arm_figures
from qtune.session.arm_walk import ArmWalk, JobContext
from qtune.session.launching import check_launch
from qtune.session.plans import SCREEN, Plan, StartOrder
from qtune.session.requests import ArmResult, MeasureResult
from qtune.session.roomy import roomy_of

ANSWERED = frozenset({"better", "worse", "no_difference"})
"""Decisions that answer the question, whatever became of single arms."""
SELF_JUDGED = frozenset({"fill"})
"""Jobs in which an engine that dies is a finding; their verdict says what follows from it."""


async def begin(context: JobContext, plan: Plan, request: str = "") -> ExperimentRecord:
    """Check every arm, then put the experiment on disk; nothing is launched yet.

    ``request`` is what was asked, as JSON, so that the experiment can be resumed.

    Raises:
        KnownError: See ``check_launch``.
    """
    for arm in plan.arms:
        check_launch(arm.settings, context.engine, context.model)
    experiment = ExperimentRecord(
        id=uuid.uuid4().hex,
        kind=plan.kind,
        form=plan.form,
        seed=context.seed,
        created_utc=context.rooms.clock.utc().isoformat(timespec="seconds"),
        order=tuple(arm.name for arm in plan.arms),
        prompt_id=",".join(context.workloads),
        request=request,
    )
    await asyncio.wrap_future(context.rooms.history.writer.add_experiment(experiment))
    return experiment


async def walk(
    context: JobContext, plan: Plan, experiment: ExperimentRecord, done: Sequence[ArmResult] = ()
) -> MeasureResult:
    """Perform what the plan still wants; a start that fails is stored with its reason, and the next is tried.

    The context's ``cancel`` may be set at any time: the request in flight is broken off and kept as
    cancelled, the engine is stopped, and everything measured so far stays. When an experiment is resumed,
    ``done`` holds its starts stored earlier.
    """
    results = list(done)
    while not context.cancel.is_set() and (order := plan.next_start(results)) is not None:
        requests, loads = plan.requests_left(results)
        context.progress.still_later(max(0, requests - order.requests_left()), max(0, loads - 1))
        results.append(await _perform(context, experiment, order, results, len(results) + loads))
    verdict = plan.verdict(results)
    return MeasureResult(
        experiment,
        tuple(results),
        verdict,
        cancelled=context.cancel.is_set(),
        failure=None if verdict.decision in ANSWERED or plan.kind in SELF_JUDGED else _failure(results),
    )


def _failure(results: Sequence[ArmResult]) -> Message | None:
    """Why the job as a whole failed: an arm that was wanted, of which no start ended well."""
    done = {r.run.arm for r in results if r.run.status is RunStatus.DONE}
    lost = [
        r.run.failure
        for r in results
        if r.run.status is RunStatus.FAILED and r.run.arm not in done and not r.run.arm.startswith(SCREEN)
    ]
    return lost[0] if lost else None


async def _perform(
    context: JobContext, experiment: ExperimentRecord, order: StartOrder, done: Sequence[ArmResult], of: int
) -> ArmResult:
    rooms = context.rooms
    run = RunRecord(
        id=uuid.uuid4().hex,
        experiment_id=experiment.id,
        arm=order.arm.name,
        preset=order.arm.preset,
        start=order.start,
        status=RunStatus.RUNNING,
        started_utc=rooms.clock.utc().isoformat(timespec="seconds"),
        settings_requested=order.arm.settings,
        model=context.model,
        engine=context.engine,
        machine=rooms.machine,
        gpus=await context.launches.cards(),
        notes=context.preflight,
    )
    await asyncio.wrap_future(rooms.history.writer.add_run(run))
    context.announce(RunStarted(run, runs_total=of, run_number=len(done) + 1))
    walking = ArmWalk(context, order, run, roomy_of(done, order.arm.settings))
    status, failure = RunStatus.INTERRUPTED, cast("Message | None", Message.of("app_ended"))
    try:
        status, failure = await walking.perform()
        if status is RunStatus.FAILED and failure is not None:
            await context.launches.failed(failure, run_id=run.id)
    finally:
        # Also when the loop is being torn down: the engine must go, and the record must be closed.
        context.progress.say(Message.of("doing_stop", arm=order.arm.name), 0)
        await rooms.supervisor.stop()
        ended = await walking.close(status, failure)
        await context.launches.over()
        context.announce(RunFinished(ended, tuple(walking.requests)))
    requests = tuple(walking.requests)
    return ArmResult(
        ended,
        requests,
        arm_figures(requests),
        walking.memory_bytes,
        walking.joule_per_token,
        walking.request_peaks,
        walking.roomy,
    )
