"""Sources, their jobs, each execution of a job, and the tasks by which executions reach workers."""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, UniqueConstraint, text

from tenax.stores.schema.columns import Id, metadata

sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the name in the form used for comparison
    # JSON, as read by jobs/sources/definition.py; the values of headers are hidden in it
    Column("definition", Text, nullable=False),
    Column("enabled", Integer, nullable=False),
    # of its definition: a change names the version it was based on
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("headers", Text),  # sealed JSON, name → value; NULL: it has none
    # source, or crawl: started by a user by its name, and without a definition
    Column("kind", Text, nullable=False, server_default=text("'source'")),
    sqlite_autoincrement=True,  # domains and runs refer to it
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("url", Text),  # the start page; NULL: all seeds of the source
    Column("state", Text, nullable=False),
    # when; an interval of NULL: once
    Column("interval_minutes", Integer),  # a number of the units that interval_type names
    Column("interval_type", Text, nullable=False, server_default=text("'minutes'")),
    Column("schedule_enabled", Integer, nullable=False),
    Column("adaptive_scheduling", Integer, nullable=False, server_default=text("1")),
    Column("timezone", Text, nullable=False, server_default=text("'UTC'")),
    Column("active_hours", Text),  # JSON; NULL: always
    Column("next_run_at", Double),
    # a tick of its rhythm; all ticks are whole intervals apart. next_run_at differs from it during retries,
    # and while the job waits for its active hours
    Column("phase_at", Double),
    Column("slot_moved_at", Double),
    Column("priority", Integer, nullable=False, server_default=text("5")),  # 1 is the highest, 10 the lowest
    # adaptive: the hash of the start page, and how often it was unchanged since
    Column("content_hash", Text),
    Column("unchanged_count", Integer, nullable=False, server_default=text("0")),
    # failures
    Column("max_retries", Integer, nullable=False, server_default=text("3")),
    Column("retry_backoff_seconds", Integer, nullable=False, server_default=text("60")),
    Column("current_retry_count", Integer, nullable=False, server_default=text("0")),
    # the scheduler that watches its execution
    Column("lock_token", Text),
    Column("lock_acquired_at", Double),
    Column("lock_heartbeat_at", Double),
    Column(
        "stale_locks", Integer, nullable=False, server_default=text("0")
    ),  # how often that scheduler was gone
    Column("paused_at", Double),
    Column("cancelled_at", Double),
    Column("last_error", Text),
    Column(
        "metadata", Text, nullable=False, server_default=text("'{}'")
    ),  # JSON, from the creator of the job
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    sqlite_autoincrement=True,  # executions refer to it
)
Index(
    "jobs_due",
    jobs.c.next_run_at,
    sqlite_where=jobs.c.next_run_at.isnot(None),
    postgresql_where=jobs.c.next_run_at.isnot(None),
)
Index("jobs_source", jobs.c.source_id)

executions = Table(
    "executions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("scheduled_at", Double, nullable=False),  # the tick
    Column("trigger", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("run_id", Integer),  # NULL: it has not been started yet
    Column("retry_number", Integer, nullable=False, server_default=text("0")),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("items_crawled", Id, nullable=False, server_default=text("0")),
    Column("items_changed", Id, nullable=False, server_default=text("0")),
    Column("items_failed", Id, nullable=False, server_default=text("0")),
    Column("error", Text),
    Column("traceback", Text),
    Column("cpu_ms", Id, nullable=False, server_default=text("0")),
    Column("peak_rss_bytes", Id, nullable=False, server_default=text("0")),
    UniqueConstraint("job_id", "scheduled_at"),  # a tick fires once, on any server
    UniqueConstraint("job_id", "number"),
    sqlite_autoincrement=True,  # runs refer to it
)
Index("executions_started", executions.c.started_at)
Index(
    "executions_open",
    executions.c.job_id,
    sqlite_where=executions.c.ended_at.is_(None),
    postgresql_where=executions.c.ended_at.is_(None),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Integer, nullable=False, unique=True),
    Column("queue", Text, nullable=False),
    Column("priority", Integer, nullable=False),  # 1 is the highest, 10 the lowest
    Column("state", Text, nullable=False),
    # to workers, since it last had an active worker
    Column("deliveries", Integer, nullable=False, server_default=text("0")),
    Column("error", Text),
    Column("created_at", Double, nullable=False),
    # when to check whether it must be published, perhaps again; NULL: it has ended
    Column("publish_after", Double),
    Column("queued_at", Double),
    Column("started_at", Double),
    Column("ended_at", Double),
)
Index(
    "tasks_outbox",
    tasks.c.publish_after,
    sqlite_where=tasks.c.publish_after.isnot(None),
    postgresql_where=tasks.c.publish_after.isnot(None),
)
