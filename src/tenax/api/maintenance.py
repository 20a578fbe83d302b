"""Periodic maintenance of the store. Several servers may do it concurrently."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

from tenax.background import in_background
from tenax.clock import Instant
from tenax.config.service import JobSettings
from tenax.config.settings import Settings
from tenax.errors import StoreError
from tenax.jobs.sources.audits import audit_due_sources
from tenax.stores.access import Access
from tenax.stores.accounts.audit import prune_audit
from tenax.stores.accounts.sessions import prune_sessions
from tenax.stores.change_log import adopt_log, prune_log
from tenax.stores.commands.item_audits import prune_item_audits
from tenax.stores.commands.parser_watch import watch_parsers
from tenax.stores.commands.retention import prune_errors, prune_parser_stats
from tenax.stores.commands.stat_rollup import roll_up
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.executions import prune_executions
from tenax.stores.place import Place
from tenax.stores.webhooks.deliveries import prune_deliveries
from tenax.telemetry import log

EVERY_S = 300.0
PAUSE_S = 0.05

# Each call is one transaction; True: there is more to do.
MaintenanceTask = Callable[[Any, Instant], bool | None]
TASKS: tuple[MaintenanceTask, ...] = (
    roll_up,
    prune_sessions,
    prune_audit,
    prune_deliveries,
    adopt_log,
    prune_log,
    prune_errors,
    prune_parser_stats,
    prune_item_audits,
)


@contextlib.asynccontextmanager
async def run_maintenance(
    place: Place, access: Access, settings: Settings, every_s: float = EVERY_S
) -> AsyncIterator[None]:
    async with in_background(_repeat(place, access, settings, every_s)):
        yield


def list_tasks(settings: JobSettings) -> tuple[MaintenanceTask, ...]:
    keep_s = 86_400.0 * settings.keep_days
    return (*TASKS, partial(prune_executions, keep=settings.keep_executions, keep_s=keep_s))


async def _repeat(place: Place, access: Access, settings: Settings, every_s: float) -> None:
    tasks, tell = list_tasks(settings.jobs), partial(tell_time, place)
    while True:
        try:
            await run_tasks(place, access, tasks)
            await watch_parsers(access, tell)
            await audit_due_sources(access, tell, settings.parsers.audit_every_h)
        except StoreError as error:
            log.warning("house_not_kept", error=str(error))
        await asyncio.sleep(every_s)


async def run_tasks(place: Place, access: Access, tasks: Sequence[MaintenanceTask]) -> None:
    for task in tasks:
        has_more = True
        while has_more:
            has_more = bool(await access.write(partial(_do, task, place)))
            # Workers waiting for the store's only write lock go first.
            await asyncio.sleep(PAUSE_S)


def _do(task: MaintenanceTask, place: Place, connection: Connection) -> bool | None:
    return task(connection, tell_time(place, connection))
