"""The monthly partitions of `visits`. Every process that uses the store makes the months ahead; if none may,
or none does, visits go to `visits_other` and nothing else changes."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial

from tenax.clock import Instant
from tenax.errors import StoreError
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.telemetry import log

LOCK = 0x7E4A_0002
AHEAD_S = 7 * 86_400.0
TRY_EVERY_S = 3600.0
# Short: a reader of all visits, which takes minutes, must not delay the heartbeats of workers.
LOCK_TIMEOUT_MS = 200


class Partitions:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._next_try_at: Instant = 0.0
        self._last: tuple[Instant, Instant] = (0.0, 0.0)  # the month that was requested last

    async def make_ahead(self) -> None:
        """Make the partitions of now and of the next days where they are missing. Repeating is safe."""
        now, wall = self._database.clock.now(), self._database.clock.wall()
        if now < self._next_try_at:
            return
        self._next_try_at = now + TRY_EVERY_S
        for start, end in list_months(wall, wall + AHEAD_S):
            await self._make(start, end)

    async def make_for(self, instants: Iterable[Instant]) -> None:
        """Make the partitions that visits at these instants belong to, where they are missing. Repeating is
        safe."""
        for at in instants:
            if not self._last[0] <= at < self._last[1]:
                ((start, end),) = list_months(at, at)
                await self._make(start, end)
                self._last = (start, end)

    async def _make(self, start: Instant, end: Instant) -> None:
        try:
            await self._database.write(partial(_make, start=start, end=end))
        except StoreError as error:
            log.warning("no_partition_made", month=name_partition(start), error=str(error))


def list_months(first: Instant, last: Instant) -> Iterator[tuple[Instant, Instant]]:
    """The months, in UTC, that these instants lie in."""
    month = datetime.fromtimestamp(first, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while month.timestamp() <= last:
        following = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
        yield month.timestamp(), following.timestamp()
        month = following


def name_partition(start: Instant) -> str:
    return f"visits_{datetime.fromtimestamp(start, UTC):%Y_%m}"


async def _make(connection: Connection, start: Instant, end: Instant) -> None:
    name = name_partition(start)
    if await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", name):
        return
    await connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_MS}ms'")
    if not await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", LOCK):
        return  # another worker is making it
    if await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", name):
        return
    # Attached, not created as a partition: that would lock out all readers and writers of visits.
    await connection.execute(f"CREATE TABLE {name} (LIKE visits INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
    await connection.execute(
        f"ALTER TABLE visits ATTACH PARTITION {name} FOR VALUES FROM ({start:.0f}) TO ({end:.0f})"
    )
