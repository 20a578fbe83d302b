"""The log of a run, read from the store: the same on every machine, in parts that can be resumed.

Parts follow the order in which rows were written to the store; the lines of one part are sorted by time.
"""

import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.queries.run_log.lines import LogKind, LogLine
from tenax.stores.queries.run_log.positions import RunLogPosition, format_position, parse_position
from tenax.stores.queries.run_log.tail import Rows, TableTail, advance, read_late, read_next
from tenax.stores.schema.domains import domain_events, domains
from tenax.stores.schema.runs import runs, workers
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits

# Lines about a worker that joins or leaves are held back: everything older is committed by then.
HOLD_BACK_S = 2.0


@record
class LogPart:
    lines: tuple[LogLine, ...]
    position: str  # where the next part starts
    is_last: bool  # there is nothing more yet


def load_run_log(
    connection: Connection, run_id: int, *, after: str | None = None, limit: int, now: Instant
) -> LogPart | None:
    """The next lines after a position; None: there is no such run. Raises UsageError for an invalid
    position."""
    run = connection.execute(select(runs).where(runs.c.id == run_id)).one_or_none()
    if run is None:
        return None
    position = parse_position(after) if after else _start(run)
    found = _find(connection, run, position, limit, now)
    chosen = _choose(found)
    new_visits, new_events = found.visits[: chosen.visits], found.events[: chosen.events]
    moments = found.moments[: chosen.moments]
    lines = [*found.late, *_list_visits(new_visits, run_id), *_list_events(new_events, run_id)]
    lines += [each.line for each in moments]
    following = RunLogPosition(
        visits=advance(found.visits_tail, new_visits, now),
        events=advance(found.events_tail, new_events, now),
        moment=moments[-1].place if moments else position.moment,
    )
    return LogPart(
        lines=tuple(sorted(lines, key=attrgetter("at"))),
        position=format_position(following),
        is_last=found.room > chosen.total,
    )


def find_late_start(connection: Connection, run_id: int, newest: int) -> str | None:
    """A position with about `newest` visits after it; None: there are no more than that, or no such run."""
    run = connection.execute(select(runs).where(runs.c.id == run_id)).one_or_none()
    if run is None:
        return None
    end = _find_end(connection, run)
    last_visit = end.first_visit_id if end else connection.scalar(select(func.max(visits.c.id))) or 0
    last_event = end.first_event_id if end else connection.scalar(select(func.max(domain_events.c.id))) or 0
    visit_id = last_visit - newest
    if visit_id <= run.first_visit_id:
        return None
    begins = select(visits.c.at).where(visits.c.id > visit_id).order_by(visits.c.id).limit(1)
    position = RunLogPosition(
        visits=TableTail(last_id=visit_id),
        events=TableTail(last_id=max(run.first_event_id, last_event - newest)),
        moment=(connection.scalar(begins) or run.started_at, 0, 0),
    )
    return format_position(position)


def iter_run_log(connection: Connection, run_id: int, *, limit: int, now: Instant) -> Iterator[LogLine]:
    """The whole log, read a part at a time."""
    after: str | None = None
    while part := load_run_log(connection, run_id, after=after, limit=limit, now=now):
        # A slow reader must not hold back the database's cleanup.
        connection.commit()
        yield from part.lines
        if part.is_last:
            return
        after = part.position


# --- visits and domains ----------------------------------------------------------------------------


_VISITS = select(
    visits.c.id,
    visits.c.run_id,
    visits.c.worker_id,
    visits.c.at,
    visits.c.duration_s,
    visits.c.outcome,
    visits.c.status,
    visits.c.wire_bytes,
    visits.c.error_kind,
    visits.c.error_detail,
    domains.c.name.label("domain"),
    urls.c.url,
).select_from(
    visits.outerjoin(domains, domains.c.id == visits.c.domain_id).outerjoin(
        urls, urls.c.id == visits.c.url_id
    )
)
_EVENTS = select(domain_events, domains.c.name.label("domain")).select_from(
    domain_events.outerjoin(domains, domains.c.id == domain_events.c.domain_id)
)


def _list_visits(rows: Rows, run_id: int) -> list[LogLine]:
    return [
        LogLine(
            at=row.at,
            kind=LogKind.VISIT,
            event=row.outcome,
            domain=row.domain,
            url=row.url,
            status=row.status,
            duration_ms=round(row.duration_s * 1000),
            wire_bytes=row.wire_bytes,
            detail=f"{row.error_kind}: {row.error_detail}" if row.error_kind else None,
            worker=row.worker_id,
        )
        for row in rows
        if row.run_id == run_id
    ]


def _list_events(rows: Rows, run_id: int) -> list[LogLine]:
    """Status changes made by this run, and by users, which belong to no run."""
    return [
        LogLine(
            at=row.at,
            kind=LogKind.DOMAIN,
            event=row.to_status,
            domain=row.domain,
            detail=f"was {row.from_status}; {row.cause}: {row.detail}",
            worker=row.worker_id,
        )
        for row in rows
        if row.run_id in (run_id, None)
    ]


# --- the run and its workers -----------------------------------------------------------------------


@record
class RunMoment:
    """An event of the run itself or of a worker; there are few."""

    place: tuple[Instant, int, int]  # its order: the instant, the worker, the kind of event
    line: LogLine


def _list_moments(connection: Connection, run: Row[*tuple[Any, ...]], now: Instant) -> list[RunMoment]:
    moments = [
        _make_moment(LogKind.RUN, run.started_at, 0, 0, "started"),
        _make_moment(LogKind.RUN, run.paused_at, 0, 1, "paused"),
        _make_moment(LogKind.RUN, run.ended_at, 0, 2, "cancelled" if run.cancelled_at else run.state),
    ]
    statement = select(workers).where(workers.c.run_id == run.id).order_by(workers.c.id)
    for worker in connection.execute(statement):
        name = f"process {worker.pid} on {worker.host}"
        moments.append(_make_moment(LogKind.WORKER, worker.started_at, worker.id, 0, "joined", name))
        how = "died" if worker.is_buried else "left"
        moments.append(_make_moment(LogKind.WORKER, worker.ended_at, worker.id, 1, how, name))
    shown = (each for each in moments if each is not None and each.line.at <= now - HOLD_BACK_S)
    return sorted(shown, key=attrgetter("place"))


def _make_moment(
    kind: LogKind, at: Instant | None, owner: int, number: int, event: str, detail: str | None = None
) -> RunMoment | None:
    if at is None:
        return None
    line = LogLine(at=at, kind=kind, event=event, detail=detail, worker=owner or None)
    return RunMoment(place=(at, owner, number), line=line)


# --- positions -------------------------------------------------------------------------------------


def _start(run: Row[*tuple[Any, ...]]) -> RunLogPosition:
    return RunLogPosition(
        visits=TableTail(last_id=run.first_visit_id),
        events=TableTail(last_id=run.first_event_id),
        moment=(0.0, 0, 0),
    )


def _find_end(connection: Connection, run: Row[*tuple[Any, ...]]) -> Row[*tuple[Any, ...]] | None:
    """The first run that was opened after all workers had left this one; None: there is none yet."""
    last_sign = func.coalesce(workers.c.ended_at, workers.c.heartbeat_at + workers.c.lease_s)
    left_at = connection.scalar(select(func.max(last_sign)).where(workers.c.run_id == run.id))
    statement = select(runs.c.first_visit_id, runs.c.first_event_id).where(
        runs.c.id > run.id, runs.c.started_at > (left_at or run.started_at), runs.c.first_visit_id > 0
    )
    return connection.execute(statement.order_by(runs.c.id).limit(1)).one_or_none()


# --- parts -----------------------------------------------------------------------------------------


@record
class LogEvents:
    """Candidates for the next part."""

    late: list[LogLine]  # of rows that were missing before; all of them go into the part
    room: int  # for other lines
    visits: Rows
    visits_tail: TableTail
    events: Rows
    events_tail: TableTail
    moments: list[RunMoment]


@record
class LogSelection:
    """How many of each go into the next part."""

    visits: int
    events: int
    moments: int

    @property
    def total(self) -> int:
        return self.visits + self.events + self.moments


def _find(
    connection: Connection, run: Row[*tuple[Any, ...]], position: RunLogPosition, limit: int, now: Instant
) -> LogEvents:
    visit_id, event_id, end = visits.c.id, domain_events.c.id, _find_end(connection, run)
    late_visits, visits_tail = read_late(connection, _VISITS, visit_id, position.visits, limit)
    late_events, events_tail = read_late(connection, _EVENTS, event_id, position.events, limit)
    late = [*_list_visits(late_visits, run.id), *_list_events(late_events, run.id)]
    room = max(limit - len(late), 0)
    visits_until, events_until = (end.first_visit_id, end.first_event_id) if end else (None, None)
    moments = [each for each in _list_moments(connection, run, now) if each.place > position.moment]
    return LogEvents(
        late=late,
        room=room,
        visits=read_next(connection, _until(_VISITS, visit_id, visits_until), visit_id, visits_tail, room),
        visits_tail=visits_tail,
        events=read_next(connection, _until(_EVENTS, event_id, events_until), event_id, events_tail, room),
        events_tail=events_tail,
        moments=moments[:room],
    )


def _until(statement: Select[Any], key: Column[Any], last_id: int | None) -> Select[Any]:
    return statement if last_id is None else statement.where(key <= last_id)


def _choose(found: LogEvents) -> LogSelection:
    """Choose the earliest lines across the three sources, up to the room that is left."""
    sources = (
        ((row.at, 0) for row in found.visits),
        ((row.at, 1) for row in found.events),
        ((each.line.at, 2) for each in found.moments),
    )
    counts = Counter(source for _, source in islice(heapq.merge(*sources), found.room))
    return LogSelection(visits=counts[0], events=counts[1], moments=counts[2])
