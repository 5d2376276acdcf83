"""What sets runs apart: settings that differ, and what makes a comparison of them unfair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final, Literal

from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.core.records import RequestRecord, RunRecord, Sampling
from qtune.core.settings import SETTINGS, ServerSettings, SettingValue
from qtune.core.taken_in import LLAMA_BENCH

Measured = tuple[RunRecord, Sequence[RequestRecord]]
Fact = Literal["model", "quant", "engine", "card", "driver", "power"]

_NAMED_MOST: Final = 3
"""Values that a warning names; of more, one less and how many others there are."""
_SAMPLING: Final = tuple(name for name in Sampling.__dataclass_fields__ if name != "seed")


def changed_settings(settings: ServerSettings) -> dict[str, SettingValue]:
    """Settings that are not at their default, by key."""
    usual = ServerSettings()
    return {key: settings.get(key) for key in SETTINGS if settings.get(key) != usual.get(key)}


def differing_settings(runs: Sequence[RunRecord]) -> dict[str, tuple[SettingValue, ...]]:
    """Settings asked for that are not the same in all runs: the value of each run by key."""
    found = {key: tuple(run.settings_requested.get(key) for run in runs) for key in SETTINGS}
    return {key: values for key, values in found.items() if len(set(values)) > 1}


def differing_facts(runs: Sequence[RunRecord]) -> dict[Fact, tuple[str, ...]]:
    """What the runs stood on that is not the same in all: the value of each by name; empty where unknown."""
    found: dict[Fact, tuple[str, ...]] = {
        "model": tuple(run.model.name for run in runs),
        "quant": tuple(run.model.quant for run in runs),
        "engine": tuple(run.engine.version for run in runs),
        "card": tuple(", ".join(device_names(run)) for run in runs),
        "driver": tuple(driver_word(run.gpus) for run in runs),
        "power": tuple(power_word(run.gpus) for run in runs),
    }
    return {fact: values for fact, values in found.items() if len(set(values)) > 1}


def unfair(measured: Sequence[Measured], kinds: Sequence[str] = ()) -> list[Message]:
    """Why figures of these runs do not answer one question.

    Args:
        measured: Runs with their requests.
        kinds: The kind of each run's experiment, as far as known; it tells what llama-bench measured.
    """
    runs = [run for run, _ in measured]
    told = [run for run in runs if run.machine.qtune]
    found = (
        _apart("unfair_engine", [(run.engine.version, run.engine.version) for run in runs]),
        _apart("unfair_card", [(names := device_names(run), ", ".join(names)) for run in runs]),
        _apart("unfair_model", [_model(run) for run in runs]),
        _apart("unfair_prompts", _prompts(measured)),
        _apart("unfair_sampling", _sampling(measured)),
        _apart("unfair_host", [_host(run) for run in runs if run.machine.cpu or run.machine.os]),
        _apart("unfair_driver", [(word := driver_word(run.gpus), word) for run in runs if run.gpus]),
        _apart("unfair_power", [(word, word) for run in runs if (word := power_word(run.gpus))]),
        _apart("unfair_harness", [(run.machine.qtune, f"qtune {run.machine.qtune}") for run in told]),
        Message.of("unfair_imported") if LLAMA_BENCH in kinds and set(kinds) != {LLAMA_BENCH} else None,
    )
    return [message for message in found if message is not None]


def device_names(run: RunRecord) -> tuple[str, ...]:
    """Cards of a run by name, or the processor where none was watched."""
    return tuple(gpu.name for gpu in run.gpus) or (run.machine.cpu,)


def driver_word(gpus: Sequence[GpuFacts]) -> str:
    """Drivers of the cards, each once; empty where none is known."""
    return ", ".join(dict.fromkeys(gpu.driver for gpu in gpus if gpu.driver))


def power_word(gpus: Sequence[GpuFacts]) -> str:
    """Power limits of the cards in W; empty where none is known."""
    return ", ".join(f"{gpu.power_limit_w:.0f} W" for gpu in gpus if gpu.power_limit_w is not None)


def _apart(code: str, values: Sequence[tuple[Hashable, str]]) -> Message | None:
    """A message that names what differs; values are told apart by the first of each pair."""
    different = [value.strip() or "–" for value in dict(values).values()]
    if len(different) < 2:
        return None
    named, rest = different, len(different) - _NAMED_MOST + 1
    if rest > 1:
        named = [*different[: _NAMED_MOST - 1], f"+{rest}"]
    return Message.of(code, values="; ".join(named), count=len(different))


def _model(run: RunRecord) -> tuple[Hashable, str]:
    model = run.model
    # By content and not by path: a file may have been moved.
    return (model.name, model.quant, model.size_bytes), f"{model.name} {model.quant}"


def _host(run: RunRecord) -> tuple[Hashable, str]:
    machine = run.machine
    return (machine.cpu, machine.cores, machine.os), ", ".join(filter(None, (machine.cpu, machine.os)))


def _counted(measured: Sequence[Measured]) -> list[list[RequestRecord]]:
    """Counted requests by run; a run that has none has no figures to be unfair with."""
    found = ([r for r in requests if r.phase == "counted"] for _, requests in measured)
    return [requests for requests in found if requests]


def _prompts(measured: Sequence[Measured]) -> list[tuple[Hashable, str]]:
    found: list[tuple[Hashable, str]] = []
    for counted in _counted(measured):
        asked = {(r.prompt_id, r.max_tokens) for r in counted}
        words = (f"{name} ({most} tokens)" for name, most in asked)
        found.append((frozenset(asked), ", ".join(sorted(words))))
    return found


def _sampling(measured: Sequence[Measured]) -> list[tuple[Hashable, str]]:
    """How each run drew its tokens; only what differs is told, and a seed is no difference."""
    ways = [{replace(r.sampling, seed=0) for r in counted} for counted in _counted(measured)]
    every = set().union(*ways)
    differ = [name for name in _SAMPLING if len({getattr(way, name) for way in every}) > 1]

    def word(way: Sampling) -> str:
        return ", ".join(f"{name} {getattr(way, name):g}" for name in differ)

    return [(frozenset(mine), " + ".join(sorted(map(word, mine)))) for mine in ways]
