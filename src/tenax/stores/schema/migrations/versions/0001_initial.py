"""The first schema: domains, urls, pages, visits, robots, seeds, runs, workers.

PostgreSQL also gets the database's clock as a function, storage settings, and visits in partitions.
"""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0001"
down_revision = None

# SQLite uses only a column declared INTEGER as the row id, and its integers have 64 bits anyway.
ID = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")

DOMAIN_STORAGE = {"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.02, "autovacuum_vacuum_cost_delay": 0}
URL_STORAGE = {
    "fillfactor": 90,
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_vacuum_insert_scale_factor": 0.05,
    "autovacuum_analyze_scale_factor": 0.02,
}
COUNTER_STORAGE = {"fillfactor": 50}


def upgrade() -> None:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.create_table(
        "domains",
        Column("id", ID, nullable=False),
        Column("name", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("block_code", Text),
        Column("block_reason", Text),
        Column("first_blocked_at", Double),
        Column("next_crawl_after", Double),
        Column("pages_discovered", Integer, server_default=ZERO, nullable=False),
        Column("pages_crawled", Integer, server_default=ZERO, nullable=False),
        Column("queued", Integer, server_default=ZERO, nullable=False),
        Column("requests", Integer, server_default=ZERO, nullable=False),
        Column("wire_bytes", BigInteger, server_default=ZERO, nullable=False),
        Column("total_errors", Integer, server_default=ZERO, nullable=False),
        Column("depth_reached", Integer, server_default=ZERO, nullable=False),
        Column("first_seen_at", Double, nullable=False),
        Column("last_crawled_at", Double),
        Column("last_run_id", Integer),
        Column("run_pages", Integer, server_default=ZERO, nullable=False),
        Column("robots_delay_s", Double),
        Column("last_start_at", Double),
        Column("last_answer_at", Double),
        Column("last_response_s", Double, server_default=ZERO, nullable=False),
        Column("backoff_level", Integer, server_default=ZERO, nullable=False),
        Column("backoff_until", Double),
        Column("last_backoff_at", Double),
        Column("pushback_streak", Integer, server_default=ZERO, nullable=False),
        Column("forbidden_streak", Integer, server_default=ZERO, nullable=False),
        Column("breaker_state", Text, server_default=text("'closed'"), nullable=False),
        Column("breaker_failures", Integer, server_default=ZERO, nullable=False),
        Column("breaker_successes", Integer, server_default=ZERO, nullable=False),
        Column("breaker_trips", Integer, server_default=ZERO, nullable=False),
        Column("breaker_reopen_at", Double),
        Column("claimed_by", Integer),
        Column("claim_expires_at", Double),
        Column("version", Integer, server_default=ZERO, nullable=False),
        Column("ready_at", Double),
        Column("avail_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("name"),
        postgresql_with=DOMAIN_STORAGE,
    )
    op.create_index(
        "domains_avail",
        "domains",
        ["avail_at"],
        sqlite_where=text("avail_at IS NOT NULL"),
        postgresql_where=text("avail_at IS NOT NULL"),
    )
    op.create_index(
        "domains_claimed",
        "domains",
        ["claimed_by"],
        sqlite_where=text("claimed_by IS NOT NULL"),
        postgresql_where=text("claimed_by IS NOT NULL"),
    )
    op.create_table(
        "pages",
        Column("url_id", BigInteger, nullable=False),
        Column("domain_id", ID, nullable=False),
        Column("status", Integer, nullable=False),
        Column("content_type", Text),
        Column("charset", Text, nullable=False),
        Column("language", Text),
        Column("body_bytes", Integer, nullable=False),
        Column("title", Text),
        Column("description", Text),
        Column("canonical", Text),
        Column("content_hash", BigInteger, nullable=False),
        Column("text", LargeBinary, nullable=False),
        Column("links_count", Integer, nullable=False),
        Column("links", LargeBinary, nullable=False),
        Column("fetched_at", Double, nullable=False),
        Column("changed_at", Double, nullable=False),
        PrimaryKeyConstraint("url_id"),
    )
    op.create_index("pages_content", "pages", ["domain_id", "content_hash"])
    op.create_table(
        "robots",
        Column("origin", Text, nullable=False),
        Column("domain_id", ID, nullable=False),
        Column("status", Integer),
        Column("body", LargeBinary, nullable=False),
        Column("fetched_at", Double, nullable=False),
        Column("expires_at", Double, nullable=False),
        Column("error", Text),
        PrimaryKeyConstraint("origin"),
    )
    op.create_index("robots_domain", "robots", ["domain_id"])
    op.create_table(
        "runs",
        Column("id", Integer, nullable=False),
        Column("state", Text, nullable=False),
        Column("settings", Text, nullable=False),
        Column("started_at", Double, nullable=False),
        Column("ended_at", Double),
        Column("requests", ID, server_default=ZERO, nullable=False),
        Column("pages", ID, server_default=ZERO, nullable=False),
        Column("wire_bytes", BigInteger, server_default=ZERO, nullable=False),
        PrimaryKeyConstraint("id"),
        postgresql_with=COUNTER_STORAGE,
    )
    op.create_table(
        "seeds",
        Column("id", Integer, nullable=False),
        Column("url", Text, nullable=False),
        Column("cause", Text, nullable=False),
        Column("added_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("url"),
    )
    op.create_table(
        "urls",
        Column("id", ID, nullable=False),
        Column("domain_id", ID, nullable=False),
        Column("key", BigInteger, nullable=False),
        Column("url", Text, nullable=False),
        Column("depth", Integer, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("due_at", Double),
        Column("fate", Text, nullable=False),
        Column("reason", Text),
        Column("detail", Text),
        Column("to_url", Text),
        Column("attempts", Integer, server_default=ZERO, nullable=False),
        Column("hops", Integer, server_default=ZERO, nullable=False),
        Column("crashes", Integer, server_default=ZERO, nullable=False),
        Column("is_seed", Integer, server_default=ZERO, nullable=False),
        Column("discovered_at", Double, nullable=False),
        Column("discovered_from", BigInteger),
        Column("status", Integer),
        Column("fetched_at", Double),
        Column("etag", Text),
        Column("last_modified", Text),
        Column("content_hash", BigInteger),
        PrimaryKeyConstraint("id"),
        postgresql_with=URL_STORAGE,
    )
    op.create_index(
        "urls_frontier",
        "urls",
        ["domain_id", "priority", "due_at"],
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
        postgresql_with={"fillfactor": 100},
    )
    op.create_index("urls_key", "urls", ["domain_id", "key"], unique=True)
    op.create_table(
        "visits",
        Column("id", ID, nullable=False, autoincrement=True),
        Column("run_id", Integer, nullable=False),
        Column("worker_id", Integer, nullable=False),
        Column("domain_id", ID, nullable=False),
        Column("url_id", BigInteger),
        Column("at", Double, nullable=False),
        Column("duration_s", Double, nullable=False),
        Column("outcome", Text, nullable=False),
        Column("status", Integer),
        Column("wire_bytes", Integer, nullable=False),
        Column("error_kind", Text),
        Column("error_detail", Text),
        # A key of a partitioned table must include the partition key.
        PrimaryKeyConstraint("id", "at") if is_postgresql else PrimaryKeyConstraint("id"),
        postgresql_partition_by="RANGE (at)",
    )
    op.create_index("visits_domain", "visits", ["domain_id", "at"])
    op.create_table(
        "workers",
        Column("id", Integer, nullable=False),
        Column("uuid", Text, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("host", Text, nullable=False),
        Column("pid", Integer, nullable=False),
        Column("started_at", Double, nullable=False),
        Column("heartbeat_at", Double, nullable=False),
        Column("ended_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("uuid"),
        postgresql_with=COUNTER_STORAGE,
        sqlite_autoincrement=True,
    )
    if is_postgresql:
        _finish_postgresql()


def _finish_postgresql() -> None:
    # Used by every statement that needs the time, so that all workers share one clock.
    op.execute(
        "CREATE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
        " AS 'SELECT extract(epoch FROM clock_timestamp())::double precision'"
    )
    # For rows without a partition of their own; workers create those of the coming months.
    op.execute("CREATE TABLE visits_other PARTITION OF visits DEFAULT")
    # Already compressed: the server need not try.
    op.execute("ALTER TABLE pages ALTER COLUMN text SET STORAGE EXTERNAL")
    op.execute("ALTER TABLE pages ALTER COLUMN links SET STORAGE EXTERNAL")
