"""Called by alembic: runs the revisions on the connection, and in the transaction, that the caller opened."""

from __future__ import annotations

from alembic import context

from qtune.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite cannot alter most of a table in place.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
