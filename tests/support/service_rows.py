"""Accounts, audit entries, sources, feeds, jobs, webhooks, out-of-scope links: for tests of lists."""

import asyncio
import time
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, insert, update

from tenax.jobs.commands import NewJob, create_job
from tenax.records.jobs import ExecutionState, IntervalType, Trigger
from tenax.stores.databases.access import open_access
from tenax.stores.jobs.executions import add_execution, end_execution
from tenax.stores.place import Place
from tenax.stores.schema.accounts import audit, tokens, users
from tenax.stores.schema.domains import discovered_links
from tenax.stores.schema.feeds import feeds
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.webhooks import webhook_deliveries, webhooks
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import owner_of
from tests.support.jobs import add_source

# Ids after those that every list has.
PAPERS_SOURCE, FEEDS_SOURCE = 40, 50


def fill_service_rows(place: Place) -> None:
    asyncio.run(_fill(place))


async def _fill(place: Place) -> None:
    async with open_access(place) as access:
        await access.write(partial(_insert, vault=access.vault))


def _insert(connection: Connection, vault: Vault) -> None:
    for number in range(1, 5):
        for table, values in _list_rows(number, vault):
            connection.execute(insert(table).values(values))
    _add_jobs(connection, time.time())
    for table, values in _list_feed_rows():
        connection.execute(insert(table).values(values))


def _add_jobs(connection: Connection, now: float) -> None:
    """Add jobs of one source: some that repeat, and the history of the first."""
    added = add_source(connection, now, "papers")
    connection.execute(update(sources).where(sources.c.id == added).values(id=PAPERS_SOURCE))
    for priority in (5, 1, 9):
        new = NewJob(
            source_id=PAPERS_SOURCE,
            interval_minutes=1,
            interval_type=IntervalType.DAYS,
            schedule_enabled=True,
            priority=priority,
        )
        create_job(connection, new, now)
    for number in range(1, 5):
        at = now - 86_400.0 * number
        execution = add_execution(
            connection, 1, scheduled_at=at, trigger=Trigger.SCHEDULE, retry_number=0, now=at
        )
        end_execution(
            connection, execution.id, ExecutionState.COMPLETED, at + 60, run_id=1, items_crawled=number
        )


def _list_rows(number: int, vault: Vault) -> list[tuple[Table, dict[str, Any]]]:
    # Old entries of the audit log are deleted.
    at, name = time.time() - 1000.0 * number, f"user{number}"
    return [
        (
            users,
            {"name": name, "key": name, "role": "user", "password_hash": "-", "created_at": at},
        ),
        (
            tokens,
            {
                "user_id": number,
                "name": "script",
                "key": f"key{number}",
                "secret_hash": bytes(32),
                "scopes": "read",
                "created_at": at,
            },
        ),
        (
            audit,
            {
                "at": at,
                "actor": name,
                "kind": "token",
                "action": "frontier.add",
                "detail": "{}",
                "outcome": "done",
            },
        ),
        (
            sources,
            {
                "name": f"Source {number}",
                "key": f"source {number}",
                "definition": f'{{"name": "Source {number}", "seeds": ["https://partner{number}.example/"]}}',
                "enabled": 1,
                "created_at": at,
                "updated_at": at,
            },
        ),
        (
            discovered_links,
            {
                "domain": f"partner{number}.example",
                "url": f"https://partner{number}.example/",
                "links": number,
                "pages": 1,
                "discovered_from": 1,
                "first_seen_at": at,
                "last_seen_at": at,
            },
        ),
        *_list_webhook_rows(number, at, vault),
    ]


def _list_webhook_rows(number: int, at: float, vault: Vault) -> list[tuple[Table, dict[str, Any]]]:
    return [
        (
            webhooks,
            {
                "name": f"hook{number}",
                "url": "https://receiver.example/",
                "secret": vault.seal("a secret of a test", owner_of(number)),
                "events": "run.finished",
                "enabled": 0,
                "enabled_at": at,
                "created_at": at,
            },
        ),
        (
            webhook_deliveries,
            {
                "webhook_id": 1,
                "event": "run.finished",
                "subject": f"run {number}",
                "payload": "{}",
                "state": "delivered",
                "attempts": 1,
                "last_status": 200,
                "created_at": at,
                "delivered_at": at,
            },
        ),
    ]


def _list_feed_rows() -> list[tuple[Table, dict[str, Any]]]:
    """List feeds of a disabled source, so that they are not polled."""
    source = {
        "id": FEEDS_SOURCE,
        "name": "Feeds",
        "key": "feeds",
        "definition": '{"name": "Feeds", "seeds": ["https://feeds.example/"], "feeds": true}',
        "enabled": 0,
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    feed = {"source_id": FEEDS_SOURCE, "domain": "feeds.example", "kind": "rss", "state": "active"}
    return [
        (sources, source),
        *(
            (
                feeds,
                {
                    **feed,
                    "url": f"https://feeds.example/{number}.xml",
                    "interval_s": 900.0,
                    "entries_new": number % 2,
                    "created_at": 1.0,
                },
            )
            for number in range(1, 5)
        ),
    ]
