"""Run by Alembic; `Database.open` hands it the connection."""

from __future__ import annotations

from alembic import context

from bot.store.tables import metadata

# SQLite takes DDL in a transaction too, as long as nobody tells Alembic otherwise.
context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
