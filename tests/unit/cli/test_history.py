"""What the terminal says of the history: no text steers it, what is missing stays empty, dates are read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
import typer
from rich.console import Console, RenderableType

from qtune.cli import comparison_tables, history_document, history_tables
from qtune.cli.history_choice import Filters, Verdict, moment
from qtune.core.history_query import HistoryCounts, HistoryQuery, RunSummary
from qtune.core.machine_facts import TelemetrySample
from qtune.core.messages import Message
from qtune.core.records import RunRecord, RunStatus
from qtune.core.settings import ServerSettings
from qtune.core.verdict import Verdict as Answer
from qtune.report.export_run import ExportRun
from qtune.session.run_comparison import RunComparison, compare_runs
from qtune.store.reader import Reader
from tests.service.store.made import bare_run, experiment, full_request, full_run
from tests.unit.core.by_hand import drafts, request

HOSTILE = "[red]evil\x1b[2J\u202e\r\n[/]"


def summary(run: RunRecord, **more: Any) -> RunSummary:
    values: dict[str, Any] = dict.fromkeys(RunSummary.__dataclass_fields__) | {
        "key": 7,
        "id": run.id,
        "experiment_id": run.experiment_id,
        "kind": "compare",
        "arm": run.arm,
        "preset": run.preset,
        "start": run.start,
        "status": run.status,
        "started_utc": run.started_utc,
        "model": run.model.name,
        "quant": run.model.quant,
        "engine": run.engine.version,
        "device": "",
        "requests": 0,
        "requests_ok": 0,
        "requests_counted": 0,
        "starred": False,
        "outlier": False,
        "note": "",
        "figures_known": True,
    }
    return RunSummary(**values | more)


def told(run: RunRecord, *requests: Any, **more: Any) -> history_document.Told:
    return summary(run, **more), ExportRun(run, tuple(requests), experiment())


class NoTelemetry:
    """A history in which no run has readings."""

    def telemetry(self, _run_id: str) -> list[TelemetrySample]:
        return []


def beside(*runs: history_document.Told) -> RunComparison:
    return compare_runs(cast("Reader", NoTelemetry()), [source for _, source in runs])


def shown(parts: Sequence[RenderableType]) -> str:
    out = io.StringIO()
    console = Console(file=out, width=170, highlight=False)
    for part in parts:
        console.print(part)
    return out.getvalue()


def hostile(run: RunRecord) -> RunRecord:
    model = replace(run.model, name=HOSTILE, quant=HOSTILE, path=HOSTILE)
    engine = replace(run.engine, version=HOSTILE)
    return replace(run, arm=HOSTILE, preset=HOSTILE, model=model, engine=engine, notes=(Message.of(HOSTILE),))


def test_text_of_others_neither_steers_the_terminal_nor_is_markup() -> None:
    bad = replace(full_request(), prompt_id=HOSTILE)
    run = told(hostile(full_run()), bad, note=HOSTILE, kind=HOSTILE, device=HOSTILE)
    other = told(hostile(bare_run()))
    answer = Answer("better", Message.of(HOSTILE), reasons=(Message.of(HOSTILE),))
    for parts in (
        history_tables.list_parts([run[0]], 1),
        history_tables.show_parts([run], answer, experiment=False),
        history_tables.show_parts([run, other], answer, experiment=True),
        comparison_tables.comparison_parts(beside(run, other)),
    ):
        text = shown(parts)
        assert not set(text) & set("\x1b\r\u202e"), text
        assert "[red]" in text


def test_settings_of_an_experiment_are_those_of_its_arms() -> None:
    wide = ServerSettings().with_values({"ctx_size": 16384})
    off = replace(full_run("o"), arm="off", settings_requested=wide)
    fast = replace(full_run("f"), arm="fast", settings_requested=wide.with_values({"mtp": True, "n_max": 6}))
    text = shown(history_tables.show_parts([told(off), told(fast)], None, experiment=True))
    assert "Settings    ctx_size=16384 in all arms" in text
    assert re.search(r"n_max +│ – +│ 6 ", text)
    assert re.search(r"mtp +│ off +│ on ", text)


def test_a_list_says_how_many_there_are_and_leaves_unknown_figures_empty() -> None:
    row = summary(full_run(), starred=True, deleted_utc="2026-11-30T08:00:00Z", decision="no_difference")
    text = shown(history_tables.list_parts([row], 120))
    assert "1 of 120 runs; --limit shows more" in text
    assert "failed, star, deleted" in text
    assert "no difference" in text
    narrow = io.StringIO()
    Console(file=narrow, width=80).print(history_tables.runs_table([replace(row, id="0123456789abcdef")]))
    assert "01234567 2026-11-30 " in narrow.getvalue()  # to be copied, so in one piece
    assert "delete" in narrow.getvalue()
    assert " – " in text
    assert "None" not in text
    assert shown(history_tables.list_parts([], 0)) == "No run matches.\n"
    assert "1 run\n" in shown(history_tables.list_parts([row], 1))


def test_a_run_is_shown_with_settings_that_are_not_usual_and_why_a_request_does_not_count() -> None:
    good = request(drafts=drafts(20, 20, 20, 10, 10), timings={"draft_n": 80, "draft_n_accepted": 60})
    text = shown(history_tables.show_parts([told(full_run(), good, full_request())], None, experiment=False))
    (settings,) = [line for line in text.splitlines() if line.startswith("Settings")]
    assert "ctx_size=32768" in settings
    assert "mtp=on" in settings
    assert "batch_size" not in settings
    assert "75.0%" in text
    assert "cancelled" in text
    assert "engine died" in text
    bare = shown(history_tables.show_parts([told(bare_run())], None, experiment=False))
    assert "all at their defaults" in bare
    assert "No request was sent." in bare
    assert "No request counts." in bare


def test_figures_stand_side_by_side_with_their_ratio_to_the_first() -> None:
    slow, fast = told(bare_run("a"), request(50.0)), told(full_run("b"), request(75.0))
    text = shown(comparison_tables.comparison_parts(beside(slow, fast)))
    rate, ratio = text.splitlines()[3:5]
    assert "50.0 [50.0..50.0]" in rate
    assert "75.0 [75.0..75.0]" in rate
    assert "1.50 │" in ratio  # two equal ends would read as certain
    assert "No interval: it takes 6 medians" in text
    assert text.count("1 text, 1 start") == 2
    assert text.count("Not a fair comparison") == 3  # engine, card and model; the prompts are the same
    assert "balanced Qwen3.6 27B 通义 Q4_K_M b" in text  # what is not the same has its place in the name
    assert "quantisation" in text
    same = shown(comparison_tables.comparison_parts(beside(slow, told(bare_run("c"), request(60.0)))))
    assert "The settings are the same." in same
    assert "Not a fair" not in same


def test_every_document_is_plain_json_and_holds_no_key_of_the_file() -> None:
    run, bare = told(full_run(), request(), full_request()), told(bare_run())
    counts = HistoryCounts(2, 1, 2, 1, 0, 0, 0)
    failed = summary(full_run(), failure=Message.of("engine_died", code=-9), status=RunStatus.FAILED)
    for found in (
        history_document.list_json([failed, run[0]], 2, counts),
        history_document.show_json([run, bare], None),
        history_document.compare_json([run, bare], beside(run, bare)),
    ):
        again = json.loads(json.dumps(found, allow_nan=False))
        assert "key" not in again["runs"][0]
    first = history_document.list_json([failed], 1, counts)["runs"][0]
    assert (first["status"], first["failure"]["code"]) == ("failed", "engine_died")
    compared = history_document.compare_json([run, bare], beside(run, bare))
    assert {"setting": "mtp", "values": [True, False]} in compared["settings"]
    assert [one["code"] for one in compared["unfair"]] == ["unfair_engine", "unfair_card", "unfair_model"]


def test_a_day_is_whole_and_a_time_without_zone_is_local() -> None:
    noon = datetime(2026, 11, 30, 12).astimezone()
    assert moment("2026-11-30T12:00") == noon
    assert moment("2026-11-30 12:00", whole_day=True) == noon
    assert moment("2026-11-30T12:00Z") == datetime(2026, 11, 30, 12, tzinfo=UTC)
    day = moment("2026-11-30")
    assert (day.hour, day.tzinfo is None) == (0, False)
    assert moment("2026-11-30", whole_day=True) - day == timedelta(days=1)
    for bad in ("yesterday", "2026-13-01", "", "30.11.2026"):
        with pytest.raises(typer.BadParameter):
            moment(bad)
    with pytest.raises(typer.BadParameter):
        moment("9999-12-31", whole_day=True)


def test_no_filter_is_the_usual_query_and_none_means_without_a_verdict() -> None:
    assert Filters().query() == HistoryQuery()
    found = Filters(decisions=[Verdict.NONE, Verdict.TOO_FEW], statuses=[RunStatus.DONE]).query()
    assert found.decisions == ("", "too_few")
    assert found.statuses == (RunStatus.DONE,)
