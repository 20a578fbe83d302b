"""The names of all urls of a store, for filters that stand in front of it."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from tenax.stores.tables import domains, urls

CHUNK = 5000


def iter_names(connection: Connection, limit: int) -> Iterator[list[tuple[str, int]]]:
    """Domain and key of up to `limit` urls, the newest first, in chunks. Each chunk is a snapshot of its own:
    a long one would keep the store's log from being written back."""
    statement = select(urls.c.id, domains.c.name, urls.c.key).join(domains, domains.c.id == urls.c.domain_id)
    statement = statement.order_by(urls.c.id.desc())
    before: int | None = None
    while limit > 0:
        part = statement if before is None else statement.where(urls.c.id < before)
        rows = connection.execute(part.limit(min(CHUNK, limit))).all()
        connection.commit()
        if not rows:
            return
        yield [(row.name, row.key) for row in rows]
        before = rows[-1].id
        limit -= len(rows)
