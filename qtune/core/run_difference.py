"""What sets runs apart: settings that differ, and what makes a comparison of them unfair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from qtune.core.messages import Message
from qtune.core.records import RequestRecord, RunRecord
from qtune.core.settings import SETTINGS, ServerSettings, SettingValue

Measured = tuple[RunRecord, Sequence[RequestRecord]]


def changed_settings(settings: ServerSettings) -> dict[str, SettingValue]:
    """Settings that are not at their default, by key."""
    usual = ServerSettings()
    return {key: settings.get(key) for key in SETTINGS if settings.get(key) != usual.get(key)}


def differing_settings(runs: Sequence[RunRecord]) -> dict[str, tuple[SettingValue, ...]]:
    """Settings asked for that are not the same in all runs: the value of each run by key."""
    found = {key: tuple(run.settings_requested.get(key) for run in runs) for key in SETTINGS}
    return {key: values for key, values in found.items() if len(set(values)) > 1}


def unfair(measured: Sequence[Measured]) -> list[Message]:
    """Why figures of these runs do not answer one question: other build, card, model or prompts."""
    runs = [run for run, _ in measured]
    found = (
        _apart("unfair_engine", [(run.engine.version, run.engine.version) for run in runs]),
        _apart("unfair_card", [(names := device_names(run), ", ".join(names)) for run in runs]),
        _apart("unfair_model", [_model(run) for run in runs]),
        _apart("unfair_prompts", _prompts(measured)),
    )
    return [message for message in found if message is not None]


def device_names(run: RunRecord) -> tuple[str, ...]:
    """Cards of a run by name, or the processor where none was watched."""
    return tuple(gpu.name for gpu in run.gpus) or (run.machine.cpu,)


def _apart(code: str, values: Sequence[tuple[Hashable, str]]) -> Message | None:
    """A message that names what differs; values are told apart by the first of each pair."""
    different = dict(values)
    return Message.of(code, values="; ".join(different.values())) if len(different) > 1 else None


def _model(run: RunRecord) -> tuple[Hashable, str]:
    model = run.model
    # By content and not by path: a file may have been moved.
    return (model.name, model.quant, model.size_bytes), f"{model.name} {model.quant}"


def _prompts(measured: Sequence[Measured]) -> list[tuple[Hashable, str]]:
    """What each run answered; one that has no counted request has no figures to be unfair with."""
    found: list[tuple[Hashable, str]] = []
    for _, requests in measured:
        counted = [r for r in requests if r.phase == "counted"]
        # The seed of an answer makes no other question.
        asked = {(r.prompt_id, r.max_tokens, replace(r.sampling, seed=0)) for r in counted}
        words = (f"{name} ({most} tokens, temperature {how.temperature:g})" for name, most, how in asked)
        if asked:
            found.append((frozenset(asked), ", ".join(sorted(words))))
    return found
