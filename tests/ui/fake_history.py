"""A history of 1 000 made-up runs that is searched in Python; answers can be held back or refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from qtune.core.changes import Change
from qtune.core.errors import KnownError
from qtune.core.history_query import (
    ExperimentSummary,
    Groups,
    HistoryCounts,
    HistoryQuery,
    Keys,
    Marked,
    RunSummary,
    grouped,
    searchable,
    words,
)
from qtune.core.messages import Message
from qtune.core.records import ExperimentRecord, RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.verdict import Ratio, Verdict
from qtune.report.export_run import ExportRun
from qtune.session.exchange import Imported
from qtune.session.exports import FORMS, Collected, ExportForm, ExportWords
from qtune.session.history_desk import HistoryDesk, StoredExperiment
from qtune.session.run_comparison import RunComparison
from qtune.session.transfer import Transfer
from tests.ui import fake_comparison, fake_models
from tests.ui import fake_story as story

GIB = story.GIB
PROMPTS = ("summary", "code", "json")
ARMS = ("off", "conservative", "balanced", "aggressive")
BUILDS = (11211, 11434)
OUT_OF_MEMORY = Message.of("ended_out_of_memory", line="cudaMalloc failed: out of memory")
MODELS = (story.MODEL, fake_models.Q6, fake_models.MOE)
NEWEST = datetime.fromisoformat("2026-11-29T20:00:00+00:00")
BETTER = Verdict(
    "better",
    Message.of(
        "verdict_better", arm="balanced", off="38.4", on="71.2", ratio="1.85", low="1.81", high="1.90"
    ),
    "balanced",
    (Ratio("balanced", 1.85, 1.81, 1.90, "better"),),
)
SAME = Verdict("no_difference", Message.of("verdict_no_difference"))


@cache
def runs(number: int = 1000) -> tuple[RunSummary, ...]:
    """Four arms an experiment, the newest experiment last; some failed, starred, noted, cut off."""
    rng = random.Random(7)  # noqa: S311 - the same history each time
    return tuple(_summary(key, number, rng) for key in range(1, number + 1))


def _summary(key: int, number: int, rng: random.Random) -> RunSummary:
    experiment, place = divmod(key - 1, 4)
    arm, model = ARMS[place], MODELS[experiment % 3]
    pace, build = story.PACES[arm], BUILDS[0 if key < number * 0.6 else 1]
    begun = NEWEST - timedelta(minutes=37 * (number - key))
    status = RunStatus.DONE
    if experiment % 9 == 4 and place == 3:
        status = RunStatus.FAILED
    if experiment % 14 == 5 and place == 2:
        status = RunStatus.CANCELLED
    done, mtp, better = status is RunStatus.DONE, arm != "off", experiment % 3 != 1
    rate = pace.decode * rng.uniform(0.96, 1.04)
    return RunSummary(
        key=key,
        id=f"run-{key:04d}",
        experiment_id=f"experiment-{experiment}",
        kind="compare",
        arm=arm,
        preset=arm,
        start=1,
        status=status,
        started_utc=begun.isoformat(),
        ended_utc=(begun + timedelta(minutes=4)).isoformat(),
        model=model.name,
        quant=model.quant,
        engine=f"{build} (5f1b9a7)",
        engine_build=build,
        device="NVIDIA GeForce RTX 4090",
        n_max={"off": None, "conservative": 2, "balanced": 3, "aggressive": 6}[arm],
        ctx_size=8192 if experiment % 2 else 32768,
        mtp_active=True if mtp and done else None,
        decode_tok_s=rate if done else None,
        ttft_ms=pace.ttft_ms * rng.uniform(0.95, 1.1) if done else None,
        prefill_tok_s=1420 * rng.uniform(0.97, 1.03) if done else None,
        total_ms=160 / rate * 1000 + pace.ttft_ms if done else None,
        acceptance_rate=pace.acceptance if done else None,
        acceptance_length=pace.mean_len if done and mtp else None,
        load_ms=8400.0 if done else None,
        vram_peak_bytes=int((19.4 + place * 0.3) * GIB),
        ram_peak_bytes=None,
        requests=6 if done else 0,
        requests_ok=6 if done else 0,
        requests_counted=6 if done else 0,
        decision="better" if better else "no_difference",
        ratio=(rate / 38.4 if better else 1.01) if mtp and done else None,
        failure=OUT_OF_MEMORY if status is RunStatus.FAILED else None,
        starred=key % 50 == 3,
        outlier=key % 111 == 2,
        note="before the new driver" if key % 40 == 3 else "",
        deleted_utc=None,
        figures_known=True,
    )


def record_of(row: RunSummary) -> RunRecord:
    """The run behind a row."""
    model = next(m for m in MODELS if (m.name, m.quant) == (row.model, row.quant))
    preset = next(p for p in story.PRESETS if p.id == row.arm)
    settings = preset.apply(ServerSettings(ctx_size=row.ctx_size or 8192))
    engine = replace(story.LLAMA, build=row.engine_build, version=row.engine)
    stage = story.Stage(model, engine, ctx_size=settings.ctx_size)
    begun = story.run_record(row.id, row.arm, stage, settings, experiment_id=row.experiment_id)
    begun = replace(begun, started_utc=row.started_utc)
    if row.status is RunStatus.DONE:
        return story.finished_run(replace(begun, start=row.start), stage)
    begun = replace(begun, start=row.start)
    return replace(begun, status=row.status, failure=row.failure, ended_utc=row.ended_utc)


class FakeHistory(HistoryDesk):
    """Answers at once unless ``held`` is a list, which then keeps the answers until ``release``."""

    def __init__(self, rows: Sequence[RunSummary] = (), broken: KnownError | None = None) -> None:
        self.rows = {row.key: row for row in rows}
        self.broken = broken
        self.calls: list[tuple[str, Any]] = []
        self.moving: Callable[[Transfer], Future[Path]] | None = None
        self.held: list[tuple[Future[Any], Any]] | None = None
        self.changed: tuple[Change, ...] = ()
        self.faults: list[Message] = []
        self.copied_at: datetime | None = None
        self.deleted_before: tuple[str, ...] = ()

    def release(self) -> None:
        """Let everything go that was held back."""
        waiting, self.held = self.held or [], None
        for future, value in waiting:
            future.set_result(value)

    def _end(self, value: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if isinstance(value, KnownError):
            future.set_exception(value)
        elif self.held is not None:
            self.held.append((future, value))
        else:
            future.set_result(value)
        return future

    # -- looking --------------------------------------------------------------------------------------------

    def _mates(self, key: int) -> list[RunSummary]:
        """All runs of a run's experiment."""
        name = self.rows[key].experiment_id
        return [row for row in self.rows.values() if row.experiment_id == name]

    def headings(self, keys: Iterable[int]) -> Future[list[ExperimentSummary]]:
        wanted = list(keys)
        self.calls.append(("headings", wanted))
        return self._end([_heading(key, self._mates(key)) for key in wanted if key in self.rows])

    def find(self, query: HistoryQuery) -> Future[tuple[Keys, Groups | None]]:
        self.calls.append(("find", query))
        if self.broken is not None:
            return self._end(self.broken)
        found = [row for row in self.rows.values() if _passes(row, query)]
        known = [row for row in found if getattr(row, query.sort) is not None]
        unknown = [row for row in found if getattr(row, query.sort) is None]
        known.sort(key=lambda row: (getattr(row, query.sort), row.key), reverse=query.descending)
        keys: Keys = np.array([row.key for row in (*known, *unknown)], np.int64)
        if query.grouped:
            mates = [self._mates(int(key)) for key in keys]
            names = np.array([min(row.key for row in some) for some in mates], np.int64)
            totals = [sum(_listable(row, query) for row in some) for some in mates]
            return self._end(grouped(keys, names, np.array(totals, np.int64)))
        return self._end((keys, None))

    def page(self, keys: Iterable[int]) -> Future[list[RunSummary]]:
        wanted = list(keys)
        self.calls.append(("page", wanted))
        return self._end([self.rows[key] for key in wanted if key in self.rows])

    def values(self, column: Any) -> Future[list[tuple[str, int]]]:
        count: dict[str, int] = {}
        for row in self.rows.values():
            value = str(getattr(row, column))
            count[value] = count.get(value, 0) + 1
        return self._end(sorted(count.items()))

    def counts(self) -> Future[HistoryCounts]:
        here = [row for row in self.rows.values() if row.deleted_utc is None]
        failed = sum(row.status is RunStatus.FAILED for row in here)
        deleted = len(self.rows) - len(here)
        return self._end(HistoryCounts(len(here), len(here) // 4, len(here) * 6, failed, 0, 0, deleted))

    def details_of(self, run_ids: Sequence[str]) -> Future[list[ExportRun]]:
        by_id = {row.id: row for row in self.rows.values()}
        return self._end([_source(by_id[name]) for name in run_ids if name in by_id])

    def verdict(self, experiment_id: str) -> Future[Verdict | None]:
        return self._end(BETTER if int(experiment_id[11:]) % 3 != 1 else SAME)

    def experiment(self, experiment_id: str) -> Future[StoredExperiment | None]:
        every = [row for row in self.rows.values() if row.experiment_id == experiment_id]
        here = [row for row in every if row.deleted_utc is None]
        mine = [_source(row) for row in here or every]
        record = ExperimentRecord(
            experiment_id, "compare", "full", 42, mine[0].run.started_utc, ARMS, ",".join(PROMPTS)
        )
        verdict = BETTER if int(experiment_id[11:]) % 3 != 1 else SAME
        runs = tuple((source.run, tuple(source.requests)) for source in mine)
        return self._end(StoredExperiment(record, verdict, runs))

    def compare(
        self,
        run_ids: Sequence[str],
        whole: Collection[str] = (),
        *,
        most: int | None = None,
        base: str = "",
        beyond: int = 0,
    ) -> Future[RunComparison]:
        self.calls.append(("compare", (list(run_ids), set(whole))))
        by_id = {row.id: row for row in self.rows.values()}
        sources = [_source(by_id[name]) for name in run_ids]
        asked = {"most": most, "base": base, "beyond": beyond}
        return self._end(
            self.broken or fake_comparison.compared(list(by_id.values()), sources, whole, **asked)
        )

    def changes_of(self, key: int) -> Future[tuple[Change, ...]]:
        row = self.rows[key]
        after = row.engine_build == BUILDS[1] and row.arm == "balanced" and row.model == MODELS[0].name
        return self._end((fake_comparison.SLOWER,) if after else ())

    def newest_changes(self) -> Future[tuple[Change, ...]]:
        self.calls.append(("newest_changes", None))
        return self._end(self.changed)

    def marks(self, keys: Iterable[int]) -> Future[Marked]:
        wanted = list(keys)
        self.calls.append(("marks", wanted))
        return self._end(Marked.of(self.rows[key] for key in wanted if key in self.rows))

    def keys_of(self, run_ids: Sequence[str]) -> Future[list[int]]:
        by_id = {row.id: row.key for row in self.rows.values()}
        return self._end([by_id[name] for name in run_ids if name in by_id])

    def ids(self, keys: Iterable[int]) -> Future[list[str]]:
        return self._end([self.rows[key].id for key in keys if key in self.rows])

    # -- marking --------------------------------------------------------------------------------------------

    def star(self, run_ids: Sequence[str], *, on: bool) -> Future[None]:
        return self._mark("star", run_ids, starred=on)

    def mark_outlier(self, run_ids: Sequence[str], *, on: bool) -> Future[None]:
        return self._mark("mark_outlier", run_ids, outlier=on)

    def note(self, run_id: str, text: str) -> Future[None]:
        return self._mark("note", [run_id], note=text)

    def delete(self, run_ids: Sequence[str]) -> Future[None]:
        return self._mark("delete", run_ids, deleted_utc="2026-11-30T10:00:00+00:00")

    def delete_keys(self, keys: Iterable[int]) -> Future[list[str]]:
        ids = [self.rows[key].id for key in keys if self.rows[key].deleted_utc is None]
        self.delete(ids)
        return self._end(ids)

    def undelete_keys(self, keys: Iterable[int]) -> Future[list[str]]:
        ids = [self.rows[key].id for key in keys if self.rows[key].deleted_utc is not None]
        self.undelete(ids)
        return self._end(ids)

    def purge(self) -> Future[None]:
        self.rows = {key: row for key, row in self.rows.items() if row.deleted_utc is None}
        return self._end(None)

    def undelete(self, run_ids: Sequence[str]) -> Future[None]:
        return self._mark("undelete", run_ids, deleted_utc=None)

    def _mark(self, name: str, run_ids: Sequence[str], **changes: object) -> Future[None]:
        self.calls.append((name, list(run_ids)))
        for key, row in self.rows.items():
            if row.id in run_ids:
                self.rows[key] = replace(row, **changes)  # type: ignore[arg-type]
        return self._end(None)

    # -- out and in -----------------------------------------------------------------------------------------

    def export_text(
        self,
        form: ExportForm,
        keys: Iterable[int],
        words: ExportWords | None = None,
        transfer: Transfer | None = None,
    ) -> Future[str]:
        del transfer
        sources = Collected([_source(self.rows[key]) for key in keys])
        return self._end("".join(FORMS[form].parts(sources, words or ExportWords())))

    def export_file(
        self,
        form: ExportForm,
        keys: Iterable[int],
        path: Path,
        words: ExportWords | None = None,
        transfer: Transfer | None = None,
    ) -> Future[Path]:
        wanted = list(keys)
        self.calls.append(("export_file", (form, wanted, path)))
        if transfer is not None and self.moving is not None:
            return self.moving(transfer)
        sources = Collected([_source(self.rows[key]) for key in wanted])
        path.write_text("".join(FORMS[form].parts(sources, words or ExportWords())), encoding="utf-8")
        return self._end(path)

    # -- upkeep ---------------------------------------------------------------------------------------------

    def check(self) -> Future[list[Message]]:
        return self._end(list(self.faults))

    def back_up(self, folder: Path | None = None) -> Future[Path]:
        self.calls.append(("back_up", folder))
        if self.broken is not None:
            return self._end(self.broken)
        self.copied_at = NEWEST
        return self._end((folder or Path("backups")) / "history-20261129T200000Z.db")

    def newest_copy(self) -> Future[datetime | None]:
        return self._end(self.copied_at)

    def import_file(self, path: Path, transfer: Transfer | None = None) -> Future[Imported]:
        del transfer
        self.calls.append(("import_file", path))
        if path.read_text(encoding="utf-8") != "runs":
            return self._end(KnownError("import_foreign"))
        key = max(self.rows, default=0) + 1
        later = (NEWEST + timedelta(minutes=key)).isoformat()
        row = replace(runs()[0], key=key, id=f"imported-{key}", started_utc=later)
        self.rows[key] = row
        return self._end(Imported((row.id,), 3, self.deleted_before))


def _source(row: RunSummary) -> ExportRun:
    stage = story.Stage()
    requests = [
        story.request(row.id, n, story.BASE_NS + n * 5 * story.S, row.arm, 60, stage, row.id)
        for n in range(row.requests)
    ]
    requests = [replace(one, prompt_id=PROMPTS[n % 3]) for n, one in enumerate(requests)]
    return ExportRun(record_of(row), tuple(requests))


def _heading(key: int, mates: Sequence[RunSummary]) -> ExperimentSummary:
    first = min(mates, key=lambda row: row.key)
    verdict = BETTER if int(first.experiment_id[11:]) % 3 != 1 else SAME
    ratio = next((one.ratio for one in verdict.ratios if one.arm == verdict.winner), None)
    told = (first.experiment_id, first.kind, first.started_utc, first.model, first.quant)
    return ExperimentSummary(key, *told, verdict.decision, verdict.winner, ratio)


def _listable(row: RunSummary, query: HistoryQuery) -> bool:
    hidden = {"hidden": row.deleted_utc is not None, "shown": False, "only": row.deleted_utc is None}
    return not hidden[query.deleted]


def _passes(row: RunSummary, query: HistoryQuery) -> bool:
    text = searchable([row.model, row.quant, row.preset, row.arm, row.engine, row.device, row.kind, row.note])
    begun = datetime.fromisoformat(row.started_utc)
    return (
        _listable(row, query)
        and (query.since is None or begun >= query.since)
        and (query.until is None or begun < query.until)
        and not (row.starred and query.unstarred)
        and (query.outliers == "shown" or row.outlier == (query.outliers == "only"))
        and (row.starred or not query.starred)
        and all(word in text for word in words(query.text))
        and all(str(getattr(row, column)) in values for column, values in query.values.items())
    )
