"""Runs, and the workers that have joined them."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, or_, text

from tenax.records.runs import RunState
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
    # set by users: paused until a user resumes it; ended, and no worker joins it any more
    Column("paused_at", Double),
    Column("cancelled_at", Double),
    # the greatest ids when it was opened: its own rows come later; 0: not recorded then
    Column("first_visit_id", Id, nullable=False, server_default=text("0")),
    Column("first_event_id", Id, nullable=False, server_default=text("0")),
    Column("source_id", Integer, nullable=False, server_default=text("0")),  # as in `domains`
    # the execution that it belongs to; NULL: a user started it. An execution has one run, even if it is
    # started twice
    Column("execution_id", Id),
    Column("visits", Id, nullable=False, server_default=text("0")),
    Column("failed", Id, nullable=False, server_default=text("0")),  # of the visits
    # what was waiting when it ended, by what blocked it: see hot/leftovers.py; NULL: active, or not counted
    Column("leftover", Text),
    # with limits.new_urls_per_s: when the next new url may be due, by the store's clock; NULL: at once
    Column("intake_at", Double),
    Column("postponed", Id, nullable=False, server_default=text("0")),  # new urls that had to wait
    Column("items", Id, nullable=False, server_default=text("0")),  # that its visits yielded
    postgresql_with=COUNTER_STORAGE,
)
Index("runs_execution", runs.c.execution_id, unique=True)
Index("runs_source", runs.c.source_id, runs.c.id)
# Queried twice a second, and few of all runs are active.
Index("runs_under_way", runs.c.id, sqlite_where=IS_ACTIVE, postgresql_where=IS_ACTIVE)

# A run that is reserved but not opened yet has been paused since its start.
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
    # pages of the run's budget that are granted to it and not settled yet
    Column("granted", Integer, nullable=False, server_default=text("0")),
    # 1: it found no domain to claim while other workers hold more than their share
    Column("is_hungry", Integer, nullable=False, server_default=text("0")),
    # the number of its last settled batch: a repeated batch is not counted twice
    Column("last_batch", Id, nullable=False, server_default=text("0")),
    # what it reports with every heartbeat; see stores/hot/vitals.py
    Column("pages", Id, nullable=False, server_default=text("0")),
    Column("pages_per_min", Double, nullable=False, server_default=text("0")),
    Column("trouble", Text),  # JSON: [{service, state, retry_at, reason}, …]; NULL: all services work
    Column("rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    # 1: it did not leave by itself, but was found dead, or silent for too long
    Column("is_buried", Integer, nullable=False, server_default=text("0")),
    # of its process so far
    Column("peak_rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("cpu_ms", BigInteger, nullable=False, server_default=text("0")),
    # that of its run: a worker that is silent for longer has lost its leases
    Column("lease_s", Double, nullable=False, server_default=text("600")),
    # of its domains, those that have not answered an active request, as of its last heartbeat
    Column("silent_domains", Integer, nullable=False, server_default=text("0")),
    # the longest visit under way as of its last heartbeat; NULL: none
    Column("longest_url", Text),
    Column("longest_started_at", Double),
    Column("stall", Text),  # JSON: {cause, sentence, began_at}; NULL: it is not stalled
    Column("exit_code", Integer),  # what it ended itself with; NULL: it did not
    postgresql_with=COUNTER_STORAGE,
    sqlite_autoincrement=True,  # a dead worker's id must never be reused: leases refer to it
)
Index(
    "workers_live",
    workers.c.run_id,
    sqlite_where=workers.c.ended_at.is_(None),
    postgresql_where=workers.c.ended_at.is_(None),
)
