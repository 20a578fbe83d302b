"""Webhooks, as functions of a connection. Functions that change something must be called in a transaction."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, case, delete, func, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.change_log import find_end, hold_log_cursor, move_log_cursor
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.webhooks import webhook_deliveries, webhooks
from tenax.stores.secrets.sealing import SecretOwner, Vault

# How far the change log was read: for changes of items, and for other events.
ITEMS_CURSOR: Final = "webhooks"
EVENTS_CURSOR: Final = "webhooks.events"
MOST: Final = 100
GRACE_S: Final = 86_400.0  # for receivers to switch to a new secret

_ORDER = SortOrder(keys={"id": webhooks.c.id}, number=webhooks.c.id)


class WebhookEvent(StrEnum):
    RUN_FINISHED = "run.finished"
    SOURCE_CHANGED = "source.changed"  # an execution of its job found new or changed pages
    DOMAIN_BLOCKED = "domain.blocked"  # it turns the crawler away, or a user blocked it
    ITEM_CHANGED = "item.changed"  # new, changed, gone and returned items
    PRODUCT_PRICE_CHANGED = "product.price_changed"
    PRODUCT_PRICE_DROPPED = "product.price_dropped"  # by at least the share that the webhook wants
    PRODUCT_NEW_LOW = "product.new_low"  # lower than ever before
    PRODUCT_AVAILABILITY_CHANGED = "product.availability_changed"
    PARSER_DEGRADED = "parser.degraded"  # a parser does worse than in its own past
    TEST = "webhook.test"  # a user requested it


# Each is an entry of the change log, and a message.
LOGGED_EVENTS: Final = frozenset(
    (WebhookEvent.RUN_FINISHED, WebhookEvent.SOURCE_CHANGED, WebhookEvent.DOMAIN_BLOCKED)
)
PRODUCT_EVENTS: Final = frozenset(
    (
        WebhookEvent.PRODUCT_PRICE_CHANGED,
        WebhookEvent.PRODUCT_PRICE_DROPPED,
        WebhookEvent.PRODUCT_NEW_LOW,
        WebhookEvent.PRODUCT_AVAILABILITY_CHANGED,
    )
)
# They are found in the entries of items, many of which share a message.
ITEM_EVENTS: Final = PRODUCT_EVENTS | {WebhookEvent.ITEM_CHANGED}


@record
class Webhook:
    """A webhook without its secret, which only the signing code gets."""

    id: int
    name: str
    url: str
    events: tuple[str, ...]
    source_id: int | None  # None: events of all sources, and of none
    min_drop: float | None  # the least share of a price that is told as a drop; None: any
    enabled: bool
    enabled_at: Instant
    created_at: Instant
    old_secret_until: Instant | None  # messages are signed with two secrets until then

    def wants(self, event: WebhookEvent, source_id: int, at: Instant) -> bool:
        is_of_source = self.source_id is None or self.source_id == source_id
        return event in self.events and is_of_source and at >= self.enabled_at

    def wants_any(self, events: Collection[WebhookEvent]) -> bool:
        return any(event in self.events for event in events)


@record
class WebhookValues:
    name: str
    url: str
    events: Collection[WebhookEvent]
    source_id: int | None
    enabled: bool
    min_drop: float | None = None


def list_enabled(connection: Connection) -> list[Webhook]:
    return [_read(row) for row in connection.execute(select(webhooks).where(webhooks.c.enabled == 1))]


def slice_webhooks(connection: Connection, wanted: SliceRequest) -> ListSlice[Webhook]:
    return load_slice(connection, select(webhooks), _ORDER, wanted, _read)


def find_webhook(connection: Connection, webhook_id: int) -> Webhook | None:
    row = connection.execute(select(webhooks).where(webhooks.c.id == webhook_id)).one_or_none()
    return None if row is None else _read(row)


def add_webhook(
    connection: Connection, values: WebhookValues, secret: str, vault: Vault, now: Instant
) -> Webhook | None:
    """None: there are already MOST webhooks. Raises SecretError."""
    # The collector waits meanwhile, and so do other callers that add one.
    hold_log_cursor(connection, EVENTS_CURSOR)
    if (connection.scalar(select(func.count()).select_from(webhooks)) or 0) >= MOST:
        return None
    _start_cursors(connection)
    # The secret is sealed for its row, whose id is known only after the insert.
    added = connection.execute(
        insert(webhooks)
        .values(**_list_columns(values), secret="", enabled_at=now, created_at=now)
        .returning(webhooks)
    ).one()
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == added.id)
        .values(secret=vault.seal(secret, owner_of(added.id)))
    )
    return _read(added)


def change_webhook(
    connection: Connection, webhook_id: int, values: WebhookValues, now: Instant
) -> Webhook | None:
    """Its secret stays. Events from the time while it was disabled are not delivered. None: it is unknown."""
    hold_log_cursor(connection, EVENTS_CURSOR)
    _start_cursors(connection)
    is_begun = (webhooks.c.enabled == 0) & (int(values.enabled) == 1)
    row = connection.execute(
        update(webhooks)
        .where(webhooks.c.id == webhook_id)
        .values(**_list_columns(values), enabled_at=case((is_begun, now), else_=webhooks.c.enabled_at))
        .returning(webhooks)
    ).one_or_none()
    return None if row is None else _read(row)


def rotate_secret(
    connection: Connection, webhook_id: int, secret: str, vault: Vault, now: Instant
) -> Webhook | None:
    """Sign messages with a new secret from now on, and for GRACE_S also with the previous one; older ones
    become invalid. None: there is no such webhook. Raises SecretError."""
    sealed = vault.seal(secret, owner_of(webhook_id))
    row = connection.execute(
        update(webhooks)
        .where(webhooks.c.id == webhook_id)
        .values(secret=sealed, old_secret=webhooks.c.secret, old_secret_until=now + GRACE_S)
        .returning(webhooks)
    ).one_or_none()
    return None if row is None else _read(row)


def remove_webhook(connection: Connection, webhook_id: int) -> bool:
    """Remove a webhook and its deliveries. False: there is none."""
    connection.execute(delete(webhook_deliveries).where(webhook_deliveries.c.webhook_id == webhook_id))
    return bool(connection.execute(delete(webhooks).where(webhooks.c.id == webhook_id)).rowcount)


def owner_of(webhook_id: int) -> SecretOwner:
    return SecretOwner(table=webhooks.name, id=webhook_id)


def _start_cursors(connection: Connection) -> None:
    """Move the cursors of events that no enabled webhook wants to the end of the log: nobody collected them
    meanwhile, and they are not delivered."""
    wanted = {event for hook in list_enabled(connection) for event in hook.events}
    # In this order, as everybody does.
    for cursor, events in ((EVENTS_CURSOR, LOGGED_EVENTS), (ITEMS_CURSOR, ITEM_EVENTS)):
        if wanted.isdisjoint(events):
            hold_log_cursor(connection, cursor)
            move_log_cursor(connection, cursor, find_end(connection))


def _list_columns(values: WebhookValues) -> dict[str, Any]:
    return {
        "name": values.name,
        "url": values.url,
        "events": " ".join(sorted(values.events)),
        "source_id": values.source_id,
        "min_drop": values.min_drop,
        "enabled": int(values.enabled),
    }


def _read(row: Row[*tuple[Any, ...]]) -> Webhook:
    return Webhook(
        id=row.id,
        name=row.name,
        url=row.url,
        events=tuple(row.events.split()),
        source_id=row.source_id,
        min_drop=row.min_drop,
        enabled=bool(row.enabled),
        enabled_at=row.enabled_at,
        created_at=row.created_at,
        old_secret_until=row.old_secret_until,
    )
