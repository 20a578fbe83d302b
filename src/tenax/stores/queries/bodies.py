"""Stored bodies: that of a visit, the segments, and what is in one."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.bodies import Segment, SegmentState
from tenax.stores.schema.pages import pages
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import bodies, segments, visit_bodies, visits


@record
class PlacedBody:
    """A body, and where its frame is."""

    digest: bytes
    key: str  # of its segment
    position: int
    length: int
    size: int


@record
class VisitBody:
    """The body that a visit stored."""

    body: PlacedBody
    url_id: int
    url: str
    at: Instant  # of the visit
    content_type: str | None  # of the page that is stored now
    segment: Segment
    heads: bytes  # compressed
    uses: int  # visits that stored the same body


@record
class BodyTotals:
    """What is stored of bodies."""

    bodies: int = 0
    files: int = 0
    bytes: int = 0
    lost_files: int = 0


def find_body(connection: Connection, url_id: int, visit_id: int | None = None) -> VisitBody | None:
    """Of the newest visit of the url that stored one, or of this visit."""
    statement = _select_visit_body().where(visit_bodies.c.url_id == url_id)
    if visit_id is not None:
        at = select(visits.c.at).where(visits.c.id == visit_id, visits.c.url_id == url_id)
        statement = statement.where(visit_bodies.c.at == at.scalar_subquery())
    row = connection.execute(statement.order_by(visit_bodies.c.at.desc()).limit(1)).first()
    return None if row is None else _read_visit_body(row)


def load_totals(connection: Connection) -> BodyTotals:
    is_kept = segments.c.state != SegmentState.DROPPED
    is_lost = segments.c.state == SegmentState.LOST
    row = connection.execute(
        select(
            func.coalesce(func.sum(segments.c.bodies), 0),
            func.count(),
            func.coalesce(func.sum(segments.c.bytes), 0),
            func.count().filter(is_lost),
        ).where(is_kept)
    ).one()
    return BodyTotals(bodies=int(row[0]), files=int(row[1]), bytes=int(row[2]), lost_files=int(row[3]))


def list_segments(connection: Connection) -> list[Segment]:
    """Without those whose files are about to be deleted."""
    statement = select(segments).where(segments.c.state != SegmentState.DROPPED).order_by(segments.c.id)
    return [_read_segment(row) for row in connection.execute(statement)]


def iter_bodies(connection: Connection, segment: Segment) -> Iterator[PlacedBody]:
    """In the order of their frames."""
    statement = (
        select(bodies.c.hash, bodies.c.position, bodies.c.length, bodies.c.size)
        .where(bodies.c.segment_id == segment.id)
        .order_by(bodies.c.position)
        .execution_options(yield_per=1000)
    )
    for row in connection.execute(statement):
        yield PlacedBody(
            digest=bytes(row.hash), key=segment.key, position=row.position, length=row.length, size=row.size
        )


def _select_visit_body() -> Select[Any]:
    return (
        select(
            visit_bodies.c.url_id,
            visit_bodies.c.at,
            visit_bodies.c.heads,
            urls.c.url,
            pages.c.content_type,
            bodies.c.hash,
            bodies.c.position,
            bodies.c.length,
            bodies.c.size,
            bodies.c.uses,
            segments,
        )
        .join(bodies, bodies.c.id == visit_bodies.c.body_id)
        .join(segments, segments.c.id == bodies.c.segment_id)
        .join(urls, urls.c.id == visit_bodies.c.url_id)
        .outerjoin(pages, pages.c.url_id == visit_bodies.c.url_id)
    )


def _read_visit_body(row: Row[*tuple[Any, ...]]) -> VisitBody:
    placed = PlacedBody(
        digest=bytes(row.hash), key=row.key, position=row.position, length=row.length, size=row.size
    )
    return VisitBody(
        body=placed,
        url_id=row.url_id,
        url=row.url,
        at=row.at,
        content_type=row.content_type,
        segment=_read_segment(row),
        heads=bytes(row.heads),
        uses=row.uses,
    )


def _read_segment(row: Row[*tuple[Any, ...]]) -> Segment:
    return Segment(id=row.id, key=row.key, machine=row.machine, state=SegmentState(row.state), size=row.bytes)
