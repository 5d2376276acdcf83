"""The terminal end to end: real processes, the bundled llama.cpp engine, the sample model, a real history."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from qtune.core.records import RunStatus
from qtune.store.history import open_history
from tests.fake_llama.make import make_fake_binary, make_fake_model
from tests.patience import until

DEADLINE_S = 120.0
ONE_THREAD = ("--set", "threads=1")
"""llama.cpp's threads wait for each other by spinning: on busy cores two of them can be slower than one."""


def qtune(*words: str, base: Path) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "qtune", *words, "--base-dir", str(base)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S * 2,
        check=False,
    )


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON document on stdout."""
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["schema"] == "qtune/1"
    return told


def engines_of(base: Path) -> list[psutil.Process]:
    """Engine processes that run the sample of this home."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(str(base) in word for word in words) and "--model" in words:
            found.append(process)
    return found


@pytest.mark.engine
def test_doctor_names_the_bundled_engine_and_the_missing_card(home: Path) -> None:
    told = document(qtune("doctor", "--json", base=home))

    bundled = [e for e in told["result"]["engines"] if e["kind"] == "bundled"]
    assert told["ok"] is True
    assert len(bundled) == 1
    assert bundled[0]["mtp"] is True
    assert "draft-mtp" in bundled[0]["spec_types"]
    assert bundled[0]["build"] > 9246
    if not told["result"]["gpus"]:
        assert told["result"]["gpu_note"].startswith(("No graphics card found", "No NVIDIA GPU found"))


@pytest.mark.engine
def test_off_and_balanced_on_the_real_engine(home: Path) -> None:
    done = qtune(
        "measure", "--sample", "--preset", "off", "--preset", "balanced", "--runs", "2",
        "--max-tokens", "64", *ONE_THREAD, "--json", base=home,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    result = document(done)["result"]
    off, balanced = result["arms"]
    assert off["acceptance"] is None
    assert off["notes"]["acceptance"] == "MTP was off"
    assert off["mtp_active"] is None
    assert balanced["mtp_active"] is True
    assert balanced["settings_verified"] is True
    assert 0.3 < balanced["acceptance"]["rate"] < 1
    assert len(balanced["acceptance"]["by_position"]) == 4
    assert balanced["acceptance"]["mean_len"] > 1.5
    for arm in (off, balanced):
        assert arm["decode_tok_s"]["n"] == 2
        assert arm["ttft_ms"]["median"] > 0
        assert arm["client_decode_tok_s"]["median"] == pytest.approx(arm["decode_tok_s"]["median"], rel=0.05)
        assert "--api-key" not in arm["argv"]
    assert {r["timings"]["cache_n"] for r in result["requests"]} == {0}
    assert result["verdict"]["decision"] == "too_few"
    assert engines_of(home) == []
    with open_history(home / "data" / "qtune.db", home / "data" / "backups") as history:
        runs = history.reader.runs()
        assert [run.status for run in runs] == [RunStatus.DONE] * 2
        stored = sum(len(history.reader.requests(run.id)) for run in runs)
        assert stored == len(result["requests"])


@pytest.mark.engine
def test_a_context_is_filled_on_the_real_engine(home: Path) -> None:
    done = qtune("fill", "--sample", "--ctx", "1024", "--max-tokens", "32", *ONE_THREAD, "--json", base=home)

    assert done.returncode == 0, done.stderr
    result = document(done)["result"]
    fill = result["fill"]
    assert (fill["preset"], fill["asked_ctx"], fill["largest_safe_ctx"]) == ("balanced", 1024, 1024)
    assert [point["share"] for point in fill["points"]] == [0.5, 0.75, 0.92]
    for point in fill["points"]:
        assert point["ok"] is True
        assert point["filled"] == pytest.approx(point["depth"], rel=0.05)
        assert point["answered_tokens"] == 32
        assert point["peak_bytes"] > 100 * 1024**2
    if fill["memory"] == "ram":
        assert fill["margin_bytes"] is None
    assert [request["phase"] for request in result["requests"]] == ["counted"] * 3
    assert result["arms"][0]["mtp_active"] is True


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_in_mid_measurement_leaves_no_engine_and_keeps_what_was_measured(home: Path) -> None:
    app = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "qtune",
            "measure",
            "--sample",
            "--runs",
            "50",
            "--max-tokens",
            "32",
            *ONE_THREAD,
            "--base-dir",
            str(home),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    database = home / "data" / "qtune.db"

    def stored() -> int:
        if not database.exists():
            return 0
        with open_history(database, home / "data" / "backups") as history:
            return sum(len(history.reader.requests(run.id)) for run in history.reader.runs())

    try:
        until(lambda: stored() >= 3)
    finally:
        os.kill(app.pid, signal.SIGKILL)
        app.wait()
    before = stored()
    until(lambda: engines_of(home) == [])

    told = document(qtune("doctor", "--json", base=home))

    assert told["ok"] is True
    with open_history(database, home / "data" / "backups") as history:
        (run,) = history.reader.runs()
        assert run.status is RunStatus.INTERRUPTED
        assert len(history.reader.requests(run.id)) >= max(3, before)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to one process")
def test_ctrl_c_cancels_and_keeps_what_is_measured(tmp_path: Path) -> None:
    engine = make_fake_binary(tmp_path, itl_ms=20, tokens=60)
    model = make_fake_model(tmp_path)
    base = tmp_path / "home"
    app = subprocess.Popen(
        [
            sys.executable, "-m", "qtune", "measure", "--model", str(model), "--engine", str(engine),
            "--runs", "50", "--base-dir", str(base), "--json",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    database = base / "data" / "qtune.db"

    def measured() -> bool:
        if not database.exists():
            return False
        with open_history(database, base / "data" / "backups") as history:
            return any(history.reader.requests(run.id) for run in history.reader.runs())

    until(measured)
    app.send_signal(signal.SIGINT)
    stdout, stderr = app.communicate(timeout=DEADLINE_S)

    assert app.returncode == 130, stderr
    told = json.loads(stdout)
    assert told["error"]["code"] == "measure_cancelled"
    assert told["result"]["cancelled"] is True
    assert told["result"]["runs"][0]["status"] == "cancelled"
    assert told["result"]["requests"]


@pytest.mark.parametrize(
    ("switches", "code"),
    [
        ({"oom_at_load": True}, "ended_out_of_memory"),
        ({"crash_at_load": "SIGSEGV"}, "ended_signal"),
        ({"version_garbage": True}, "engine_foreign"),
        ({"http_error": 500, "after_requests": 1}, "request_refused"),
        ({"close_after_tokens": 20, "after_requests": 1}, "connection_lost"),
        ({"oom_after_tokens": 20, "after_requests": 1}, "ended_out_of_memory"),
    ],
)
def test_a_bad_engine_is_one_sentence_and_the_run_stays_visible(
    tmp_path: Path, switches: dict[str, Any], code: str
) -> None:
    engine = make_fake_binary(tmp_path, **switches)
    model = make_fake_model(tmp_path)
    base = tmp_path / "home"

    done = qtune("measure", "--model", str(model), "--engine", str(engine), "--json", base=base)

    told = document(done)
    assert done.returncode == 1
    assert told["error"]["code"].startswith(code)
    assert "Traceback" not in done.stderr
    assert "\n" not in told["error"]["message"]
    if code != "engine_foreign":
        with open_history(base / "data" / "qtune.db", base / "data" / "backups") as history:
            (run,) = history.reader.runs()
            assert run.status is RunStatus.FAILED
            assert run.failure is not None
            assert run.failure.code == told["error"]["code"]


def test_bad_files_are_one_sentence(tmp_path: Path) -> None:
    engine = make_fake_binary(tmp_path)
    (tmp_path / "notes.gguf").write_text("not a model at all", encoding="utf-8")
    (tmp_path / "cut.gguf").write_bytes(make_fake_model(tmp_path).read_bytes()[:40])
    cases = {
        "gone.gguf": "model_missing",
        "notes.gguf": "model_not_gguf",
        "cut.gguf": "model_truncated",
        ".": "model_is_folder",
    }

    for name, code in cases.items():
        done = qtune(
            "measure", "--model", str(tmp_path / name), "--engine", str(engine), "--json", base=tmp_path / "h"
        )
        assert done.returncode == 1
        assert document(done)["error"]["code"] == code


def test_a_history_of_another_program_is_said_before_anything_is_launched(tmp_path: Path) -> None:
    base = tmp_path / "home"
    (base / "data").mkdir(parents=True)
    with closing(sqlite3.connect(base / "data" / "qtune.db")) as theirs:
        theirs.execute("create table letters (body text)")

    done = qtune("measure", "--sample", "--json", base=base)

    assert done.returncode == 1
    assert document(done)["error"]["code"] == "history_foreign"
    assert not (base / "cache" / "sample").exists() or not any((base / "cache" / "sample").iterdir())


def test_usage_errors_are_exit_2(tmp_path: Path) -> None:
    assert qtune("measure", base=tmp_path).returncode == 2
    assert qtune("no-such-command", base=tmp_path).returncode == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a display")
def test_without_a_display_the_window_says_so(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}}

    done = subprocess.run(
        [sys.executable, "-m", "qtune", "--base-dir", str(tmp_path)],
        capture_output=True, text=True, env=env, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr.startswith("There is no display")
