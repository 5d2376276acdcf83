"""Fill tests on a real desk; only the llama-server is a false one, which dies when it is filled too far."""

from __future__ import annotations

import json
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
from tests.fake_llama.make import make_fake_model

LIMIT_S = 120
PACE: dict[str, Any] = {"load_s": 0.0, "ttft_ms": 5, "itl_ms": 1, "tokens": 150, "devices": ()}
DIES_ABOVE_3000: dict[str, Any] = {"oom_after_tokens": 0, "when_prompt_above": 3000}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = open_desk(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def ask(fake_llama: Callable[..., EngineRef], fake_model: Path) -> Callable[..., JobRequest]:
    """Makes a request for a fill test on a false llama-server with switches."""

    def make(switches: dict[str, Any] | None = None, ctx_size: int = 4096, **more: Any) -> JobRequest:
        engine = fake_llama(**{**PACE, **(switches or {})})
        base = ServerSettings(ctx_size=ctx_size)
        return JobRequest("fill", engine, str(fake_model), **{"base": base, "prompts": ("sample",), **more})

    return make


def run(desk: Desk, request: JobRequest) -> JobResult:
    return desk.run_job(request).result(LIMIT_S)


def points(found: JobResult) -> list[tuple[int, int, bool]]:
    assert found.findings.fill is not None
    return [(p.ctx_size, p.share, p.ok) for p in found.findings.fill.points]


def test_a_context_that_holds_is_filled_three_times_and_safe(
    desk: Desk, ask: Callable[..., JobRequest], tmp_path: Path
) -> None:
    log = tmp_path / "requests.log"
    found = run(desk, ask({"request_log": str(log)}))

    fill = found.findings.fill
    assert fill is not None
    assert fill.largest_safe_ctx == 4096, fill.sentence.sentence()
    assert [(p.share, p.answered_tokens) for p in fill.points] == [(50, 100), (75, 100), (92, 100)]
    for point in fill.points:
        assert point.filled == pytest.approx(point.depth, rel=0.05)
        assert point.peak_bytes is not None, "short as the request was, there is a reading of it"
    assert fill.points[-1].filled is not None
    assert fill.points[-1].filled > 0.85 * 4096
    (result,) = found.result.arms
    assert result.run.preset == "balanced", "the usual preset"
    assert result.run.mtp_active is True
    assert [q.phase for q in result.requests] == ["counted"] * 3, "nothing is warmed up"
    assert len({q.nonce for q in result.requests}) == 3
    assert found.result.failure is None
    assert found.findings.diagnosis is None
    asked = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    chats = [entry["body"] for entry in asked if entry["path"] == "/v1/chat/completions"]
    timed = [body for body in chats if body["max_tokens"] == 100]
    assert [body["cache_prompt"] for body in timed] == [False] * 3


def test_an_engine_that_dies_half_filled_is_tried_with_less(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    found = run(desk, ask(DIES_ABOVE_3000))

    fill = found.findings.fill
    assert fill is not None
    assert (fill.asked_ctx, fill.largest_safe_ctx) == (4096, 2048), fill.sentence.sentence()
    assert points(found) == [
        (4096, 50, True), (4096, 75, False), (2048, 50, True), (2048, 75, True), (2048, 92, True),
    ]  # fmt: skip
    assert fill.points[1].failure is not None
    assert fill.points[1].failure.code == "ended_out_of_memory"
    assert [r.run.settings_requested.ctx_size for r in found.result.arms] == [4096, 2048]
    assert [(r.run.arm, r.run.start) for r in found.result.arms] == [("balanced", 1), ("balanced", 2)]
    assert found.result.verdict.sentence == fill.sentence
    assert "75 % full" in fill.reasons[0].sentence()
    assert found.result.failure is None, "what was asked is answered"


def test_an_engine_that_always_dies_has_no_safe_context(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask({**DIES_ABOVE_3000, "when_prompt_above": 500}))

    assert found.findings.fill is not None
    assert found.findings.fill.largest_safe_ctx is None
    assert points(found) == [(4096, 50, False), (2048, 50, False)]
    assert found.result.verdict.sentence.sentence() == "No context tried is safe: 4096, 2048 tokens."
    assert found.result.failure is None, "the verdict says it, not the last words of one engine"


def test_no_memory_at_the_start_steps_down_too(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    found = run(desk, ask({"oom_at_load": "kv", "when_ctx_above": 2048}))

    assert points(found) == [(4096, 0, False), (2048, 50, True), (2048, 75, True), (2048, 92, True)]
    assert found.findings.fill is not None
    assert found.findings.fill.largest_safe_ctx == 2048


@pytest.mark.parametrize("fault", [{"crash_after_tokens": 0}, {"http_error": 500}])
def test_what_is_not_memory_ends_the_test(
    desk: Desk, ask: Callable[..., JobRequest], fault: dict[str, Any]
) -> None:
    found = run(desk, ask({**fault, "when_prompt_above": 3000}))

    assert points(found) == [(4096, 50, True), (4096, 75, False)], "and the rest is not tried"
    fill = found.findings.fill
    assert fill is not None
    assert fill.sentence.code == "fill_failed"
    assert fill.points[-1].failure is not None
    assert fill.points[-1].failure.sentence() in fill.sentence.sentence()


def test_a_server_with_less_context_is_filled_by_what_it_has(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    found = run(desk, ask({"ctx_shrunk": 3072}))

    assert points(found) == [(3072, share, True) for share in (50, 75, 92)]
    assert found.findings.fill is not None
    assert found.findings.fill.largest_safe_ctx == 3072


def test_a_server_that_cannot_count_is_not_filled_over_the_brim(
    desk: Desk, ask: Callable[..., JobRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def untold(*_: object) -> None:
        return None

    monkeypatch.setattr("qtune.endpoint.client.LlamaServerClient.count_prompt", untold)
    found = run(desk, ask())

    assert points(found) == [(4096, share, True) for share in (50, 75, 92)]


def test_a_model_without_a_head_is_filled_with_off(
    desk: Desk, ask: Callable[..., JobRequest], tmp_path: Path
) -> None:
    headless = make_fake_model(tmp_path / "headless", mtp=False)
    request = ask(ctx_size=2048)
    found = run(desk, JobRequest("fill", request.engine, str(headless), base=request.base))

    assert {r.run.preset for r in found.result.arms} == {"off"}
    assert found.findings.fill is not None
    assert found.findings.fill.largest_safe_ctx == 2048


def test_a_context_without_room_is_refused_before_anything_starts(
    desk: Desk, ask: Callable[..., JobRequest]
) -> None:
    with pytest.raises(KnownError) as caught:
        run(desk, ask(ctx_size=256))

    assert caught.value.code == "fill_no_room"


def test_a_cancelled_test_keeps_its_points_and_is_resumed(
    desk: Desk, ask: Callable[..., JobRequest], tmp_path: Path
) -> None:
    begun: list[RunStarted] = []

    def cancel_after_the_first_answer_at_2048(event: Event) -> None:
        if isinstance(event, RunStarted):
            begun.append(event)
        if isinstance(event, RequestFinished) and len(begun) == 2:
            desk.cancel()

    desk.subscribe(cancel_after_the_first_answer_at_2048)
    first = run(desk, ask(DIES_ABOVE_3000))
    assert first.result.cancelled
    assert points(first) == [(4096, 50, True), (4096, 75, False), (2048, 50, True)]
    assert first.findings.fill is not None
    assert first.findings.fill.sentence.code == "fill_unfinished"
    before = first.findings.fill.points[0].peak_bytes
    assert before is not None
    desk.close()
    again = open_desk(tmp_path / "home")
    try:
        second = again.resume().result(LIMIT_S)
    finally:
        again.close()

    assert second.result.experiment.id == first.result.experiment.id
    fill = second.findings.fill
    assert fill is not None
    assert fill.largest_safe_ctx == 2048
    assert points(second) == [
        (4096, 50, True), (4096, 75, False), (2048, 50, True), (2048, 75, True), (2048, 92, True),
    ]  # fmt: skip
    assert fill.points[0].peak_bytes == before, "from the stored readings"
    done = [r.run.status for r in second.result.arms]
    assert done == [RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.DONE]


def test_progress_counts_every_request_once(desk: Desk, ask: Callable[..., JobRequest]) -> None:
    told: list[Progress] = []
    desk.subscribe(lambda event: told.append(event) if isinstance(event, Progress) else None)
    run(desk, ask(ctx_size=2048))

    assert told[0].total == 3
    assert [p.what.code for p in told].count("doing_warmup") == 0
    assert told[-1].done == told[-1].total == 3
