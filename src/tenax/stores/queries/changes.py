"""What has happened to pages, the newest first, in constant memory: a few rows at a time by their instant.

A new page is told by its own row, everything else by `changes`; both are read in the order of their time.
"""

import heapq
from collections.abc import Collection, Iterator
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, literal, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.pages import ChangeKind
from tenax.stores.schema.crawl import changes, domains, pages, urls

ROWS_AT_ONCE: Final = 1000


@record
class PageChange:
    at: Instant
    kind: ChangeKind
    url: str
    domain: str
    title: str | None
    old_hash: int | None  # None: it was never seen before
    new_hash: int | None  # None: it is gone
    old_bytes: int | None
    new_bytes: int | None


def iter_changes(
    connection: Connection,
    *,
    told: Collection[ColumnElement[bool]] = (),
    first: Collection[ColumnElement[bool]] = (),
    kinds: Collection[ChangeKind] = tuple(ChangeKind),
) -> Iterator[PageChange]:
    """A new page is shown as it is now. `told`, `first`: conditions on what `changes` tells, and on new
    pages."""
    found = _iter_rows(connection, select_told(kinds).where(*told), (changes.c.at, changes.c.id))
    if ChangeKind.NEW not in kinds:
        yield from found
        return
    new = _iter_rows(connection, select_first().where(*first), (pages.c.first_fetched_at, pages.c.url_id))
    yield from heapq.merge(found, new, key=attrgetter("at"), reverse=True)


def find_domain_id(connection: Connection, name: str) -> int | None:
    return connection.scalar(select(domains.c.id).where(domains.c.name == name))


def select_told(kinds: Collection[ChangeKind]) -> Select[Any]:
    return (
        select(
            changes.c.id.label("key"),
            changes.c.at,
            changes.c.kind,
            urls.c.url,
            domains.c.name.label("domain"),
            changes.c.title,
            changes.c.old_hash,
            changes.c.new_hash,
            changes.c.old_bytes,
            changes.c.new_bytes,
        )
        .join(urls, urls.c.id == changes.c.url_id)
        .join(domains, domains.c.id == changes.c.domain_id)
        .where(changes.c.kind.in_(kinds))
    )


def select_first() -> Select[Any]:
    return (
        select(
            pages.c.url_id.label("key"),
            pages.c.first_fetched_at.label("at"),
            literal(ChangeKind.NEW.value).label("kind"),
            urls.c.url,
            domains.c.name.label("domain"),
            pages.c.title,
            literal(None).label("old_hash"),
            pages.c.content_hash.label("new_hash"),
            literal(None).label("old_bytes"),
            pages.c.body_bytes.label("new_bytes"),
        )
        .join(urls, urls.c.id == pages.c.url_id)
        .join(domains, domains.c.id == pages.c.domain_id)
        .where(pages.c.first_fetched_at.isnot(None))
    )


def _iter_rows(connection: Connection, statement: Select[Any], key: tuple[Any, Any]) -> Iterator[PageChange]:
    """`key`: the instant and the id, which tells those of one instant apart."""
    at, number = key
    statement = statement.order_by(at.desc(), number.desc()).limit(ROWS_AT_ONCE)
    rows = connection.execute(statement).all()
    while rows:
        # A reader that takes its time keeps nobody from cleaning up.
        connection.commit()
        yield from map(read_change, rows)
        last = rows[-1]
        before = or_(at < last.at, and_(at == last.at, number < last.key))
        # Said twice, as the index is found by the first alone.
        rows = connection.execute(statement.where(at <= last.at, before)).all()


def read_change(row: Any) -> PageChange:
    return PageChange(
        at=row.at,
        kind=ChangeKind(row.kind),
        url=row.url,
        domain=row.domain,
        title=row.title,
        old_hash=row.old_hash,
        new_hash=row.new_hash,
        old_bytes=row.old_bytes,
        new_bytes=row.new_bytes,
    )
