"""Jobs from request to verdict on a real desk; only the llama-server is a false one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import Event, Progress, RequestFinished, RunStarted
from qtune.core.records import RunStatus
from qtune.core.settings import ServerSettings
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.findings import JobResult
from qtune.session.jobs import JobRequest

LIMIT_S = 150
SMALL = ServerSettings(ctx_size=4096)
PACE: dict[str, Any] = {"load_s": 0.0, "ttft_ms": 5, "itl_ms": 3, "tokens": 48}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = open_desk(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def ask(fake_llama: Callable[..., EngineRef], fake_model: Path) -> Callable[..., JobRequest]:
    """Makes a request for a false llama-server with switches."""

    def make(kind: Any, switches: dict[str, Any] | None = None, **more: Any) -> JobRequest:
        engine = fake_llama(**{**PACE, **(switches or {})})
        base = {"base": SMALL, "max_tokens": 48, "prompts": ("sample", "sample_two", "sample_three")}
        return JobRequest(kind, engine, str(fake_model), **{**base, **more})

    return make


def run(desk: Desk, request: JobRequest) -> JobResult:
    return desk.run_job(request).result(LIMIT_S)


def test_drafting_that_pays_is_found_and_proved(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("compare", presets=("balanced",)))

    verdict = found.result.verdict
    assert verdict.decision == "better", verdict.sentence.sentence()
    assert verdict.winner == "balanced"
    (ratio,) = verdict.ratios
    assert ratio.low is not None
    assert ratio.low > 1.03
    starts = [(r.run.arm, r.run.start) for r in found.result.arms]
    assert {starts[0][0], starts[1][0]} == {"off", "balanced"}
    assert [arm for arm, _ in starts[2:4]] == [arm for arm, _ in starts[1::-1]], "A B B A"
    balanced = next(a for a in found.findings.arms if a.arm == "balanced")
    assert balanced.mtp_active is True
    assert balanced.drift is not None
    assert balanced.drift.differences == ()


def test_arms_see_the_same_prompts_and_no_prompt_twice(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("compare", presets=("balanced",)))

    def lines(arm: str) -> list[tuple[int, str, str]]:
        return sorted(
            (r.run.start, q.prompt_id, q.nonce)
            for r in found.result.arms
            if r.run.arm == arm
            for q in r.requests
            if q.phase == "counted"
        )

    assert lines("off") == lines("balanced")
    assert len(set(lines("off"))) == len(lines("off"))


def test_off_against_itself_is_no_difference(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("selftest", {"itl_ms": 6}))

    assert found.result.verdict.decision == "no_difference", found.result.verdict.sentence.sentence()


def test_mtp_that_never_ran_is_not_compared(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("compare", {"spec_fails_silently": True}, presets=("balanced",), form="quick"))

    assert found.result.verdict.decision == "mtp_not_active"
    assert any(n.code == "mtp_not_speculating" for r in found.result.arms for n in r.run.notes)


def test_the_search_confirms_its_winner_with_other_prompts(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    found = run(desk, ask("sweep-n-max", n_high=6))

    verdict = found.result.verdict
    assert verdict.decision == "better", verdict.sentence.sentence()
    assert verdict.winner is not None
    assert verdict.winner.startswith("n")
    screened = {q.nonce for r in found.result.arms if r.run.arm.startswith("try ") for q in r.requests}
    confirmed = {q.nonce for r in found.result.arms if not r.run.arm.startswith("try ") for q in r.requests}
    assert screened
    assert confirmed
    assert not screened & confirmed


def test_an_arm_that_cannot_start_is_named_and_the_others_are_compared(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    switches = {"oom_at_load": True, "when_n_max_above": 3}
    found = run(desk, ask("compare", switches, presets=("conservative", "balanced")))

    failed = [r.run for r in found.result.arms if r.run.status is RunStatus.FAILED]
    assert [run.arm for run in failed] == ["balanced"], "given up after its first start"
    assert failed[0].failure is not None
    assert failed[0].failure.code == "ended_out_of_memory"
    assert found.result.verdict.winner == "conservative"
    assert found.result.failure is None, "the question was answered all the same"


def test_a_cancelled_comparison_is_resumed_where_it_stopped(
    desk: Desk, ask: Callable[..., JobRequest], tmp_path: Path
) -> None:
    request = ask("compare", presets=("balanced",))
    begun: list[RunStarted] = []

    def cancel_in_the_third_start(event: Event) -> None:
        if isinstance(event, RunStarted):
            begun.append(event)
        if isinstance(event, RequestFinished) and len(begun) == 3:
            desk.cancel()

    desk.subscribe(cancel_in_the_third_start)
    first = run(desk, request)
    assert first.result.cancelled
    assert len(begun) == 3
    desk.close()
    again = open_desk(tmp_path / "home")
    try:
        second = again.resume().result(LIMIT_S)
    finally:
        again.close()

    assert second.result.experiment.id == first.result.experiment.id
    assert second.result.verdict.decision == "better"
    done = [(r.run.arm, r.run.start) for r in second.result.arms if r.run.status is RunStatus.DONE]
    assert len(done) == len(set(done)), "no start was measured twice"
    kept = {r.run.id for r in first.result.arms if r.run.status is RunStatus.DONE}
    assert kept <= {r.run.id for r in second.result.arms}


def test_a_comparison_cut_between_two_starts_is_offered_again(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    def cancel_after_the_first_start(event: Event) -> None:
        if isinstance(event, Progress) and event.what.code == "doing_stop":
            desk.cancel()

    desk.subscribe(cancel_after_the_first_start)
    first = run(desk, ask("compare", presets=("balanced",), form="quick", prompts=("sample",)))
    assert [r.run.status for r in first.result.arms] == [RunStatus.DONE]

    unfinished = desk.unfinished().result(LIMIT_S)

    assert unfinished is not None
    assert unfinished.id == first.result.experiment.id


def test_a_finished_comparison_is_not_offered_again(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    run(desk, ask("compare", presets=("balanced",), form="quick", prompts=("sample",)))

    assert desk.unfinished().result(LIMIT_S) is None


def test_answers_that_never_count_end_the_comparison_with_the_reason(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    found = run(desk, ask("compare", {"tokens": 3}, presets=("balanced",)))

    assert len(found.result.arms) <= 4, "two starts of each arm, and no more"
    sentence = found.result.verdict.sentence
    assert sentence.code == "verdict_nothing_counted"
    assert "only 3 tokens" in sentence.sentence()


def test_two_prompt_files_of_one_name_are_two_prompts(
    desk: Desk, ask: Callable[..., JobRequest], tmp_path: Path
) -> None:
    files = []
    for folder, text in (
        ("a", "Tell me of the sea."),
        ("b", "Tell me of the hills, and of the long road home."),
    ):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "x,y.txt")
        files[-1].write_text(text, encoding="utf-8")
    found = run(desk, ask("measure", presets=("off",), prompts=tuple(f"@{f}" for f in files), runs=1))

    counted = [q for r in found.result.arms for q in r.requests if q.phase == "counted"]
    assert len({q.prompt_id for q in counted}) == 2
    assert len({q.nonce for q in counted}) == 2
    assert len(found.result.experiment.prompt_id.split(",")) == 2


def test_nothing_to_resume_is_a_sentence(desk: Desk) -> None:
    with pytest.raises(KnownError) as caught:
        desk.resume().result(LIMIT_S)
    assert caught.value.code == "nothing_to_resume"


def test_depths_are_counted_by_the_servers_own_tokenizer(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("sweep-context", presets=("balanced",), prompts=("sample",), depths=(256, 512)))

    points = {(p.arm, p.depth): p for p in found.findings.curve}
    assert set(points) == {(arm, depth) for arm in ("off", "balanced") for depth in (256, 512)}
    for (_, depth), point in points.items():
        assert point.decode_tok_s is not None
        assert point.filled == pytest.approx(depth, rel=0.25)
    assert points["off", 512].filled == points["balanced", 512].filled


def test_a_soak_ends_by_time_and_is_judged(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask("soak", presets=("balanced",), prompts=("sample",), minutes=0.06))

    counted = [q for r in found.result.arms for q in r.requests if q.phase == "counted"]
    assert len(counted) >= 10
    assert found.result.verdict.sentence.code.startswith("soak_")
    assert found.result.failure is None


def test_ten_in_a_row_finds_the_one_that_broke(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    broken = {"close_after_tokens": 10, "after_requests": 6}
    found = run(desk, ask("ten", broken, presets=("balanced",), prompts=("sample",)))

    assert found.result.verdict.sentence.code in {"gate_anomaly", "gate_in_a_row_unknown"}
    assert found.result.failure is not None


def test_seeds_and_raw_answer_their_own_question(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    by_seed = run(desk, ask("seeds", presets=("balanced",), prompts=("sample",), runs=1, seeds=(1, 2)))
    told = [by_seed.result.verdict.sentence, *by_seed.result.verdict.reasons]
    assert [dict(m.params)["seed"] for m in told] == [1, 2]
    assert {q.sampling.seed for r in by_seed.result.arms for q in r.requests} == {1, 2}

    raw = run(desk, ask("raw", presets=("balanced",), prompts=("sample",), runs=1))
    assert raw.result.verdict.sentence.code == "raw_row"


def test_progress_never_promises_less_than_nothing(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    told: list[Progress] = []
    desk.subscribe(lambda event: told.append(event) if isinstance(event, Progress) else None)
    run(desk, ask("compare", presets=("balanced",), form="quick", prompts=("sample",)))

    assert told[0].left_s is None
    assert all(p.total >= p.done for p in told)
    assert all(p.left_s is None or p.left_s >= 0 for p in told)
    assert told[-1].done == told[-1].total


def test_two_jobs_at_once_are_refused(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    slow = ask("compare", {"load_s": 2.0}, presets=("balanced",), form="quick", prompts=("sample",))
    first = desk.run_job(slow)
    with pytest.raises(KnownError) as caught:
        desk.run_job(slow).result(LIMIT_S)
    desk.cancel()
    first.result(LIMIT_S)

    assert caught.value.code == "job_busy"
