"""What a person reads after a measurement: a table, the verdict in one sentence, and the reasons."""

from __future__ import annotations

import sys

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from qtune.bench.context_sweep import DepthPoint
from qtune.cli.doctor_tables import NONE
from qtune.cli.fill_words import fill_table, offered_fill
from qtune.core.messages import Message, gain
from qtune.core.records import MemoryFacts, RunStatus
from qtune.core.stats import Spread
from qtune.core.verdict import Ratio, Verdict
from qtune.session.findings import ArmFindings, Findings, JobResult
from qtune.session.to_launch import arm_to_launch

MIB = 1024**2
_SCRIPT = "ps1" if sys.platform == "win32" else "sh"
DECISIONS = {
    "better": "better",
    "worse": "worse",
    "no_difference": "no difference",
    "too_few": "no answer yet",
    "mtp_not_active": "MTP not active",
}


def parts(found: JobResult) -> list[RenderableType]:
    """Everything that is printed, in order."""
    fill = found.findings.fill
    shown: list[RenderableType] = [_table(found)] if fill is None else [fill_table(fill, _title(found))]
    if found.findings.curve:
        shown.append(_curve(found.findings.curve))
    if len(_prompts(found.result.verdict)) > 1:
        shown.append(_by_prompt(found.result.verdict))
    return [*shown, *_sentences(found), *offered_fill(found), *_stored(found)]


def _stored(found: JobResult) -> list[RenderableType]:
    """Where it is found again, and how its result is taken away."""
    if not found.findings.arms:
        return []
    id_ = found.findings.arms[0].runs[-1].experiment_id[:8]
    done = [a.arm for a in found.findings.arms if any(run.status is RunStatus.DONE for run in a.runs)]
    told = f"Experiment {id_}: qtune history show {id_}"
    if arm_to_launch(done, found.result.verdict) in done:
        told += f"; to launch the result: qtune export {_SCRIPT} {id_}"
    return [Text(told)]


def _table(found: JobResult) -> Table:
    arms = found.findings.arms
    table = Table(title=escape(_title(found)), title_justify="left")
    table.add_column("arm")
    columns = ["decode tok/s", "range", "vs off", "95 %", "TTFT ms", "prefill tok/s", "total ms", "accepted"]
    for name in [*columns, "L", "n", _memory_name(arms)]:
        table.add_column(name, justify="right")
    table.add_column("state")
    ratios = {ratio.arm: ratio for ratio in found.result.verdict.ratios}
    for arm in arms:
        table.add_row(*_row(arm, ratios.get(arm.arm)))
    return table


def _title(found: JobResult) -> str:
    if not found.findings.arms:
        return ""
    run = found.findings.arms[0].runs[-1]
    sample = " (sample)" if run.model.is_sample else ""
    context = f"context {run.settings_requested.ctx_size}, " if found.findings.fill is None else ""
    return f"{run.model.name} {run.model.quant}{sample}, {context}{run.engine.version}"


def _memory_name(arms: tuple[ArmFindings, ...]) -> str:
    kinds = {arm.memory.kind for arm in arms if arm.memory is not None}
    return "VRAM peak" if kinds == {"vram"} else "engine RAM"


def _row(arm: ArmFindings, ratio: Ratio | None) -> list[RenderableType]:
    figured, accepted = arm.figures, arm.figures.acceptance
    decode = arm.decode_tok_s
    bounds = NONE
    if ratio is not None and ratio.bounds is not None:
        bounds = " to ".join(map(gain, ratio.bounds)) + " %"
    return [
        Text(arm.arm),
        _median(decode, 1),
        NONE if decode is None else f"{decode.low:.1f}-{decode.high:.1f}",
        NONE if ratio is None else f"{gain(ratio.ratio)} %",
        bounds,
        _median(figured.ttft_ms, 0),
        _median(figured.prefill_tok_s, 0),
        _median(figured.total_ms, 0),
        NONE if accepted is None else f"{accepted.rate:.1%}",
        NONE if accepted is None or accepted.mean_len is None else f"{accepted.mean_len:.2f}",
        str(figured.n_counted),
        _memory(arm.memory),
        Text(_state(arm, ratio)),
    ]


def _state(arm: ArmFindings, ratio: Ratio | None) -> str:
    done = {run.start for run in arm.runs if run.status is RunStatus.DONE}
    broken = [run.status.value for run in arm.runs if run.start not in done]
    if broken and ratio is None:
        return broken[-1]
    if arm.figures.n_counted == 0:
        return "nothing counted"
    if arm.mtp_active is False:
        return "MTP not active"
    effective = [run.settings_effective for run in arm.runs]
    if any(found is None or not found.verified for found in effective):
        return "settings unverified"
    return "ok" if ratio is None else DECISIONS[ratio.decision]


def _median(spread: Spread | None, digits: int) -> str:
    return NONE if spread is None else f"{spread.median:.{digits}f}"


def _memory(memory: MemoryFacts | None) -> str:
    return NONE if memory is None or memory.peak is None else f"{memory.peak / MIB:.0f} MiB"


def _prompts(verdict: Verdict) -> list[str]:
    return list(dict.fromkeys(d.prompt_id for a in verdict.answers for d in a.domains))


def _by_prompt(verdict: Verdict) -> Table:
    """Each workload by itself: structure decides the gain, and one headline would hide it."""
    table = Table(title="vs off by prompt", title_justify="left")
    table.add_column("arm")
    for prompt in _prompts(verdict):
        table.add_column(escape(prompt), justify="right")
    for answer in verdict.answers:
        known = {d.prompt_id: d for d in answer.domains}
        table.add_row(
            Text(answer.arm),
            *(
                NONE if (d := known.get(p)) is None else f"{gain(d.ratio)} % ({DECISIONS[d.decision]})"
                for p in _prompts(verdict)
            ),
        )
    return table


def _curve(points: tuple[DepthPoint, ...]) -> Table:
    table = Table(title="by depth of filled context", title_justify="left")
    for name in ("arm", "depth", "tokens", "decode tok/s", "change", "TTFT ms", "change"):
        table.add_column(name, justify="left" if name == "arm" else "right")
    for p in points:
        table.add_row(
            Text(p.arm),
            str(p.depth),
            NONE if p.filled is None else str(p.filled),
            NONE if p.decode_tok_s is None else f"{p.decode_tok_s:.1f}",
            NONE if p.decode_change_pct is None else f"{p.decode_change_pct:+.0f} %",
            NONE if p.ttft_ms is None else f"{p.ttft_ms:.0f}",
            NONE if p.ttft_change_pct is None else f"{p.ttft_change_pct:+.0f} %",
        )
    return table


def _sentences(found: JobResult) -> list[RenderableType]:
    verdict, findings = found.result.verdict, found.findings
    lines: list[RenderableType] = [Text(verdict.sentence.sentence(), style="bold")]
    lines += [Text(f"  {reason.sentence()}") for reason in verdict.reasons]
    lines += _more(findings)
    if any(arm.runs[-1].model.is_sample for arm in findings.arms):
        lines.append(Text(Message.of("sample_says_nothing").sentence()))
    for r in found.result.arms:
        # A fill test has told its failures as reasons.
        failed = r.run.failure if findings.fill is None else None
        told = [*r.run.notes] if failed is None else [failed, *r.run.notes]
        lines += [Text(f"{r.run.arm}: {message.sentence()}") for message in told]
    return lines


def _spills(findings: Findings) -> list[RenderableType]:
    """Whether the card spilled, arm by arm, and what to try; advice that arms share stands once."""
    lines: list[RenderableType] = []
    advice: dict[Message, None] = {}
    for arm in findings.arms:
        memory = arm.memory
        if memory is None or memory.kind != "vram" or memory.spill_reason is None:
            continue
        reason = memory.spill_reason
        lines.append(Text(f"  {arm.arm}: {reason.sentence()} {reason.hint()}".rstrip()))
        advice |= dict.fromkeys(memory.spill_advice)
    return [*lines, *(Text(f"  {message.sentence()}") for message in advice)]


def _more(findings: Findings) -> list[RenderableType]:
    """Diagnosis, gates and drift, where there is something to say."""
    lines: list[RenderableType] = []
    found = findings.diagnosis
    if found is not None and found.bottleneck != "unknown":
        lines.append(Text(f"{found.sentence.sentence()} {found.sentence.hint()}".rstrip()))
        lines += [Text(f"  {finding.sentence()} {finding.hint()}".rstrip()) for finding in found.findings]
    if findings.fill is None:  # its steps tell of their own memory
        lines += _spills(findings)
    for arm in findings.arms:
        lines += [
            Text(f"  {arm.arm} {gate.state}: {gate.reason.sentence()}")
            for gate in arm.gates
            if gate.state != "unknown"
        ]
        drift = None if arm.drift is None else arm.drift.message()
        if drift is not None:
            told = drift.sentence().replace("\n", "\\n")  # excerpts of answers stay on one line
            lines.append(Text(f"  {arm.arm}: {told}"))
    return lines
