"""Waiting ends with what the future holds, and a signal ends what cannot be cancelled."""

from __future__ import annotations

import io
import json
import signal
from concurrent.futures import Future
from pathlib import Path

import pytest
from rich.console import Console

from qtune.cli.printing import CANCELLED, Done, run_command
from qtune.cli.waiting import TerminalProgress, wait_for
from qtune.core.errors import KnownError
from qtune.core.events import Notice
from qtune.core.messages import Message
from qtune.session.desk import Desk


class EndsLate(Future[int]):
    """A future that ends just after the wait for it timed out."""

    def result(self, timeout: float | None = None) -> int:
        if self.done():
            return super().result(timeout)
        self.set_result(7)
        raise TimeoutError


class Signalled(Future[int]):
    """A future during whose wait the signal arrives, as often as it is waited for."""

    def __init__(self, number: int, ends_after: int) -> None:
        super().__init__()
        self._number = number
        self._left = ends_after

    def result(self, timeout: float | None = None) -> int:
        if self._left == 0:
            self.set_result(7)
            return super().result(timeout)
        self._left -= 1
        signal.raise_signal(self._number)
        raise TimeoutError


def test_a_future_that_ends_just_after_the_wait_is_no_time_out() -> None:
    assert wait_for(EndsLate()) == 7


@pytest.mark.parametrize("error", [TimeoutError("its own"), KnownError("job_busy")])
def test_the_error_of_the_future_is_raised(error: Exception) -> None:
    future: Future[int] = Future()
    future.set_exception(error)

    with pytest.raises(type(error)) as caught:
        wait_for(future)
    assert caught.value is error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_cancels_the_job_and_the_second_ends_the_wait(number: int) -> None:
    before = signal.getsignal(number)
    cancelled: list[int] = []

    assert wait_for(Signalled(number, 1), lambda: cancelled.append(number)) == 7
    assert cancelled == [number]
    with pytest.raises(KeyboardInterrupt):
        wait_for(Signalled(number, 2), lambda: None)
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_without_a_job_the_first_signal_ends_the_command(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desks: list[Desk] = []

    def job(desk: Desk) -> Done:
        desks.append(desk)
        wait_for(Signalled(number, 1))
        raise AssertionError("the wait went on")

    code = run_command("doctor", tmp_path, job, as_json=True)

    told = json.loads(capsys.readouterr().out)
    assert code == CANCELLED
    assert told["error"]["code"] == "measure_cancelled"
    assert told["result"] is None
    with pytest.raises(RuntimeError):  # closed: its threads take no more work
        desks[0].read_model(tmp_path)


def test_a_notice_comes_with_its_advice_and_steers_no_terminal() -> None:
    out = io.StringIO()
    TerminalProgress(Console(file=out, width=400))(
        Notice(Message.of("model_folder_missing", path="/\x1b[2J/x"))
    )

    assert out.getvalue() == (
        r"There is no folder /\u001b[2J/x. It may have been moved, or its drive is not connected." "\n"
    )
