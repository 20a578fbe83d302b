"""Sources with runs of their own, jobs, executions, tasks."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0013"
down_revision = "0012"

Id = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")
AVAILABLE = text("avail_at IS NOT NULL")


def upgrade() -> None:
    for table in ("domains", "runs"):
        op.add_column(table, Column("source_id", Integer, server_default=ZERO, nullable=False))
    op.drop_index("domains_avail", "domains")
    op.create_index(
        "domains_avail",
        "domains",
        ["source_id", "tier", "avail_at"],
        sqlite_where=AVAILABLE,
        postgresql_where=AVAILABLE,
    )
    op.add_column("runs", Column("execution_id", Id))
    op.create_index("runs_execution", "runs", ["execution_id"], unique=True)
    op.create_index("runs_source", "runs", ["source_id", "id"])
    op.add_column("workers", Column("peak_rss_bytes", BigInteger, server_default=ZERO, nullable=False))
    op.add_column("workers", Column("cpu_ms", BigInteger, server_default=ZERO, nullable=False))
    _split_seeds()
    _create_tables()


def _split_seeds() -> None:
    """A seed may belong to several sources, so its url alone is no longer a key."""
    op.drop_index("seeds_roots", "seeds")
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("seeds", Column("source_id", Integer, server_default=ZERO, nullable=False))
        op.drop_constraint("seeds_url_key", "seeds", type_="unique")
    else:
        # SQLite cannot drop a constraint.
        op.create_table(
            "seeds_split",
            Column("id", Integer, nullable=False),
            Column("url", Text, nullable=False),
            Column("cause", Text, nullable=False),
            Column("added_at", Double, nullable=False),
            Column("source", Text),
            Column("rank", Integer),
            Column("host", Text, server_default=text("''"), nullable=False),
            Column("site", Text, server_default=text("''"), nullable=False),
            Column("source_id", Integer, server_default=ZERO, nullable=False),
            PrimaryKeyConstraint("id"),
        )
        columns = "id, url, cause, added_at, source, rank, host, site"
        op.execute(f"INSERT INTO seeds_split ({columns}) SELECT {columns} FROM seeds")
        op.drop_table("seeds")
        op.rename_table("seeds_split", "seeds")
    op.create_index("seeds_url", "seeds", ["source_id", "url"], unique=True)
    op.create_index("seeds_roots", "seeds", ["source_id", "site", "host"])


def _create_tables() -> None:
    op.create_table(
        "sources",
        Column("id", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("definition", Text, nullable=False),
        Column("enabled", Integer, nullable=False),
        Column("version", Integer, server_default=text("1"), nullable=False),
        Column("created_at", Double, nullable=False),
        Column("updated_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "jobs",
        Column("id", Integer, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("url", Text),
        Column("state", Text, nullable=False),
        Column("interval_minutes", Integer),
        Column("interval_type", Text, server_default=text("'minutes'"), nullable=False),
        Column("schedule_enabled", Integer, nullable=False),
        Column("adaptive_scheduling", Integer, server_default=text("1"), nullable=False),
        Column("timezone", Text, server_default=text("'UTC'"), nullable=False),
        Column("active_hours", Text),
        Column("next_run_at", Double),
        Column("phase_at", Double),
        Column("slot_moved_at", Double),
        Column("priority", Integer, server_default=text("5"), nullable=False),
        Column("content_hash", Text),
        Column("unchanged_count", Integer, server_default=ZERO, nullable=False),
        Column("max_retries", Integer, server_default=text("3"), nullable=False),
        Column("retry_backoff_seconds", Integer, server_default=text("60"), nullable=False),
        Column("current_retry_count", Integer, server_default=ZERO, nullable=False),
        Column("lock_token", Text),
        Column("lock_acquired_at", Double),
        Column("lock_heartbeat_at", Double),
        Column("stale_locks", Integer, server_default=ZERO, nullable=False),
        Column("paused_at", Double),
        Column("cancelled_at", Double),
        Column("last_error", Text),
        Column("metadata", Text, server_default=text("'{}'"), nullable=False),
        Column("version", Integer, server_default=text("1"), nullable=False),
        Column("created_at", Double, nullable=False),
        Column("updated_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    due = text("next_run_at IS NOT NULL")
    op.create_index("jobs_due", "jobs", ["next_run_at"], sqlite_where=due, postgresql_where=due)
    op.create_index("jobs_source", "jobs", ["source_id"])
    op.create_table(
        "executions",
        Column("id", Id, nullable=False),
        Column("job_id", Integer, nullable=False),
        Column("number", Integer, nullable=False),
        Column("scheduled_at", Double, nullable=False),
        Column("trigger", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("run_id", Integer),
        Column("retry_number", Integer, server_default=ZERO, nullable=False),
        Column("started_at", Double, nullable=False),
        Column("ended_at", Double),
        Column("items_crawled", Id, server_default=ZERO, nullable=False),
        Column("items_changed", Id, server_default=ZERO, nullable=False),
        Column("items_failed", Id, server_default=ZERO, nullable=False),
        Column("error", Text),
        Column("traceback", Text),
        Column("cpu_ms", Id, server_default=ZERO, nullable=False),
        Column("peak_rss_bytes", Id, server_default=ZERO, nullable=False),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("job_id", "scheduled_at"),
        UniqueConstraint("job_id", "number"),
        sqlite_autoincrement=True,
    )
    op.create_index("executions_started", "executions", ["started_at"])
    is_open = text("ended_at IS NULL")
    op.create_index(
        "executions_open", "executions", ["job_id"], sqlite_where=is_open, postgresql_where=is_open
    )
    op.create_table(
        "tasks",
        Column("id", Id, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("queue", Text, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("state", Text, nullable=False),
        Column("deliveries", Integer, server_default=ZERO, nullable=False),
        Column("error", Text),
        Column("created_at", Double, nullable=False),
        Column("publish_after", Double),
        Column("queued_at", Double),
        Column("started_at", Double),
        Column("ended_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("run_id"),
    )
    waits = text("publish_after IS NOT NULL")
    op.create_index("tasks_outbox", "tasks", ["publish_after"], sqlite_where=waits, postgresql_where=waits)
