"""What was read of each run's server, devices and memory, beside its figures: tables show a few of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table anew; it fills as summaries do, which those of the version before are due for."""
    op.drop_table("figures")
    op.create_table(
        "figures",
        sa.Column("run_key", sa.Integer(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=True),
        sa.Column("devices", sa.Text(), nullable=False),
        sa.Column("memory_kind", sa.String(length=16), nullable=True),
        sa.Column("memory_before_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_loaded_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_peak_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_total_bytes", sa.BigInteger(), nullable=True),
        sa.Column("spill", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["run_key"], ["runs.key"], name=op.f("fk_figures_run_key_runs")),
        sa.PrimaryKeyConstraint("run_key", name=op.f("pk_figures")),
    )
