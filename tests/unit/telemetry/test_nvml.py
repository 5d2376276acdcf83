"""Cards as the driver's library tells of them, played from recorded answers."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from qtune.telemetry.nvml import NvmlCards

MIB = 1 << 20


class FakeNvmlError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(f"code {value}")
        self.value = value


class FakeNvml:
    """Answers like the module ``pynvml``: a value, an error in ``Code``, or a function of its arguments."""

    NVMLError = FakeNvmlError
    NVML_TEMPERATURE_GPU = 0
    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    nvmlMemory_v2 = 33554472  # noqa: N815 - the module's own name

    def __init__(self, **answers: Any) -> None:
        self.asked: list[str] = []
        self.answers = GOOD | answers

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self.answers:
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.asked.append(name)
            answer = self.answers[name]
            answer = answer(*args, **kwargs) if callable(answer) else answer
            if isinstance(answer, Code):
                raise FakeNvmlError(answer)
            return answer

        return call


class Code(int):
    pass


def memory(_: int, version: int | None = None) -> Any:
    if version is None:
        return SimpleNamespace(total=24564 * MIB, free=23612 * MIB, used=952 * MIB)
    return SimpleNamespace(
        version=version, total=24564 * MIB, reserved=440 * MIB, free=23612 * MIB, used=512 * MIB
    )


GOOD: dict[str, Any] = {
    "nvmlInit": None,
    "nvmlShutdown": None,
    "nvmlDeviceGetCount": 1,
    "nvmlDeviceGetHandleByIndex": lambda index: 100 + index,
    "nvmlDeviceGetUUID": lambda handle: f"GPU-{handle}",
    "nvmlDeviceGetPciInfo": SimpleNamespace(domain=0, bus=1, device=0),
    "nvmlDeviceGetPcieThroughput": 900,
    "nvmlSystemGetDriverVersion": "575.64",
    "nvmlDeviceGetName": b"NVIDIA GeForce RTX 4090",
    "nvmlDeviceGetMemoryInfo": memory,
    "nvmlDeviceGetEnforcedPowerLimit": 450_000,
    "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=97, memory=60),
    "nvmlDeviceGetPowerUsage": 301_250,
    "nvmlDeviceGetTemperature": 61,
    "nvmlDeviceGetClockInfo": lambda _, kind: {1: 2520, 2: 10501}[kind],
    "nvmlDeviceGetCurrentClocksEventReasons": 0x4 | 0x40,
}


def test_the_fake_has_only_names_the_module_has() -> None:
    assert [name for name in GOOD if not callable(getattr(pynvml, name, None))] == []
    assert pynvml.nvmlMemory_v2 == FakeNvml.nvmlMemory_v2


def test_a_card_that_tells_everything() -> None:
    cards = NvmlCards(FakeNvml())
    (facts,) = cards.cards()
    assert cards.note is None
    assert (facts.uuid, facts.name, facts.driver) == ("GPU-100", "NVIDIA GeForce RTX 4090", "575.64")
    assert (facts.vram_total_bytes, facts.power_limit_w) == (24564 * MIB, 450.0)
    assert dict(facts.notes) == {"vram_used_bytes": "without what the driver reserves"}
    (sample,) = cards.sample()
    assert (sample.vram_used_bytes, sample.power_w, sample.temperature_c) == (512 * MIB, 301.25, 61.0)
    assert (sample.utilisation_pct, sample.clock_sm_mhz, sample.clock_mem_mhz) == (97.0, 2520.0, 10501.0)
    assert sample.throttle_reasons == ("power cap", "thermal (hardware)")


@pytest.mark.parametrize(
    ("answers", "used", "says"),
    [
        ({}, 512, "without"),
        (
            {"nvmlDeviceGetMemoryInfo": lambda h, version=None: Code(13) if version else memory(h)},
            952,
            "includes",
        ),
    ],
)
def test_free_memory_is_the_same_by_either_query(answers: dict[str, Any], used: int, says: str) -> None:
    cards = NvmlCards(FakeNvml(**answers))
    (sample,) = cards.sample()
    assert sample.vram_used_bytes == used * MIB
    assert sample.vram_total_bytes is not None
    assert sample.vram_total_bytes - sample.vram_used_bytes == 23612 * MIB
    assert says in cards.cards()[0].notes["vram_used_bytes"]


def test_memory_query_never_changes_in_mid_run() -> None:
    fake = FakeNvml()
    cards = NvmlCards(fake)
    cards.sample()
    fake.answers["nvmlDeviceGetMemoryInfo"] = lambda h, version=None: Code(10) if version else memory(h)
    assert cards.sample()[0].vram_used_bytes is None


@pytest.mark.parametrize("used", [18446744073709551615, -1, None, 30_000 * MIB])
def test_impossible_memory_is_unknown(used: Any) -> None:
    def nonsense(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(total=24564 * MIB, reserved=0, used=used, free=0)

    (sample,) = NvmlCards(FakeNvml(nvmlDeviceGetMemoryInfo=nonsense)).sample()
    assert sample.vram_used_bytes is None
    assert sample.vram_total_bytes == 24564 * MIB


def test_what_a_board_does_not_report_is_none_with_a_reason_and_asked_once() -> None:
    fake = FakeNvml(
        nvmlDeviceGetPowerUsage=Code(3),
        nvmlDeviceGetEnforcedPowerLimit=Code(4),
        nvmlDeviceGetMemoryInfo=Code(4),
    )
    cards = NvmlCards(fake)
    (facts,) = cards.cards()
    samples = [cards.sample()[0] for _ in range(3)]
    assert {s.power_w for s in samples} == {None}
    assert {s.vram_used_bytes for s in samples} == {None}
    assert samples[0].temperature_c == 61.0
    assert facts.notes["power_w"] == "the board does not report it"
    assert facts.notes["power_limit_w"] == facts.notes["vram_used_bytes"] == "the driver gives no permission"
    assert fake.asked.count("nvmlDeviceGetPowerUsage") == 1
    assert facts.vram_idle_bytes is None


def test_a_figure_that_fails_now_may_come_back() -> None:
    fake = FakeNvml()
    cards = NvmlCards(fake)
    fake.answers["nvmlDeviceGetTemperature"] = Code(999)
    assert cards.sample()[0].temperature_c is None
    fake.answers["nvmlDeviceGetTemperature"] = 70
    assert cards.sample()[0].temperature_c == 70.0


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"nvmlInit": Code(12)}, "the NVIDIA driver library is not installed"),
        ({"nvmlInit": Code(9)}, "the NVIDIA driver is not loaded"),
        ({"nvmlInit": Code(18)}, "the NVIDIA driver was updated; restart the computer"),
        ({"nvmlDeviceGetCount": 0}, "the NVIDIA driver names no card"),
        ({"nvmlDeviceGetHandleByIndex": Code(15)}, "the NVIDIA driver names cards but opens none"),
    ],
)
def test_no_card_is_a_note(answers: dict[str, Any], reason: str, expect_log: Any) -> None:
    expect_log("card 0 left out", always="opens none" in reason)
    cards = NvmlCards(FakeNvml(**answers))
    assert cards.cards() == cards.sample() == ()
    assert cards.note is not None
    assert cards.note.sentence() == f"No NVIDIA GPU found: {reason}."
    cards.close()


def test_the_real_library_never_raises() -> None:
    cards = NvmlCards()
    assert len(cards.cards()) == len(cards.sample())
    assert (cards.note is None) == bool(cards.cards())
    cards.close()


@pytest.mark.expect_log("card 0 left out: the card was lost")
def test_a_lost_card_does_not_hide_the_other() -> None:
    fake = FakeNvml(
        nvmlDeviceGetCount=2, nvmlDeviceGetHandleByIndex=lambda i: Code(15) if i == 0 else 100 + i
    )
    assert [card.uuid for card in NvmlCards(fake).cards()] == ["GPU-101"]


def test_closed_and_asked_again() -> None:
    fake = FakeNvml()
    cards = NvmlCards(fake)
    cards.cards()
    cards.close()
    assert len(cards.sample()) == 1
    assert fake.asked.count("nvmlInit") == 2
