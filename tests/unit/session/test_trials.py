"""What is on disk around a launch: before it, after it, and when nobody was left to tidy up."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.ladder import Footing
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.session.trials import GOOD_KEPT, Trial, Trials, is_there

CRASHED = Message.of("ended_signal", signal="SIGSEGV", line="graph_reserve")
REF = EngineRef("binary", ("/x/llama-server",), "/x/llama-server", "chosen")


class Clock:
    """Each look is a second later."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def now_ns(self) -> int:
        return 0

    def utc(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


def trial(ctx: int = 4096, engine: str = "b1", at: str = "2026-01-01T00:00:00+00:00") -> Trial:
    return Trial(Footing("/m.gguf", ServerSettings(ctx_size=ctx), "off"), engine, REF, at)


@pytest.fixture
def trials(tmp_path: Path) -> Trials:
    return Trials(tmp_path / "trials", Clock())


KILLED = """
import os, signal, sys
from pathlib import Path
from qtune.session.trials import Trials
from tests.unit.session.test_trials import Clock, trial
trials = Trials(Path(sys.argv[1]), Clock())
one = trial(int(sys.argv[3]), at=sys.argv[4])
trials.begin(one)
if sys.argv[2] != "launching":
    trials.proved(one, keep=True)
if sys.argv[2] == "over":
    trials.over()
os.kill(os.getpid(), signal.SIGKILL) if os.name == "posix" else os._exit(9)
"""


def killed(folder: Path, phase: str, ctx: int = 4096, at: str = "2026-01-01T00:00:00+00:00") -> None:
    """A process of its own that dies without a word, so far into a launch."""
    command = [sys.executable, "-c", KILLED, str(folder), phase, str(ctx), at]
    ended = subprocess.run(command, check=False, capture_output=True, cwd=Path(__file__).parents[3])
    assert ended.returncode in {-9, 9}, ended.stderr


@pytest.mark.parametrize("phase", ["launching", "running"])
def test_a_process_that_was_killed_leaves_its_note(tmp_path: Path, phase: str) -> None:
    killed(tmp_path, phase)

    trials = Trials(tmp_path, Clock())
    stale = trials.stale()
    assert stale is not None
    assert (stale.phase, stale.footing, stale.ref) == (phase, trial().footing, REF)
    assert trials.under_way() == ()
    assert Trials(tmp_path, Clock()).stale() == stale, "told until it is dismissed"
    trials.dismiss_stale()
    assert trials.stale() is None
    assert list(tmp_path.glob("trial-*")) == []


def test_an_orderly_end_leaves_nothing_even_if_the_process_dies_later(tmp_path: Path) -> None:
    killed(tmp_path, "over")

    trials = Trials(tmp_path, Clock())
    assert trials.stale() is None
    assert trials.good() == (trial(),)


def test_a_computer_that_went_down_takes_all_and_the_newest_is_told(tmp_path: Path) -> None:
    killed(tmp_path, "launching", 8192, "2026-02-02T00:00:00+00:00")
    killed(tmp_path, "running", 4096, "2026-02-01T00:00:00+00:00")

    trials = Trials(tmp_path, Clock())
    assert {(t.phase, t.footing.settings.ctx_size) for t in trials.all_stale()} == {
        ("launching", 8192),
        ("running", 4096),
    }
    stale = trials.stale()
    assert stale is not None
    assert stale.footing.settings.ctx_size == 8192


def test_what_another_process_runs_is_not_stale(trials: Trials, tmp_path: Path) -> None:
    trials.begin(trial())
    other = Trials(tmp_path / "trials", Clock())
    assert other.stale() is None
    assert [t.phase for t in other.under_way()] == ["launching"]
    other.begin(trial(8192))
    other.over()
    trials.proved(trial(), keep=False)
    assert [t.phase for t in other.under_way()] == ["running"], "each forgets only its own note"
    other.dismiss_stale()
    assert len(other.under_way()) == 1


def test_a_number_used_again_by_another_process_is_stale(trials: Trials, tmp_path: Path) -> None:
    trials.begin(trial())
    (note,) = (tmp_path / "trials").glob("trial-*")
    plain = json.loads(note.read_text())
    plain["owner_started"] -= 3600
    note.write_text(json.dumps(plain))
    assert trials.stale() is not None


def test_one_note_at_a_time_and_none_after_the_end(trials: Trials, tmp_path: Path) -> None:
    for ctx in (4096, 8192):
        trials.begin(trial(ctx))
    assert [t.footing.settings.ctx_size for t in trials.under_way()] == [8192]
    trials.over()
    trials.proved(trial(8192), keep=False)
    assert list((tmp_path / "trials").glob("trial-*")) == [], "news that comes too late writes no note"


def test_proof_promotes_and_clears_the_mark(trials: Trials) -> None:
    trials.mark_bad(trial(), CRASHED)
    assert trials.last_good() is None
    trials.begin(trial())
    assert trials.good() == (), "nothing is good before it is proved"
    trials.proved(trial(), keep=True)
    assert trials.last_good() == trial()
    assert trials.bad() == ()


def test_a_mark_holds_for_exactly_this_combination(trials: Trials) -> None:
    trials.mark_bad(trial(), CRASHED)
    marked = trials.known_bad(trial())
    assert marked is not None
    assert marked.reason == CRASHED
    assert trials.known_bad(trial(8192)) is None
    assert trials.known_bad(trial(engine="b2")) is None, "another build clears the mark"
    assert trials.bad("b2") == ()


def test_the_reason_of_an_older_version_is_told_as_it_was_written(trials: Trials, tmp_path: Path) -> None:
    trials.mark_bad(trial(), CRASHED)
    file = tmp_path / "trials" / "bad.json"
    (plain,) = json.loads(file.read_text())
    assert plain["reason"] == CRASHED.sentence(), "an older version reads this"
    del plain["why"]
    file.write_text(json.dumps([plain]))
    (bad,) = trials.bad()
    assert bad.reason is not None
    assert bad.reason.sentence() == CRASHED.sentence()
    file.write_text(json.dumps([plain | {"why": {"code": 3}}, plain | {"why": {"code": "x", "params": 7}}]))
    assert [b.reason and b.reason.code for b in trials.bad()] == ["failed_before"], "damage costs one entry"


def test_the_last_good_is_the_default_but_never_what_took_us_down(trials: Trials) -> None:
    for ctx in (1024, 2048, 4096):
        trials.begin(trial(ctx))
        trials.proved(trial(ctx), keep=True)
    assert trials.last_good() == trial(4096)
    trials.keep_default(trial(1024))
    assert trials.last_good() == trial(1024)
    assert trials.last_good(trial(1024)) == trial(4096)
    trials.mark_bad(trial(4096), CRASHED)
    assert trials.last_good(trial(1024)) == trial(2048)


def test_what_is_not_there_any_more_gives_way_to_the_next(trials: Trials, tmp_path: Path) -> None:
    for ctx in (1024, 2048):
        trials.proved(trial(ctx), keep=True)
    assert trials.last_good(usable=lambda t: t.footing.settings.ctx_size == 1024) == trial(1024)
    here = replace(trial(), ref=replace(trial().ref, path=str(tmp_path)))
    assert not is_there(here)
    assert is_there(replace(here, footing=replace(here.footing, model_path=str(tmp_path))))


def test_lists_do_not_grow_without_end(trials: Trials) -> None:
    for n in range(GOOD_KEPT + 2):
        trials.proved(trial(1024 + n), keep=True)
    assert [t.footing.settings.ctx_size for t in trials.good()] == [1030, 1029, 1028, 1027, 1026]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"ref": 1}', b"[" * 100_000, b'[{"x": 1}]']
)
def test_damaged_files_hold_nothing_and_do_no_harm(trials: Trials, tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "trials"
    folder.mkdir()
    for name in ("good.json", "bad.json", "default.json", "trial-1-x.json"):
        (folder / name).write_bytes(content)
    assert trials.stale() is None
    assert trials.last_good() is None
    assert trials.known_bad(trial()) is None
    trials.begin(trial())
    trials.proved(trial(), keep=True)
    assert trials.last_good() == trial()
    trials.mark_bad(trial(8192), CRASHED)
    assert len(trials.bad()) == 1
    trials.dismiss_stale()
    assert not (folder / "trial-1-x.json").exists()
    assert len(trials.under_way()) == 1


@pytest.mark.parametrize("pid", [-5, 0.5, 1e400, "x", None, 2**70])
def test_an_owner_that_cannot_be_is_gone(trials: Trials, tmp_path: Path, pid: object) -> None:
    trials.begin(trial())
    (note,) = (tmp_path / "trials").glob("trial-*")
    note.write_text(json.dumps({**json.loads(note.read_text()), "owner_pid": pid}))
    assert trials.stale() is not None


def test_settings_of_a_newer_version_are_not_guessed_at(trials: Trials, tmp_path: Path) -> None:
    trials.proved(trial(), keep=True)
    file = tmp_path / "trials" / "good.json"
    (entry,) = json.loads(file.read_text())
    entry["settings"]["of_tomorrow"] = 1
    file.write_text(json.dumps([entry]))
    assert trials.good() == ()


def test_marks_of_two_processes_do_not_undo_each_other(tmp_path: Path) -> None:
    both = [Trials(tmp_path, Clock()) for _ in range(2)]
    threads = [
        threading.Thread(
            target=lambda t=t, n=n: [t.mark_bad(trial(1000 * n + i), CRASHED) for i in range(300, 320)]
        )
        for n, t in enumerate(both, start=1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(both[0].bad()) == 40


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    trials = Trials(tmp_path / "file", Clock())
    with pytest.raises(KnownError) as caught:
        trials.begin(trial())
    assert caught.value.code == "folder_not_writable"
    with pytest.raises(KnownError) as caught:
        trials.keep_default(trial())
    assert caught.value.code == "folder_not_writable"
    trials.proved(trial(), keep=False)
    trials.over()


def test_a_damaged_list_is_set_aside_and_named_and_a_sound_one_stays(trials: Trials, tmp_path: Path) -> None:
    trials.proved(trial(1024), keep=True)
    folder = next(tmp_path.rglob("good.json")).parent
    (folder / "bad.json").write_bytes(b'[{"half')

    told = trials.set_aside_damaged()

    assert [message.code for message in told] == ["trials_damaged"]
    kept = next(folder.glob("bad.json.damaged-*"))
    assert kept.read_bytes() == b'[{"half'
    assert not (folder / "bad.json").exists()
    assert trials.last_good() == trial(1024)
    assert trials.set_aside_damaged() == []
