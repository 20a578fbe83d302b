"""Runs, and the workers that have joined them."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, or_, text

from tenax.records import RunState
from tenax.stores.hot.run_states import UNDER_WAY
from tenax.stores.schema.columns import COUNTER_STORAGE, Id, metadata

IS_ACTIVE = text(UNDER_WAY)
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("state", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("requests", Id, nullable=False, server_default=text("0")),
    Column("pages", Id, nullable=False, server_default=text("0")),
    Column("wire_bytes", BigInteger, nullable=False, server_default=text("0")),
    # orders of a person: it rests until somebody resumes it; it is over, and nobody joins it any more
    Column("paused_at", Double),
    Column("cancelled_at", Double),
    # the greatest ids when it was opened: what belongs to it comes later; 0: not noted then
    Column("first_visit_id", Id, nullable=False, server_default=text("0")),
    Column("first_event_id", Id, nullable=False, server_default=text("0")),
    Column("source_id", Integer, nullable=False, server_default=text("0")),  # as of domains
    # what ordered it; NULL: a person. One execution has one run, however often it is started
    Column("execution_id", Id),
    Column("visits", Id, nullable=False, server_default=text("0")),
    Column("failed", Id, nullable=False, server_default=text("0")),  # of the visits
    # what waited when it ended, by what held it back: see hot/leftovers.py; NULL: it goes on, or not counted
    Column("leftover", Text),
    postgresql_with=COUNTER_STORAGE,
)
Index("runs_execution", runs.c.execution_id, unique=True)
Index("runs_source", runs.c.source_id, runs.c.id)
# Asked for twice a second, and hardly any of all runs.
Index("runs_under_way", runs.c.id, sqlite_where=IS_ACTIVE, postgresql_where=IS_ACTIVE)

# One that is reserved and not opened yet is paused since it began.
IS_OPENED = or_(runs.c.state != RunState.PAUSED, runs.c.paused_at != runs.c.started_at)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", Text, nullable=False, unique=True),
    Column("run_id", Integer, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("ended_at", Double),
    # pages of the run's budget that are set aside for it and not settled yet
    Column("granted", Integer, nullable=False, server_default=text("0")),
    # 1: it found no domain to claim while others hold more than their share
    Column("is_hungry", Integer, nullable=False, server_default=text("0")),
    # the number of its last batch that was settled: one that comes again is not counted twice
    Column("last_batch", Id, nullable=False, server_default=text("0")),
    # what it says of itself with every heartbeat; see stores/hot/vitals.py
    Column("pages", Id, nullable=False, server_default=text("0")),
    Column("pages_per_min", Double, nullable=False, server_default=text("0")),
    Column(
        "trouble", Text
    ),  # JSON: [{service, state, retry_at, reason}, …]; NULL: every service does its part
    Column("rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    # 1: it did not leave; others found it dead, or silent for so long that nobody waits for it
    Column("is_buried", Integer, nullable=False, server_default=text("0")),
    # of its process, so far
    Column("peak_rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("cpu_ms", BigInteger, nullable=False, server_default=text("0")),
    # its run's: one that is silent for longer holds nothing that counts
    Column("lease_s", Double, nullable=False, server_default=text("600")),
    # of its domains, those that have not answered a request under way; as it said with its last heartbeat
    Column("silent_domains", Integer, nullable=False, server_default=text("0")),
    postgresql_with=COUNTER_STORAGE,
    sqlite_autoincrement=True,  # a dead worker's id must never come back: leases name it
)
Index(
    "workers_live",
    workers.c.run_id,
    sqlite_where=workers.c.ended_at.is_(None),
    postgresql_where=workers.c.ended_at.is_(None),
)
