"""The clock of a database that workers on several machines share. See stores/clock.py.

It is the server's calendar plus an offset that is stored in the database. That calendar can be set at any
time, and SQL has no other clock: so every process uses the uptime of its machine, reads the database from
time to time, and corrects the offset if the calendar was set. The sender of a statement passes the time, so
that no lease ends and nothing becomes due because a clock was just set.
"""

from collections.abc import Mapping
from typing import Any

from tenax.clock import Instant, MachineClock
from tenax.record import record, replace
from tenax.stores.clock import NOTE_EVERY_S, ClockAnchor, StoreClock, begin
from tenax.stores.postgres.connection.protocol import Connection
from tenax.telemetry import log

# An answer that took longer says too little about when the database read its clock.
LONGEST_TRIP_S = 1.0
GOOD_TRIP_S = 0.02
TRIES = 3
# Two clocks that were not set do not drift further apart between two checks.
JUMP_S = 1.0
# How fast this machine's clock is adjusted to the others', as a part of the time that has passed.
SLEW = 0.001
# Every process that uses the store checks at least this often, unless it is dead or stopped.
SILENT_S = 3 * NOTE_EVERY_S
FORGET_S = 30 * 86_400.0

SERVER = "database"


@record
class ClockRow:
    """A row of `store_clock`."""

    offset_s: float
    since: Instant
    seen_at: Instant
    revision: int


@record
class ClockReading:
    """What the database says at one moment."""

    wall: Instant  # its calendar
    uptime: float  # of this machine at that moment
    trip_s: float  # how long the query took
    server: ClockRow | None
    others: bool  # there are workers that have not ended
    heartbeat_at: Instant | None  # the last one of all


_LOCK_CLOCK = """
    INSERT INTO store_clock (name, offset_s, since, seen_at, revision)
    VALUES ($1, 0, 0, 0, -1)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name
"""
_LIST_ROWS = """
    SELECT name, offset_s, since, seen_at, revision
    FROM store_clock
    WHERE name = ANY($1::text[])
"""


class DatabaseClock(StoreClock):
    def __init__(self, machine: MachineClock) -> None:
        super().__init__(machine)
        self._wall_offset_s = machine.wall() - machine.uptime()
        self._known: ClockRow | None = None  # this machine's
        self._trusted_at = 0.0  # by the machine's uptime
        self._next_look_at = 0.0

    @property
    def is_due(self) -> bool:
        """It is time to check the database's clock."""
        return self._machine.uptime() >= self._next_look_at

    @property
    def is_in_doubt(self) -> bool:
        """The time was not confirmed lately, although workers may be active: the calendar may just have been
        set, and a worker that holds leases is about to correct it."""
        return self._machine.uptime() < self._trusted_at

    def _read_wall(self) -> Instant:
        return self._machine.uptime() + self._wall_offset_s

    def put_off(self) -> None:
        """Postpone the next check: one is about to happen."""
        self._next_look_at = self._machine.uptime() + NOTE_EVERY_S

    async def check(self, connection: Connection) -> None:
        """Agree with the others on the time, in a transaction of its own. Repeating is safe."""
        # Locked until the end: one process after the other.
        await connection.execute(_LOCK_CLOCK, SERVER)
        look, found = await self._look(connection)
        if look.trip_s > LONGEST_TRIP_S and self._known is not None:
            return
        server = self.apply(look, found)
        await _save(connection, SERVER, server)
        assert self._known is not None
        await _save(connection, self._machine.boot, self._known)
        await connection.execute("DELETE FROM store_clock WHERE seen_at < $1", server.seen_at - FORGET_S)

    async def peek(self, connection: Connection) -> None:
        """Read the time without writing, for users that may not write."""
        self.apply(*await self._look(connection))

    async def _look(self, connection: Connection) -> tuple[ClockReading, ClockRow | None]:
        wall, uptime, trip_s = await self._read_calendar(connection)
        others = await connection.fetchval("SELECT EXISTS (SELECT 1 FROM workers WHERE ended_at IS NULL)")
        rows = await connection.fetch(_LIST_ROWS, [SERVER, self._machine.boot])
        found = {row["name"]: _read_row(row) for row in rows}
        server = found.get(SERVER)
        heartbeat_at = None
        if server is None or server.revision < 0:
            server = None
            heartbeat_at = await connection.fetchval("SELECT max(heartbeat_at) FROM workers")
        look = ClockReading(
            wall=wall, uptime=uptime, trip_s=trip_s, server=server, others=others, heartbeat_at=heartbeat_at
        )
        return look, found.get(self._machine.boot)

    async def _read_calendar(self, connection: Connection) -> tuple[Instant, float, float]:
        """The database's calendar, the uptime of this machine at that moment, and how long the query took:
        the quickest of a few tries, since a busy machine may notice the answer late."""
        tries = []
        for _ in range(TRIES):
            asked_at = self._machine.uptime()
            wall = await connection.fetchval("SELECT tenax_now()")
            answered_at = self._machine.uptime()
            tries.append((answered_at - asked_at, wall, (asked_at + answered_at) / 2))
            if tries[-1][0] <= GOOD_TRIP_S:
                break
        trip_s, wall, uptime = min(tries)
        return wall, uptime, trip_s

    def apply(self, look: ClockReading, found: ClockRow | None) -> ClockRow:
        """Set this clock by what the database says; returns what the database is to say from now on. `found`:
        what earlier processes on this machine have stored there."""
        self._wall_offset_s = look.wall - look.uptime
        known = self._known or found
        if look.server is None or known is None:
            server = self._begin(look)
        else:
            server = self._compare(look, look.server, known)
        now = look.uptime + self._anchor.offset_s
        self._known = replace(server, offset_s=self._anchor.offset_s, since=self.since, seen_at=now)
        return replace(server, seen_at=max(server.seen_at, look.wall + server.offset_s))

    def _begin(self, look: ClockReading) -> ClockRow:
        """This machine was started since the store was last used on it, or the store is new."""
        server = look.server
        if server is not None:
            now = look.wall + server.offset_s
            is_silent = not 0 <= now - server.seen_at <= SILENT_S
            if look.others or not is_silent:
                # The other workers know better. If none of them has checked lately, all are dead or the
                # calendar was set.
                self._set(now - look.uptime, now if is_silent else server.since)
                self._trusted_at = look.uptime + SILENT_S if is_silent else 0.0
                return server
        seen_at = look.heartbeat_at if server is None else server.seen_at
        anchor = begin(wall=look.wall, uptime=look.uptime, seen_at=seen_at)
        self.anchor(anchor)
        now = look.uptime + anchor.offset_s
        return ClockRow(
            offset_s=now - look.wall,
            since=anchor.since,
            seen_at=now,
            revision=0 if server is None else server.revision + 1,
        )

    def _compare(self, look: ClockReading, server: ClockRow, known: ClockRow) -> ClockRow:
        expected = look.uptime + known.offset_s
        ahead_s = look.wall + server.offset_s - expected
        if abs(ahead_s) < JUMP_S:
            step_s = SLEW * max(expected - known.seen_at, 0.0)
            self._set(known.offset_s + min(max(ahead_s, -step_s), step_s), known.since)
            return server
        since_look_s = look.wall + server.offset_s - server.seen_at
        if server.revision != known.revision or since_look_s < ahead_s - JUMP_S:
            # Others have agreed on it while this machine was suspended or absent.
            self._set(known.offset_s + ahead_s, server.since)
            return server
        log.warning("clock_was_set", by_s=ahead_s)
        self._set(known.offset_s, known.since)
        return replace(server, offset_s=server.offset_s - ahead_s, revision=server.revision + 1)

    def _set(self, offset_s: float, since: Instant) -> None:
        self.anchor(ClockAnchor(offset_s=offset_s, since=since))


def _read_row(row: Mapping[str, Any]) -> ClockRow:
    return ClockRow(
        offset_s=row["offset_s"], since=row["since"], seen_at=row["seen_at"], revision=row["revision"]
    )


_SAVE_ROW = """
    INSERT INTO store_clock (name, offset_s, since, seen_at, revision)
    VALUES ($1, $2::float8, $3::float8, $4::float8, $5)
    ON CONFLICT (name) DO UPDATE SET
        offset_s = excluded.offset_s,
        since = excluded.since,
        seen_at = excluded.seen_at,
        revision = excluded.revision
"""


async def _save(connection: Connection, name: str, row: ClockRow) -> None:
    await connection.execute(_SAVE_ROW, name, row.offset_s, row.since, row.seen_at, row.revision)
