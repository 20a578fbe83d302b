"""Where a store file keeps its clock: in a row for the time since the start of its machine. See
stores/clock.py."""

from pysqlite3 import dbapi2 as sqlite

from tenax.clock import Instant, MachineClock
from tenax.stores.clock import ClockAnchor, begin
from tenax.stores.hot.statements import CLEAR_CLOCK

Connection = sqlite.Connection

_FIND = "SELECT offset_s, since FROM store_clock WHERE name = ?"
# A file that was copied row by row, or is of an older Tenax, has only signs of life.
_SEEN_AT = """
    SELECT coalesce((SELECT max(seen_at) FROM store_clock), (SELECT max(heartbeat_at) FROM workers))
"""


def find_anchor(connection: Connection, machine: MachineClock) -> ClockAnchor:
    """The same for all processes that open the file until the machine is restarted."""
    row = connection.execute(_FIND, (machine.boot,)).fetchone()
    return ClockAnchor(offset_s=row[0], since=row[1]) if row else _begin(connection, machine)


def _begin(connection: Connection, machine: MachineClock) -> ClockAnchor:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited for the lock.
        row = connection.execute(_FIND, (machine.boot,)).fetchone()
        if row is None:
            seen_at = connection.execute(_SEEN_AT).fetchone()[0]
            anchor = begin(wall=machine.wall(), uptime=machine.uptime(), seen_at=seen_at)
            row = (anchor.offset_s, anchor.since)
            connection.execute(CLEAR_CLOCK)
            connection.execute(
                "INSERT INTO store_clock (name, offset_s, since, seen_at) VALUES (?, ?, ?, ?)",
                (machine.boot, *row, machine.uptime() + anchor.offset_s),
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return ClockAnchor(offset_s=row[0], since=row[1])


def note_time(connection: Connection, now: Instant) -> None:
    """Record the time, so that the clock never goes back, whatever the calendar says after a restart of the
    machine."""
    connection.execute("UPDATE store_clock SET seen_at = max(seen_at, ?)", (now,))


def forget_time(connection: Connection) -> None:
    """Forget the clock: copied rows were measured by another one. The next process that opens the store
    starts it again."""
    connection.execute(CLEAR_CLOCK)
