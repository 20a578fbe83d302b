"""Dispatch without a broker: workers find runs by polling the store."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.jobs.dispatch.base import DeadLetter
from tenax.stores.connection import Connection


class InlineDispatch:
    queue: str | None = None
    trouble: str | None = None
    failures = 0

    def enqueue(self, connection: Connection, run_id: int, priority: int, now: Instant) -> None:
        """Nothing to do."""

    async def list_dead(self, limit: int) -> Sequence[DeadLetter]:
        return ()
