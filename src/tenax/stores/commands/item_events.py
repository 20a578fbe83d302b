"""Changes of items and products for webhooks, read from the change log, where none is missed.

A message has many changes: a crawl finds thousands, and a message for each would take longer than the crawl.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import Connection

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.change_log import START, LogEntry, LogPosition, LogTopic, find_log_cursor, read_log
from tenax.stores.queries.item_changes import describe_change, list_logged
from tenax.stores.queries.product_alerts import list_alerts
from tenax.stores.webhooks.events import FoundEvents, NewDelivery, add_deliveries, format_payload
from tenax.stores.webhooks.webhooks import (
    ITEM_EVENTS,
    ITEMS_CURSOR,
    PRODUCT_EVENTS,
    Webhook,
    WebhookEvent,
    list_enabled,
)

AT_ONCE: Final = 500
# Of a message. A receiver that wants more asks the API.
MOST_CHANGES: Final = 100
MOST_BYTES: Final = 262_144


@record
class _Told:
    """A change as webhooks are told of it."""

    position: LogPosition
    at: Instant
    source_id: int
    events: frozenset[WebhookEvent]
    values: dict[str, Any]
    drop: float | None = None  # of a price


def find_item_events(connection: Connection) -> FoundEvents | None:
    """None: no webhook wants them, or there are none."""
    hooks = [hook for hook in list_enabled(connection) if hook.wants_any(ITEM_EVENTS)]
    if not hooks:
        return None
    after = find_log_cursor(connection, ITEMS_CURSOR) or START
    entries = read_log(connection, after, AT_ONCE, [LogTopic.ITEM])
    if not entries:
        return None
    told = _list_told(connection, entries, hooks)
    return FoundEvents(
        deliveries=[delivery for hook in hooks for delivery in _address(hook, told)],
        position=entries[-1].position,
        is_far=len(entries) == AT_ONCE,
    )


def collect_item_events(connection: Connection, now: Instant) -> list[NewDelivery]:
    """Add deliveries for changes, and return them. Several servers do this one after the other."""
    return add_deliveries(connection, ITEMS_CURSOR, find_item_events, now)


def _list_told(connection: Connection, entries: Sequence[LogEntry], hooks: Sequence[Webhook]) -> list[_Told]:
    """Of what no webhook wants, nothing is read."""
    told: list[_Told] = []
    if any(hook.wants_any([WebhookEvent.ITEM_CHANGED]) for hook in hooks):
        told += [
            _Told(
                position=each.position,
                at=each.change.at,
                source_id=each.source_id,
                events=frozenset([WebhookEvent.ITEM_CHANGED]),
                values=describe_change(each),
            )
            for each in list_logged(connection, entries)
        ]
    if any(hook.wants_any(PRODUCT_EVENTS) for hook in hooks):
        told += [
            _Told(
                position=each.position,
                at=each.at,
                source_id=each.source_id,
                events=each.events,
                values=each.values,
                drop=each.drop,
            )
            for each in list_alerts(connection, entries)
        ]
    return told


def _address(hook: Webhook, told: Sequence[_Told]) -> Iterator[NewDelivery]:
    for event in sorted(ITEM_EVENTS):
        for part in _cut([each for each in told if _is_wanted(hook, event, each)]):
            last = part[-1]
            payload = format_payload(event, last.at, {"changes": [each.values for each in part]})
            yield NewDelivery(
                webhook_id=hook.id,
                event=event,
                subject=f"items until {last.position}",
                payload=payload,
                changes=len(part),
            )


def _is_wanted(hook: Webhook, event: WebhookEvent, told: _Told) -> bool:
    if event not in told.events or not hook.wants(event, told.source_id, told.at):
        return False
    is_drop = event is WebhookEvent.PRODUCT_PRICE_DROPPED
    return not is_drop or (told.drop or 0.0) >= (hook.min_drop or 0.0)


def _cut(wanted: Sequence[_Told]) -> Iterator[list[_Told]]:
    part: list[_Told] = []
    size = 0
    for each in wanted:
        described = len(orjson.dumps(each.values))
        if part and (len(part) == MOST_CHANGES or size + described > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(each)
        size += described
    if part:
        yield part
