"""What a server does for its store now and then. Several servers may do it at once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

from tenax.background import meanwhile
from tenax.clock import Instant
from tenax.config import JobSettings
from tenax.errors import StoreError
from tenax.stores.access import Access
from tenax.stores.accounts.audit import prune_audit
from tenax.stores.accounts.sessions import prune_sessions
from tenax.stores.commands.stat_rollup import roll_up
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.executions import prune_executions
from tenax.stores.place import Place
from tenax.stores.webhooks.deliveries import prune_deliveries
from tenax.telemetry import log

EVERY_S = 300.0
PAUSE_S = 0.05

# Each in a transaction of its own; true: there is more to do.
Chore = Callable[[Any, Instant], bool | None]
CHORES: tuple[Chore, ...] = (roll_up, prune_sessions, prune_audit, prune_deliveries)


@contextlib.asynccontextmanager
async def keep_house(
    place: Place, access: Access, settings: JobSettings, every_s: float = EVERY_S
) -> AsyncIterator[None]:
    async with meanwhile(_repeat(place, access, list_chores(settings), every_s)):
        yield


def list_chores(settings: JobSettings) -> tuple[Chore, ...]:
    keep_s = 86_400.0 * settings.keep_days
    return (*CHORES, partial(prune_executions, keep=settings.keep_executions, keep_s=keep_s))


async def _repeat(place: Place, access: Access, chores: Sequence[Chore], every_s: float) -> None:
    while True:
        try:
            await do_chores(place, access, chores)
        except StoreError as error:
            log.warning("house_not_kept", error=str(error))
        await asyncio.sleep(every_s)


async def do_chores(place: Place, access: Access, chores: Sequence[Chore]) -> None:
    for chore in chores:
        is_more = True
        while is_more:
            is_more = bool(await access.write(partial(_do, chore, place)))
            # Workers that wait for the store's only write lock come first.
            await asyncio.sleep(PAUSE_S)


def _do(chore: Chore, place: Place, connection: Connection) -> bool | None:
    return chore(connection, tell_time(place, connection))
