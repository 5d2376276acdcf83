"""All figures of each run, so that an export of many runs need not read their requests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; it fills as summaries are made anew, which those of the version before are due for."""
    op.create_table(
        "figures",
        sa.Column("run_key", sa.Integer(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_key"], ["runs.key"], name=op.f("fk_figures_run_key_runs")),
        sa.PrimaryKeyConstraint("run_key", name=op.f("pk_figures")),
    )
