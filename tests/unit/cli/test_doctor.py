"""``qtune doctor`` for people: every card with its name for ``--card``, and what is odd about it."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from qtune.cli.doctor_tables import doctor_lines
from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.session.requests import DoctorReport
from tests.service.store.made import full_run

GIB = 1024**3
MACHINE = full_run().machine
CARD = GpuFacts(0, "GPU-1", "RTX 4090", 24 * GIB, "570.1")


def shown(*gpus: GpuFacts, note: Message | None = None) -> list[str]:
    console = Console(width=300, record=True, file=io.StringIO())
    for line in doctor_lines(DoctorReport(MACHINE, (), gpus, note, (), (), ())):
        console.print(line)
    text = console.export_text()
    assert not set(text) & set("\x1b\x07\u202e")
    return text.split("Engines")[0].splitlines()


def test_a_card_has_its_name_and_its_notes() -> None:
    odd = replace(CARD, notes={"power": "the board does not report it", "processes": "no permission"})

    assert shown(odd)[1:] == [
        "Card     RTX 4090, 24.0 GiB VRAM, driver 570.1",
        "         GPU-1",
        "         power: the board does not report it",
        "         processes: no permission",
    ]


def test_a_slice_names_its_board() -> None:
    slices = [replace(CARD, uuid=f"MIG-{n}", name="H100 MIG 1g.10gb", mig_of="GPU-9") for n in (1, 2)]

    told = shown(*slices)
    assert [line.strip() for line in told if "MIG-" in line] == [
        "MIG-1, a slice (MIG) of GPU-9", "MIG-2, a slice (MIG) of GPU-9",
    ]  # fmt: skip


def test_nothing_a_driver_says_steers_the_terminal() -> None:
    hostile = "[red]\x1b[2J\u202e\x07"
    told = shown(replace(CARD, name=hostile, uuid=hostile, mig_of=hostile, notes={hostile: hostile}))

    assert "\n".join(told).count(r"[red]\u001b[2J") == 5
    assert r"\u001b" in shown(note=Message.of("no_gpu", nvidia=hostile, amd="x"))[1]
