"""The names of all urls of a store, for filters that stand in front of it."""

from collections.abc import Iterator

from sqlalchemy import Connection, select, text

from tenax.stores.hot.takeover import IS_OPEN
from tenax.stores.schema.crawl import domains, urls

CHUNK = 5000


def iter_names(connection: Connection, limit: int) -> Iterator[dict[int, list[tuple[str, int]]]]:
    """Domain and key of up to `limit` urls, the newest first, in chunks, by who has their domain; without
    those that wait for others. Each chunk is a snapshot of its own: a long one would keep the store's log
    from being written back."""
    statement = (
        select(urls.c.id, domains.c.name, urls.c.key, domains.c.source_id)
        .join(domains, domains.c.id == urls.c.domain_id)
        .where(text(f"NOT (mixed > 0 AND {IS_OPEN})"))
        .order_by(urls.c.id.desc())
    )
    before: int | None = None
    while limit > 0:
        part = statement if before is None else statement.where(urls.c.id < before)
        rows = connection.execute(part.limit(min(CHUNK, limit))).all()
        connection.commit()
        if not rows:
            return
        names: dict[int, list[tuple[str, int]]] = {}
        for row in rows:
            names.setdefault(row.source_id, []).append((row.name, row.key))
        yield names
        before = rows[-1].id
        limit -= len(rows)
