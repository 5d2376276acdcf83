"""From the words of a command line to a ``JobRequest``: model, engine, settings, and lists of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from qtune.cli.waiting import wait_for
from qtune.core.errors import KnownError
from qtune.core.presets import Preset
from qtune.core.records import Sampling
from qtune.core.settings import SETTINGS, ServerSettings, SettingValue, setting_unknown
from qtune.core.verdict import BASELINE
from qtune.session.catalog import find_preset
from qtune.session.desk import Desk
from qtune.session.jobs import JobKind, JobRequest
from qtune.session.requests import EngineFinding, LaunchRequest

SAMPLE_CTX = 4096
BALANCED = "balanced"
"""Preset that is served where none is named."""
AGAINST_OFF = frozenset({"compare", "seeds", "sweep-context"})
"""Jobs in which off runs beside the presets that were named."""
USUAL = {"fill": ("balanced",)}
"""Presets of jobs that do not take all of them where none is named."""
DECIDED_BY_SWEEP = {"sweep-n-max": frozenset({"mtp", "n_max"}), "sweep-context": frozenset({"ctx_size"})}


@dataclass(frozen=True, slots=True)
class Asked:
    """What all measuring commands are told: the model, the engine and the base settings."""

    model: Path | None
    sample: bool
    engine: Path | None
    ctx: int | None
    settings: Sequence[str] | None

    def check(self) -> None:
        """Exactly one of model and sample, and settings with a value.

        Raises:
            typer.BadParameter: Otherwise.
        """
        if (self.model is None) == (not self.sample):
            raise typer.BadParameter("give either --model FILE or --sample")
        for word in self.settings or ():
            if "=" not in word:
                raise typer.BadParameter(f"{word!r} is not a setting as key=value")

    def request(self, desk: Desk, kind: JobKind, **more: Any) -> JobRequest:  # noqa: ANN401 - fields of JobRequest
        """The request on this desk; makes the sample model and finds an engine.

        Raises:
            KnownError: A setting that is unknown, not possible or overruled, or there is no engine.
        """
        values = read_settings(self.settings or ())
        refuse_overruled(values, kind, more.get("presets", ()), desk.presets)
        ctx = SAMPLE_CTX if self.ctx is None and self.sample else self.ctx
        base = ServerSettings().with_values({} if ctx is None else {"ctx_size": ctx}).with_values(values)
        path = wait_for(desk.make_sample()).path if self.sample else str(self.model)
        return JobRequest(kind=kind, engine=self._engine(desk).ref, model_path=path, base=base, **more)

    def launch(self, desk: Desk, preset: str | None) -> LaunchRequest:
        """What to serve on this desk; without a preset balanced, or off where MTP is not to be had.

        Raises:
            KnownError: An unknown setting or preset, one that is overruled, no engine, no model.
        """
        values = read_settings(self.settings or ())
        if preset is not None:
            find_preset(desk.presets, preset)  # before anything is searched for or written
        engine = self._engine(desk)
        drafts = engine.facts is not None and engine.facts.mtp
        model = wait_for(desk.make_sample() if self.sample else desk.read_model(Path(str(self.model))))
        able = model.mtp == "embedded" or bool(model.sidecars)
        chosen = find_preset(desk.presets, preset or (BALANCED if able and drafts else BASELINE))
        refuse_overruled(values, "measure", (chosen.id,), desk.presets)
        ctx = SAMPLE_CTX if self.ctx is None and self.sample else self.ctx
        base = ServerSettings().with_values({} if ctx is None else {"ctx_size": ctx}).with_values(values)
        return LaunchRequest(engine.ref, model.path, chosen.apply(base), chosen.id)

    def _engine(self, desk: Desk) -> EngineFinding:
        """The engine asked for; else the bundled one for the sample, or the first that works."""
        findings = wait_for(desk.find_engines(self.engine))
        if self.engine is not None:
            if findings[0].problem is not None:
                raise KnownError.from_message(findings[0].problem)
            return findings[0]
        working = [f for f in findings if f.facts is not None]
        if self.sample:
            working.sort(key=lambda finding: finding.ref.kind != "bundled")
        if not working:
            raise KnownError("engine_not_found")
        return working[0]


def read_settings(words: Sequence[str]) -> dict[str, SettingValue]:
    """Values from ``key=value`` words, each read in the type of its declaration.

    Raises:
        KnownError: ``setting_unknown`` or ``setting_invalid``.
    """
    values = {}
    for word in words:
        key, _, text = word.partition("=")
        if key not in SETTINGS:
            raise setting_unknown(key)
        values[key] = SETTINGS[key].read(text)
    return values


def refuse_overruled(
    values: Mapping[str, SettingValue], kind: JobKind, named: Sequence[str], presets: Sequence[Preset]
) -> None:
    """Refuse values that a preset of the job, or the job itself, would replace without a word.

    Raises:
        KnownError: ``setting_fixed_by_preset`` or ``setting_fixed_by_sweep``.
    """
    for key in DECIDED_BY_SWEEP.get(kind, frozenset()) & values.keys():
        raise KnownError("setting_fixed_by_sweep", setting=key)
    if kind == "sweep-n-max":  # it makes its arms from the base settings
        return
    usual = USUAL.get(kind, tuple(p.id for p in presets))
    laid_on = set(named or usual) | ({BASELINE} if kind in AGAINST_OFF else set())
    for preset in presets:
        for key, fixed in preset.values:
            if preset.id in laid_on and values.get(key, fixed) != fixed:
                raise KnownError("setting_fixed_by_preset", setting=key, preset=preset.id)


def sampling(temperature: float, seed: int) -> Sampling:
    """Greedy at temperature 0; else the usual open sampling at that temperature."""
    base = Sampling(seed=seed)
    if temperature == 0:
        return base
    return replace(base, temperature=temperature, top_k=40, top_p=0.95, min_p=0.05)


def _number(word: str) -> int:
    return int(word[:-1]) * 1024 if word.endswith("k") else int(word)


def numbers(text: str, low: int, high: int) -> tuple[int, ...]:
    """Whole numbers with commas; ``8k`` is 8192.

    Raises:
        typer.BadParameter: Not a number, or out of range.
    """
    try:
        found = tuple(_number(word.strip().lower()) for word in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of whole numbers with commas") from None
    if not all(low <= number <= high for number in found):
        raise typer.BadParameter(f"each number must be from {low} to {high}")
    return found
