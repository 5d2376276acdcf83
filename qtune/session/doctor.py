"""The examination: what is here, what is missing, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.models.discovery import find_models
from qtune.session.memory_book import MemoryBook
from qtune.session.requests import DoctorReport, EngineFinding
from qtune.session.rooms import Rooms


def examine(
    rooms: Rooms, engines: Sequence[EngineFinding], memory: MemoryBook, folders: Sequence[tuple[str, str]]
) -> DoctorReport:
    """Collect the report; reads disks, so never on the GUI or io thread."""
    models = find_models(memory.folders(), limit_s=5.0, cache=memory.headers).models
    gpus = rooms.cards.cards()
    return DoctorReport(
        machine=rooms.machine,
        engines=tuple(engines),
        gpus=gpus,
        gpu_note=None if gpus else rooms.cards.note,
        models=models,
        folders=tuple(folders),
        advice=_advice(engines, models, has_card=bool(gpus)),
    )


def _advice(
    engines: Sequence[EngineFinding], models: Sequence[ModelFacts], *, has_card: bool
) -> tuple[Message, ...]:
    working = [finding.facts for finding in engines if finding.facts is not None]
    advice = []
    if not working:
        advice.append(Message.of("engine_not_found"))
    elif all(facts.ref.kind == "bundled" for facts in working):
        advice.append(Message.of("advice_only_bundled"))
    if working and not any(facts.mtp for facts in working):
        advice.append(Message.of("engine_without_mtp", version=working[0].version))
    if has_card and working and not any(facts.devices for facts in working):
        advice.append(Message.of("advice_engine_without_card"))
    if not [model for model in models if not model.is_sample]:
        advice.append(Message.of("advice_no_model"))
    elif not [model for model in models if model.mtp == "embedded" and not model.is_sample]:
        advice.append(Message.of("advice_no_mtp_model"))
    return tuple(advice)
