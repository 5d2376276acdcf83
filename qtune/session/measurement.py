"""One experiment: each arm in a process of its own, everything stored as it ends."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from qtune.core.errors import KnownError
from qtune.core.events import RunFinished, RunStarted
from qtune.core.messages import Message
from qtune.core.presets import Preset
from qtune.core.records import EngineFacts, ExperimentRecord, ModelFacts, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.stats import arm_figures
from qtune.session.arm_walk import ArmWalk, JobContext
from qtune.session.catalog import find_preset
from qtune.session.requests import ArmResult, MeasureRequest, MeasureResult


@dataclass(frozen=True, slots=True)
class Arm:
    """One thing to measure: a preset and the settings it stands for."""

    preset: str
    settings: ServerSettings


def plan_arms(
    request: MeasureRequest, presets: Sequence[Preset], engine: EngineFacts, model: ModelFacts
) -> tuple[Arm, ...]:
    """The arms of a request, refused before anything is launched if one of them cannot work.

    Raises:
        KnownError: Unknown preset, settings that would abort the engine, MTP on a model or build without it.
    """
    arms = []
    for name in request.presets:
        settings = find_preset(presets, name).apply(request.base)
        check_launch(settings, engine, model)
        arms.append(Arm(name, settings))
    return tuple(arms)


def check_launch(settings: ServerSettings, engine: EngineFacts, model: ModelFacts) -> None:
    """Refuse what is known to fail, with the reason.

    Raises:
        KnownError: See ``plan_arms``.
    """
    if model.mtp == "sidecar":
        raise KnownError("model_is_sidecar", path=model.path)
    for problem in settings.problems():
        raise KnownError.from_message(problem)
    if settings.mtp and not engine.mtp:
        raise KnownError("engine_without_mtp", version=engine.version)
    if settings.mtp and model.mtp == "none":
        raise KnownError("model_without_mtp", path=model.path)


async def measure(context: JobContext, arms: Sequence[Arm]) -> MeasureResult:
    """Measure every arm in turn; one that fails is stored with its reason and the next one is tried.

    The context's ``cancel`` may be set at any time: the request in flight is broken off and kept as
    cancelled, the engine is stopped, and everything measured so far stays.
    """
    rooms, request = context.rooms, context.request
    experiment = ExperimentRecord(
        id=uuid.uuid4().hex,
        kind="measure",
        form="quick",
        seed=request.seed,
        created_utc=rooms.clock.utc().isoformat(timespec="seconds"),
        order=tuple(arm.preset for arm in arms),
        prompt_id=request.workload.id,
    )
    await asyncio.wrap_future(rooms.history.writer.add_experiment(experiment))
    results: list[ArmResult] = []
    for number, arm in enumerate(arms, start=1):
        if context.cancel.is_set():
            break
        results.append(await _measure_arm(context, experiment, arm, number))
    failures = [r.run.failure for r in results if r.run.status is RunStatus.FAILED]
    return MeasureResult(
        experiment, tuple(results), context.cancel.is_set(), failures[0] if failures else None
    )


async def _measure_arm(context: JobContext, experiment: ExperimentRecord, arm: Arm, number: int) -> ArmResult:
    rooms = context.rooms
    run = RunRecord(
        id=uuid.uuid4().hex,
        experiment_id=experiment.id,
        arm=arm.preset,
        preset=arm.preset,
        start=experiment.order[:number].count(arm.preset),
        status=RunStatus.RUNNING,
        started_utc=rooms.clock.utc().isoformat(timespec="seconds"),
        settings_requested=arm.settings,
        model=context.model,
        engine=context.engine,
        machine=rooms.machine,
        gpus=rooms.cards.cards(),
    )
    await asyncio.wrap_future(rooms.history.writer.add_run(run))
    context.announce(RunStarted(run, runs_total=len(experiment.order), run_number=number))
    walk = ArmWalk(context, run, number)
    status, failure = RunStatus.INTERRUPTED, cast("Message | None", Message.of("app_ended"))
    try:
        status, failure = await walk.perform()
    finally:
        # Also when the loop is being torn down: the engine must go, and the record must be closed.
        context.progress.say(Message.of("doing_stop", arm=arm.preset), number)
        await rooms.supervisor.stop()
        ended = await walk.close(status, failure)
        context.announce(RunFinished(ended, tuple(walk.requests)))
    return ArmResult(ended, tuple(walk.requests), arm_figures(walk.requests))
