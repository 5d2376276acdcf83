"""Results in Markdown: a table of the record, and a card to share that names no user, host or path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qtune.core.report_texts import DECISION_WORDS
from qtune.core.stats import ArmFigures
from qtune.core.verdict import Verdict
from qtune.report.export_run import ExportArm, ExportRun, arms_of, by_experiment, verdict_of
from qtune.report.markdown_text import escaped, table
from qtune.report.nameless import nameless, shareable
from qtune.report.words import card_words, gain, gib, memory_words, number, speculation, with_range

_FOOTNOTE = (
    "Medians with the range seen; memory before launch → loaded → peak / total; "
    "the gain over off with its 95 % interval where there is one."
)


def record_table(runs: Sequence[ExportRun]) -> str:
    """One row a run, in order: settings that matter, and medians."""
    header = (
        "date", "model", "quant", "build", "arm", "start", "context", "MTP", "decode tok/s", "TTFT ms",
        "prefill tok/s", "total ms", "acceptance", "L", "memory peak", "n", "status",
    )  # fmt: skip
    rows = []
    for arm_run in shareable(runs):
        run = arm_run.run
        (arm,) = arms_of([arm_run])
        f = arm.figures
        rows.append(
            (
                run.started_utc[:16].replace("T", " ") + " UTC",
                run.model.name,
                run.model.quant,
                str(run.engine.build or run.engine.version),
                nameless(run.arm),
                str(run.start),
                str(run.settings_requested.ctx_size),
                speculation(run),
                with_range(f.decode_tok_s),
                with_range(f.ttft_ms, 0),
                with_range(f.prefill_tok_s, 0),
                with_range(f.total_ms, 0),
                _share(f),
                number(None if f.acceptance is None else f.acceptance.mean_len, 2),
                gib(None if run.memory is None else run.memory.peak),
                str(f.n_counted),
                run.status.value,
            )
        )
    return "\n".join([*table(header, rows, (5, 6, *range(8, 16))), ""])


def _share(figures: ArmFigures) -> str:
    return "–" if figures.acceptance is None else f"{figures.acceptance.rate * 100:.0f} %"


def share_cards(runs: Iterable[ExportRun]) -> str:
    """A card for each experiment.

    Raises:
        KnownError: ``export_too_many``.
    """
    return "\n".join(map(share_card, by_experiment(runs)))


def share_card(
    runs: Sequence[ExportRun],
    *,
    verdict: Verdict | None = None,
    model_sha256: str | None = None,
    display: str | None = None,
) -> str:
    """A card for a forum: what was measured, on what, and what came out.

    Args:
        runs: The runs of one experiment, at least one.
        verdict: As it was given; None works it out from the runs.
        model_sha256: Hash of the model's file if somebody worked it out; the record has none.
        display: ``desktop`` or ``headless``, if known.
    """
    runs = shareable(runs)
    found = verdict or verdict_of(runs)
    arms = arms_of(runs)
    run = arms[-1].last
    settings = run.settings_requested
    # Without figures the sentence gives the reason of a failure, which may name files.
    headline = found.sentence.sentence() if found.ratios else DECISION_WORDS[found.decision]
    title = escaped(f"{run.model.name} {run.model.quant}")
    ratios = {ratio.arm: ratio for ratio in found.ratios}
    prompts = dict.fromkeys(q.prompt_id for r in runs for q in r.requests if q.phase == "counted")
    devices = ", ".join(d.name for d in run.engine.devices)
    facts = [
        ("Model", f"{run.model.name}, {run.model.quant}, {gib(run.model.size_bytes)}"),
        ("File hash (SHA-256)", model_sha256 or "not known"),
        ("Engine", f"llama.cpp {run.engine.version}, {devices or 'CPU'}"),
        ("Card", card_words(run)),
        ("System", run.machine.os + (f", {display}" if display else "")),
        ("Context", f"{settings.ctx_size} tokens, {settings.parallel} parallel"),
        ("KV types", f"K {settings.cache_type_k}, V {settings.cache_type_v}"),
        ("Draft KV types", f"K {settings.draft_cache_type_k}, V {settings.draft_cache_type_v}"),
        ("Prompts", ", ".join(map(nameless, prompts)) or "–"),
        ("Measured", f"{run.started_utc[:10]} UTC, {', '.join(_starts(arms))}"),
    ]
    if outliers := sum(source.marks.outlier for source in runs):
        facts.append(("Outliers", f"{outliers} of {len(runs)} starts are marked so, and are in the figures"))
    header = (
        "arm", "MTP", "decode tok/s", "over off", "TTFT ms", "prefill tok/s", "total ms", "acceptance",
        "memory",
    )  # fmt: skip
    rows = [
        (
            nameless(arm.arm),
            speculation(arm.last),
            with_range(arm.decode_tok_s),
            gain(ratios.get(arm.arm)),
            with_range(arm.figures.ttft_ms, 0),
            with_range(arm.figures.prefill_tok_s, 0),
            with_range(arm.figures.total_ms, 0),
            _share(arm.figures),
            memory_words(arm.memory),
        )
        for arm in arms
    ]
    return "\n".join(
        [
            f"### {title}: {escaped(headline)}",
            "",
            *table(("", ""), facts),
            "",
            *table(header, rows, range(2, 8)),
            "",
            _FOOTNOTE,
            "",
        ]
    )


def _starts(arms: Sequence[ExportArm]) -> list[str]:
    return [
        f"{nameless(a.arm)}: {_number(a.figures.n_counted, 'request')} in {_number(len(a.runs), 'start')}"
        for a in arms
    ]


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
