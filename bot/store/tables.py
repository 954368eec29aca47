"""The tables as the newest migration leaves them; a test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, MetaData, Table, Text

metadata = MetaData()

inbox = Table(
    "inbox",
    metadata,
    Column("app_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("chat_id", Text, nullable=False),
    Column("thread_id", Text),
    Column("conversation", Text, nullable=False),
    Column("create_time_ms", BigInteger, nullable=False),
    Column("body", Text, nullable=False),  # the event as JSON
    Column("received_ms", BigInteger, nullable=False),
    Column("state", Text, nullable=False),  # "received", then "enqueued"
    # Finds what waits, and counts the states without touching the bodies.
    Index("inbox_state", "state", "create_time_ms"),
)
