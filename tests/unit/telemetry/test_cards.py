"""Cards of several makers behind one face."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from qtune.core.card_memory import others_on
from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.messages import Message
from qtune.telemetry.cards import Cards

MIB = 1 << 20


@dataclass
class Room:
    """A maker's cards, by name; an error instead fails every question."""

    names: tuple[str, ...] = ()
    note: Message | None = None
    error: Exception | None = None
    closed: list[str] = field(default_factory=list)

    def _told(self) -> tuple[str, ...]:
        if self.error is not None:
            raise self.error
        return self.names

    def cards(self) -> tuple[GpuFacts, ...]:
        return tuple(facts(name, index) for index, name in enumerate(self._told()))

    def sample(self) -> tuple[GpuSample, ...]:
        return tuple(GpuSample(name) for name in self._told())

    def processes(self) -> tuple[GpuProcess, ...]:
        return tuple(GpuProcess(name, 1, "engine", None) for name in self._told())

    def close(self) -> None:
        self.closed.append("closed")


def facts(uuid: str, index: int = 0, idle: int | None = None) -> GpuFacts:
    return GpuFacts(index, uuid, uuid, None, None, vram_idle_bytes=idle)


NO_NVIDIA = Message.of("no_nvidia_gpu", reason="the NVIDIA driver library is not installed")
NO_AMD = Message.of("no_amd_gpu", reason="the system lists no AMD card")


def test_two_makers_are_numbered_through() -> None:
    nvidia, amd = Room(("n0", "n1")), Room(("a0",))
    both = Cards(nvidia, amd)
    assert [(c.index, c.uuid) for c in both.cards()] == [(0, "n0"), (1, "n1"), (2, "a0")]
    assert [s.uuid for s in both.sample()] == [p.uuid for p in both.processes()] == ["n0", "n1", "a0"]
    both.close()
    assert nvidia.closed == amd.closed == ["closed"]


def test_a_note_only_where_no_maker_has_a_card() -> None:
    assert Cards(Room(note=NO_NVIDIA), Room(("a0",))).note is None
    neither = Cards(Room(note=NO_NVIDIA), Room(note=NO_AMD)).note
    assert neither is not None
    assert neither.sentence() == (
        "No graphics card found (NVIDIA: the NVIDIA driver library is not installed; "
        "AMD: the system lists no AMD card)."
    )
    assert Cards(Room(note=NO_NVIDIA), None).note == NO_NVIDIA


@pytest.mark.expect_log("of cards failed")
def test_a_maker_that_fails_costs_its_own_cards_only() -> None:
    both = Cards(Room(error=RuntimeError("driver")), Room(("a0",)))
    assert [c.uuid for c in both.cards()] == [s.uuid for s in both.sample()] == ["a0"]


def test_this_computer_answers_whatever_it_has() -> None:
    here = Cards.of_this_computer()
    cards = here.cards()
    assert len({c.index for c in cards}) == len({c.uuid for c in cards}) == len(here.sample())
    assert (here.note is None) == bool(cards)
    here.processes()
    here.close()


# -- memory of others --------------------------------------------------------------------------------------


def held(pid: int, mib: int | None, name: str = "", uuid: str = "g") -> GpuProcess:
    return GpuProcess(uuid, pid, name or f"p{pid}", None if mib is None else mib * MIB)


USED = GpuSample("g", vram_used_bytes=9000 * MIB)


def test_others_hold_what_the_engine_does_not() -> None:
    processes = [held(1, 7000), held(2, 500), held(3, None, "hidden"), held(4, 900), held(5, 1, uuid="h")]
    total, named = others_on(facts("g", idle=300 * MIB), USED, processes, {1})
    assert total == 2000 * MIB
    assert named == (("p4", 900 * MIB), ("p2", 500 * MIB), ("hidden", None))


@pytest.mark.parametrize("ours", [[], [held(1, None)], [held(1, 7000), held(11, None)]])
def test_where_the_engines_share_is_hidden_the_idle_baseline_counts(ours: list[GpuProcess]) -> None:
    card = facts("g", idle=300 * MIB)
    assert others_on(card, USED, [*ours, held(4, None)], {1, 11}) == (300 * MIB, (("p4", None),))
    assert others_on(facts("g"), USED, ours, {1, 11})[0] is None


def test_without_an_engine_all_in_use_is_of_others_and_never_below_nothing() -> None:
    assert others_on(facts("g"), USED, [], ()) == (9000 * MIB, ())
    assert others_on(facts("g"), GpuSample("g"), [], ()) == (None, ())
    assert others_on(facts("g"), USED, [held(1, 9100)], {1})[0] == 0
