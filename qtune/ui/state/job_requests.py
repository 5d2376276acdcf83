"""What each button asks of the desk, made from what is order. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qtune.core.engine_facts import EngineRef
from qtune.core.model_facts import ModelFacts
from qtune.core.presets import PRESET_IDS
from qtune.core.settings import ServerSettings, SettingValue
from qtune.core.workload import SAMPLE_DOMAIN, Workload
from qtune.session.catalog import default_set
from qtune.session.jobs import ANSWER_ROOM, CUSTOM, SAMPLE_DEPTHS, JobKind, JobRequest

Form = Literal["quick", "full"]
LEAST_DEPTH = 512
BESIDE_OFF = "balanced"
"""Measured beside off where off itself is order."""
SEARCH_KINDS = frozenset({"compare", "sweep-n-max", "selftest"})
"""Jobs with a Quick and a Full form; the others have one form only."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is chosen on the Tune page, complete enough to measure.

    Attributes:
        custom: Values of the custom preset; empty while there is none.
        mtp: Whether this engine can run MTP with this model.
    """

    engine: EngineRef
    model: ModelFacts
    base: ServerSettings
    preset: str
    workload: Workload
    workloads: tuple[Workload, ...]
    runs: int
    form: Form
    custom: tuple[tuple[str, SettingValue], ...] = ()
    mtp: bool = True


def request_of(kind: JobKind, order: Order, presets: tuple[str, ...] = ()) -> JobRequest:
    """The job of a button; ``presets`` only where the button names them itself."""
    presets = presets or arms_of(kind, order)
    return JobRequest(
        kind=kind,
        engine=order.engine,
        model_path=order.model.path,
        presets=presets,
        base=order.base,
        custom=order.custom if CUSTOM in presets else (),
        prompts=prompts_of(kind, order),
        form=order.form if kind in SEARCH_KINDS else "quick",
        runs=order.runs if kind in {"measure", "seeds", "raw"} else None,
        language=order.workload.language or "en",
        depths=depths_of(order.model, order.base.ctx_size),
    )


def arms_of(kind: JobKind, order: Order) -> tuple[str, ...]:
    """Presets a job measures when its button does not name them."""
    if kind == "compare":
        return (*PRESET_IDS, CUSTOM) if order.custom else PRESET_IDS
    if kind in {"sweep-n-max", "selftest"}:
        return ()
    if kind == "sweep-context" and not order.mtp:
        return ("off",)
    if kind in {"sweep-context", "seeds"}:
        return ("off", BESIDE_OFF if order.preset == "off" else order.preset)
    return (order.preset,)


def prompts_of(kind: JobKind, order: Order) -> tuple[str, ...]:
    """Prompts by id: the chosen one, in Full with the job's usual set; empty for the usual set alone."""
    if kind in {"sweep-context", "fill"}:
        return ()
    one = (order.workload.id,)
    if kind not in SEARCH_KINDS or order.form == "quick":
        return one
    sample = order.workload.domain == SAMPLE_DOMAIN
    language = order.workload.language or "en"
    usual = tuple(w.id for w in default_set(order.workloads, sample=sample, language=language, form="full"))
    return () if order.workload.id in usual else (*one, *usual)


def depths_of(model: ModelFacts, ctx_size: int) -> tuple[int, ...]:
    """A quarter, half and all of the context chosen, as far as the model was trained for it."""
    if model.is_sample:
        return SAMPLE_DEPTHS
    deepest = ctx_size if model.context_train is None else min(ctx_size, model.context_train - ANSWER_ROOM)
    depths = (deepest // 4, deepest // 2, deepest)
    return tuple(depth for depth in depths if depth >= LEAST_DEPTH) or (LEAST_DEPTH,)
