"""What each button asks of the desk, made from what is order. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qtune.core.presets import PRESET_IDS
from qtune.core.records import EngineRef, ModelFacts
from qtune.core.settings import ServerSettings
from qtune.core.workload import SAMPLE_DOMAIN, Workload
from qtune.session.catalog import default_set
from qtune.session.jobs import ANSWER_ROOM, JobKind, JobRequest

Form = Literal["quick", "full"]
SAMPLE_DEPTHS = (512, 1024, 2048)
LEAST_DEPTH = 512
SWEPT_USUAL = "balanced"
"""What a context sweep puts beside off when off itself, or what cannot be measured by name, is order."""
SEARCH_KINDS = frozenset({"compare", "sweep-n-max", "selftest"})
"""Jobs with a Quick and a Full form; the others have one form only."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is chosen on the Tune page, complete enough to measure."""

    engine: EngineRef
    model: ModelFacts
    base: ServerSettings
    preset: str
    workload: Workload
    workloads: tuple[Workload, ...]
    runs: int
    form: Form


def request_of(kind: JobKind, order: Order, presets: tuple[str, ...] = ()) -> JobRequest:
    """The job of a button; ``presets`` only where the button names them itself."""
    return JobRequest(
        kind=kind,
        engine=order.engine,
        model_path=order.model.path,
        presets=presets or arms_of(kind, order.preset),
        base=order.base,
        prompts=prompts_of(kind, order),
        form=order.form if kind in SEARCH_KINDS else "quick",
        runs=order.runs if kind in {"measure", "seeds", "raw"} else None,
        language=order.workload.language or "en",
        depths=depths_of(order.model, order.base.ctx_size),
    )


def arms_of(kind: JobKind, preset: str) -> tuple[str, ...]:
    """Presets a job measures when it is asked for with ``preset`` order."""
    if kind == "compare":
        return PRESET_IDS
    if kind in {"sweep-n-max", "selftest"}:
        return ()
    if kind in {"sweep-context", "seeds"}:
        return ("off", preset if preset in PRESET_IDS[1:] else SWEPT_USUAL)
    return (preset,)


def prompts_of(kind: JobKind, order: Order) -> tuple[str, ...]:
    """Prompts by id: the chosen one, in Full with the job's usual set; empty for the usual set alone."""
    if kind == "sweep-context":
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
