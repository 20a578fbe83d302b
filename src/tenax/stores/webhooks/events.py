"""Finds events for webhooks in the change log, where none is missed, and makes a delivery of each once.

A reader of the log has a cursor, which it moves in the transaction that adds the deliveries.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Row, Select, insert, select

from tenax.clock import Instant, format_instant
from tenax.record import record
from tenax.stores.change_log import (
    START,
    LogEntry,
    LogPosition,
    LogTopic,
    find_end,
    find_log_cursor,
    hold_log_cursor,
    move_log_cursor,
    read_log,
)
from tenax.stores.schema.domains import domain_events, domains
from tenax.stores.schema.jobs import executions, jobs, sources
from tenax.stores.schema.runs import runs
from tenax.stores.schema.webhooks import webhook_deliveries
from tenax.stores.webhooks.deliveries import Delivery, DeliveryState, read_delivery
from tenax.stores.webhooks.webhooks import EVENTS_CURSOR, LOGGED_EVENTS, Webhook, WebhookEvent, list_enabled

AT_ONCE: Final = 500
# So many entries, most of them of items, are passed over at each search before the cursor is moved.
FAR: Final = 5_000


@record
class DetectedEvent:
    event: WebhookEvent
    subject: str
    source_id: int
    at: Instant
    data: dict[str, Any]


@record
class NewDelivery:
    webhook_id: int
    event: WebhookEvent
    subject: str
    payload: str
    changes: int = 1  # that it tells


@record
class FoundEvents:
    deliveries: list[NewDelivery]
    position: LogPosition  # everything up to here is in them
    is_far: bool  # from the cursor: it should be moved, or each search reads the same


def find_events(connection: Connection) -> FoundEvents | None:
    """Events after the cursor, except those of items; None: no webhook wants them."""
    hooks = [hook for hook in list_enabled(connection) if LOGGED_EVENTS.intersection(hook.events)]
    if not hooks:
        return None
    after = find_log_cursor(connection, EVENTS_CURSOR) or START
    # Before the entries: what is committed in between has a greater position.
    end = find_end(connection)
    entries = read_log(connection, after, AT_ONCE, _KINDS)
    read_until = entries[-1].position if entries else after
    is_full = len(entries) == AT_ONCE
    return FoundEvents(
        deliveries=_skip_known(connection, _address(hooks, _describe(connection, entries))),
        position=read_until if is_full else max(read_until, end),
        is_far=is_full or end.id - after.id > FAR,
    )


def collect_events(connection: Connection, now: Instant) -> list[NewDelivery]:
    """Add deliveries for new events, and return them. Several servers do this one after the other."""
    return add_deliveries(connection, EVENTS_CURSOR, find_events, now)


def add_deliveries(
    connection: Connection, cursor: str, find: Callable[[Connection], FoundEvents | None], now: Instant
) -> list[NewDelivery]:
    """Hold the cursor, add what is found after it, and move it; returns the deliveries."""
    hold_log_cursor(connection, cursor)
    found = find(connection)
    if found is None:
        return []
    for delivery in found.deliveries:
        add_delivery(connection, delivery, now)
    move_log_cursor(connection, cursor, found.position)
    return found.deliveries


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


def _describe(connection: Connection, entries: Sequence[LogEntry]) -> Iterator[DetectedEvent]:
    """In the order of the log. What has been deleted meanwhile is left out, and so is a run that goes on."""
    found: dict[tuple[LogTopic, int], DetectedEvent] = {}
    for topic, (load, describe) in _KINDS.items():
        ids = {entry.subject_id for entry in entries if entry.topic is topic}
        for row in connection.execute(load(ids)) if ids else ():
            found[topic, row.id] = describe(row)
    for entry in entries:
        event = found.get((entry.topic, entry.subject_id))
        if event is not None:
            yield event


def _load_runs(ids: Collection[int]) -> Select[Any]:
    return select(runs).where(runs.c.id.in_(ids), runs.c.ended_at.isnot(None))


def _load_executions(ids: Collection[int]) -> Select[Any]:
    return (
        select(executions, jobs.c.source_id, sources.c.name.label("source"))
        .join(jobs, jobs.c.id == executions.c.job_id)
        .outerjoin(sources, sources.c.id == jobs.c.source_id)
        .where(executions.c.id.in_(ids))
    )


def _load_blocks(ids: Collection[int]) -> Select[Any]:
    return (
        select(domain_events, domains.c.name, domains.c.source_id)
        .join(domains, domains.c.id == domain_events.c.domain_id)
        .where(domain_events.c.id.in_(ids))
    )


def _address(hooks: Sequence[Webhook], found: Iterator[DetectedEvent]) -> Iterator[NewDelivery]:
    for each in found:
        payload = format_payload(each.event, each.at, each.data)
        for hook in hooks:
            if hook.wants(each.event, each.source_id, each.at):
                yield NewDelivery(webhook_id=hook.id, event=each.event, subject=each.subject, payload=payload)


def _skip_known(connection: Connection, new: Iterator[NewDelivery]) -> list[NewDelivery]:
    """A run that went on after its end has two entries, and a restored log may be read twice."""
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
        data={
            "domain": row.name,
            "source_id": row.source_id or None,
            "cause": row.cause,
            "detail": row.detail,
            "run_id": row.run_id,
            "at": format_instant(row.at),
        },
    )


_Load = Callable[[Collection[int]], Select[Any]]
_Describe = Callable[[Row[*tuple[Any, ...]]], DetectedEvent]
# How the rows of a topic are loaded, and what their events are.
_KINDS: Final[dict[LogTopic, tuple[_Load, _Describe]]] = {
    LogTopic.RUN: (_load_runs, _describe_run),
    LogTopic.EXECUTION: (_load_executions, _describe_change),
    LogTopic.DOMAIN_EVENT: (_load_blocks, _describe_block),
}
