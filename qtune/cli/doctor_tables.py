"""The doctor's report for a person. Text from models and files is never markup."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from qtune.cli.printing import printable
from qtune.core.machine_facts import GpuFacts
from qtune.session.requests import DoctorReport, EngineFinding

NONE = "–"
GIB = 1024**3
INDENT = " " * 9


def doctor_lines(report: DoctorReport) -> list[Text | Table]:
    """What is here, what is missing, what to do."""
    machine = report.machine
    ram = _gib(machine.ram_bytes)
    lines: list[Text | Table] = [
        Text(printable(f"Machine  {machine.os}, {machine.cpu}, {machine.cores} cores, {ram} main memory"))
    ]
    if report.gpus:
        lines += [Text(printable(line)) for gpu in report.gpus for line in _card(gpu)]
    elif report.gpu_note is not None:
        lines.append(Text(printable(f"Card     {report.gpu_note.sentence()}")))
    table = Table(title="Engines", title_justify="left")
    for name in ("engine", "version", "MTP", "devices"):
        table.add_column(name)
    for finding in report.engines:
        table.add_row(*_engine_row(finding))
    lines.append(table)
    lines += [
        Text(printable(f"Model    {m.path} ({m.arch}, {m.quant}, MTP head: {m.mtp})")) for m in report.models
    ]
    lines += [Text(printable(f"{name:<8} {path}")) for name, path in report.folders]
    for message in report.advice:
        lines.append(Text(printable(f"* {message.sentence()} {message.hint()}".rstrip())))
    return lines


def _card(gpu: GpuFacts) -> Iterator[str]:
    """The card, how to name it to ``--card``, and what is missing or odd about it."""
    yield f"Card     {gpu.name}, {_gib(gpu.vram_total_bytes)} VRAM, driver {gpu.driver or NONE}"
    board = f", a slice (MIG) of {gpu.mig_of}" if gpu.mig_of else ""
    yield f"{INDENT}{gpu.uuid}{board}"
    yield from (f"{INDENT}{figure}: {why}" for figure, why in gpu.notes.items())


def _engine_row(finding: EngineFinding) -> list[str | Text]:
    where = Text("bundled" if finding.ref.kind == "bundled" else printable(finding.ref.path))
    if finding.facts is None:
        told = NONE if finding.problem is None else finding.problem.sentence()
        return [where, Text(printable(told)), NONE, NONE]
    devices = ", ".join(d.description or d.name for d in finding.facts.devices) or "CPU"
    return [
        where,
        Text(printable(finding.facts.version)),
        "yes" if finding.facts.mtp else "no",
        Text(printable(devices)),
    ]


def _gib(size_bytes: int | None) -> str:
    return NONE if size_bytes is None else f"{size_bytes / GIB:.1f} GiB"
