"""Deliveries: messages to webhooks. A server claims one with a lock that expires before it sends it."""

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, or_, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.webhooks import webhook_deliveries as deliveries
from tenax.stores.schema.webhooks import webhooks
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import owner_of

LOCK_S: Final = 60.0
PER_WEBHOOK: Final = 3  # claimed at once: a receiver that is down must not delay the others
KEPT_S: Final = 30 * 86_400.0
PRUNED_AT_ONCE: Final = 1_000

_ORDER = SortOrder(keys={"id": deliveries.c.id}, number=deliveries.c.id)


class DeliveryState(StrEnum):
    PENDING = "pending"  # sent, or tried again, at next_try_at
    DELIVERED = "delivered"
    FAILED = "failed"  # all attempts are used up; a user may retry it


@record
class Delivery:
    id: int
    webhook_id: int
    event: str
    subject: str
    payload: str
    state: DeliveryState
    attempts: int
    next_try_at: Instant | None
    last_status: int | None
    last_error: str | None
    created_at: Instant
    delivered_at: Instant | None


@record
class WebhookMessage:
    """A delivery with what is needed to send it."""

    delivery: Delivery
    url: str
    sealed_secrets: tuple[str, ...]  # the message is signed with each; newest first

    def open_secrets(self, vault: Vault) -> tuple[str, ...]:
        """Raises SecretError."""
        return tuple(vault.open(sealed, owner_of(self.delivery.webhook_id)) for sealed in self.sealed_secrets)


@record
class DeliveryAttempt:
    """The result of an attempt to send a message."""

    state: DeliveryState
    next_try_at: Instant | None
    status: int | None
    error: str | None
    counts: bool = True  # as one of the attempts


def claim_messages(connection: Connection, token: str, limit: int, now: Instant) -> list[WebhookMessage]:
    """Lock up to `limit` due messages for LOCK_S, at most PER_WEBHOOK of each webhook."""
    due = _select_due(now).subquery()
    rows = connection.execute(
        select(due).where(due.c.place <= PER_WEBHOOK).order_by(due.c.place).limit(limit)
    )
    candidates = {row.id: row for row in rows}
    # The statement repeats the conditions: another server may have claimed some meanwhile.
    claimed = connection.scalars(
        update(deliveries)
        .where(deliveries.c.id.in_(candidates), _is_free(now), deliveries.c.next_try_at <= now)
        .values(lock_token=token, lock_until=now + LOCK_S)
        .returning(deliveries.c.id)
    ).all()
    return [
        WebhookMessage(
            delivery=read_delivery(candidates[id]),
            url=candidates[id].url,
            sealed_secrets=_list_secrets(candidates[id], now),
        )
        for id in sorted(claimed)
    ]


def is_due(connection: Connection, now: Instant) -> bool:
    return connection.execute(_select_due(now).limit(1)).first() is not None


def save_attempt(
    connection: Connection, delivery: Delivery, token: str, attempt: DeliveryAttempt, now: Instant
) -> bool:
    """False: the lock has expired and another server has it, or the delivery is gone, so nothing was
    written."""
    is_delivered = attempt.state is DeliveryState.DELIVERED
    saved = connection.execute(
        update(deliveries)
        .where(deliveries.c.id == delivery.id, deliveries.c.lock_token == token)
        .values(
            state=attempt.state,
            attempts=deliveries.c.attempts + int(attempt.counts),
            next_try_at=attempt.next_try_at,
            last_status=attempt.status,
            last_error=attempt.error,
            delivered_at=now if is_delivered else None,
            lock_token=None,
            lock_until=None,
        )
    )
    return bool(saved.rowcount)


def retry_delivery(connection: Connection, delivery_id: int, now: Instant) -> Delivery | None:
    """Send a delivery immediately, whatever its state, with a full set of attempts; None: it is unknown. One
    that is being sent right now is sent again."""
    row = connection.execute(
        update(deliveries)
        .where(deliveries.c.id == delivery_id)
        .values(state=DeliveryState.PENDING, attempts=0, next_try_at=now, lock_token=None, lock_until=None)
        .returning(deliveries)
    ).one_or_none()
    return None if row is None else read_delivery(row)


def slice_deliveries(
    connection: Connection, wanted: SliceRequest, webhook_id: int, state: DeliveryState | None
) -> ListSlice[Delivery]:
    statement = select(deliveries).where(deliveries.c.webhook_id == webhook_id)
    if state is not None:
        statement = statement.where(deliveries.c.state == state)
    return load_slice(connection, statement, _ORDER, wanted, read_delivery)


def prune_deliveries(connection: Connection, now: Instant) -> bool:
    """Delete old deliveries that are no longer tried. True: there is more to do."""
    old = (
        select(deliveries.c.id)
        .where(deliveries.c.created_at < now - KEPT_S, deliveries.c.next_try_at.is_(None))
        .limit(PRUNED_AT_ONCE)
    )
    deleted = connection.execute(delete(deliveries).where(deliveries.c.id.in_(old)))
    return deleted.rowcount == PRUNED_AT_ONCE


def _is_free(now: Instant) -> ColumnElement[bool]:
    return or_(deliveries.c.lock_until.is_(None), deliveries.c.lock_until <= now)


def _select_due(now: Instant) -> Select[Any]:
    place = func.row_number().over(
        partition_by=deliveries.c.webhook_id, order_by=(deliveries.c.next_try_at, deliveries.c.id)
    )
    return (
        select(
            deliveries,
            webhooks.c.url,
            webhooks.c.secret,
            webhooks.c.old_secret,
            webhooks.c.old_secret_until,
            place.label("place"),
        )
        .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
        .where(deliveries.c.next_try_at <= now, _is_free(now), webhooks.c.enabled == 1)
    )


def _list_secrets(row: Row[*tuple[Any, ...]], now: Instant) -> tuple[str, ...]:
    is_old_valid = row.old_secret is not None and now < row.old_secret_until
    return (row.secret, row.old_secret) if is_old_valid else (row.secret,)


def read_delivery(row: Row[*tuple[Any, ...]]) -> Delivery:
    return Delivery(
        id=row.id,
        webhook_id=row.webhook_id,
        event=row.event,
        subject=row.subject,
        payload=row.payload,
        state=DeliveryState(row.state),
        attempts=row.attempts,
        next_try_at=row.next_try_at,
        last_status=row.last_status,
        last_error=row.last_error,
        created_at=row.created_at,
        delivered_at=row.delivered_at,
    )
