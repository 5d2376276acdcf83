"""What a person reads in the terminal: tables and sentences. Text from models and files is never markup."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from qtune.core.messages import Message
from qtune.core.records import MemoryFacts, RunStatus
from qtune.core.stats import Spread
from qtune.session.requests import ArmResult, DoctorReport, EngineFinding, MeasureResult

NONE = "–"
GIB = 1024**3
MIB = 1024**2


def measure_table(result: MeasureResult) -> Table:
    """One row per arm; medians, with the range beneath the rate."""
    title = "" if not result.arms else escape(_title(result.arms[0]))
    table = Table(title=title, title_justify="left")
    for name in (
        "preset",
        "decode tok/s",
        "range",
        "TTFT ms",
        "prefill tok/s",
        "total ms",
        "accepted",
        "L",
        "n",
    ):
        table.add_column(name, justify="left" if name == "preset" else "right")
    memory = next((a.run.memory for a in result.arms if a.run.memory is not None), None)
    table.add_column(
        "VRAM peak" if memory is not None and memory.kind == "vram" else "engine RAM", justify="right"
    )
    table.add_column("state")
    for arm in result.arms:
        table.add_row(*_row(arm))
    return table


def _title(arm: ArmResult) -> str:
    run = arm.run
    sample = " (sample)" if run.model.is_sample else ""
    ctx_size = run.settings_requested.ctx_size
    return f"{run.model.name} {run.model.quant}{sample}, context {ctx_size}, {run.engine.version}"


def _row(arm: ArmResult) -> list[str | Text]:
    figured, run = arm.figures, arm.run
    accepted = figured.acceptance
    return [
        run.arm,
        _median(figured.decode_tok_s, 1),
        NONE
        if figured.decode_tok_s is None
        else f"{figured.decode_tok_s.low:.1f}-{figured.decode_tok_s.high:.1f}",
        _median(figured.ttft_ms, 0),
        _median(figured.prefill_tok_s, 0),
        _median(figured.total_ms, 0),
        NONE if accepted is None else f"{accepted.rate:.1%}",
        NONE if accepted is None or accepted.mean_len is None else f"{accepted.mean_len:.2f}",
        str(figured.n_counted),
        _memory(run.memory),
        Text(_state(arm)),
    ]


def _state(arm: ArmResult) -> str:
    run = arm.run
    if run.status is not RunStatus.DONE:
        return run.status.value
    if run.mtp_active is False:
        return "MTP not active"
    if run.settings_effective is None or not run.settings_effective.verified:
        return "settings unverified"
    return "ok"


def _median(spread: Spread | None, digits: int) -> str:
    return NONE if spread is None else f"{spread.median:.{digits}f}"


def _memory(memory: MemoryFacts | None) -> str:
    return NONE if memory is None or memory.peak is None else f"{memory.peak / MIB:.0f} MiB"


def measure_lines(result: MeasureResult) -> list[Text]:
    """The sentences below the table: verdict, reasons, and whatever went wrong."""
    verdict = result.verdict
    lines = [Text(verdict.sentence.sentence(), style="bold")]
    lines += [Text(reason.sentence()) for reason in verdict.reasons]
    if any(arm.run.model.is_sample for arm in result.arms):
        lines.append(Text(Message.of("sample_says_nothing").sentence()))
    for arm in result.arms:
        told = [*arm.run.notes] if arm.run.failure is None else [arm.run.failure, *arm.run.notes]
        lines += [Text(f"{arm.run.arm}: {message.sentence()}") for message in told]
    return lines


def doctor_lines(report: DoctorReport) -> list[Text | Table]:
    """What is here, what is missing, what to do."""
    machine = report.machine
    ram = _gib(machine.ram_bytes)
    lines: list[Text | Table] = [
        Text(f"Machine  {machine.os}, {machine.cpu}, {machine.cores} cores, {ram} main memory")
    ]
    if report.gpus:
        lines += [
            Text(f"Card     {gpu.name}, {_gib(gpu.vram_total_bytes)} VRAM, driver {gpu.driver or NONE}")
            for gpu in report.gpus
        ]
    elif report.gpu_note is not None:
        lines.append(Text(f"Card     {report.gpu_note.sentence()}"))
    table = Table(title="Engines", title_justify="left")
    for name in ("engine", "version", "MTP", "devices"):
        table.add_column(name)
    for finding in report.engines:
        table.add_row(*_engine_row(finding))
    lines.append(table)
    lines += [Text(f"Model    {m.path} ({m.arch}, {m.quant}, MTP head: {m.mtp})") for m in report.models]
    lines += [Text(f"{name:<8} {path}") for name, path in report.folders]
    for message in report.advice:
        lines.append(Text(f"* {message.sentence()} {message.hint()}".rstrip()))
    return lines


def _engine_row(finding: EngineFinding) -> list[str | Text]:
    where = Text("bundled" if finding.ref.kind == "bundled" else finding.ref.path)
    if finding.facts is None:
        told = NONE if finding.problem is None else finding.problem.sentence()
        return [where, Text(told), NONE, NONE]
    devices = ", ".join(d.description or d.name for d in finding.facts.devices) or "CPU"
    return [where, Text(finding.facts.version), "yes" if finding.facts.mtp else "no", Text(devices)]


def _gib(size_bytes: int | None) -> str:
    return NONE if size_bytes is None else f"{size_bytes / GIB:.1f} GiB"
