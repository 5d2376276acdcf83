"""AMD cards as the kernel tells of them, from folders made like its own."""

from __future__ import annotations

import errno
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from qtune.core.card_memory import INTEGRATED
from qtune.core.machine_facts import GpuProcess, GpuSample
from qtune.telemetry.amdgpu import AmdCards
from tests.unit.telemetry.amd_trees import APU, RX_580, RX_7900_XTX, Tree, plug

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux's kernel")

MIB = 1 << 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "drm"
    folder.mkdir()
    return folder


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> dict[Path, Exception]:
    """Files that cannot be read, as the kernel refuses some of a card that sleeps."""
    refused: dict[Path, Exception] = {}
    genuine = Path.open

    def opened(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self in refused:
            raise refused[self]
        return genuine(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", opened)
    return refused


def cards(root: Path, names: str = "") -> AmdCards:
    listed = root.parent / "amdgpu.ids"
    listed.write_text(names, encoding="utf-8")
    return AmdCards(root, name_list=listed, proc=root.parent / "proc")


def seen(root: Path, tree: Tree) -> GpuSample:
    plug(root, 0, tree)
    return cards(root).sample()[0]


def test_a_7900_xtx_in_full(root: Path) -> None:
    plug(root, 1, RX_7900_XTX)
    (root / "card1-DP-1").mkdir()
    (root / "renderD128").mkdir()
    (root / "version").write_text("drm 1.1.0")
    found = cards(root, "744C,\tCC,\tAMD Radeon RX 7900 XT\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n")

    (card,) = found.cards()
    assert (card.index, card.uuid, card.name) == (0, "pci-0000:03:00.0", "AMD Radeon RX 7900 XTX")
    assert (card.vendor, card.pci, card.driver) == ("amd", "0000:03:00.0", "amdgpu")
    assert (card.vram_total_bytes, card.vram_idle_bytes) == (24560 * MIB, 1020 * MIB)
    assert (card.power_limit_w, card.shared_total_bytes) == (339.0, 32000 * MIB)
    assert set(card.notes) == {"throttle_reasons", "pcie_rx_kb_s"}
    assert found.note is None
    assert found.sample() == (
        GpuSample(
            uuid="pci-0000:03:00.0",
            vram_used_bytes=1020 * MIB,
            vram_total_bytes=24560 * MIB,
            utilisation_pct=97.0,
            power_w=312.0,
            temperature_c=61.0,
            clock_sm_mhz=2371.0,
            clock_mem_mhz=1249.0,
            shared_used_bytes=90 * MIB,
        ),
    )


def test_an_older_card_without_average_power_and_sensors_of_clocks(root: Path) -> None:
    plug(root, 0, RX_580)
    found = cards(root)
    (card,) = found.cards()
    (sample,) = found.sample()
    assert (card.name, card.pci) == ("AMD Radeon RX 470/480/570/580", "0000:0a:00.0")
    assert (sample.power_w, sample.temperature_c) == (34.124, 42.0)
    assert (sample.clock_sm_mhz, sample.clock_mem_mhz) == (300.0, 2000.0)


def test_integrated_graphics_say_that_they_live_in_main_memory(root: Path) -> None:
    plug(root, 0, APU)
    plug(root, 1, RX_7900_XTX)
    apu, board = cards(root).cards()
    assert apu.vram_total_bytes == 512 * MIB
    assert apu.shared_total_bytes == 15461882265
    assert "main memory" in apu.notes[INTEGRATED]
    assert apu.notes["clock_mem_mhz"] == apu.notes["power_limit_w"] == "the driver does not report it"
    assert INTEGRATED not in board.notes
    assert [card.index for card in (apu, board)] == [0, 1]


def test_a_sleeping_card_is_not_woken(root: Path, failing: dict[Path, Exception]) -> None:
    asleep = {**RX_7900_XTX, "power/runtime_status": "suspended\n", "mem_info_vram_used": "0\n"}
    device = plug(root, 0, asleep)
    sensors = ("gpu_busy_percent", "hwmon/hwmon4/power1_average", "hwmon/hwmon4/temp1_input", "pp_dpm_sclk")
    failing |= {device / name: AssertionError(f"{name} was read") for name in sensors}
    found = cards(root)
    assert found.sample() == (GpuSample("pci-0000:03:00.0", 0, 24560 * MIB, shared_used_bytes=90 * MIB),)
    assert found.cards()[0].notes["power_w"] == "the card is asleep"
    failing.clear()
    (device / "power/runtime_status").write_text("active\n")
    assert found.sample()[0].power_w == 312.0


def test_a_card_that_sleeps_without_saying_so(root: Path, failing: dict[Path, Exception]) -> None:
    device = plug(root, 0, {**RX_7900_XTX, "hwmon/hwmon4/power1_average": "0\n"})
    failing[device / "gpu_busy_percent"] = OSError(errno.EBUSY, "busy")
    failing[device / "hwmon/hwmon4/temp1_input"] = OSError(errno.EIO, "error")
    failing[device / "mem_info_gtt_used"] = PermissionError(errno.EACCES, "denied")
    found = cards(root)
    (sample,), (card,) = found.sample(), found.cards()
    assert (
        sample.utilisation_pct is sample.power_w is sample.temperature_c is sample.shared_used_bytes is None
    )
    assert sample.clock_sm_mhz == 2371.0
    assert card.notes["utilisation_pct"] == "the card is asleep or busy"
    assert card.notes["temperature_c"] == "the card does not answer"
    assert card.notes["shared_used_bytes"] == "the system gives no permission"
    assert card.notes["power_w"] == "the driver answers nonsense"


@pytest.mark.parametrize(
    "nonsense", ["", "N/A", "-1", "0x10", "1_000", "12.5", "18446744073709551615", "9" * 4096, "\x00", "٣"]
)
def test_nonsense_is_no_figure(root: Path, nonsense: str) -> None:
    names = [n for n in RX_7900_XTX if "_input" in n or "mem_info" in n or "power1" in n or "pp_dpm" in n]
    plug(root, 0, {**RX_7900_XTX, **dict.fromkeys([*names, "gpu_busy_percent"], nonsense)})
    found = cards(root)
    assert found.sample() == (GpuSample("pci-0000:03:00.0"),)
    assert found.cards()[0].power_limit_w is None
    assert found.cards()[0].notes["vram_total_bytes"] == "the driver answers nonsense"


def test_more_used_than_there_is_is_nonsense(root: Path) -> None:
    sample = seen(root, {**RX_7900_XTX, "mem_info_vram_used": "25753026561\n"})
    assert (sample.vram_used_bytes, sample.vram_total_bytes) == (None, 24560 * MIB)


def test_the_edge_of_the_die_wherever_it_stands_among_the_sensors(root: Path) -> None:
    labels = {"hwmon/hwmon4/temp1_label": "junction\n", "hwmon/hwmon4/temp2_label": "edge\n"}
    assert seen(root, {**RX_7900_XTX, **labels}).temperature_c == 78.0


def test_a_card_of_another_driver_or_of_none_has_its_name_and_no_figures(root: Path) -> None:
    bare = {"vendor": "0x1002\n", "device": "0x9999\n"}
    plug(root, 0, {**bare, "uevent": "DRIVER=radeon\nPCI_SLOT_NAME=0000:05:00.0\n"})
    plug(root, 1, bare)
    found = cards(root)
    old, unclaimed = found.cards()
    assert (old.name, old.driver, old.vram_total_bytes) == ("AMD GPU (0x9999)", "radeon", None)
    assert old.notes["vram_total_bytes"] == "the driver does not report it"
    assert (unclaimed.uuid, unclaimed.notes["driver"]) == ("card1", "no driver has taken the card")
    assert found.sample() == (GpuSample("pci-0000:05:00.0"), GpuSample("card1"))


def test_the_idle_baseline_is_the_first_one_seen(root: Path) -> None:
    device = plug(root, 0, RX_580)
    found = cards(root)
    assert found.cards()[0].vram_idle_bytes == 300 * MIB
    (device / "mem_info_vram_used").write_text("8000000000\n")
    found.close()
    assert found.cards()[0].vram_idle_bytes == 300 * MIB


def test_a_card_pulled_out_falls_silent_and_comes_back(root: Path) -> None:
    device = plug(root, 0, RX_7900_XTX)
    plug(root, 1, RX_580)
    found = cards(root)
    assert found.sample()[0].power_w == 312.0
    device.rename(device.with_name("elsewhere"))
    assert found.sample()[0] == GpuSample("pci-0000:03:00.0")
    assert found.sample()[1].vram_used_bytes == 300 * MIB
    device.with_name("elsewhere").rename(device)
    (device / "hwmon/hwmon4").rename(device / "hwmon/hwmon9")
    assert found.sample()[0].power_w == 312.0


def test_cards_of_others_and_no_cards(root: Path) -> None:
    found = cards(root)
    note = found.note
    assert note is not None
    assert note.sentence() == "No AMD GPU found: the system lists no AMD card."
    plug(root, 0, {"vendor": "0x10de\n"})
    assert found.cards() == found.sample() == found.processes() == ()
    found.close()
    assert found.cards() == ()
    plug(root, 1, RX_580)
    found.close()
    assert len(found.cards()) == 1
    assert found.note is None
    shutil.rmtree(root)
    found.close()
    note = found.note
    assert note is not None
    assert note.sentence() == "No AMD GPU found: this system lists no graphics cards."


def client(proc: Path, pid: int, fd: int, device: str, *lines: str) -> None:
    for folder in ("fd", "fdinfo"):
        (proc / str(pid) / folder).mkdir(parents=True, exist_ok=True)
    (proc / str(pid) / "comm").write_text(f"program-{pid}\n")
    (proc / str(pid) / "fd" / str(fd)).symlink_to(device)
    (proc / str(pid) / "fdinfo" / str(fd)).write_text("\n".join(("pos:\t0", *lines)))


def test_programs_on_a_card_count_each_client_once(root: Path) -> None:
    plug(root, 0, RX_7900_XTX)
    proc, node = root.parent / "proc", "/dev/dri/renderD128"
    at = "drm-pdev:\t0000:03:00.0"
    engine = (at, "drm-client-id:\t7", "drm-memory-vram:\t2097152 KiB", "drm-resident-vram:\t1 GiB")
    client(proc, 40, 5, node, *engine)
    client(proc, 40, 6, node, *engine)
    client(proc, 40, 7, node, at, "drm-client-id:\t8", "drm-memory-vram:\t512 KiB")
    client(proc, 9, 3, node, at, "drm-client-id:\t1", "drm-memory-vram:\t0 KiB")
    client(proc, 50, 3, node, at, "drm-client-id:\t2", "drm-memory-vram:\tplenty")
    client(proc, 60, 3, node, "drm-pdev:\t0000:99:00.0", "drm-memory-vram:\t9 MiB")
    client(proc, 70, 3, "/home/someone/file", at, "drm-memory-vram:\t9 MiB")
    (proc / "80").mkdir()
    (proc / "self").symlink_to("40")
    uuid = "pci-0000:03:00.0"
    assert cards(root).processes() == (
        GpuProcess(uuid, 40, "program-40", (1 << 30) + (512 << 10)),
        GpuProcess(uuid, 50, "program-50", None),
    )


def test_a_reading_is_cheap_and_keeps_nothing_open(root: Path) -> None:
    plug(root, 0, RX_7900_XTX)
    found = cards(root)
    found.sample()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        found.sample()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
