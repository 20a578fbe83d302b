"""Webhooks, as functions of a connection. Functions that change something must be called in a transaction."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, Row, case, delete, func, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.change_log import find_end, hold_log_cursor, move_log_cursor
from tenax.stores.cursors import hold_cursor, move_cursor
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.domains import domain_events
from tenax.stores.schema.webhooks import webhook_deliveries, webhooks
from tenax.stores.secrets.sealing import SecretOwner, Vault

# How far events were collected: a time in milliseconds, and an id of `domain_events`.
TIME_CURSOR: Final = "webhooks"
EVENTS_CURSOR: Final = "webhooks.domain_events"
ITEMS_CURSOR: Final = "webhooks"  # in the change log
MOST: Final = 100
GRACE_S: Final = 86_400.0  # for receivers to switch to a new secret

_ORDER = SortOrder(keys={"id": webhooks.c.id}, number=webhooks.c.id)


class WebhookEvent(StrEnum):
    RUN_FINISHED = "run.finished"
    SOURCE_CHANGED = "source.changed"  # an execution of its job found new or changed pages
    DOMAIN_BLOCKED = "domain.blocked"  # it turns the crawler away, or a user blocked it
    ITEM_CHANGED = "item.changed"  # new, changed, gone and returned items
    PARSER_DEGRADED = "parser.degraded"  # a parser does worse than in its own past
    TEST = "webhook.test"  # a user requested it


@record
class Webhook:
    """A webhook without its secret, which only the signing code gets."""

    id: int
    name: str
    url: str
    events: tuple[str, ...]
    source_id: int | None  # None: events of all sources, and of none
    enabled: bool
    enabled_at: Instant
    created_at: Instant
    old_secret_until: Instant | None  # messages are signed with two secrets until then

    def wants(self, event: WebhookEvent, source_id: int, at: Instant) -> bool:
        is_of_source = self.source_id is None or self.source_id == source_id
        return event in self.events and is_of_source and at >= self.enabled_at


@record
class WebhookValues:
    name: str
    url: str
    events: Collection[WebhookEvent]
    source_id: int | None
    enabled: bool


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
    hold_cursor(connection, TIME_CURSOR)
    if (connection.scalar(select(func.count()).select_from(webhooks)) or 0) >= MOST:
        return None
    _start_cursors(connection, now)
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
    hold_cursor(connection, TIME_CURSOR)
    _start_cursors(connection, now)
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


def _start_cursors(connection: Connection, now: Instant) -> None:
    """Move the cursors to now if no webhook is enabled: the collector stood still meanwhile, and events of
    that time are not delivered. The same goes for items, which few webhooks want."""
    if not any(WebhookEvent.ITEM_CHANGED in hook.events for hook in list_enabled(connection)):
        hold_log_cursor(connection, ITEMS_CURSOR)
        move_log_cursor(connection, ITEMS_CURSOR, find_end(connection))
    if connection.scalar(select(webhooks.c.id).where(webhooks.c.enabled == 1).limit(1)) is not None:
        return
    hold_cursor(connection, EVENTS_CURSOR)
    move_cursor(connection, TIME_CURSOR, int(now * 1000))
    move_cursor(connection, EVENTS_CURSOR, connection.scalar(select(func.max(domain_events.c.id))) or 0)


def _list_columns(values: WebhookValues) -> dict[str, Any]:
    return {
        "name": values.name,
        "url": values.url,
        "events": " ".join(sorted(values.events)),
        "source_id": values.source_id,
        "enabled": int(values.enabled),
    }


def _read(row: Row[*tuple[Any, ...]]) -> Webhook:
    return Webhook(
        id=row.id,
        name=row.name,
        url=row.url,
        events=tuple(row.events.split()),
        source_id=row.source_id,
        enabled=bool(row.enabled),
        enabled_at=row.enabled_at,
        created_at=row.created_at,
        old_secret_until=row.old_secret_until,
    )
