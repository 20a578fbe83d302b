"""Watches parsers: a drop against their own past is kept, and webhooks are told, once per drop. Several
servers may do it concurrently.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

from tenax.clock import Instant, format_instant
from tenax.policy.quality.parser_health import PAST_S, describe_drop, is_over
from tenax.stores.access import Access
from tenax.stores.cursors import find_cursor, hold_cursor, move_cursor
from tenax.stores.queries.parsers import (
    ALL_DOMAINS,
    FoundDrop,
    find_parser_drops,
    load_recent,
    read_drop,
)
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import parser_alerts
from tenax.stores.webhooks.events import NewDelivery, add_delivery, format_payload
from tenax.stores.webhooks.webhooks import WebhookEvent, list_enabled

WATCH_CURSOR: Final = "parser_watch"
EVERY_S: Final = 900.0


async def watch_parsers(access: Access, tell_time: Callable[[Connection], Instant]) -> None:
    """Look at most every EVERY_S. A month of statistics is read before anything is locked."""

    def look(connection: Connection) -> tuple[Instant, list[FoundDrop]] | None:
        now = tell_time(connection)
        is_due = _is_due(find_cursor(connection, WATCH_CURSOR), now)
        return (now, find_parser_drops(connection, now)) if is_due else None

    looked = await access.read(look)
    if looked is not None:
        now, drops = looked
        await access.write(partial(note_drops, drops=drops, now=now))


def _is_due(position: int, now: Instant) -> bool:
    return now >= position / 1000 + EVERY_S


def note_drops(connection: Connection, drops: Sequence[FoundDrop], now: Instant) -> None:
    """Keep what was found, unless another server has looked meanwhile."""
    if not _is_due(hold_cursor(connection, WATCH_CURSOR), now):
        return
    move_cursor(connection, WATCH_CURSOR, int(now * 1000))
    still_open = _end_alerts(connection, now)
    for found in drops:
        if (found.parser, found.domain_id, found.drop.measure) not in still_open:
            _alert(connection, found, now)


def _end_alerts(connection: Connection, now: Instant) -> set[tuple[str, int, str]]:
    """End those that are over, and those that have become the past. Returns the others."""
    statement = select(parser_alerts).where(parser_alerts.c.ended_at.is_(None))
    still_open = set()
    for row in connection.execute(statement).all():
        if row.at < now - PAST_S or _is_over(connection, row, now):
            ended = update(parser_alerts).where(parser_alerts.c.id == row.id).values(ended_at=now)
            connection.execute(ended)
        else:
            still_open.add((row.parser, row.domain_id, row.measure))
    return still_open


def _is_over(connection: Connection, row: Row[*tuple[Any, ...]], now: Instant) -> bool:
    return is_over(read_drop(row), load_recent(connection, row.parser, row.domain_id, now))


def _alert(connection: Connection, found: FoundDrop, now: Instant) -> None:
    drop = found.drop
    added = insert(parser_alerts).values(
        parser=found.parser,
        domain_id=found.domain_id,
        measure=drop.measure,
        past=drop.past,
        recent=drop.recent,
        past_count=drop.past_pages,
        recent_count=drop.recent_pages,
        at=now,
    )
    alert_id = connection.scalar(added.returning(parser_alerts.c.id))
    source_id = _find_source(connection, found.domain_id)
    payload = format_payload(WebhookEvent.PARSER_DEGRADED, now, _describe(found, source_id, now))
    for hook in list_enabled(connection):
        if hook.wants(WebhookEvent.PARSER_DEGRADED, source_id, now):
            new = NewDelivery(
                webhook_id=hook.id,
                event=WebhookEvent.PARSER_DEGRADED,
                subject=f"parser alert {alert_id}",
                payload=payload,
            )
            add_delivery(connection, new, now)


def _find_source(connection: Connection, domain_id: int) -> int:
    """0: the domains of several sources."""
    return connection.scalar(select(domains.c.source_id).where(domains.c.id == domain_id)) or 0


def _describe(found: FoundDrop, source_id: int, now: Instant) -> dict[str, Any]:
    drop = found.drop
    return {
        "parser": found.parser,
        "domain": found.domain,
        "source_id": source_id if found.domain_id != ALL_DOMAINS and source_id else None,
        "measure": drop.measure,
        "past": drop.past,
        "recent": drop.recent,
        "past_pages": drop.past_pages,
        "recent_pages": drop.recent_pages,
        "sentence": describe_drop(found.parser, found.domain, drop),
        "at": format_instant(now),
    }
