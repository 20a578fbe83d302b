"""Near-duplicates of a settled batch in SQLite. See stores/hot/similarity.py."""

from collections.abc import Mapping, Sequence

from tenax.config.crawl import SimilaritySettings
from tenax.extract.similarity import distance
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.outcomes import IS_ORIGINAL
from tenax.stores.hot.similarity import (
    BAND_NAMES,
    FREED,
    MARK_COLUMNS,
    NOTHING_NEAR,
    Asked,
    Candidate,
    NearPages,
    StoredMark,
    decide_near,
    list_asked,
    list_originals,
    list_stored,
    split_bands,
)
from tenax.stores.sqlite.connection.database import Connection

# Four statements in one: each search uses the index of its band, which has all that it returns.
_FIND_EQUAL_BANDS = " UNION ALL ".join(
    f"SELECT url_id, simhash FROM pages WHERE domain_id = ?1 AND {name} = ?{number}"
    for number, name in enumerate(BAND_NAMES, 2)
)


def find_near(
    connection: Connection,
    works: Sequence[DomainWork],
    duplicates: Mapping[int, str],
    settings: SimilaritySettings,
) -> NearPages:
    if not settings.enabled:
        return NOTHING_NEAR
    stored = _load_stored(connection, list_stored(works))
    asked = list_asked(works, duplicates, stored)
    originals = list_originals(works, stored)
    if not asked and not originals:
        return NOTHING_NEAR
    found = {page.url_id: _find_candidates(connection, page, settings.distance) for page in asked}
    return decide_near(asked, found, originals, settings)


_FIND_MARK = f"SELECT {MARK_COLUMNS} FROM pages WHERE url_id = ?"


def _load_stored(connection: Connection, url_ids: Sequence[int]) -> dict[int, StoredMark]:
    rows = (connection.execute(_FIND_MARK, (url_id,)).fetchone() for url_id in url_ids)
    return {row[0]: StoredMark._make(row) for row in rows if row is not None}


def _find_candidates(connection: Connection, page: Asked, most_distance: int) -> list[Candidate]:
    rows = connection.execute(_FIND_EQUAL_BANDS, (page.domain_id, *split_bands(page.simhash))).fetchall()
    near = {
        url_id: simhash
        for url_id, simhash in rows
        if url_id != page.url_id and distance(simhash, page.simhash) <= most_distance
    }
    return [
        Candidate(url_id, simhash, url[0])
        for url_id, simhash in near.items()
        if (url := connection.execute(_FIND_ORIGINAL, (url_id,)).fetchone()) is not None
    ]


_FIND_ORIGINAL = f"SELECT u.url FROM urls u WHERE u.id = ? AND {IS_ORIGINAL}"

_MOVE = f"""
    UPDATE pages
    SET near_url_id = ?, {", ".join(f"{name} = ?" for name in BAND_NAMES)}
    WHERE url_id = ?
"""


def save_near(connection: Connection, near: NearPages) -> None:
    """Update pages that were not stored again. Must come before the pages of the batch are stored."""
    if near.freed:
        connection.executemany(
            f"UPDATE pages SET {FREED} WHERE near_url_id = ?", [(url_id,) for url_id in near.freed]
        )
    if near.moved:
        connection.executemany(_MOVE, near.moved)
