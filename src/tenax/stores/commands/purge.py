"""Deletes stored pages, in small steps while workers may go on. Their urls keep their fates; the next visit
of one stores its page anew, as if for the first time.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, select, true, update

from tenax.clock import Clock, Instant
from tenax.record import record
from tenax.records import ChangeKind
from tenax.stores.access import Access
from tenax.stores.commands.domain_changes import DomainChange, lock_domains, revoke_lease, save_changes
from tenax.stores.schema.pages import changes, images, pages
from tenax.stores.schema.urls import urls

PAGES_AT_ONCE = 500
ROWS_AT_ONCE = 5000


@record
class PurgeSelection:
    """What is to be deleted."""

    domain_id: int | None = None  # None: of all domains
    before: Instant | None = None  # last seen before that; None: all


@record
class Purged:
    """A step."""

    rows: int
    last_id: int


@record
class PageTrace:
    """Rows that tell of pages, and the counter of domains that counts them."""

    table: Table
    at: ColumnElement[Any]
    is_counted: ColumnElement[bool]
    counter: str


TRACES = (
    PageTrace(
        table=changes,
        at=changes.c.at,
        is_counted=changes.c.kind != ChangeKind.NEW,
        counter="pages_changed",
    ),
    PageTrace(table=images, at=images.c.first_seen_at, is_counted=true(), counter="images_stored"),
)


async def purge_pages(access: Access, clock: Clock, choice: PurgeSelection) -> int:
    """Delete pages, and what else was noted of pages at that time: changes, and images with where they were
    seen first. Returns how many pages."""
    pages_purged = await _repeat(access, clock, partial(_purge_some, choice=choice))
    for trace in TRACES:
        await _repeat(access, clock, partial(_purge_traces, trace=trace, choice=choice))
    return pages_purged


async def _repeat(access: Access, clock: Clock, purge: Callable[..., Purged]) -> int:
    total = last_id = 0
    while True:
        step = await access.write(partial(purge, after_id=last_id, now=clock.now()))
        total, last_id = total + step.rows, step.last_id
        if not step.rows:
            return total


def _purge_some(connection: Connection, choice: PurgeSelection, after_id: int, now: Instant) -> Purged:
    statement = select(urls.c.id, urls.c.domain_id, urls.c.due_at, pages.c.images_count).join(
        pages, pages.c.url_id == urls.c.id
    )
    statement = statement.where(pages.c.url_id > after_id)
    if choice.domain_id is not None:
        statement = statement.where(pages.c.domain_id == choice.domain_id)
    if choice.before is not None:
        # Not when the page was stored: one that is still as it was is not old.
        statement = statement.where(urls.c.fetched_at < choice.before)
    statement = statement.order_by(pages.c.url_id).limit(PAGES_AT_ONCE).with_for_update(of=urls)
    rows = connection.execute(statement).all()
    if not rows:
        return Purged(rows=0, last_id=after_id)
    ids = [row.id for row in rows]
    # Without these a visit would ask whether the page has changed.
    forgotten = {"etag": None, "last_modified": None, "content_hash": None}
    connection.execute(
        update(urls).where(urls.c.id.in_(ids)).values(**forgotten, unchanged_count=0, misses=0)
    )
    connection.execute(delete(pages).where(pages.c.url_id.in_(ids)))
    numbers = Counter(row.domain_id for row in rows)
    shown: Counter[int] = Counter()
    for row in rows:
        shown[row.domain_id] += row.images_count
    # A worker that is about to visit one again counts on the page.
    held = {row.domain_id for row in rows if row.due_at is not None}
    save_changes(
        connection,
        [
            DomainChange(
                domain_id=domain.id,
                values={
                    **(revoke_lease(domain, now) if domain.id in held else {}),
                    "pages_crawled": domain.pages_crawled - numbers[domain.id],
                    "images_found": domain.images_found - shown[domain.id],
                },
            )
            for domain in lock_domains(connection, numbers)
        ],
    )
    return Purged(rows=len(rows), last_id=ids[-1])


def _purge_traces(
    connection: Connection, trace: PageTrace, choice: PurgeSelection, after_id: int, now: Instant
) -> Purged:
    table = trace.table
    statement = select(table.c.id, table.c.domain_id, trace.is_counted.label("is_counted"))
    statement = statement.where(table.c.id > after_id)
    if choice.domain_id is not None:
        statement = statement.where(table.c.domain_id == choice.domain_id)
    if choice.before is not None:
        statement = statement.where(trace.at < choice.before)
    rows = connection.execute(
        statement.order_by(table.c.id).limit(ROWS_AT_ONCE).with_for_update(of=table)
    ).all()
    if not rows:
        return Purged(rows=0, last_id=after_id)
    connection.execute(delete(table).where(table.c.id.in_([row.id for row in rows])))
    numbers = Counter(row.domain_id for row in rows if row.is_counted)
    save_changes(
        connection,
        [
            DomainChange(
                domain_id=domain.id,
                values={trace.counter: getattr(domain, trace.counter) - numbers[domain.id]},
            )
            for domain in lock_domains(connection, numbers)
        ],
    )
    return Purged(rows=len(rows), last_id=rows[-1].id)
