"""The first tables: facts, experiments, runs, requests and telemetry."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "engines",
        sa.Column("hash", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_engines")),
    )
    op.create_table(
        "experiments",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("form", sa.String(length=16), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("created_utc", sa.String(length=40), nullable=False),
        sa.Column("prompt_id", sa.Text(), nullable=False),
        sa.Column("arms", sa.JSON(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    op.create_table(
        "machines",
        sa.Column("hash", sa.String(length=32), nullable=False),
        sa.Column("os", sa.Text(), nullable=False),
        sa.Column("cpu", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_machines")),
    )
    op.create_table(
        "models",
        sa.Column("hash", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("arch", sa.Text(), nullable=False),
        sa.Column("quant", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_models")),
    )
    op.create_table(
        "runs",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("experiment_id", sa.String(length=64), nullable=False),
        sa.Column("arm", sa.Text(), nullable=False),
        sa.Column("preset", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("started_utc", sa.String(length=40), nullable=False),
        sa.Column("ended_utc", sa.String(length=40), nullable=True),
        sa.Column("machine", sa.String(length=32), nullable=False),
        sa.Column("engine", sa.String(length=32), nullable=False),
        sa.Column("model", sa.String(length=32), nullable=False),
        sa.Column("settings_requested", sa.JSON(), nullable=False),
        sa.Column("settings_effective", sa.JSON(), nullable=True),
        sa.Column("mtp_active", sa.Boolean(), nullable=True),
        sa.Column("argv", sa.JSON(), nullable=False),
        sa.Column("environment", sa.JSON(), nullable=False),
        sa.Column("devices", sa.JSON(), nullable=False),
        sa.Column("gpus", sa.JSON(), nullable=False),
        sa.Column("memory", sa.JSON(), nullable=True),
        sa.Column("load_ms", sa.Double(), nullable=True),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("failure", sa.JSON(), nullable=True),
        sa.Column("owner_pid", sa.BigInteger(), nullable=False),
        sa.Column("owner_started", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["engine"], ["engines.hash"], name=op.f("fk_runs_engine_engines")),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name=op.f("fk_runs_experiment_id_experiments")
        ),
        sa.ForeignKeyConstraint(["machine"], ["machines.hash"], name=op.f("fk_runs_machine_machines")),
        sa.ForeignKeyConstraint(["model"], ["models.hash"], name=op.f("fk_runs_model_models")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
    )
    op.create_index(op.f("ix_runs_experiment_id"), "runs", ["experiment_id"], unique=False)
    op.create_index(op.f("ix_runs_model"), "runs", ["model"], unique=False)
    op.create_index(op.f("ix_runs_started_utc"), "runs", ["started_utc"], unique=False)
    op.create_index(op.f("ix_runs_status"), "runs", ["status"], unique=False)
    op.create_table(
        "requests",
        sa.Column("run_key", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("prompt_id", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("max_tokens", sa.Integer(), nullable=False),
        sa.Column("sampling", sa.JSON(), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=True),
        sa.Column("drafts", sa.JSON(), nullable=True),
        sa.Column("sent_ns", sa.BigInteger(), nullable=False),
        sa.Column("headers_ns", sa.BigInteger(), nullable=True),
        sa.Column("first_answer_ns", sa.BigInteger(), nullable=True),
        sa.Column("ended_ns", sa.BigInteger(), nullable=False),
        sa.Column("event_ns", sa.LargeBinary(), nullable=True),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.Column("failure", sa.JSON(), nullable=True),
        sa.Column("has_timings", sa.Boolean(), nullable=False),
        sa.Column("cache_n", sa.BigInteger(), nullable=True),
        sa.Column("prompt_n", sa.BigInteger(), nullable=True),
        sa.Column("prompt_ms", sa.Double(), nullable=True),
        sa.Column("predicted_n", sa.BigInteger(), nullable=True),
        sa.Column("predicted_ms", sa.Double(), nullable=True),
        sa.Column("draft_n", sa.BigInteger(), nullable=True),
        sa.Column("draft_n_accepted", sa.BigInteger(), nullable=True),
        sa.Column("has_usage", sa.Boolean(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=True),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_key"], ["runs.key"], name=op.f("fk_requests_run_key_runs")),
        sa.PrimaryKeyConstraint("run_key", "position", name=op.f("pk_requests")),
    )
    op.create_table(
        "telemetry",
        sa.Column("run_key", sa.Integer(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("series", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_key"], ["runs.key"], name=op.f("fk_telemetry_run_key_runs")),
        sa.PrimaryKeyConstraint("run_key", name=op.f("pk_telemetry")),
    )
