"""Tables of the way back: steps on the ladder and incidents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables; what is stored stays as it is."""
    op.create_table(
        "ladder_steps",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.Column("direction", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=True),
        sa.Column("taken_by", sa.String(length=16), nullable=False),
        sa.Column("footing_before", sa.JSON(), nullable=False),
        sa.Column("footing_after", sa.JSON(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.JSON(), nullable=True),
        sa.Column("load_ms", sa.Double(), nullable=True),
        sa.Column("decode_tok_s", sa.Double(), nullable=True),
        sa.Column("vram_loaded_bytes", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_ladder_steps")),
        sa.UniqueConstraint("id", name=op.f("uq_ladder_steps_id")),
    )
    op.create_index(op.f("ix_ladder_steps_at_utc"), "ladder_steps", ["at_utc"], unique=False)
    op.create_table(
        "incidents",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("at_utc", sa.String(length=40), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=False),
        sa.Column("message", sa.JSON(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("footing", sa.JSON(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("action", sa.JSON(), nullable=True),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_incidents")),
        sa.UniqueConstraint("id", name=op.f("uq_incidents_id")),
    )
    op.create_index(op.f("ix_incidents_at_utc"), "incidents", ["at_utc"], unique=False)
