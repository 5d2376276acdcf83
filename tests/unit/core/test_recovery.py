"""What is done after a failure: only what may cure it, never without end, never after Stop."""

from dataclasses import replace

import pytest

from qtune.core.causes import CURABLE, Cause, cause_of
from qtune.core.ladder import Footing, Rung
from qtune.core.messages import TEXTS, Message
from qtune.core.recovery import PAUSES_S, RESTARTS_MOST, WINDOW_S, Situation, decide
from qtune.core.settings import ServerSettings

ON, OFF = Footing("/m", ServerSettings(mtp=True)), Footing("/m", ServerSettings())
RUNG = Rung("mtp_off", ON, OFF)
MEMORY = Situation(Cause.MEMORY, automatic=True, mtp=True, retried=False, restarts_s=(), now_s=1e4, rung=RUNG)


def test_memory_takes_a_step_at_once() -> None:
    action = decide(MEMORY)
    assert (action.kind, action.pause_s) == ("step", PAUSES_S[0])


@pytest.mark.parametrize("cause", [Cause.STALL, Cause.KILLED, Cause.UNKNOWN])
def test_what_may_be_chance_gets_one_retry_and_then_a_step(cause: Cause) -> None:
    assert decide(replace(MEMORY, cause=cause)).kind == "retry"
    assert decide(replace(MEMORY, cause=cause, retried=True)).kind == "step"


@pytest.mark.parametrize("cause", sorted(set(Cause) - CURABLE))
def test_what_the_ladder_cannot_cure_is_left_alone(cause: Cause) -> None:
    assert decide(replace(MEMORY, cause=cause)).kind == "stop"


@pytest.mark.parametrize("cause", [Cause.MTP_FAULT, Cause.MTP_MISSING])
def test_a_fault_of_mtp_turns_mtp_off_without_a_retry_and_does_nothing_where_it_is_off(cause: Cause) -> None:
    assert decide(replace(MEMORY, cause=cause)).kind == "step"
    assert decide(replace(MEMORY, cause=cause, mtp=False)).kind == "stop"


def test_pauses_grow_and_after_three_restarts_it_stays_stopped() -> None:
    now = MEMORY.now_s
    pauses = [decide(replace(MEMORY, restarts_s=(now - 1,) * n)).pause_s for n in range(RESTARTS_MOST)]
    assert pauses == sorted(set(pauses))
    assert decide(replace(MEMORY, restarts_s=(now - 1,) * RESTARTS_MOST)).kind == "stop"
    assert decide(replace(MEMORY, restarts_s=(now - WINDOW_S - 1,) * RESTARTS_MOST)).kind == "step"


def test_nothing_happens_by_itself_where_the_user_switched_it_off_or_at_the_foot() -> None:
    assert decide(replace(MEMORY, automatic=False)).kind == "stop"
    assert decide(replace(MEMORY, rung=None)).kind == "stop"


@pytest.mark.parametrize(
    ("code", "mtp", "cause"),
    [
        ("ended_out_of_memory", True, Cause.MEMORY),
        ("ended_bad_argument", True, Cause.FLAGS),
        ("ended_signal_silent", True, Cause.MTP_FAULT),
        ("ended_signal_silent", False, Cause.UNKNOWN),
        ("ended_from_outside", True, Cause.STOPPED),
        ("stream_silent", False, Cause.STALL),
        ("something_new", True, Cause.UNKNOWN),
    ],
)
def test_a_message_has_a_class(code: str, mtp: bool, cause: Cause) -> None:
    assert cause_of(Message.of(code), mtp=mtp) is cause


def test_every_cause_and_rung_and_decision_has_words() -> None:
    assert {f"cause_{cause.value}" for cause in Cause} <= TEXTS.keys()
    kinds = ("n_max", "draft_types", "ubatch", "mtp_off", "context", "quantisation", "fallback")
    assert {f"rung_{kind}" for kind in kinds} <= TEXTS.keys()
    for cause in Cause:
        for retried in (True, False):
            assert decide(replace(MEMORY, cause=cause, retried=retried)).reason.code in TEXTS
