"""The history stays quick when it is large: builds a big one, prints one table and fails if a bar is missed.

Run: python benchmarks/history.py [--runs 100000] [--requests 11] [--tries 5] [--folder PLACE]

The rows are those a measurement stores, written past the program in bulk; everything that is timed goes
through the program. A time is the best of some tries in one process, with the file in the cache of the
operating system. The database (some 2 GB for 100 000 runs) is removed at the end.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from qtune.core.changes import changes
from qtune.core.codec import encode, to_text
from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.history_query import FILTER_COLUMNS, SORT_COLUMNS, FilterColumn, HistoryQuery, searchable
from qtune.core.machine_facts import GpuFacts, MachineFacts
from qtune.core.memory_facts import MemoryPart
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.records import (
    EffectiveSettings,
    ExperimentRecord,
    MemoryFacts,
    RequestRecord,
    RequestTimes,
    RunRecord,
    RunStatus,
    Sampling,
    ServerTimings,
    Usage,
)
from qtune.core.run_line import readings
from qtune.core.settings import ServerSettings
from qtune.core.stats import arm_figures, flat
from qtune.core.verdict import Ratio, Verdict
from qtune.session.history_desk import HistoryDesk
from qtune.store import schema, summaries
from qtune.store.history import History, open_history
from qtune.store.rows import experiment_columns, facts_columns, request_columns, run_columns

PARTS = (16 * 10**9, 500 * 10**6, 10**9, 250 * 10**6, 64 * 10**6, 150 * 10**6)
OPEN_MS, QUERY_MS, EXPORT_S = 300.0, 150.0, 10.0
FIRST_PAGE = FIRST_HEADINGS = 200
"""What the window asks for at once."""
FULL_RUNS = 100_000
STARTS, ARMS, TEMPLATES = 3, ("off", "balanced", "fast"), 1500
WORDS = ("the", "model", "drafts", "several", "tokens", "and", "the", "target", "checks", "them", "in", "one")


@dataclass(frozen=True)
class Row:
    name: str
    value: float
    bar: float | None
    unit: str = "ms"
    note: str = ""

    @property
    def missed(self) -> bool:
        return self.bar is not None and self.value > self.bar


# -- building ------------------------------------------------------------------------------------------------


class Maker:
    """Rows as a measurement stores them, from a pool of runs and requests that differ."""

    def __init__(self, seed: int = 1) -> None:
        self.any = random.Random(seed)  # noqa: S311 - a simulation
        self.models = [
            ModelFacts(
                path=f"/models/{name}-{quant}.gguf", files=(f"/models/{name}-{quant}.gguf",), name=name,
                arch="qwen35", quant=quant, size_bytes=17 * 10**9, block_count=65, nextn_layers=1,
                context_train=262_144, mtp="embedded", chat_template=True,
            )
            for name in (f"{line} {size}B" for line in ("Qwen3.6", "GLM", "gemma") for size in (4, 9, 27, 35))
            for quant in ("Q4_K_M", "Q6_K", "Q8_0")
        ]  # fmt: skip
        options = frozenset(f"--option-{number}" for number in range(200))
        self.engines = [
            EngineFacts(
                EngineRef("binary", ("llama-server",), "/opt/llama/llama-server", "PATH"),
                f"{build} (abc1234)", build, "abc1234", options, frozenset(), ("draft-mtp",), (),
            )
            for build in range(10_000, 11_500, 50)
        ]  # fmt: skip
        self.machine = MachineFacts("Linux 6.8", "AMD Ryzen 9 7950X", 16, 64 * 2**30, "3.11.7")
        self.gpus = [
            GpuFacts(0, "GPU-1", name, 24 * 2**30, "570.1") for name in ("RTX 4090", "RTX 3090", "RX 7900")
        ]
        self.pool = [self._request(number) for number in range(3000)]

    def _request(self, number: int) -> RequestRecord:
        any_, tokens = self.any, self.any.randrange(80, 200)
        rate, ttft_ns, sent = any_.uniform(5, 150), any_.randrange(10**8, 10**9), 10**15 + number * 10**10
        stamps = tuple(sent + ttft_ns + int(at * 1e9 / rate) for at in range(tokens))
        timings = ServerTimings(
            0, 120, ttft_ns / 1e6, tokens, (tokens - 1) / rate * 1000, 150, any_.randrange(30, 150)
        )
        times = RequestTimes(
            sent_ns=sent, headers_ns=sent + 10**6, event_ns=stamps, first_answer_ns=stamps[0],
            ended_ns=stamps[-1] + 10**6, timings=timings, usage=Usage(120, tokens, 0), finish_reason="stop",
            content=" ".join(any_.choices(WORDS, k=tokens)),
        )  # fmt: skip
        return RequestRecord("", 0, "counted", "code", f"nonce-{number}", 512, Sampling(), times)

    def experiment(self, number: int) -> ExperimentRecord:
        created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=3 * number)
        stamp = created.isoformat(timespec="seconds")
        return ExperimentRecord(f"{number:032x}", "compare", "full", number, stamp, ARMS, "code", "{}")

    def verdict(self) -> Verdict:
        ratio = self.any.uniform(0.7, 1.9)
        decision = "better" if ratio > 1.1 else "worse" if ratio < 0.9 else "no_difference"
        ratios = tuple(Ratio(arm, ratio, ratio - 0.05, ratio + 0.05, decision) for arm in ARMS[1:])
        sentence = Message.of("verdict_indication", arm="fast", ratio=f"{ratio:.2f}", n=30)
        return Verdict(decision, sentence, "fast", ratios)

    def run(self, number: int, experiment: ExperimentRecord) -> RunRecord:
        """A template; see :meth:`own` for what is each run's own."""
        any_, arm = self.any, ARMS[number % len(ARMS)]
        failed = any_.random() < 0.06
        settings = {
            "mtp": arm != "off",
            "n_max": any_.randrange(1, 7),
            "ctx_size": any_.choice([8192, 32768]),
        }
        return RunRecord(
            id="", experiment_id=experiment.id, arm=arm, preset=arm, start=1,
            status=RunStatus.FAILED if failed else RunStatus.DONE, started_utc="",
            settings_requested=ServerSettings().with_values(settings), model=any_.choice(self.models),
            engine=any_.choice(self.engines), machine=self.machine, mtp_active=arm != "off",
            argv=("llama-server", "--model", "/models/model.gguf", "--port", "8080", "--ctx-size", "32768"),
            gpus=(any_.choice(self.gpus),), failure=Message.of("engine_died", code=-9) if failed else None,
        )  # fmt: skip

    def own(self, number: int, experiment: ExperimentRecord, template: RunRecord) -> RunRecord:
        """The run itself: other times, another name of its server, another reading of the memory."""
        any_, created = self.any, datetime.fromisoformat(experiment.created_utc)
        started = (created + timedelta(seconds=number % 9 * 60)).isoformat(timespec="seconds")
        asked, free = template.settings_requested, any_.randrange(22 * 10**9, 24 * 10**9)
        sizes = zip(("weights", "compute", "kv", "mtp_compute", "mtp_kv", "recurrent"), PARTS, strict=True)
        return replace(
            template,
            id=f"{number:032x}", experiment_id=experiment.id, start=1 + number // len(ARMS) % STARTS,
            started_utc=started, ended_utc=started, load_ms=any_.uniform(1000, 20_000),
            engine=replace(template.engine, devices=(DeviceFacts("CUDA0", "RTX 4090", 24 * 2**30, free),)),
            # Cards are looked at when the program starts.
            gpus=(replace(template.gpus[0], vram_idle_bytes=number // (len(ARMS) * STARTS) * 4096),),
            memory=MemoryFacts(
                "vram", 24 * 2**30 - free, 18 * 10**9, any_.randrange(18 * 10**9, 24 * 10**9), 24 * 2**30,
                "no", parts=tuple(MemoryPart(kind, size, "measured") for kind, size in sizes),
            ),
            settings_effective=EffectiveSettings(
                asked.ctx_size, 1, asked.mtp, asked.n_max, 66, 66, "f16", "f16", template.model.path,
                f"qtune-{number:x}", template.engine.version,
            ),
        )  # fmt: skip


def build(database: Path, runs: int, requests: int) -> None:
    """Fill the tables of a new history."""
    open_history(database, database.parent / "backups").close()
    maker = Maker()
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA journal_mode=OFF")
        raw.execute("PRAGMA synchronous=OFF")
        indexes = raw.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'ix_summaries%'"
        ).fetchall()
        for name, _ in indexes:
            raw.execute(f"DROP INDEX {name}")
        with raw:
            _insert_all(raw, maker, runs, requests)
        with raw:
            for _, statement in indexes:
                raw.execute(statement)
        raw.execute("PRAGMA analysis_limit=400")
        raw.execute("PRAGMA optimize=0x10002")


def _insert_all(raw: sqlite3.Connection, maker: Maker, runs: int, requests: int) -> None:
    table = schema.REQUESTS
    pool = [_ordered(table, _ready(table, request_columns(request)))[2:] for request in maker.pool]
    answers = [maker.any.choices(range(len(pool)), k=requests) for _ in range(TEMPLATES)]
    found = [arm_figures([maker.pool[one] for one in some]) for some in answers]
    figures = [summaries.figure_columns(one) for one in found]
    nothing = flat(arm_figures(()))
    all_figures = [flat(one) for one in found]
    templates = [maker.run(number, maker.experiment(0)) for number in range(TEMPLATES)]
    columns = [_ready(schema.RUNS, run_columns(run)) for run in templates]
    owned = {"owner_pid": 1, "owner_started": 1.0, "computer": "", "deleted_utc": None}
    facts = {row["hash"]: (table, row) for run in templates for table, row in facts_columns(run)}
    for table, row in facts.values():
        _insert(raw, table, _ready(table, row))
    for number in range(runs):
        if number % (len(ARMS) * STARTS) == 0:
            experiment, verdict = maker.experiment(number), maker.verdict()
            told = {**experiment_columns(experiment), "verdict": encode(verdict)}
            _insert(raw, schema.EXPERIMENTS, _ready(schema.EXPERIMENTS, told))
        # One arm after the other, each time another of its templates.
        at = maker.any.randrange(TEMPLATES // len(ARMS)) * len(ARMS) + number % len(ARMS)
        run, key = maker.own(number, experiment, templates[at]), number + 1
        marks = {"starred": maker.any.random() < 0.01, "outlier": maker.any.random() < 0.01}
        own = _ready(schema.RUNS, {**{name: encode(getattr(run, name)) for name in OWN}, **owned, **marks})
        devices = to_text(encode(run.engine.devices))
        _insert(raw, schema.RUNS, {**columns[at], **own, "key": key, "devices": devices})
        some = [] if run.failure else answers[at]
        told = NOTHING if run.failure else figures[at]
        counted = {**told, "requests": len(some), "requests_ok": len(some), "run_key": key}
        _insert(raw, schema.SUMMARIES, {**_summary(run, experiment, verdict), **own, **counted})
        read = readings(run.settings_effective, run.engine.devices, run.memory)
        told = nothing if run.failure else all_figures[at]
        _insert(raw, schema.FIGURES, {"run_key": key, "figures": told, **read._asdict()})
        rows = ((key, position, *pool[one]) for position, one in enumerate(some))
        raw.executemany(_insertion(schema.REQUESTS), rows)


NOTHING = summaries.figure_columns(arm_figures(()))
OWN = (
    "id", "experiment_id", "start", "started_utc", "ended_utc", "load_ms", "gpus", "memory",
    "settings_effective",
)  # fmt: skip
"""What no two runs share, or few."""


def _summary(run: RunRecord, experiment: ExperimentRecord, verdict: Verdict) -> dict[str, Any]:
    texts = (run.model.name, run.model.quant, run.preset, run.arm, run.engine.version, run.gpus[0].name)
    return {
        "version": summaries.VERSION, "kind": experiment.kind, "status": run.status.value, "arm": run.arm,
        "preset": run.preset, "model": run.model.name, "quant": run.model.quant,
        "engine": run.engine.version, "engine_build": run.engine.build, "device": run.gpus[0].name,
        "n_max": run.settings_requested.n_max if run.settings_requested.mtp else None,
        "ctx_size": run.settings_requested.ctx_size,
        "vram_peak_bytes": None if run.memory is None else run.memory.peak,
        "search": searchable([*texts, experiment.kind, run.model.arch]),
        **summaries.judged(verdict, run.arm),
    }  # fmt: skip


@cache
def _insertion(table: Table) -> str:
    names = ", ".join(f'"{column.name}"' for column in table.c)
    return f"INSERT INTO {table.name} ({names}) VALUES ({', '.join('?' * len(table.c))})"  # noqa: S608


def _ready(table: Table, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Values as the driver takes them."""
    return {
        name: to_text(value) if isinstance(table.c[name].type, JSON) and value is not None else value
        for name, value in columns.items()
    }


def _ordered(table: Table, columns: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(columns.get(column.name) for column in table.c)


def _insert(raw: sqlite3.Connection, table: Table, columns: Mapping[str, Any]) -> None:
    raw.execute(_insertion(table), _ordered(table, columns))


# -- timing --------------------------------------------------------------------------------------------------


@dataclass
class Asked:
    """Something to time again and again.

    Attributes:
        action: What is timed; anything it returns is its note.
        times_s: How long each try took, and beside it the work of the processor, its waiting left out.
    """

    name: str
    action: Callable[[], str | None]
    bar: float | None = QUERY_MS
    unit: str = "ms"
    times_s: list[float] = field(default_factory=list)
    work_s: list[float] = field(default_factory=list)
    note: str = ""

    def once(self) -> None:
        begun, before = time.perf_counter(), time.process_time()
        self.note = self.action() or ""
        self.times_s.append(time.perf_counter() - begun)
        self.work_s.append(time.process_time() - before)

    def row(self) -> Row:
        """The quickest try."""
        scale = 1000 if self.unit == "ms" else 1
        best, worst, work = (scale * one for one in (min(self.times_s), max(self.times_s), min(self.work_s)))
        notes = [self.note, f"{_figure(work, self.unit)} of work", f"slowest {_figure(worst, self.unit)}"]
        return Row(self.name, best, self.bar, self.unit, ", ".join(note for note in notes if note))


def _figure(value: float, unit: str) -> str:
    return f"{value:.{1 if unit == 's' else 0}f} {unit}"


def opened(database: Path) -> None:
    open_history(database, database.parent / "backups").close()


QUERIES: dict[str, dict[str, Any]] = {
    "as it opens": {},
    "grouped by experiment": {"grouped": True},
    "grouped, by speed": {"grouped": True, "sort": "decode_tok_s"},
    "grouped, by verdict": {"grouped": True, "sort": "decision"},
    "one model": {"models": ("Qwen3.6 27B",)},
    "two quantisations": {"quants": ("Q4_K_M", "Q8_0"), "sort": "ttft_ms"},
    "one build": {"engines": ("11000 (abc1234)",), "sort": "ratio"},
    "failed": {"statuses": (RunStatus.FAILED,)},
    "starred": {"starred": True},
    "only outliers": {"outliers": "only"},
    "without outliers": {"outliers": "hidden", "sort": "decode_tok_s"},
    "one verdict": {"decisions": ("better",), "sort": "ratio"},
    "old ones without a star": {"until": datetime(2026, 7, 1, tzinfo=UTC), "unstarred": True},
    "a quarter": {"since": datetime(2026, 4, 1, tzinfo=UTC), "until": datetime(2026, 7, 1, tzinfo=UTC)},
    "a word that all have": {"text": "compare", "sort": "model", "descending": False},
    "two words": {"text": "qwen3.6 q4"},
    "a word that none has": {"text": "nowhere"},
    "everything together": {
        "models": ("Qwen3.6 27B", "GLM 9B"), "presets": ("fast",), "decisions": ("better",), "text": "4090",
        "outliers": "hidden", "since": datetime(2026, 2, 1, tzinfo=UTC), "sort": "acceptance_rate",
    },
}  # fmt: skip


def queries(history: History) -> Iterator[Asked]:
    """Each query with its first page."""
    reader, asked = history.reader, dict(QUERIES)
    for column in SORT_COLUMNS:
        asked[f"by {column}"] = {"sort": column}
        asked[f"by {column}, upwards"] = {"sort": column, "descending": False}
    for name, arguments in asked.items():
        yield Asked(f"query: {name}", partial(first_page, history, HistoryQuery(**arguments)))
    for column in FILTER_COLUMNS:
        yield Asked(f"values of {column}", partial(values_of, history, column))
    yield Asked("counts", lambda: f"{reader.counts().runs} runs")
    keys = reader.run_ids(HistoryQuery(sort="ttft_ms"))
    middle = keys[len(keys) // 2 :][:FIRST_PAGE]
    yield Asked("a page from the middle", lambda: f"{len(reader.page(middle))} runs", None)
    yield Asked("a run with its requests", partial(whole, history, int(middle[0])), None)
    newest = int(reader.run_ids(HistoryQuery(statuses=(RunStatus.DONE,)))[0])
    yield Asked("what updates did", lambda: f"{len(changes(reader.stack_runs()))} changes", None)
    yield Asked(
        "what an update did to a run", lambda: f"{len(changes(reader.stack_runs(newest)))} changes", None
    )


def first_page(history: History, query: HistoryQuery) -> str:
    """What the table does when a query changes."""
    keys, groups = history.reader.grouped_run_ids(query)
    history.reader.page(keys[:FIRST_PAGE])
    if groups is not None:
        history.reader.headings(keys[groups.begins][:FIRST_HEADINGS])
    return f"{keys.size} runs"


def values_of(history: History, column: FilterColumn) -> str:
    return f"{len(history.reader.distinct(column))} values"


def whole(history: History, key: int) -> str:
    found = history.reader.full(key)
    return "gone" if found is None else f"{len(found[1])} requests"


def export(history: History, target: Path) -> str:
    """The exporter of window and terminal, to a file."""
    with ThreadPoolExecutor(1) as readers:
        desk = HistoryDesk(history, target.parent / "backups", readers)
        keys, _begins = desk.find(HistoryQuery(descending=False)).result()
        desk.export_file("csv", keys, target).result()
    return f"{keys.size} runs, {target.stat().st_size / 2**20:.0f} MiB"


def measured(database: Path, tries: int) -> list[Row]:
    """Round after round, so that slow seconds of the computer do not fall on all tries of one thing."""
    with open_history(database, database.parent / "backups") as history:
        asked = [
            Asked("open", partial(opened, database), OPEN_MS),
            *queries(history),
            Asked("CSV of all runs", partial(export, history, database.with_suffix(".csv")), EXPORT_S, "s"),
        ]
        for _ in range(tries):
            for one in asked:
                one.once()
        return [one.row() for one in asked]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=FULL_RUNS, help="runs of the history (default 100000)")
    parser.add_argument("--requests", type=int, default=11, help="requests of each run (default 11)")
    parser.add_argument("--tries", type=int, default=5, help="rounds of all that is timed (default 5)")
    parser.add_argument("--folder", type=Path, help="build it here and keep it, or use the one that is here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if asked.folder is None else asked.folder
        folder.mkdir(parents=True, exist_ok=True)
        database, begun = folder / "qtune.db", time.perf_counter()
        if not database.exists():
            build(database, asked.runs, asked.requests)
            print(f"built in {time.perf_counter() - begun:.0f} s")
        return int(shown(database, asked.tries))


def shown(database: Path, tries: int) -> bool:
    """Print the table; whether a bar was missed."""
    with closing(sqlite3.connect(database)) as raw:
        runs, requests = raw.execute("SELECT count(*), sum(requests) FROM summaries").fetchone()
    print(f"{runs} runs, {requests} requests, {database.stat().st_size / 2**30:.2f} GiB\n")
    print("| what | time | bar | |\n|---|---:|---:|---|")
    missed = False
    for row in measured(database, tries):
        missed |= row.missed
        bar = "-" if row.bar is None else f"{row.bar:g} {row.unit}"
        missed_it = " **missed**" if row.missed else ""
        print(f"| {row.name}{missed_it} | {_figure(row.value, row.unit)} | {bar} | {row.note} |")
    return missed


if __name__ == "__main__":
    sys.exit(main())
