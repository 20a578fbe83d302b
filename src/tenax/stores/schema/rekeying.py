"""Gives rows the keys of the current identity of urls (web/identity.py) after that has changed. The
statements are the same for every database, and all in one transaction: if it is interrupted nothing changes,
and repeating it changes nothing more.

Two rows may turn out to be the same url. The one with a page stays, else one that is waiting, else the older
one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, Table, delete, or_, select, text, update

from tenax.stores.hot.domains import TRUTHS
from tenax.stores.schema.pages import changes, images, pages
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits
from tenax.web.identity import url_key
from tenax.web.urls import parse_url

CHUNK = 5000
# In every version, an address without any of these characters is its own identity.
_SIGNS = "?%;[]|^`{}\\"
_COUNTERS = ("queued", "pages_discovered", "pages_crawled", "images_found", "images_stored")
_REFERENCES = (visits.c.url_id, changes.c.url_id, images.c.url_id, urls.c.discovered_from)


def rekey(connection: Connection) -> int:
    """Returns how many rows turned out to be the same url as another row."""
    merged: dict[int, int] = {}  # the row that is removed → the row that replaces it
    touched: set[int] = set()  # domains that have fewer rows
    for rows in _iter_candidates(connection, urls, urls.c.domain_id, urls.c.due_at, urls.c.content_hash):
        for row in rows:
            if row.id not in merged and _rekey_url(connection, row, merged):
                touched.add(row.domain_id)
    _move_references(connection, merged)
    for rows in _iter_candidates(connection, images, images.c.domain_id):
        touched.update(_rekey_images(connection, rows))
    _count_again(connection, touched)
    return len(merged)


def _iter_candidates(
    connection: Connection, table: Table, *columns: Column[Any]
) -> Iterator[Sequence[Row[*tuple[Any, ...]]]]:
    may_change = or_(*(table.c.url.contains(sign, autoescape=True) for sign in _SIGNS))
    statement = select(table.c.id, table.c.key, table.c.url, *columns).where(may_change).order_by(table.c.id)
    after = 0
    while rows := connection.execute(statement.where(table.c.id > after).limit(CHUNK)).all():
        yield rows
        after = rows[-1].id


def _find_name(row: Row[*tuple[Any, ...]]) -> tuple[str, int]:
    """The address and the key that the row would have if its url were found today."""
    url = parse_url(row.url) or row.url
    return url, url_key(url)


def _rekey_url(connection: Connection, row: Row[*tuple[Any, ...]], merged: dict[int, int]) -> bool:
    """Update the key of a row. Returns whether another row turned out to be the same url."""
    other = None
    url, key = _find_name(row)
    if key != row.key:
        other = connection.execute(
            select(urls.c.id, urls.c.due_at, urls.c.content_hash).where(
                urls.c.domain_id == row.domain_id, urls.c.key == key
            )
        ).first()
        if other is not None:
            stays, goes = (other, row) if _rank(other) <= _rank(row) else (row, other)
            merged[goes.id] = stays.id
            _remove(connection, goes)
            if stays is other:
                return True
    if (url, key) != (row.url, row.key):
        connection.execute(update(urls).where(urls.c.id == row.id).values(url=url, key=key))
    return other is not None


def _rank(row: Row[*tuple[Any, ...]]) -> tuple[bool, bool, int]:
    return row.content_hash is None, row.due_at is None, row.id


def _remove(connection: Connection, row: Row[*tuple[Any, ...]]) -> None:
    connection.execute(delete(urls).where(urls.c.id == row.id))
    connection.execute(delete(pages).where(pages.c.url_id == row.id))


def _move_references(connection: Connection, merged: dict[int, int]) -> None:
    """Let references to removed rows point to the rows that replace them."""
    if not merged:
        return
    # One scan of each table, however many rows were removed: none of them has an index for this.
    connection.exec_driver_sql(
        """
        CREATE TEMPORARY TABLE merged (
            goes BIGINT PRIMARY KEY,
            stays BIGINT NOT NULL
        )
        """
    )
    moves = [{"goes": goes, "stays": _follow(stays, merged)} for goes, stays in merged.items()]
    connection.execute(text("INSERT INTO merged VALUES (:goes, :stays)"), moves)
    for column in _REFERENCES:
        connection.exec_driver_sql(
            f"""
            UPDATE {column.table.name}
            SET {column.name} = (SELECT stays FROM merged WHERE goes = {column.name})
            WHERE {column.name} IN (SELECT goes FROM merged)
            """
        )
    connection.exec_driver_sql("DROP TABLE merged")


def _follow(stays: int, merged: dict[int, int]) -> int:
    while stays in merged:
        stays = merged[stays]
    return stays


def _rekey_images(connection: Connection, rows: Sequence[Row[*tuple[Any, ...]]]) -> Iterator[int]:
    """Update the keys of images. Yields the domain of each image that was removed as a duplicate."""
    for row in rows:
        url, key = _find_name(row)
        if (url, key) == (row.url, row.key):
            continue
        # Of two rows for one image, the older one knows where it was first seen.
        if connection.execute(select(images.c.id).where(images.c.key == key, images.c.id != row.id)).first():
            connection.execute(delete(images).where(images.c.id == row.id))
            yield row.domain_id
        else:
            connection.execute(update(images).where(images.c.id == row.id).values(url=url, key=key))


def _count_again(connection: Connection, touched: set[int]) -> None:
    values = ", ".join(f"{name} = ({TRUTHS[name]})" for name in _COUNTERS)
    statement = text(
        f"""
        UPDATE domains AS d
        SET {values}
        WHERE d.id = :id
        """
    )
    for domain_id in sorted(touched):
        connection.execute(statement, {"id": domain_id})
