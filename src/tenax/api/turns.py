"""Limits the concurrent requests of one client: a few run, some wait for their turn, more are refused. So no
client's slow queries can occupy all readers of the store.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from tenax.api.errors import RETRY_S, Problem

WAITING: Final = 20
LONGEST_WAIT_S: Final = 10.0


class _Client:
    def __init__(self, at_once: int) -> None:
        self.running = asyncio.Semaphore(at_once)
        self.present = 0  # including those that wait


class ClientTurns:
    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._clients: dict[str, _Client] = {}

    @contextlib.asynccontextmanager
    async def take(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of the client `name`. Raises a Problem if that takes too long."""
        client = self._clients.setdefault(name, _Client(self._at_once))
        if client.present >= self._at_once + WAITING:
            raise self._refuse()
        client.present += 1
        try:
            try:
                async with asyncio.timeout(LONGEST_WAIT_S):
                    await client.running.acquire()
            except TimeoutError as error:
                raise self._refuse() from error
            try:
                yield
            finally:
                client.running.release()
        finally:
            client.present -= 1
            if not client.present:
                del self._clients[name]

    def _refuse(self) -> Problem:
        return Problem(
            503,
            f"Too many concurrent requests: {self._at_once} run at a time, and a few more may wait. Try "
            f"again in {RETRY_S} s.",
            kind="Too many at once",
            headers={"Retry-After": str(RETRY_S)},
        )
