"""The user's marks on runs, verdicts of experiments, and a summary of each run to sort and filter by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_INDEXED = (
    "version",
    "experiment_id",
    "kind",
    "status",
    "starred",
    "deleted_utc",
    "started_utc",
    "arm",
    "preset",
    "model",
    "quant",
    "engine_build",
    "device",
    "n_max",
    "ctx_size",
    "decode_tok_s",
    "ttft_ms",
    "prefill_tok_s",
    "total_ms",
    "acceptance_rate",
    "load_ms",
    "vram_peak_bytes",
    "ram_peak_bytes",
    "requests_counted",
    "decision",
    "ratio",
)


def upgrade() -> None:
    """Add the columns and the table; each stored run gets a summary whose figures are worked out later."""
    op.add_column("experiments", sa.Column("verdict", sa.JSON(), nullable=True))
    marks: tuple[sa.Column[object], ...] = (
        sa.Column("starred", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("outlier", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("deleted_utc", sa.String(length=40), nullable=True),
    )
    for column in marks:
        op.add_column("runs", column)
    _create_summaries()
    # Version 0 is older than any: the figures, and whatever else is empty here, are due.
    op.execute(
        "INSERT INTO summaries (run_key, version, experiment_id, kind, status, starred, outlier, started_utc,"
        " arm, preset, model, quant, engine, device, requests, requests_ok, requests_counted, search)"
        " SELECT runs.key, 0, runs.experiment_id, experiments.kind, runs.status, runs.starred, runs.outlier,"
        " runs.started_utc, runs.arm, runs.preset, models.name, models.quant, engines.version,"
        " '', 0, 0, 0, ''"
        " FROM runs JOIN experiments ON experiments.id = runs.experiment_id"
        " JOIN models ON models.hash = runs.model JOIN engines ON engines.hash = runs.engine"
    )


def _create_summaries() -> None:
    name = sa.Text().with_variant(sa.Text(collation="NOCASE"), "sqlite")
    op.create_table(
        "summaries",
        sa.Column("run_key", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("starred", sa.Boolean(), nullable=False),
        sa.Column("outlier", sa.Boolean(), nullable=False),
        sa.Column("deleted_utc", sa.String(length=40), nullable=True),
        sa.Column("started_utc", sa.String(length=40), nullable=False),
        sa.Column("arm", name, nullable=False),
        sa.Column("preset", name, nullable=False),
        sa.Column("model", name, nullable=False),
        sa.Column("quant", name, nullable=False),
        sa.Column("engine", name, nullable=False),
        sa.Column("engine_build", sa.BigInteger(), nullable=True),
        sa.Column("device", name, nullable=False),
        sa.Column("n_max", sa.Integer(), nullable=True),
        sa.Column("ctx_size", sa.BigInteger(), nullable=True),
        sa.Column("decode_tok_s", sa.Double(), nullable=True),
        sa.Column("ttft_ms", sa.Double(), nullable=True),
        sa.Column("prefill_tok_s", sa.Double(), nullable=True),
        sa.Column("total_ms", sa.Double(), nullable=True),
        sa.Column("acceptance_rate", sa.Double(), nullable=True),
        sa.Column("acceptance_length", sa.Double(), nullable=True),
        sa.Column("load_ms", sa.Double(), nullable=True),
        sa.Column("vram_peak_bytes", sa.BigInteger(), nullable=True),
        sa.Column("ram_peak_bytes", sa.BigInteger(), nullable=True),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("requests_ok", sa.Integer(), nullable=False),
        sa.Column("requests_counted", sa.Integer(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=True),
        sa.Column("ratio", sa.Double(), nullable=True),
        sa.Column("search", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_key"], ["runs.key"], name=op.f("fk_summaries_run_key_runs")),
        sa.PrimaryKeyConstraint("run_key", name=op.f("pk_summaries")),
    )
    for column in _INDEXED:
        op.create_index(op.f(f"ix_summaries_{column}"), "summaries", [column], unique=False)
