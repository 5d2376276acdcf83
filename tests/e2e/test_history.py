"""``qtune history``, ``export`` and ``db`` on a real history: each command, its document, its exit code."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from qtune.cli.main import main
from qtune.core.messages import Message
from qtune.core.records import RunStatus
from qtune.core.verdict import Ratio, Verdict
from qtune.host.logging_setup import release_logging
from qtune.store.history import open_history
from tests.service.store.made import experiment, full_request, full_run
from tests.unit.core.by_hand import drafts, request

OFF, FAST, BROKEN = "aa0ff", "aafa57", "bb0"
VERDICT = Verdict(
    "better",
    Message.of("verdict_indication", arm="balanced", ratio="1.40", n=2),
    "balanced",
    (Ratio("balanced", 1.4, 1.3, 1.5, "better"),),
)


@dataclass(frozen=True)
class Terminal:
    """Runs commands in this process on the home of the test."""

    capture: pytest.CaptureFixture[str]

    def run(self, *words: str) -> tuple[int, str, str]:
        try:
            code = main(list(words))
        finally:
            release_logging()
        out, err = self.capture.readouterr()
        return code, out, err

    def out(self, *words: str) -> str:
        code, out, err = self.run(*words)
        assert (code, err) == (0, ""), (words, out, err)
        return out

    def document(self, *words: str) -> Any:
        told = json.loads(self.out(*words, "--json"))
        assert (told["schema"], told["ok"], told["error"]) == ("qtune/1", True, None)
        assert " ".join(words).startswith(told["command"])
        return told["result"]

    def error(self, *words: str) -> str:
        code, out, err = self.run(*words)
        assert (code, out) == (1, ""), (words, out, err)
        return err

    def ids(self, *filters: str) -> list[str]:
        return [run["id"] for run in self.document("history", "list", *filters)["runs"]]


def fill(home: Path) -> None:
    """A history of three runs: off and balanced of one comparison, and one that failed later."""
    (home / "data").mkdir(parents=True)
    with open_history(home / "data" / "qtune.db", home / "data" / "backups") as history:
        writer = history.writer
        writer.add_experiment(experiment("e1"))
        writer.add_experiment(replace(experiment("e2"), kind="fill"))
        begun = replace(full_run(), status=RunStatus.DONE, failure=None, argv=("llama", "--port", "1"))
        off = replace(begun, id=OFF, arm="off", preset="off", mtp_active=None)
        off = replace(off, settings_requested=off.settings_requested.with_values({"mtp": False}))
        writer.add_run(off)
        writer.add_run(replace(begun, id=FAST, mtp_active=True, started_utc="2026-11-30T07:01:00Z"))
        writer.add_run(replace(full_run(BROKEN, "e2"), started_utc="2026-12-01T12:00:00Z"))
        for index in (0, 1):
            writer.add_request(request(50.0, run_id=OFF, index=index))
            drafted = {"timings": {"draft_n": 80, "draft_n_accepted": 60}, "drafts": drafts(20, 20, 10)}
            writer.add_request(request(70.0, run_id=FAST, index=index, **drafted))
        writer.add_request(full_request(BROKEN))
        writer.save_verdict("e1", VERDICT)
        writer.flush().result(120)


@pytest.fixture
def terminal(qtune_home: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Terminal]:
    fill(qtune_home)
    yield Terminal(capsys)
    release_logging()


def test_list_filters_and_sorts(terminal: Terminal) -> None:
    assert terminal.ids() == [BROKEN, FAST, OFF]
    assert terminal.ids("--ascending", "--limit", "2") == [OFF, FAST]
    assert terminal.ids("--sort", "decode_tok_s") == [FAST, OFF, BROKEN]
    assert terminal.ids("--model", "qwen3.6", "--kind", "fill") == [BROKEN]
    assert terminal.ids("--quant", "q4", "--status", "done", "--text", "balanced") == [FAST]
    assert terminal.ids("--decision", "none") == [BROKEN]
    assert terminal.ids("--decision", "better", "--preset", "off") == [OFF]
    assert terminal.ids("--until", "2026-11-30T07:00:30Z") == [OFF]
    assert terminal.ids("--since", "2026-12-01T00:00Z") == [BROKEN]
    assert terminal.ids("--model", "nothing of the kind") == []
    found = terminal.document("history", "list", "--limit", "1")
    assert (found["found"], found["counts"]["runs"]) == (3, 3)
    assert "1 of 3 runs" in terminal.out("history", "list", "--limit", "1")
    assert terminal.run("history", "list", "--since", "soon")[0] == 2


def test_a_run_an_experiment_or_two_runs_are_shown(terminal: Terminal) -> None:
    found = terminal.document("history", "show", FAST[:3])
    (run,) = found["runs"]
    assert (run["id"], run["figures"]["decode_tok_s"]["median"]) == (FAST, pytest.approx(70, rel=1e-3))
    assert (found["verdict"]["decision"], found["experiment"]["id"]) == ("better", "e1")
    assert [r["index"] for r in run["requests"]] == [0, 1]
    assert [r["id"] for r in terminal.document("history", "show", "e1")["runs"]] == [OFF, FAST]
    assert [r["id"] for r in terminal.document("history", "show")["runs"]] == [BROKEN]
    compared = terminal.document("history", "compare", "e1")
    assert compared["settings"] == [{"setting": "mtp", "values": [False, True]}]
    assert compared["unfair"] == []
    other = terminal.document("history", "compare", FAST, BROKEN, OFF)
    assert [run["id"] for run in other["runs"]] == [FAST, BROKEN, OFF]
    assert "Indication: balanced decodes +40 % against off" in terminal.out("history", "show", FAST)
    off, fast = compared["sides"]
    assert (off["name"], off["runs"], off["against_first"]) == ("e1/off", [OFF], {})
    assert fast["decode_tok_s"]["kind"] == "range"  # one start each: no interval can be told
    assert fast["against_first"]["decode_tok_s"]["ratio"] == pytest.approx(1.4, rel=1e-3)
    assert (fast["decision"], fast["joule_per_token"]) == ("too_few", None)
    told = terminal.out("history", "compare", OFF, FAST)
    assert "1.40 │" in told  # without an interval there are no ends to it
    assert "No interval: it takes 6 medians" in told
    assert "1 text, 1 start" in told


def test_what_an_update_did_to_the_speed_is_told(terminal: Terminal, qtune_home: Path) -> None:
    assert terminal.document("history", "changes") == {"changes": []}
    with open_history(qtune_home / "data" / "qtune.db", qtune_home / "data" / "backups") as history:
        settings = full_run().settings_requested.with_values({"n_max": 6})
        done = replace(full_run(), status=RunStatus.DONE, failure=None, settings_requested=settings)
        newer = replace(done.engine, version="12000 (new)", build=12000)
        for number in range(8):
            engine = newer if number > 3 else done.engine
            experiment_id = f"later{number // 2}"
            if number % 2 == 0:
                history.writer.add_experiment(experiment(experiment_id))
            run = replace(done, id=f"c{number}", experiment_id=experiment_id, engine=engine)
            history.writer.add_run(run)
            rate = (46.0 if number > 3 else 50.0) + number % 2
            history.writer.add_request(request(rate, run_id=run.id, index=0))
        history.writer.flush().result(120)
    (change,) = terminal.document("history", "changes")["changes"]
    assert (change["subject"], change["direction"]) == ("engine", "slower")
    assert (change["runs_before"], change["runs_after"]) == (4, 4)
    assert change["low"] < change["ratio"] < change["high"] < 1
    assert "b12000 is 8 % slower than b11434" in terminal.out("history", "changes")


def test_old_runs_go_by_choice_only_and_how_many_is_told_before(terminal: Terminal) -> None:
    terminal.out("history", "star", OFF)
    words = ("history", "delete", "--before", "2026-11-30T12:00Z", "--keep-starred")
    assert terminal.document(*words, "--dry-run")["would"] == 1
    assert terminal.ids() == [BROKEN, FAST, OFF]
    assert terminal.document(*words)["runs"] == [FAST]
    assert terminal.document("history", "purge", "--dry-run") == {"removed": 0, "would": 1}
    terminal.out("history", "undelete", FAST)
    assert terminal.ids("--engine", "11434", "--outliers", "hidden") == [BROKEN, FAST, OFF]
    assert terminal.ids("--outliers", "only") == []
    assert terminal.run("history", "delete")[0] == 2
    assert terminal.run("history", "delete", FAST, "--before", "2026-11-30")[0] == 2


def test_an_id_that_says_too_little_or_nothing_is_explained(terminal: Terminal) -> None:
    assert terminal.error("history", "show", "aa") == (
        f"Several ids begin with aa: {OFF}, {FAST}. Give more of the id.\n"
    )
    for word in ("zz", ""):
        assert "has an id that begins with" in terminal.error("history", "show", word)
    assert "needs two runs" in terminal.error("history", "compare", FAST)
    code, out, _ = terminal.run("history", "star", "zz", "--json")
    told = json.loads(out)
    assert (code, told["ok"], told["error"]["code"]) == (1, False, "history_id_unknown")


def test_marks_notes_and_deletion_with_a_way_back(terminal: Terminal) -> None:
    assert terminal.document("history", "star", FAST[:3], "last")["runs"] == [FAST, BROKEN]
    assert terminal.ids("--starred") == [BROKEN, FAST]
    terminal.out("history", "star", "last", "--off")
    assert terminal.ids("--starred") == [FAST]
    terminal.out("history", "outlier", OFF)
    terminal.out("history", "note", OFF, "the [bold]fan[/] was loud")
    shown = terminal.out("history", "show", OFF)
    assert "outlier" in shown
    assert "Note        the [bold]fan[/] was loud" in shown

    assert terminal.document("history", "delete", "e1")["runs"] == [OFF, FAST]
    assert terminal.ids() == [BROKEN]
    assert terminal.ids("--deleted") == [FAST, OFF]
    assert "all of them were deleted" in terminal.error("history", "delete", "e1")
    assert "deleted" in terminal.out("history", "show", FAST)
    terminal.out("history", "undelete", FAST)
    assert terminal.ids() == [BROKEN, FAST]
    assert terminal.run("history", "purge")[0] == 2  # nobody is there to be asked
    assert terminal.document("history", "purge", "--yes") == {"removed": 1}
    assert "begins with" in terminal.error("history", "undelete", OFF)
    assert terminal.document("history", "purge", "--yes") == {"removed": 0}


def test_an_export_comes_back_without_loss(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, again = tmp_path / "all.json", tmp_path / "again.json"
    assert terminal.out("history", "export", "json", "-o", str(file)).startswith(
        f"Wrote {file} (json, runs: 3)"
    )
    assert terminal.document("history", "export", "json", "-o", str(file))["replaced"] is True
    assert terminal.document("history", "import", str(file)) == {
        "path": str(file),
        "added": 0,
        "known": 3,
        "deleted": [],
    }

    monkeypatch.setenv("QTUNE_HOME", str(tmp_path / "other"))
    assert terminal.ids() == []
    assert terminal.out("history", "import", str(file)) == "Taken in: 3 runs. Here before: 0 runs.\n"
    terminal.out("history", "export", "json", "-o", str(again))
    assert again.read_bytes() == file.read_bytes()
    assert terminal.out("history", "export", "json") == file.read_text(encoding="utf-8")

    half = tmp_path / "half.json"
    half.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert "the fault is at line " in terminal.error("history", "import", str(half))
    assert "cannot be read" in terminal.error("history", "import", str(tmp_path / "none.json"))
    assert terminal.document("history", "list")["found"] == 3


def test_the_short_export_takes_the_newest_experiment_and_launches_its_winner(
    terminal: Terminal, tmp_path: Path
) -> None:
    script = terminal.out("export", "sh")
    assert script.startswith("#!/bin/sh\n")
    assert "balanced" in script
    file = tmp_path / "start.sh"
    terminal.out("export", "sh", "-o", str(file))
    assert file.read_text(encoding="utf-8") == script
    assert os.name == "nt" or os.access(file, os.X_OK)
    assert terminal.document("export", "sh", FAST)["text"] == script
    assert len(terminal.out("export", "csv", "e1").splitlines()) == 3
    assert terminal.out("export", "sh", "e1") == script
    assert ", off, " in terminal.out("export", "sh", "e1", "--arm", "off")
    assert "its arms: off, balanced." in terminal.error("export", "sh", "--arm", "fast")
    assert len(terminal.out("export", "csv").splitlines()) == 3
    assert "2 were chosen" in terminal.error("history", "export", "sh", "e1")
    assert terminal.out("export", "sh", "-o", "-") == script
    assert ";" in terminal.out("export", "csv-spreadsheet", "--locale", "de_DE").splitlines()[0]
    assert "could not be written" in terminal.error("export", "csv", "-o", str(tmp_path / "no" / "x.csv"))
    assert len(terminal.out("history", "export", "csv", "--status", "failed").splitlines()) == 2
    assert terminal.run("history", "export", "csv", FAST, "--starred")[0] == 2
    assert terminal.run("export", "tarot")[0] == 2
    assert terminal.run("export", "csv-spreadsheet", "--locale", "german")[0] == 2
    terminal.out("history", "delete", "e1")
    assert terminal.error("export", "sh").startswith("The history has no run for this")


def test_results_of_llama_bench_come_in_and_a_pdf_needs_a_file(terminal: Terminal, tmp_path: Path) -> None:
    bench = tmp_path / "bench.jsonl"
    rows = json.loads(terminal.out("history", "export", "llama-bench-json", "e1"))
    bench.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert terminal.document("history", "import", str(bench)) == {
        "path": str(bench),
        "added": 4,
        "known": 0,
        "deleted": [],
    }
    assert len(terminal.ids("--kind", "llama-bench")) == 4
    assert terminal.out("history", "import", str(bench)) == "Taken in: 0 runs. Here before: 4 runs.\n"
    bench.write_text(bench.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert "the fault is at line 4" in terminal.error("history", "import", str(bench))
    assert "-o" in terminal.error("export", "pdf")


def test_a_reader_that_goes_away_is_no_fault(terminal: Terminal) -> None:
    del terminal
    words = [sys.executable, "-m", "qtune", "history", "export", "jsonl"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as export:
        assert export.stdout is not None
        export.stdout.close()
        assert (export.wait(120), export.stderr.read() if export.stderr else None) == (0, b"")


def test_a_copy_is_whole_and_damage_is_told_and_not_mended(terminal: Terminal, qtune_home: Path) -> None:
    database = qtune_home / "data" / "qtune.db"
    assert terminal.document("db", "check") == {"path": str(database), "problems": []}
    copy = Path(terminal.document("db", "backup")["path"])
    assert copy.parent == qtune_home / "data" / "backups"
    elsewhere = Path(terminal.document("db", "backup", str(qtune_home / "mine"))["path"])
    with closing(sqlite3.connect(elsewhere)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (3,)

    with database.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 8192)
    before = database.read_bytes()
    code, out, err = terminal.run("db", "check")
    assert (code, err) == (1, f"The history has faults: {out.count('is damaged')}.\n")
    assert "Restore a copy" in out
    code, out, _ = terminal.run("db", "check", "--json")
    assert (code, json.loads(out)["result"]["problems"][0]["code"]) == (1, "history_check_damage")
    assert "could be written" in terminal.error("db", "backup")
    assert database.read_bytes() == before


def test_there_is_nothing_to_check_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = Terminal(capsys).run("db", "check", "--base-dir", str(tmp_path / "new"))
    assert (code, out) == (1, "")
    assert err.startswith("There is no history at ")
    assert not (tmp_path / "new").exists()


def test_a_process_writes_exports_byte_for_byte(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    terminal.out("history", "export", "csv-spreadsheet", "--locale", "zh_CN", "-o", str(file))
    words = ["-m", "qtune", "history", "export", "csv-spreadsheet", "--locale", "zh_CN"]
    strict = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, *words], capture_output=True, timeout=120, check=False, env=strict)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", file.read_bytes())
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_person_is_asked_before_runs_are_gone_for_good(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.out("history", "delete", "e1")
    for answer, code, left in (("n\n", 130, 2), ("", 130, 2), ("y\n", 0, 0)):
        keyboard = io.StringIO(answer)
        monkeypatch.setattr(keyboard, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", keyboard)
        found, _, err = terminal.run("history", "purge")
        assert (found, "Remove 2 runs for good?" in err) == (code, True)
        assert len(terminal.ids("--deleted")) == left


def test_an_export_does_not_steer_the_terminal_it_is_shown_on(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _self: True)
    code, out, _ = terminal.run("export", "csv-requests", BROKEN)
    assert code == 0
    assert "\\u2028" in out
    assert not set(out) & set("\x00\x0b\x85\r\u2028\u2029")
    assert terminal.run("export", "bat")[1].endswith("\n")
