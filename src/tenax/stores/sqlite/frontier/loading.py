"""What leased domains hold, in SQLite."""

from array import array
from collections.abc import Sequence
from itertools import chain

from tenax.clock import Instant
from tenax.records.domains import Lease
from tenax.records.urls import Priority, Target
from tenax.stores.contracts.batches import LoadedDomain, QueueHead
from tenax.stores.contracts.frontier import MOST_KNOWN
from tenax.stores.hot.rows import (
    ROBOTS_COLUMNS,
    TARGET_COLUMNS,
    read_robots,
    read_target,
)
from tenax.stores.hot.takeover import IS_OPEN
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.learned.traps import load_traps

PRIORITIES = tuple(int(each) for each in sorted(Priority, reverse=True))


def load_domains(
    connection: Connection, leases: Sequence[Lease], head_limit: int, known_limit: int
) -> list[LoadedDomain]:
    loaded = []
    for lease in leases:
        known = None
        if lease.known_urls <= min(known_limit, MOST_KNOWN):
            known_limit -= lease.known_urls
            # A url that is set aside for others is wanted as well if it is found.
            new = f" AND NOT ({IS_OPEN})" if lease.is_mixed else ""
            rows = connection.execute(
                f"SELECT key FROM urls WHERE domain_id = ?{new} ORDER BY key", (lease.domain_id,)
            )
            known = array("q", chain.from_iterable(rows))
        robots = connection.execute(
            f"SELECT {ROBOTS_COLUMNS} FROM robots WHERE domain_id = ?", (lease.domain_id,)
        )
        loaded.append(
            LoadedDomain(
                lease=lease,
                head=load_head(connection, lease.domain_id, head_limit),
                robots=[read_robots(row) for row in robots],
                known=known,
                traps=load_traps(connection, lease.domain_id),
            )
        )
    return loaded


_LIST_HEAD = f"""
    SELECT {TARGET_COLUMNS}
    FROM urls
    WHERE domain_id = ?
        AND priority = ?
        AND due_at <= ?
    ORDER BY due_at, id
    LIMIT ?
"""


def load_head(connection: Connection, domain_id: int, limit: int) -> QueueHead:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    targets: list[Target] = []
    for priority in PRIORITIES:
        # One query per priority: urls that are due later would be in the way of a single scan.
        rows = connection.execute(_LIST_HEAD, (domain_id, priority, now, limit - len(targets)))
        targets += [read_target(row) for row in rows]
        if len(targets) >= limit:
            break
    return QueueHead(targets=tuple(targets), next_due_at=find_next_due(connection, domain_id, now))


def find_next_due(connection: Connection, domain_id: int, after: Instant) -> Instant | None:
    """The earliest due instant later than `after`."""
    instants = [
        connection.execute(
            "SELECT min(due_at) FROM urls WHERE domain_id = ? AND priority = ? AND due_at > ?",
            (domain_id, priority, after),
        ).fetchone()[0]
        for priority in PRIORITIES
    ]
    return min((instant for instant in instants if instant is not None), default=None)
