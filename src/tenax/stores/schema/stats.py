"""Statistics: what was settled per minute, hour and day."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, text

from tenax.stores.schema.columns import COUNTER_STORAGE, Id, metadata

# Minutes that are not rolled up into their hour and day yet: the totals are these and the days.
IS_UNROLLED = text("span = 'minute' AND is_rolled = 0")

stats = Table(
    "stats",
    metadata,
    # What was settled in an interval; see stores/hot/stats.py.
    Column("id", Id, primary_key=True),
    Column("span", Text, nullable=False),  # minute, hour or day
    Column("at", Id, nullable=False),  # its start
    Column("worker_id", Integer, nullable=False),  # of a minute; 0: of all workers
    Column("is_rolled", Integer, nullable=False, server_default=text("0")),
    Column("requests", Id, nullable=False),
    Column("wire_bytes", BigInteger, nullable=False),
    Column("duration_s", Double, nullable=False),  # of all requests together
    Column("dns_lookups", Id, nullable=False),
    Column("dns_s", Double, nullable=False),
    Column("robots_denials", Id, nullable=False),
    Column("discovered", Id, nullable=False),  # urls that were new
    # JSON: name → number
    Column("outcomes", Text, nullable=False),
    Column("statuses", Text, nullable=False),
    Column("failures", Text, nullable=False),
    Column("durations", Text, nullable=False),  # the bucket's upper bound → requests
    Column("rejections", Text, nullable=False, server_default=text("'{}'")),  # by reason
    postgresql_with=COUNTER_STORAGE,
)
Index("stats_key", stats.c.span, stats.c.at, stats.c.worker_id, unique=True)
Index("stats_unrolled", stats.c.at, sqlite_where=IS_UNROLLED, postgresql_where=IS_UNROLLED)
