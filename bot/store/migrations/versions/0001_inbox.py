"""The inbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Brings the tables to this revision."""
    op.create_table(
        "inbox",
        sa.Column("app_id", sa.Text, primary_key=True),
        sa.Column("message_id", sa.Text, primary_key=True),
        sa.Column("chat_id", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("create_time_ms", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("received_ms", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_index("inbox_state", "inbox", ["state", "create_time_ms"])
