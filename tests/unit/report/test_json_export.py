"""An export read back is the same to the last bit, and a damaged one is refused whole with the place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from qtune.core.errors import BugError, KnownError
from qtune.core.messages import Message
from qtune.report.export_run import ExportRun
from qtune.report.json_export import SCHEMA, export_json, export_jsonl
from qtune.report.json_import import import_json
from tests.service.store import made
from tests.unit.report.exported import any_runs, comparison, run, with_text

FULL = [
    ExportRun(made.full_run("r1"), (made.bare_request("r1"), made.full_request("r1")), made.experiment("e1")),
    ExportRun(made.bare_run("r0", "e1"), (), made.experiment("e1")),
    ExportRun(made.bare_run("r2", "e of another file")),
]


def lines(runs: list[ExportRun]) -> str:
    return "".join(export_jsonl(runs))


@pytest.mark.parametrize("runs", [[], FULL, comparison()], ids=["none", "awkward", "measured"])
@pytest.mark.parametrize("write", [export_json, lines])
def test_records_come_back_the_same(runs: list[ExportRun], write: Any) -> None:
    text = write(runs)
    again = import_json(text)
    assert again == runs
    assert write(again) == text
    assert text.isascii()


@given(any_runs())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
def test_anything_survives_export_import_export(runs: list[ExportRun]) -> None:
    for write in (export_json, lines):
        text = write(runs)
        assert import_json(text) == runs
        assert write(import_json(text)) == text


def test_facts_and_experiments_stand_once() -> None:
    document = json.loads(export_json(comparison()))
    assert document["schema"] == SCHEMA
    assert {key: len(document[key]) for key in ("machines", "engines", "models", "experiments", "runs")} == {
        "machines": 1, "engines": 1, "models": 1, "experiments": 1, "runs": 6,
    }  # fmt: skip
    assert [json.loads(line)["kind"] for line in export_jsonl(comparison())][:6] == [
        "header", "model", "engine", "machine", "experiment", "run",
    ]  # fmt: skip


def test_contradictions_are_faults_of_ours() -> None:
    one, *_ = comparison()
    other = ExportRun(run("off", 9), (), made.experiment("e1"))
    with pytest.raises(BugError):
        export_json([one, other])
    with pytest.raises(BugError):
        export_json([ExportRun(run("off"), (), made.experiment("another"))])


def edited(path: str, value: Any) -> str:
    """The export of a comparison with one value replaced or, by ``...``, removed."""
    document = json.loads(export_json(comparison(1)))
    *steps, last = path.split("/")
    place = document
    for step in steps:
        place = (
            place[int(step)] if isinstance(place, list) else place[step if step != "?" else next(iter(place))]
        )
    if value is ...:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("runs/1/arm", 7, "runs[1].arm"),
        ("runs/1/start", "1", "runs[1].start"),
        ("runs/1/start", True, "runs[1].start"),
        ("runs/1/start", 2**63, "runs[1].start"),
        ("runs/0/load_ms", "fast", "runs[0].load_ms"),
        ("runs/0/status", "exploded", "runs[0].status"),
        ("runs/0/started_utc", "2026-11-30T07:00:00", "runs[0].started_utc"),
        ("runs/0/ended_utc", "yesterday", "runs[0].ended_utc"),
        ("runs/0/argv/1", None, "runs[0].argv[1]"),
        ("runs/0/machine", "0" * 32, "runs[0].machine"),
        ("runs/0/surprise", 1, "runs[0].surprise"),
        ("runs/1/id", "off-1", "runs[1].id"),
        ("runs/0/settings_requested/n_max", 3.5, "runs[0].settings_requested.n_max"),
        ("runs/0/failure", {"code": "{0.__class__}", "params": []}, "runs[0].failure.code"),
        ("runs/0/failure", {"code": "x", "params": [["a"]]}, "runs[0].failure.params[0]"),
        ("runs/0/requests/2/times/sent_ns", None, "runs[0].requests[2].times.sent_ns"),
        ("runs/0/requests/2/times/timings/prompt_ms", [], "runs[0].requests[2].times.timings.prompt_ms"),
        ("runs/0/requests/2/phase", "cold", "runs[0].requests[2].phase"),
        ("runs/0/requests/2/index", 1, "runs[0].requests[2].index"),
        ("runs/0/requests/2/run_id", "balanced-1", "runs[0].requests[2].run_id"),
        ("runs/0/requests", ..., "runs[0].requests"),
        ("machines/?/cores", None, "machines."),
        ("experiments/0/created_utc", "", "experiments[0].created_utc"),
        ("experiments/0/form", "long", "experiments[0].form"),
        ("runs", {}, "runs"),
        ("models", ..., "the document"),
        ("more", 1, "more"),
    ],
)
def test_a_damaged_export_is_refused_with_the_place(path: str, value: Any, place: str) -> None:
    with pytest.raises(KnownError) as caught:
        import_json(edited(path, value))
    assert caught.value.code == "import_damaged"
    params = dict(caught.value.message.params)
    assert str(params["place"]).startswith(place)
    # Who reads the file names it.
    assert "?" not in Message.of("import_damaged", **params, file="all.json").sentence()


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "import_damaged", "line 1, column 1"),
        ('{"schema":\n"qtune-export/1",\n', "import_damaged", "line 3, column 1"),
        ('{"schema": NaN}', "import_damaged", "the document"),
        ('{"schema": 1e999, "schema": 2}', "import_damaged", "the document"),
        ("[" * 100_000, "import_damaged", "line 1"),
        ("1" * 5000, "import_damaged", "the document"),
        ("[]", "import_foreign", None),
        ('{"schema": "qtune/1"}', "import_foreign", None),
        ('{"schema": "qtune-export/2"}', "import_newer", None),
        ('{"kind": "header", "schema": "qtune-export/9"}\n', "import_newer", None),
    ],
)
def test_other_files_are_refused(text: str, code: str, place: str | None) -> None:
    with pytest.raises(KnownError) as caught:
        import_json(text)
    assert caught.value.code == code
    assert dict(caught.value.message.params).get("place") == place


def test_every_half_of_a_file_is_refused() -> None:
    text = export_json(comparison(1))
    whole = list(export_jsonl(comparison(1)))
    for cut in range(1, len(text) - 2, len(text) // 60):
        with pytest.raises(KnownError):
            import_json(text[:cut])
    for count in range(1, len(whole)):
        with pytest.raises(KnownError) as caught:
            import_json("".join(whole[:count]))
        assert caught.value.code == "import_damaged"
    assert import_json("\ufeff" + "".join(whole).replace("\n", "\r\n")) == comparison(1)


def test_lines_that_are_missing_doubled_or_foreign_are_noticed() -> None:
    whole = list(export_jsonl(comparison(1)))
    last_request = len(whole) - 2
    for damaged, line in [
        (whole[:last_request] + whole[-1:], len(whole) - 1),
        (whole[:6] + whole[5:], 7),
        (whole + whole[-1:], len(whole) + 1),
        ([*whole[:3], '{"kind": "surprise"}\n', *whole[3:]], 4),
        ([*whole[:3], "\x00\n", *whole[3:]], 4),
    ]:
        with pytest.raises(KnownError) as caught:
            import_json("".join(damaged))
        assert str(dict(caught.value.message.params)["place"]).startswith(f"line {line}")


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=30, deadline=None)
def test_any_text_in_any_field_survives(text: str) -> None:
    runs = with_text(text)
    assert import_json(export_json(runs)) == runs
    assert import_json(lines(runs)) == runs
