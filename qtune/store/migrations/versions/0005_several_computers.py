"""Which computer wrote a row: in a shared history others' processes cannot be looked at."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; rows that are there are of a computer that is not known, which counts as this one."""
    for table in ("runs", "ladder_steps", "incidents"):
        op.add_column(
            table, sa.Column("computer", sa.String(length=16), server_default=sa.text("''"), nullable=False)
        )
