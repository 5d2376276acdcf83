"""Lays out what was read of a computer, and what its file expects, as plain data of the same shape."""

from __future__ import annotations

from dataclasses import MISSING, asdict, fields
from typing import Any

from qtune.core.machine_facts import GpuFacts, GpuSample
from qtune.telemetry.nvml import NvmlCards


def read(cards: NvmlCards) -> dict[str, Any]:
    """Everything a computer's cards tell."""
    sample, processes = cards.sample(bus=True), cards.processes()
    return {
        "note": None if cards.note is None else cards.note.sentence(),
        "facts": [asdict(one) for one in cards.cards()],
        "sample": [_listed(asdict(one)) for one in sample],
        "processes": [asdict(one) for one in processes],
    }


def expected(computer: dict[str, Any]) -> dict[str, Any]:
    """The same in full: what the file does not name has its default, which is None in a sample."""
    told = computer["expect"]
    usual = {field.name: field.default for field in fields(GpuFacts) if field.default is not MISSING}
    unknown = {field.name: None for field in fields(GpuSample)}
    sample = [
        unknown | {"uuid": card["uuid"]} | one
        for card, one in zip(told["facts"], told["sample"], strict=True)
    ]
    return {**told, "facts": [usual | card for card in told["facts"]], "sample": sample}


def differences(computer: dict[str, Any], told: dict[str, Any]) -> list[str]:
    """Every figure that is not as its file says, one line each; empty when all are."""
    wanted, seen = _flat(expected(computer)), _flat(told)
    return [
        f"{name}: expected {wanted.get(name)!r}, told {seen.get(name)!r}"
        for name in sorted(wanted.keys() | seen.keys())
        if (name in wanted, wanted.get(name)) != (name in seen, seen.get(name))
    ]


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, list):
        value = dict(enumerate(value)) | {"count": len(value)}
    if not isinstance(value, dict):
        return {name: value}
    return {key: one for part, inner in value.items() for key, one in _flat(inner, f"{name}.{part}").items()}


def _listed(sample: dict[str, Any]) -> dict[str, Any]:
    reasons = sample["throttle_reasons"]
    return sample | {"throttle_reasons": None if reasons is None else list(reasons)}
