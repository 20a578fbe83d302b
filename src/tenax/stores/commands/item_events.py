"""Changes of items for webhooks, read from the change log, where none is missed.

A message has many changes: a crawl finds thousands, and a message for each would take longer than the crawl.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import orjson
from sqlalchemy import Connection

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.change_log import (
    START,
    LogPosition,
    LogTopic,
    find_log_cursor,
    hold_log_cursor,
    move_log_cursor,
    read_log,
)
from tenax.stores.queries.item_changes import LoggedChange, describe_change, list_logged
from tenax.stores.webhooks.events import NewDelivery, add_delivery, format_payload
from tenax.stores.webhooks.webhooks import ITEMS_CURSOR, Webhook, WebhookEvent, list_enabled

AT_ONCE: Final = 500
# Of a message. A receiver that wants more asks the API.
MOST_CHANGES: Final = 100
MOST_BYTES: Final = 262_144


@record
class ItemEvents:
    deliveries: list[NewDelivery]
    position: LogPosition  # everything up to here is in them
    is_far: bool  # from the cursor: it should be moved, or each search reads the same


def find_item_events(connection: Connection) -> ItemEvents | None:
    """None: no webhook wants them, or there are none."""
    hooks = [hook for hook in list_enabled(connection) if WebhookEvent.ITEM_CHANGED in hook.events]
    if not hooks:
        return None
    after = find_log_cursor(connection, ITEMS_CURSOR) or START
    entries = read_log(connection, after, AT_ONCE, [LogTopic.ITEM])
    if not entries:
        return None
    logged = list_logged(connection, entries)
    return ItemEvents(
        deliveries=[delivery for hook in hooks for delivery in _address(hook, logged)],
        position=entries[-1].position,
        is_far=len(entries) == AT_ONCE,
    )


def collect_item_events(connection: Connection, now: Instant) -> int:
    """Add deliveries for changes; returns how many. Several servers do this one after the other."""
    hold_log_cursor(connection, ITEMS_CURSOR)
    found = find_item_events(connection)
    if found is None:
        return 0
    for delivery in found.deliveries:
        add_delivery(connection, delivery, now)
    move_log_cursor(connection, ITEMS_CURSOR, found.position)
    return len(found.deliveries)


def _address(hook: Webhook, logged: Sequence[LoggedChange]) -> Iterator[NewDelivery]:
    event = WebhookEvent.ITEM_CHANGED
    wanted = [each for each in logged if hook.wants(event, each.source_id, each.change.at)]
    for part in _cut(wanted):
        last = part[-1]
        payload = format_payload(event, last.change.at, {"changes": [describe_change(each) for each in part]})
        yield NewDelivery(
            webhook_id=hook.id, event=event, subject=f"items until {last.position}", payload=payload
        )


def _cut(wanted: Sequence[LoggedChange]) -> Iterator[list[LoggedChange]]:
    part: list[LoggedChange] = []
    size = 0
    for each in wanted:
        described = len(orjson.dumps(describe_change(each)))
        if part and (len(part) == MOST_CHANGES or size + described > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(each)
        size += described
    if part:
        yield part
