"""Runs for the tests of exports: measured-looking ones, and any that hypothesis can think of."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, MemoryFacts, RequestRecord, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.taken_in import NO_MARKS, RunMarks
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportRun
from tests.service.store.made import ENGINE, MACHINE, MODEL
from tests.unit.core.by_hand import drafts, request

GIB = 1024**3
EXPERIMENT = ExperimentRecord(
    "e1", "compare", "full", 42, "2026-11-30T07:00:00+00:00", ("off", "balanced"), "code"
)
ARGV = (
    "/opt/llama.cpp/llama-server", "--model", "/models/Qwen3.6.gguf", "--host", "127.0.0.1",
    "--port", "41873", "--alias", "qtune-41873", "--ctx-size", "8192", "--spec-type", "draft-mtp",
    "--spec-draft-n-max", "4", "--metrics", "--no-ui",
)  # fmt: skip


def run(arm: str, start: int = 1, **more: Any) -> RunRecord:
    values: dict[str, Any] = {
        "id": f"{arm}-{start}", "experiment_id": "e1", "arm": arm, "preset": arm, "start": start,
        "status": RunStatus.DONE, "started_utc": f"2026-11-30T07:0{start}:00+00:00",
        "settings_requested": ServerSettings().with_values({"mtp": arm != "off", "n_max": 4}),
        "model": replace(MODEL, files=(MODEL.path,)), "engine": ENGINE, "machine": MACHINE,
        "mtp_active": None if arm == "off" else True, "argv": ARGV,
        "memory": MemoryFacts("vram", 1 * GIB, 17 * GIB, 18 * GIB, 24 * GIB, "no"), "load_ms": 4321.5,
        "gpus": (GpuFacts(0, "GPU-1", "NVIDIA GeForce RTX 4090", 24 * GIB, "570.1", 450.0),),
        "ended_utc": f"2026-11-30T07:0{start}:30+00:00", **more,
    }  # fmt: skip
    return RunRecord(**values)


def requests_of(run_id: str, rate: float, count: int = 6, *, mtp: bool = False) -> tuple[RequestRecord, ...]:
    more: dict[str, Any] = {"timings": {"draft_n": 120, "draft_n_accepted": 80}} if mtp else {}
    return tuple(
        request(
            rate * (1 + 0.01 * (n % 3)),
            run_id=run_id,
            index=n,
            phase="counted" if n else "warmup",
            drafts=drafts(30, 28, 26, 26) if mtp else None,
            **more,
        )
        for n in range(count + 1)
    )


def comparison(starts: int = 3) -> list[ExportRun]:
    """Off and balanced, some starts each, with a clear gain."""
    return [
        ExportRun(made := run(arm, start), requests_of(made.id, rate + start, mtp=arm != "off"), EXPERIMENT)
        for start in range(1, starts + 1)
        for arm, rate in (("off", 40.0), ("balanced", 70.0))
    ]


def comparison_on_cpu() -> list[ExportRun]:
    """The same on a computer without a card."""
    return [replace(s, run=replace(s.run, engine=replace(s.run.engine, devices=()))) for s in comparison(1)]


def with_text(text: str) -> list[ExportRun]:
    """A comparison in which every text is ``text``."""
    return [_filled(source, text) for source in comparison(1)]


def _filled(value: Any, text: str) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, ServerSettings | Message | Enum):
        keep = {
            "id",
            "run_id",
            "experiment_id",
            "started_utc",
            "ended_utc",
            "created_utc",
            "phase",
            "form",
            "kind",
        }
        keep |= {"arm", "mtp", "spill", "vendor", "prompt_id", "finish_reason", "status"}
        changed = {
            f.name: _filled(getattr(value, f.name), text)
            for f in dataclasses.fields(value)
            if f.name not in keep
        }
        return replace(value, **changed)  # type: ignore[type-var]
    if isinstance(value, str) and not isinstance(value, Enum):
        return text
    if isinstance(value, tuple):
        return tuple(_filled(one, text) for one in value)
    return value


# -- anything ----------------------------------------------------------------------------------------------

TEXT = st.text(max_size=8)
CODE = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
WHOLE = st.integers(-(2**63), 2**63 - 1)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def anything(hint: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - one for each kind
    """Any value an annotation allows."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        return st.one_of([anything(arg) for arg in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple and args[1:] == (Ellipsis,):
        return st.lists(anything(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*[anything(arg) for arg in args])
    if origin is frozenset:
        return st.frozensets(anything(args[0]), max_size=2)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(TEXT, anything(args[1]), max_size=2)
    if hint is Message:
        return st.builds(Message, CODE, anything(get_type_hints(Message)["params"]))
    if dataclasses.is_dataclass(hint):
        return record(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return {str: TEXT, int: WHOLE, float: NUMBER, bool: st.booleans(), types.NoneType: st.none()}[hint]


def record(cls: Any, **fixed: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    parts = {name: anything(hint) for name, hint in hints.items() if name not in fixed and name != "CODE"}
    return st.fixed_dictionaries(parts).map(lambda values: cls(**values, **fixed))


TIME = "2026-11-30T07:00:00+00:00"


@st.composite
def any_runs(draw: st.DrawFn) -> list[ExportRun]:
    experiments = [
        draw(record(ExperimentRecord, id=f"e{n}", created_utc=TIME)) for n in range(draw(st.integers(0, 2)))
    ]
    verdicts = {one.id: draw(st.none() | record(Verdict)) for one in experiments}
    made = []
    for n in range(draw(st.integers(0, 3))):
        experiment = draw(st.sampled_from([*experiments, None]))
        home = "gone" if experiment is None else experiment.id
        one = draw(record(RunRecord, id=f"r{n}", experiment_id=home, started_utc=TIME, ended_utc=None))
        found = tuple(
            draw(record(RequestRecord, run_id=one.id, index=i)) for i in range(draw(st.integers(0, 2)))
        )
        marks = draw(st.sampled_from([NO_MARKS, None])) or draw(record(RunMarks))
        verdict = None if experiment is None else verdicts[experiment.id]
        made.append(ExportRun(one, found, experiment, verdict, marks))
    return made
