"""Deletes what visits say of stored bodies, and the bodies that no other visit uses."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, exists, select, update

from tenax.clock import Instant
from tenax.records.bodies import SegmentState
from tenax.stores.schema.visits import bodies, segments, visit_bodies

AT_ONCE = 2000

_FINISHED = segments.c.state.in_((SegmentState.SEALED, SegmentState.LOST))
_IS_EMPTY = ~exists().where(bodies.c.segment_id == segments.c.id)


def purge_visit_bodies(
    connection: Connection, domain_id: int | None, before: Instant | None, after_id: int
) -> list[int]:
    """Forget the bodies of the next visits after this id: of a domain, of visits before an instant. Returns
    the ids."""
    conditions: list[ColumnElement[bool]] = [visit_bodies.c.id > after_id]
    if domain_id is not None:
        conditions.append(visit_bodies.c.domain_id == domain_id)
    if before is not None:
        conditions.append(visit_bodies.c.at < before)
    statement = select(visit_bodies.c.id, visit_bodies.c.body_id).where(*conditions)
    rows = connection.execute(
        statement.order_by(visit_bodies.c.id).limit(AT_ONCE).with_for_update(of=visit_bodies)
    ).all()
    ids = [row.id for row in rows]
    connection.execute(delete(visit_bodies).where(visit_bodies.c.id.in_(ids)))
    _release(connection, Counter(row.body_id for row in rows))
    return ids


def _release(connection: Connection, uses: Mapping[int, int]) -> None:
    """`uses`: how many visits less use each body."""
    found = _lock_bodies(connection, sorted(uses))
    unused = [row for row in found if row.uses <= uses[row.id]]
    for row in found:
        if row.uses > uses[row.id]:
            left = bodies.c.uses - uses[row.id]
            connection.execute(update(bodies).where(bodies.c.id == row.id).values(uses=left))
    connection.execute(delete(bodies).where(bodies.c.id.in_([row.id for row in unused])))
    for segment_id, number in sorted(Counter(row.segment_id for row in unused).items()):
        left = segments.c.bodies - number
        connection.execute(update(segments).where(segments.c.id == segment_id).values(bodies=left))


def _lock_bodies(connection: Connection, ids: Sequence[int]) -> Sequence[Row[*tuple[Any, ...]]]:
    """In the order in which workers lock them: segments first."""
    of_bodies = select(bodies.c.segment_id).where(bodies.c.id.in_(ids))
    connection.execute(
        select(segments.c.id)
        .where(segments.c.id.in_(of_bodies))
        .order_by(segments.c.id)
        .with_for_update(key_share=True)
    ).all()
    statement = select(bodies.c.id, bodies.c.segment_id, bodies.c.uses).where(bodies.c.id.in_(ids))
    return connection.execute(statement.order_by(bodies.c.hash).with_for_update(of=bodies)).all()


def list_empty_segments(connection: Connection) -> Sequence[int]:
    return connection.scalars(select(segments.c.id).where(_FINISHED, _IS_EMPTY).order_by(segments.c.id)).all()


def drop_segment(connection: Connection, segment_id: int) -> None:
    """Mark a segment as to be deleted, unless a body of it has been stored again meanwhile."""
    # First locked, then examined: a worker that is about to name one of its bodies is waited for.
    connection.execute(select(segments.c.id).where(segments.c.id == segment_id).with_for_update()).all()
    connection.execute(
        update(segments)
        .where(segments.c.id == segment_id, _FINISHED, _IS_EMPTY)
        .values(state=SegmentState.DROPPED)
    )
