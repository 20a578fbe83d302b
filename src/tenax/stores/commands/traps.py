"""Users open and close clusters of urls, and undo learned merge rules, while workers may be running.

The decision is one row; workers notice it within a second or two, and no evidence changes it any more. What
was held back is queued again in small steps: a process that dies in the middle leaves some urls as they were,
and repeating goes on with them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from tenax.clock import Clock
from tenax.policy.guards.learned_rules import parse_ignored
from tenax.policy.guards.url_shapes import shape_of
from tenax.policy.merging import name_learned
from tenax.record import record
from tenax.records.traps import TrapState
from tenax.records.urls import Fate, Priority
from tenax.stores.access import Access
from tenax.stores.commands.retries import lock_urls, queue_urls, wake_domains
from tenax.stores.queries.filters import find_domain_id
from tenax.stores.schema.traps import traps
from tenax.stores.schema.urls import urls

URLS_AT_ONCE = 2_000
LONGEST_SHAPE = 500
_LEAST_KEY: Final = -(2**63)


@record
class Decided:
    """What became of a cluster."""

    domain: str
    shape: str
    before: TrapState | None  # None: nothing was known about it
    now: TrapState
    queued: int = 0  # urls that are due again


async def open_trap(access: Access, clock: Clock, domain: str, shape: str, by: str) -> Decided | None:
    """Open a cluster, or undo a learned rule; None: nothing is known about it. Repeating is safe."""
    found = await access.write(
        partial(_decide, domain=domain, shape=shape, state=TrapState.OPEN, by=by, wall=clock.wall())
    )
    if found is None:
        return None
    domain_id, before = found
    steps: list[Callable[..., tuple[int, int | None]]] = [_queue_merged, _forget_classes]
    if parse_ignored(shape) is None:
        steps = [_queue_trapped, _hasten_slowed]
    queued = 0
    for step in steps:
        queued += await _repeat(access, partial(step, domain_id=domain_id, shape=shape, clock=clock))
    return Decided(domain=domain, shape=shape, before=before, now=TrapState.OPEN, queued=queued)


async def close_trap(access: Access, clock: Clock, domain: str, shape: str, by: str) -> Decided | None:
    """Close a cluster, known or not; None: the domain is unknown, or the shape is that of a learned rule. Its
    urls are marked when it is their turn."""
    if parse_ignored(shape) is not None:
        return None
    found = await access.write(
        partial(_decide, domain=domain, shape=shape, state=TrapState.CLOSED, by=by, wall=clock.wall())
    )
    return (
        None if found is None else Decided(domain=domain, shape=shape, before=found[1], now=TrapState.CLOSED)
    )


def _decide(
    connection: Connection, domain: str, shape: str, state: TrapState, by: str, wall: float
) -> tuple[int, TrapState | None] | None:
    domain_id = find_domain_id(connection, domain)
    if domain_id is None:
        return None
    is_it = (traps.c.domain_id == domain_id) & (traps.c.shape == shape)
    row = connection.execute(select(traps.c.id, traps.c.state).where(is_it).with_for_update()).one_or_none()
    values = {"state": state, "decided_by": by, "rule": None, "changed_at": wall}
    if row is not None:
        connection.execute(update(traps).where(traps.c.id == row.id).values(values))
        return domain_id, TrapState(row.state)
    if state is TrapState.OPEN:
        return None
    seen = {"domain_id": domain_id, "shape": shape, "first_seen_at": wall, "last_seen_at": wall}
    connection.execute(insert(traps).values(values | seen))
    return domain_id, None


async def _repeat(access: Access, step: Callable[..., tuple[int, int | None]]) -> int:
    """Do a step until it says that it was the last one; returns how many urls were queued."""
    total, after = 0, _LEAST_KEY
    while True:
        queued, last = await access.write(partial(step, after=after))
        total += queued
        if last is None:
            return total
        after = last


def _find_some(
    connection: Connection, domain_id: int, after: int, *conditions: ColumnElement[bool]
) -> tuple[Sequence[Row[*tuple[Any, ...]]], int | None]:
    """Some urls of the domain in the order of their keys, and the last key; None: there are no more."""
    statement = select(urls.c.id, urls.c.key, urls.c.url).where(
        urls.c.domain_id == domain_id, urls.c.key > after, *conditions
    )
    rows = connection.execute(statement.order_by(urls.c.key).limit(URLS_AT_ONCE)).all()
    return rows, rows[-1].key if len(rows) == URLS_AT_ONCE else None


def _queue_trapped(
    connection: Connection, domain_id: int, shape: str, clock: Clock, after: int
) -> tuple[int, int | None]:
    is_trapped = (urls.c.fate == Fate.TRAPPED, urls.c.detail == shape)
    rows, last = _find_some(connection, domain_id, after, *is_trapped)
    found = lock_urls(connection, urls.c.id.in_([row.id for row in rows]), *is_trapped)
    queue_urls(connection, [row.id for row in found], due_at=clock.now(), priority=Priority.LOW)
    wake_domains(connection, found, clock)
    return len(found), last


def _hasten_slowed(
    connection: Connection, domain_id: int, shape: str, clock: Clock, after: int
) -> tuple[int, int | None]:
    """Urls that were put last come in their turn again."""
    is_slowed = (urls.c.priority == int(Priority.SLOWED), urls.c.due_at.isnot(None))
    rows, last = _find_some(connection, domain_id, after, *is_slowed)
    ids = [row.id for row in rows if shape in shape_of(row.url)[:2]]
    connection.execute(update(urls).where(urls.c.id.in_(ids)).values(priority=int(Priority.LOW)))
    return 0, last


def _queue_merged(
    connection: Connection, domain_id: int, shape: str, clock: Clock, after: int
) -> tuple[int, int | None]:
    is_merged = (urls.c.merged_key.isnot(None), urls.c.detail.contains(name_learned(shape), autoescape=True))
    rows, last = _find_some(connection, domain_id, after, *is_merged)
    found = lock_urls(connection, urls.c.id.in_([row.id for row in rows]), *is_merged)
    values = {"due_at": clock.now(), "fate": Fate.QUEUED, "reason": None, "detail": None, "to_url": None}
    ids = [row.id for row in found]
    connection.execute(update(urls).where(urls.c.id.in_(ids)).values(values | {"merged_key": None}))
    wake_domains(connection, found, clock)
    return len(found), last


def _forget_classes(
    connection: Connection, domain_id: int, shape: str, clock: Clock, after: int
) -> tuple[int, int | None]:
    """What stands for a class is a page of its own again. Classes of other rules are found again when their
    next url is fetched."""
    rows, last = _find_some(connection, domain_id, after, urls.c.class_key.isnot(None))
    ids = [row.id for row in rows]
    connection.execute(update(urls).where(urls.c.id.in_(ids)).values(class_key=None))
    return 0, last
