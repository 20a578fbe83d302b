"""Finds events for webhooks in the tables where they happened, and makes a delivery of each once.

Rows may become visible in another order than that of their instants and ids: in PostgreSQL, a transaction
that began earlier may commit later. So each search starts before the cursor, and events that already have a
delivery are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, select

from tenax.clock import Instant, format_instant
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.jobs import ExecutionState
from tenax.stores.cursors import find_cursor, hold_cursor, move_cursor
from tenax.stores.schema.domains import domain_events, domains
from tenax.stores.schema.jobs import executions, jobs, sources
from tenax.stores.schema.runs import runs
from tenax.stores.schema.webhooks import webhook_deliveries
from tenax.stores.webhooks.deliveries import Delivery, DeliveryState, read_delivery
from tenax.stores.webhooks.webhooks import EVENTS_CURSOR, TIME_CURSOR, Webhook, WebhookEvent, list_enabled

OVERLAP_S: Final = 600.0
OVERLAP_EVENTS: Final = 10_000
AT_ONCE: Final = 2_000  # after the cursor


@record
class DetectedEvent:
    event: WebhookEvent
    subject: str
    source_id: int
    at: Instant
    position: int  # in the cursor of its kind
    data: dict[str, Any]


@record
class NewDelivery:
    webhook_id: int
    event: WebhookEvent
    subject: str
    payload: str


@record
class EventBatch:
    deliveries: list[NewDelivery]
    time_position: int  # everything up to here is in the batch
    events_position: int
    is_far: bool  # from the cursors: they should be moved, or each search reads more than the last


def find_events(connection: Connection, now: Instant) -> EventBatch | None:
    """Events without a delivery; None: no webhook is enabled."""
    hooks = list_enabled(connection)
    if not hooks:
        return None
    time_cursor, events_cursor = find_cursor(connection, TIME_CURSOR), find_cursor(connection, EVENTS_CURSOR)
    finished = _find_ended(connection, _RUNS, runs.c.ended_at, time_cursor, _describe_run)
    changed = _find_ended(connection, _EXECUTIONS, executions.c.ended_at, time_cursor, _describe_change)
    blocked = _find_blocked(connection, events_cursor)
    last_event = connection.scalar(select(func.max(domain_events.c.id))) or 0
    time_end = min(_find_end(found, time_cursor, int(now * 1000)) for found in (finished, changed))
    events_end = _find_end(blocked, events_cursor, last_event)
    return EventBatch(
        deliveries=_skip_known(connection, _address(hooks, [*finished, *changed, *blocked])),
        time_position=time_end,
        events_position=events_end,
        is_far=time_end - time_cursor > 1000 * OVERLAP_S or events_end - events_cursor > OVERLAP_EVENTS,
    )


def collect_events(connection: Connection, now: Instant) -> int:
    """Add deliveries for new events; returns how many. Several servers do this one after the other."""
    hold_cursor(connection, TIME_CURSOR)
    hold_cursor(connection, EVENTS_CURSOR)
    batch = find_events(connection, now)
    if batch is None:
        return 0
    for delivery in batch.deliveries:
        add_delivery(connection, delivery, now)
    move_cursor(connection, TIME_CURSOR, batch.time_position)
    move_cursor(connection, EVENTS_CURSOR, batch.events_position)
    return len(batch.deliveries)


def add_delivery(connection: Connection, new: NewDelivery, now: Instant) -> Delivery:
    row = connection.execute(
        insert(webhook_deliveries)
        .values(
            webhook_id=new.webhook_id,
            event=new.event,
            subject=new.subject,
            payload=new.payload,
            state=DeliveryState.PENDING,
            next_try_at=now,
            created_at=now,
        )
        .returning(webhook_deliveries)
    ).one()
    return read_delivery(row)


def format_payload(event: WebhookEvent, at: Instant, data: dict[str, Any]) -> str:
    return orjson.dumps({"event": event, "at": format_instant(at), "data": data}).decode()


_RUNS = select(runs)
_EXECUTIONS = (
    select(executions, jobs.c.source_id, sources.c.name.label("source"))
    .join(jobs, jobs.c.id == executions.c.job_id)
    .outerjoin(sources, sources.c.id == jobs.c.source_id)
    .where(executions.c.items_changed > 0, executions.c.state != ExecutionState.RUNNING)
)
_EVENTS = (
    select(domain_events, domains.c.name, domains.c.source_id)
    .join(domains, domains.c.id == domain_events.c.domain_id)
    .where(domain_events.c.to_status == DomainStatus.BLOCKED)
)


def _find_ended(
    connection: Connection,
    statement: Select[Any],
    ended_at: ColumnElement[Any],
    cursor: int,
    describe: Callable[[Row[*tuple[Any, ...]]], DetectedEvent],
) -> list[DetectedEvent]:
    collected_until = cursor / 1000
    late = statement.where(ended_at > collected_until - OVERLAP_S, ended_at <= collected_until)
    fresh = statement.where(ended_at > collected_until).order_by(ended_at).limit(AT_ONCE)
    return [describe(row) for part in (late, fresh) for row in connection.execute(part)]


def _find_blocked(connection: Connection, cursor: int) -> list[DetectedEvent]:
    id = domain_events.c.id
    late = _EVENTS.where(id > cursor - OVERLAP_EVENTS, id <= cursor)
    fresh = _EVENTS.where(id > cursor).order_by(id).limit(AT_ONCE)
    return [_describe_block(row) for part in (late, fresh) for row in connection.execute(part)]


def _find_end(found: Sequence[DetectedEvent], cursor: int, end: int) -> int:
    """The position up to which all events were found: `end`, unless there were too many."""
    fresh = [each.position for each in found if each.position > cursor]
    return max(fresh) if len(fresh) >= AT_ONCE else max(cursor, end)


def _address(hooks: Sequence[Webhook], found: Sequence[DetectedEvent]) -> Iterator[NewDelivery]:
    for each in found:
        payload = format_payload(each.event, each.at, each.data)
        for hook in hooks:
            if hook.wants(each.event, each.source_id, each.at):
                yield NewDelivery(webhook_id=hook.id, event=each.event, subject=each.subject, payload=payload)


def _skip_known(connection: Connection, new: Iterator[NewDelivery]) -> list[NewDelivery]:
    wanted = {(each.webhook_id, each.event.value, each.subject): each for each in new}
    table = webhook_deliveries.c
    known = select(table.webhook_id, table.event, table.subject).where(
        table.subject.in_({subject for _, _, subject in wanted})
    )
    for row in connection.execute(known) if wanted else ():
        wanted.pop((row.webhook_id, row.event, row.subject), None)
    return list(wanted.values())


def _describe_run(row: Row[*tuple[Any, ...]]) -> DetectedEvent:
    return DetectedEvent(
        event=WebhookEvent.RUN_FINISHED,
        subject=f"run {row.id}",
        source_id=row.source_id,
        at=row.ended_at,
        position=int(row.ended_at * 1000),
        data={
            "run_id": row.id,
            "source_id": row.source_id or None,
            "execution_id": row.execution_id,
            "state": row.state,
            "started_at": format_instant(row.started_at),
            "ended_at": format_instant(row.ended_at),
            "pages": row.pages,
            "requests": row.requests,
            "wire_bytes": row.wire_bytes,
        },
    )


def _describe_change(row: Row[*tuple[Any, ...]]) -> DetectedEvent:
    return DetectedEvent(
        event=WebhookEvent.SOURCE_CHANGED,
        subject=f"execution {row.id}",
        source_id=row.source_id,
        at=row.ended_at,
        position=int(row.ended_at * 1000),
        data={
            "source_id": row.source_id,
            "source": row.source,
            "job_id": row.job_id,
            "execution_id": row.id,
            "run_id": row.run_id,
            "state": row.state,
            "ended_at": format_instant(row.ended_at),
            "items_crawled": row.items_crawled,
            "items_changed": row.items_changed,
            "items_failed": row.items_failed,
        },
    )


def _describe_block(row: Row[*tuple[Any, ...]]) -> DetectedEvent:
    return DetectedEvent(
        event=WebhookEvent.DOMAIN_BLOCKED,
        subject=f"domain event {row.id}",
        source_id=row.source_id,
        at=row.at,
        position=row.id,
        data={
            "domain": row.name,
            "source_id": row.source_id or None,
            "cause": row.cause,
            "detail": row.detail,
            "run_id": row.run_id,
            "at": format_instant(row.at),
        },
    )
