"""Near-duplicates of a settled batch in PostgreSQL. See stores/hot/similarity.py."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tenax.config.crawl import SimilaritySettings
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
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_EQUAL_BANDS = " UNION ALL ".join(
    f"SELECT p.url_id, p.simhash FROM pages p WHERE p.domain_id = v.domain_id AND p.{name} = v.{name}"
    for name in BAND_NAMES
)
_FIND_CANDIDATES = f"""
    SELECT v.url_id, found.url_id, found.simhash, u.url
    FROM unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::int[], $7::int[]
    ) AS v(url_id, domain_id, simhash, {", ".join(BAND_NAMES)})
    CROSS JOIN LATERAL ({_EQUAL_BANDS}) found
    JOIN urls u ON u.id = found.url_id
    WHERE found.url_id <> v.url_id
        AND bit_count((found.simhash # v.simhash)::bit(64)) <= $8
        AND {IS_ORIGINAL}
"""


async def find_near(
    connection: Connection,
    works: Sequence[DomainWork],
    duplicates: Mapping[int, str],
    settings: SimilaritySettings,
) -> NearPages:
    if not settings.enabled:
        return NOTHING_NEAR
    stored = await _load_stored(connection, list_stored(works))
    asked = list_asked(works, duplicates, stored)
    originals = list_originals(works, stored)
    if not asked and not originals:
        return NOTHING_NEAR
    found = await _find_candidates(connection, asked, settings.distance)
    return decide_near(asked, found, originals, settings)


async def _load_stored(connection: Connection, url_ids: Sequence[int]) -> dict[int, StoredMark]:
    if not url_ids:
        return {}
    rows = await connection.fetch(
        f"SELECT {MARK_COLUMNS} FROM pages WHERE url_id = ANY($1::bigint[])", url_ids
    )
    return {row[0]: StoredMark._make(row) for row in rows}


async def _find_candidates(
    connection: Connection, asked: Sequence[Asked], most_distance: int
) -> dict[int, list[Candidate]]:
    found: dict[int, list[Candidate]] = defaultdict(list)
    if not asked:
        return found
    values = ((page.url_id, page.domain_id, page.simhash, *split_bands(page.simhash)) for page in asked)
    for row in await connection.fetch(_FIND_CANDIDATES, *to_arrays(values), most_distance):
        found[row[0]].append(Candidate(row[1], row[2], row[3]))
    return found


_MOVE = f"""
    UPDATE pages p
    SET near_url_id = v.near_url_id, {", ".join(f"{name} = v.{name}" for name in BAND_NAMES)}
    FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::bigint[])
        AS v(near_url_id, {", ".join(BAND_NAMES)}, url_id)
    WHERE p.url_id = v.url_id
"""


async def save_near(connection: Connection, near: NearPages) -> None:
    """Update pages that were not stored again. Must come before the pages of the batch are stored."""
    if near.freed:
        await connection.execute(
            f"UPDATE pages SET {FREED} WHERE near_url_id = ANY($1::bigint[])", near.freed
        )
    if near.moved:
        await connection.execute(_MOVE, *to_arrays(near.moved))
