"""Recorded computers, played back call by call: cards that move, leave, come back, or are cut into slices."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import psutil
import pytest

from qtune.cli.document import doctor_json
from qtune.core.machine_facts import MachineFacts
from qtune.session.requests import DoctorReport
from qtune.telemetry.nvml import _RETRY, BUS_EVERY, NvmlCards
from tests.unit.telemetry.boards.expectation import differences, read
from tests.unit.telemetry.boards.replay import BOARDS, Replay, load

MIB = 1 << 20
SLOW, FAST = "GPU-00745000-aaaa-4bbb-8ccc-ddddeeeeffff", "GPU-8f6d0a3e-1c52-4b7e-9d1f-2a5b6c7d8e9f"


def cards_of(computer: dict[str, Any], **options: Any) -> tuple[NvmlCards, Replay]:
    replay = Replay(computer)
    return NvmlCards(replay, environment=computer.get("environment", {}), **options), replay


@pytest.mark.parametrize("board", BOARDS)
def test_board(board: str) -> None:
    computer = load(board)
    assert differences(computer, read(cards_of(computer)[0])) == []


@pytest.mark.parametrize("board", BOARDS)
def test_doctor_writes_every_board_as_strict_json(board: str) -> None:
    cards = cards_of(load(board))[0]
    machine = MachineFacts("Linux", "cpu", 8, 1 << 34, "3.11")
    facts = tuple(replace(card, notes=MappingProxyType(dict(card.notes))) for card in cards.cards())
    report = DoctorReport(machine, (), facts, cards.note, models=(), folders=(), advice=())
    told = json.loads(json.dumps(doctor_json(report), allow_nan=False))
    assert [gpu["uuid"] for gpu in told["gpus"]] == [card["uuid"] for card in load(board)["expect"]["facts"]]
    assert [gpu["notes"] for gpu in told["gpus"]] == [dict(card.notes) for card in cards.cards()]


# -- order, loss and return --------------------------------------------------------------------------------


def test_reordered_between_readings_each_keeps_its_name_and_place() -> None:
    computer = load("two_cards")
    cards, replay = cards_of(computer)
    before = cards.sample()
    assert [card.index for card in cards.cards()] == [0, 1]

    replay.load(computer | {"boards": computer["boards"][::-1]})

    assert cards.sample() == before
    assert [(card.uuid, card.index) for card in cards.cards()] == [(SLOW, 1), (FAST, 0)]


def test_reordered_after_a_reopening_the_idle_baseline_stays() -> None:
    computer = load("two_cards")
    cards, replay = cards_of(computer)
    idle = {card.uuid: card.vram_idle_bytes for card in cards.cards()}
    cards.close()
    computer["boards"].reverse()
    computer["boards"][0]["nvmlDeviceGetMemoryInfo_v2"] = [24576 * MIB, 318 * MIB, 258 * MIB, 24000 * MIB]
    replay.load(computer)

    assert [card.uuid for card in cards.cards()] == [FAST, SLOW]
    assert {card.uuid: card.vram_idle_bytes for card in cards.cards()} == idle
    assert {s.uuid: s.vram_used_bytes for s in cards.sample()} == {FAST: 24000 * MIB, SLOW: 183 * MIB}


def without(computer: dict[str, Any], position: int, code: int) -> dict[str, Any]:
    """The computer after a card has fallen off the bus: its handle is still there and answers nothing."""
    boards = [dict(board) for board in computer["boards"]]
    lost = {name: {"error": code} for name in boards[position]} | {
        "nvmlDeviceGetUUID": boards[position]["nvmlDeviceGetUUID"]  # the library remembers it
    }
    boards[position] = lost
    return computer | {"boards": boards}


@pytest.mark.parametrize(("code", "reason"), [(15, "the card was lost"), (16, "the card needs a reset")])
def test_lost_card_keeps_its_place_without_figures_and_comes_back(
    code: int, reason: str, expect_log: Any, caplog: pytest.LogCaptureFixture
) -> None:
    expect_log("does not answer: " + reason)
    computer = load("two_cards")
    cards, replay = cards_of(computer, bus_every=0)
    slow, fast = cards.sample()

    replay.load(without(computer, 0, code))
    lost, kept = cards.sample()
    assert (lost.uuid, lost.vram_used_bytes, lost.temperature_c) == (SLOW, None, None)
    assert kept == fast
    assert cards.cards()[0].notes["card"] == f"{reason}; restart the computer"
    assert cards.cards()[0].vram_total_bytes == 4044 * MIB
    assert {program.uuid for program in cards.processes()} == {FAST}

    replay.asked.clear()
    for _ in range(2 * _RETRY):
        assert cards.sample()[1] == fast
    assert replay.asked.count("nvmlInitWithFlags") == 2
    assert (
        len([record for record in caplog.records if record.levelname == "WARNING"]) == 3
    )  # not at every reading

    replay.load(computer)
    readings = [cards.sample() for _ in range(_RETRY)]
    assert readings[-1] == (slow, fast)
    assert "card" not in cards.cards()[0].notes


@pytest.mark.expect_log("does not answer: the card was lost")
def test_lost_card_whose_handle_is_not_to_be_had_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    computer = load("two_cards")
    cards, replay = cards_of(computer, bus_every=0)
    slow, fast = cards.sample()
    replay.load(without(computer, 1, 15))
    cards.sample()
    replay.load(computer | {"boards": [computer["boards"][0], {"error": 15}]})
    for _ in range(3 * _RETRY):
        assert [s.vram_used_bytes for s in cards.sample()] == [slow.vram_used_bytes, None]
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1
    replay.load(computer)
    assert [cards.sample() for _ in range(_RETRY)][-1] == (slow, fast)


@pytest.mark.expect_log("does not answer: the driver no longer names the card")
def test_card_that_is_no_longer_named_and_one_that_is_new() -> None:
    computer = load("two_cards")
    cards, replay = cards_of(computer)
    fast = cards.sample()[1]
    other = load("rtx_4090")["boards"][0]

    replay.load(computer | {"boards": [computer["boards"][1], other]})

    assert [(s.uuid, s.vram_used_bytes) for s in cards.sample()] == [
        (SLOW, None),
        (FAST, fast.vram_used_bytes),
    ]
    assert [s.vram_used_bytes for s in cards.sample()] == [None, fast.vram_used_bytes, 512 * MIB]
    assert [card.index for card in cards.cards()] == [0, 0, 1]


@pytest.mark.expect_log("does not answer: the NVIDIA driver is not loaded")
def test_driver_unloaded_under_a_running_sampler() -> None:
    computer = load("rtx_3090")
    cards, replay = cards_of(computer)
    reading = cards.sample(bus=False)
    replay.load(without(computer, 0, 9) | {"init": 9})
    assert [cards.sample(bus=False)[0].vram_used_bytes for _ in range(3 * _RETRY)] == [None] * 3 * _RETRY
    replay.load(computer)
    assert [cards.sample(bus=False) for _ in range(_RETRY)][-1] == reading


@pytest.mark.expect_log("does not answer: this driver does not take the question")
def test_slice_that_is_destroyed_is_not_taken_for_its_neighbour() -> None:
    computer = load("mig_a100")
    cards, replay = cards_of(computer)
    cards.sample()
    computer["boards"][0]["slices"][0] = {"error": 6}
    replay.load(computer)
    replay.table["nvmlDeviceGetUUID", "0.0"] = (2, [])

    first, second = cards.sample()

    assert first.vram_used_bytes is None
    assert second.vram_used_bytes == 37 * MIB


# -- slices ------------------------------------------------------------------------------------------------


def test_memory_of_a_partitioned_board_is_never_asked() -> None:
    cards, replay = cards_of(load("mig_a100"))
    cards.sample()
    asked = replay.asked.count("nvmlDeviceGetMemoryInfo_v2") + replay.asked.count("nvmlDeviceGetMemoryInfo")
    assert asked == 2 * len(cards.cards()) + 2  # total, baseline and one reading of each slice


@pytest.mark.parametrize(
    ("visible", "seen"),
    [
        ("MIG-66cc77dd-8e9f-4a0b-9c1d-2e3f4a5b6c7d", ["MIG-66cc"]),
        ("MIG-66cc77dd, MIG-11aa22bb", ["MIG-66cc", "MIG-11aa"]),
        ("0", ["MIG-11aa", "MIG-66cc"]),
        ("GPU-a1000000-4d2c-4c1e-9f00-112233445566", ["MIG-11aa", "MIG-66cc"]),
        ("", ["MIG-11aa", "MIG-66cc"]),
    ],
)
def test_only_named_slices_are_cards(visible: str, seen: list[str]) -> None:
    cards, _ = cards_of(load("mig_a100") | {"environment": {"CUDA_VISIBLE_DEVICES": visible}})
    assert [card.uuid[:8] for card in cards.cards()] == seen


@pytest.mark.expect_log("names slices the driver does not know")
def test_unknown_slice_hides_nothing() -> None:
    cards, _ = cards_of(load("mig_a100") | {"environment": {"CUDA_VISIBLE_DEVICES": "MIG-1234"}})
    assert len(cards.cards()) == 2


# -- single figures ----------------------------------------------------------------------------------------


def test_bus_is_asked_seldom() -> None:
    cards, replay = cards_of(load("rtx_3090"))
    cards.cards()
    replay.asked.clear()
    readings = [cards.sample()[0].pcie_rx_kb_s for _ in range(3 * BUS_EVERY)]
    assert [rate for rate in readings if rate is not None] == [11800.0] * 3
    assert replay.asked.count("nvmlDeviceGetPcieThroughput") == 2 * 3
    assert cards.sample(bus=False)[0].pcie_tx_kb_s is None
    assert cards.sample(bus=True)[0].pcie_tx_kb_s == 5200.0


def test_bus_is_never_asked_where_that_is_wanted() -> None:
    cards, replay = cards_of(load("rtx_3090"), bus_every=0)
    for _ in range(2 * BUS_EVERY):
        cards.sample()
    assert "nvmlDeviceGetPcieThroughput" not in replay.asked


def test_board_without_uuid_is_named_by_its_place_on_the_bus() -> None:
    computer = load("two_cards")
    for board in computer["boards"]:
        board["nvmlDeviceGetUUID"] = {"error": 3}
    computer["boards"][1]["nvmlDeviceGetPciInfo_v3"] = {"error": 999}
    cards, _ = cards_of(computer)
    assert [s.uuid for s in cards.sample()] == ["pci-0000:01:00.0", "card-1"]
    assert cards.cards()[1].notes["pci"] == "the driver does not tell"


@pytest.mark.parametrize(
    ("function", "answer", "figure"),
    [
        ("nvmlDeviceGetUtilizationRates", [4294967295, 0], "utilisation_pct"),
        ("nvmlDeviceGetPowerUsage", 4294967295, "power_w"),
        ("nvmlDeviceGetTemperature", 4294967295, "temperature_c"),
        ("nvmlDeviceGetClockInfo:1", 4294967295, "clock_sm_mhz"),
        ("nvmlDeviceGetPcieThroughput:1", 4294967295, "pcie_rx_kb_s"),
    ],
)
def test_figure_that_cannot_be_true_is_unknown_and_asked_again(
    function: str, answer: Any, figure: str
) -> None:
    computer = load("rtx_3090")
    good = computer["boards"][0][function]
    computer["boards"][0][function] = answer
    cards, replay = cards_of(computer)
    assert getattr(cards.sample(bus=True)[0], figure) is None
    assert cards.cards()[0].notes[figure] == "the driver's answer makes no sense"
    computer["boards"][0][function] = good
    replay.load(computer)
    assert getattr(cards.sample(bus=True)[0], figure) is not None
    assert figure not in cards.cards()[0].notes


def test_program_in_both_lists_stands_once_with_the_figure_that_is_known() -> None:
    computer = load("rtx_4090")
    computer["boards"][0]["nvmlDeviceGetComputeRunningProcesses_v3"] = [[881, None], [17, None]]
    cards, _ = cards_of(computer)
    assert [(one.pid, one.vram_bytes) for one in cards.processes()] == [(881, 390 * MIB), (17, None)]


def test_own_program_is_named_by_the_system_where_the_driver_does_not() -> None:
    computer = load("rtx_4090")
    computer["boards"][0]["nvmlDeviceGetComputeRunningProcesses_v3"] = [[os.getpid(), 1]]
    (_, own) = cards_of(computer)[0].processes()
    assert own.name == psutil.Process().name()
