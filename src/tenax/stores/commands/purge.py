"""Deletes stored pages, in small steps while workers may be running. Their urls keep their fates; the next
visit stores the page again as if it were the first.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    bindparam,
    delete,
    exists,
    select,
    text,
    true,
    update,
)

from tenax.clock import Clock, Instant
from tenax.record import record
from tenax.records.pages import ChangeKind
from tenax.records.urls import FoundBy
from tenax.stores.access import Access
from tenax.stores.commands.domain_changes import DomainChange, lock_domains, revoke_lease, save_changes
from tenax.stores.commands.item_audits import purge_audits, purge_findings
from tenax.stores.commands.purged_bodies import drop_segment, list_empty_segments, purge_visit_bodies
from tenax.stores.commands.purged_items import purge_items
from tenax.stores.hot.similarity import FREED
from tenax.stores.schema.domains import domains
from tenax.stores.schema.error_log import error_groups, errors
from tenax.stores.schema.pages import changes, images, pages
from tenax.stores.schema.sitemaps import yields
from tenax.stores.schema.urls import urls

PAGES_AT_ONCE = 500
ROWS_AT_ONCE = 5000

Rows = Sequence[Row[*tuple[Any, ...]]]

_HAS_ERROR = exists().where(
    errors.c.source_id == error_groups.c.source_id, errors.c.fingerprint == error_groups.c.fingerprint
)


@record
class PurgeSelection:
    """What to delete."""

    domain_id: int | None = None  # None: all domains
    before: Instant | None = None  # pages last seen before this; None: all pages


@record
class Purged:
    """The result of one step."""

    rows: int
    last_id: int


@record
class PageTrace:
    """A table with rows about pages, and the counter of domains that counts them."""

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
    """Delete pages and the other rows about pages of that time: items that no other page shows, changes,
    images by where they were first seen, errors, findings of audits, stored bodies. Returns how many
    pages."""
    pages_purged = await _repeat(access, clock, partial(_purge_some, choice=choice))
    for trace in TRACES:
        await _repeat(access, clock, partial(_purge_traces, trace=trace, choice=choice))
    await _repeat(access, clock, partial(_purge_errors, choice=choice))
    await access.write(partial(_purge_audits, choice=choice))
    await _repeat(access, clock, partial(_purge_bodies, choice=choice))
    for segment_id in await access.read(list_empty_segments):
        await access.write(partial(drop_segment, segment_id=segment_id))
    return pages_purged


async def _repeat(access: Access, clock: Clock, purge: Callable[..., Purged]) -> int:
    total = last_id = 0
    while True:
        step = await access.write(partial(purge, after_id=last_id, now=clock.now()))
        total, last_id = total + step.rows, step.last_id
        if not step.rows:
            return total


def _purge_some(connection: Connection, choice: PurgeSelection, after_id: int, now: Instant) -> Purged:
    rows = _lock_pages(connection, choice, after_id)
    if not rows:
        return Purged(rows=0, last_id=after_id)
    ids = [row.id for row in rows]
    # With these left, the next visit would send a conditional request.
    forgotten = {"etag": None, "last_modified": None, "content_hash": None}
    connection.execute(
        update(urls).where(urls.c.id.in_(ids)).values(**forgotten, unchanged_count=0, misses=0)
    )
    connection.execute(delete(pages).where(pages.c.url_id.in_(ids)))
    connection.execute(_FREE_COPIES, {"ids": ids})
    purge_items(connection, ids, now)
    # Domains last, as workers do: otherwise each might wait for the other.
    _subtract_yields(connection, rows)
    _subtract_pages(connection, rows, now)
    return Purged(rows=len(rows), last_id=ids[-1])


_FREE_COPIES = text(f"UPDATE pages SET {FREED} WHERE near_url_id IN :ids").bindparams(
    bindparam("ids", expanding=True)
)


def _lock_pages(connection: Connection, choice: PurgeSelection, after_id: int) -> Rows:
    """Lock the urls of the next pages to delete."""
    statement = select(
        urls.c.id, urls.c.domain_id, urls.c.due_at, urls.c.found_by, pages.c.images_count
    ).join(pages, pages.c.url_id == urls.c.id)
    statement = statement.where(pages.c.url_id > after_id)
    if choice.domain_id is not None:
        statement = statement.where(pages.c.domain_id == choice.domain_id)
    if choice.before is not None:
        # Not the time when the page was stored: a page that was seen unchanged since is not old.
        statement = statement.where(urls.c.fetched_at < choice.before)
    statement = statement.order_by(pages.c.url_id).limit(PAGES_AT_ONCE).with_for_update(of=urls)
    return connection.execute(statement).all()


def _subtract_pages(connection: Connection, rows: Rows, now: Instant) -> None:
    """Subtract deleted pages and their images from the counters of their domains."""
    numbers = Counter(row.domain_id for row in rows)
    shown: Counter[int] = Counter()
    for row in rows:
        shown[row.domain_id] += row.images_count
    # A worker that is about to visit one of the urls relies on the page.
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


def _subtract_yields(connection: Connection, rows: Rows) -> None:
    """Subtract deleted pages from what was found in each way."""
    ways = Counter((row.domain_id, row.found_by) for row in rows if row.found_by != FoundBy.LINK)
    for (domain_id, found_by), number in sorted(ways.items()):
        pages_of = yields.c[f"{FoundBy(found_by).word}_pages"]
        connection.execute(
            update(yields).where(yields.c.domain_id == domain_id).values({pages_of: pages_of - number})
        )


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


def _purge_errors(connection: Connection, choice: PurgeSelection, after_id: int, now: Instant) -> Purged:
    statement = select(errors.c.id).where(errors.c.id > after_id)
    if choice.domain_id is not None:
        statement = statement.where(errors.c.domain_id == choice.domain_id)
    if choice.before is not None:
        statement = statement.where(errors.c.at < choice.before)
    ids = connection.scalars(statement.order_by(errors.c.id).limit(ROWS_AT_ONCE)).all()
    connection.execute(delete(errors).where(errors.c.id.in_(ids)))
    if not ids:
        connection.execute(delete(error_groups).where(~_HAS_ERROR))
    return Purged(rows=len(ids), last_id=ids[-1] if ids else after_id)


def _purge_bodies(connection: Connection, choice: PurgeSelection, after_id: int, now: Instant) -> Purged:
    ids = purge_visit_bodies(connection, choice.domain_id, choice.before, after_id)
    return Purged(rows=len(ids), last_id=ids[-1] if ids else after_id)


def _purge_audits(connection: Connection, choice: PurgeSelection) -> None:
    if choice.domain_id is None:
        purge_audits(connection, choice.before)
        return
    name = connection.scalar(select(domains.c.name).where(domains.c.id == choice.domain_id))
    if name is not None:
        purge_findings(connection, name, choice.before)
