"""From what was asked to a plan: which arms, which prompts, which planner; and its stored form, to resume."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from qtune.bench.compare_plan import FULL, QUICK, SELFTEST_ARMS, TEN_IN_A_ROW, ComparePlan
from qtune.bench.context_sweep import DEPTHS, depth_prompt, sweep_plan
from qtune.bench.fill_plan import ANSWER_TOKENS
from qtune.bench.n_max_search import SearchPlan
from qtune.core.engine_facts import EngineRef
from qtune.core.errors import BugError, KnownError
from qtune.core.gates import KEEP_BYTES
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import Sampling
from qtune.core.settings import ServerSettings, SettingValue
from qtune.core.verdict import BASELINE
from qtune.core.workload import Workload
from qtune.session.catalog import default_set, find_preset, find_workload, of_domains
from qtune.session.fill import Fill, fill_workloads
from qtune.session.plans import Arm, Comparison, InTurn, Plan, Search, Soak, Sweep

JobKind = Literal[
    "measure", "compare", "sweep-n-max", "sweep-context", "selftest", "soak", "ten", "seeds", "raw", "fill"
]
CUSTOM = "custom"
"""Name of the preset whose values come with the request."""
ANSWER_ROOM = 512
"""Tokens of context kept free for nonce, template and answer beyond the depth of a context sweep."""
TEMPLATE_ROOM = 128
FILL_DOMAIN = "knowledge"
"""Kind of the question a fill test asks."""
SEEDS = (42, 1337, 2024)
SAMPLE_DEPTHS = (512, 1024, 2048)
"""Depths at which the sample model shows its curve within a minute or two on two cores."""
SAMPLE_STARTS_MOST = 6
"""The sample shows the way; four arms on two cores must not take longer than ten minutes."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """Everything a job needs to know; a value that is stored, so that the job can be resumed.

    Attributes:
        presets: Arms besides off (or with it), by preset.
        base: The user's own settings, on which each preset is laid.
        custom: What the preset ``custom`` changes in them, by key.
        prompts: Workloads by id or ``@FILE``; empty for the job's usual set.
        form: Quick is an indication; Full repeats until the interval is narrow.
        runs: Counted requests per start and prompt; None for the job's usual number.
        depths: Context depths of a context sweep, in tokens.
        minutes: Length of a soak.
        n_high: Longest draft a search considers.
        seeds: Seeds of a repeatability job.
    """

    kind: JobKind
    engine: EngineRef
    model_path: str
    presets: tuple[str, ...] = ()
    base: ServerSettings = field(default_factory=ServerSettings)
    custom: tuple[tuple[str, SettingValue], ...] = ()
    prompts: tuple[str, ...] = ()
    form: Literal["quick", "full"] = "full"
    runs: int | None = None
    max_tokens: int | None = None
    sampling: Sampling = field(default_factory=Sampling)
    seed: int = 42
    language: str = "en"
    depths: tuple[int, ...] = DEPTHS
    minutes: float = 20.0
    n_high: int = 8
    seeds: tuple[int, ...] = SEEDS


@dataclass(frozen=True, slots=True)
class Job:
    """A request made concrete."""

    plan: Plan
    workloads: Mapping[str, Workload]


def make_job(
    request: JobRequest, presets: Sequence[Preset], workloads: Sequence[Workload], model: ModelFacts
) -> Job:
    """Plan and prompts of a request.

    Raises:
        KnownError: Unknown preset or prompt, an unreadable prompt file, depths beyond the model's context.
    """
    chosen = _prompts(request, workloads, sample=model.is_sample)
    arms = _Arms(request, presets)
    match request.kind:
        case "fill":
            fill = arms.filled(model)
            return Job(fill, fill_workloads(fill.arm.settings.ctx_size, chosen[0], fill.answer_tokens))
        case "sweep-context":
            depths = tuple(sorted(request.depths))
            swept = arms.against_off(request.presets, ctx_size=_room(request, model))
            curve = sweep_plan(tuple(a.name for a in swept), request.depths, request.seed)
            named = {depth_prompt(d): replace(chosen[0], id=depth_prompt(d)) for d in request.depths}
            return Job(Sweep(swept, curve, depths), named)
        case _:
            names = tuple(w.id for w in chosen)
            return Job(_plan(request, arms, names, sample=model.is_sample), {w.id: w for w in chosen})


def _plan(request: JobRequest, arms: _Arms, names: tuple[str, ...], *, sample: bool) -> Plan:
    """Plan of a job whose prompts are the workloads as they are."""
    match request.kind:
        case "measure":
            plan: Plan = InTurn(arms.of(request.presets or (BASELINE,)), names, request.runs or 3)
        case "ten":
            plan = InTurn(arms.of(request.presets), names, TEN_IN_A_ROW.requests, kind="ten")
        case "soak":
            plan = Soak(arms.of(request.presets[:1]), names, request.minutes)
        case "seeds":
            plan = InTurn(arms.for_seeds(), names, request.runs or 3, kind="seeds", seeds=request.seeds)
        case "raw":
            plan = InTurn(arms.chat_and_raw(), names, request.runs or 3, kind="raw")
        case "compare":
            compared = arms.against_off(request.presets)
            plan = Comparison(compared, _compare_plan(request, compared, names, sample=sample))
        case "selftest":
            twice = arms.twice()
            plan = Comparison(twice, _compare_plan(request, twice, names, sample=sample), kind="selftest")
        case "sweep-n-max":
            search = SearchPlan(n_high=request.n_high, probe=min(6, request.n_high))
            off = arms.of((BASELINE,))[0]
            plan = Search(off, arms.drafting, search, names, request.seed, request.form)
        case _:
            raise BugError(f"no plan for a job of the kind {request.kind}")
    return plan


def _room(request: JobRequest, model: ModelFacts) -> int:
    """Context for the deepest prompt and its answer."""
    deepest = max(request.depths)
    room = deepest + max(ANSWER_ROOM, (request.max_tokens or 0) + TEMPLATE_ROOM)
    if model.context_train is not None and room > model.context_train:
        raise KnownError("depth_too_large", depth=deepest, trained=model.context_train)
    return room


def _prompts(request: JobRequest, workloads: Sequence[Workload], *, sample: bool) -> tuple[Workload, ...]:
    if request.prompts:
        found = (find_workload(workloads, name) for name in request.prompts)
        return tuple({w.id: w for w in found}.values())
    if request.kind == "fill" and not sample:  # a short question, so that a small context can hold it too
        return of_domains(workloads, (FILL_DOMAIN,), request.language)
    one = request.kind not in {"compare", "selftest", "sweep-n-max"}
    form: Literal["quick", "full"] = "quick" if one else request.form
    return default_set(workloads, sample=sample, language=request.language, form=form)


def _compare_plan(
    request: JobRequest, arms: Sequence[Arm], prompts: tuple[str, ...], *, sample: bool
) -> ComparePlan:
    form = QUICK if request.form == "quick" else FULL
    if sample:
        form = replace(form, starts_most=min(form.starts_most, SAMPLE_STARTS_MOST))
    if request.runs is not None:
        form = replace(form, requests=request.runs)
    return ComparePlan(tuple(a.name for a in arms), prompts, form, request.seed)


@dataclass(frozen=True, slots=True)
class _Arms:
    """Makes arms from presets and the user's own settings."""

    request: JobRequest
    presets: Sequence[Preset]

    def of(self, names: Sequence[str], **more: int) -> tuple[Arm, ...]:
        """One arm for each preset name."""
        base = self.request.base.with_values(more)
        return tuple(Arm(name, name, self._laid_on(base, name)) for name in names)

    def _laid_on(self, base: ServerSettings, name: str) -> ServerSettings:
        if name == CUSTOM and self.request.custom:
            return base.with_values(dict(self.request.custom))
        return find_preset(self.presets, name).apply(base)

    def against_off(self, names: Sequence[str], **more: int) -> tuple[Arm, ...]:
        """Off, then the presets asked for (all three when none is named)."""
        others = [n for n in names or [p.id for p in self.presets] if n != BASELINE]
        return self.of((BASELINE, *dict.fromkeys(others)), **more)

    def twice(self) -> tuple[Arm, ...]:
        """The same settings under two names."""
        preset = self.request.presets[0] if self.request.presets else BASELINE
        (arm,) = self.of((preset,))
        return tuple(Arm(name, preset, arm.settings) for name in SELFTEST_ARMS)

    def filled(self, model: ModelFacts) -> Fill:
        """The first preset asked for, else balanced, or off where there is no head."""
        usual = BASELINE if model.mtp == "none" and not model.sidecars else "balanced"
        (arm,) = self.of(self.request.presets[:1] or (usual,))
        kept = {p.id: p.vram_keep_bytes for p in self.presets}
        keep_bytes = kept.get(arm.preset, KEEP_BYTES["balanced"])
        return Fill(arm, keep_bytes, self.request.max_tokens or ANSWER_TOKENS)

    def for_seeds(self) -> tuple[Arm, ...]:
        """Every arm once per seed; starts of the same number share a seed."""
        arms = self.against_off(self.request.presets)
        return tuple(arm for _ in self.request.seeds for arm in arms)

    def chat_and_raw(self) -> tuple[Arm, ...]:
        """The chat endpoint, and the same text without its template."""
        (arm,) = self.of(self.request.presets[:1] or (BASELINE,))
        return Arm("chat", arm.preset, arm.settings), Arm("raw", arm.preset, arm.settings, raw=True)

    def drafting(self, n_max: int) -> Arm:
        """An arm of a search."""
        settings = self.request.base.with_values({"mtp": True, "n_max": n_max})
        return Arm(f"n{n_max}", CUSTOM, settings)


# -- stored form -----------------------------------------------------------------------------------------


def request_to_json(request: JobRequest) -> str:
    """The request as JSON; no key and nothing of an answer is in it."""
    plain: dict[str, Any] = {name: getattr(request, name) for name in request.__dataclass_fields__}
    engine, sampling = request.engine, request.sampling
    plain |= {
        "base": request.base.to_dict(),
        "engine": {
            "kind": engine.kind,
            "command": engine.command,
            "path": engine.path,
            "found_in": engine.found_in,
        },
        "sampling": {name: getattr(sampling, name) for name in sampling.__dataclass_fields__},
    }
    return json.dumps(plain, ensure_ascii=False)


def request_from_json(text: str) -> JobRequest:
    """The stored request.

    Raises:
        KnownError: ``not_resumable`` when it was written by another version or not at all.
    """
    try:
        plain = json.loads(text)
        engine = plain.pop("engine")
        known = {k: v for k, v in plain.items() if k in JobRequest.__dataclass_fields__}
        known |= {
            "base": ServerSettings.from_dict(plain["base"]),
            "engine": EngineRef(engine["kind"], tuple(engine["command"]), engine["path"], engine["found_in"]),
            "sampling": Sampling(**plain["sampling"]),
        }
        lists = {k: tuple(v) for k, v in known.items() if isinstance(v, list)}
        lists["custom"] = tuple((key, value) for key, value in known.get("custom", ()))
        return JobRequest(**(known | lists))
    except (ValueError, KeyError, TypeError, KnownError) as error:
        raise KnownError("not_resumable") from error
