"""Images in PostgreSQL. The caller is inside a transaction."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tenax.stores.hot.column_lists import IMAGE_COLUMNS, IMAGE_NAMES, join_arrays
from tenax.stores.hot.columns import IMAGES
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

IMAGES_AT_ONCE = 20_000


_COUNT_SHOWN = """
    SELECT domain_id, sum(images_count)
    FROM pages
    WHERE url_id = ANY($1::bigint[])
    GROUP BY domain_id
"""


async def count_shown(connection: Connection, url_ids: Sequence[int]) -> Counter[int]:
    """How many images these pages show, by the id of their domain."""
    if not url_ids:
        return Counter()
    rows = await connection.fetch(_COUNT_SHOWN, url_ids)
    return Counter({row[0]: row[1] for row in rows})


_SAVE_IMAGES = f"""
    WITH added AS (
        INSERT INTO images ({IMAGE_COLUMNS})
        SELECT v.*
        FROM unnest({join_arrays(IMAGE_NAMES, IMAGES)}) AS v({IMAGE_COLUMNS})
        WHERE NOT EXISTS (SELECT 1 FROM images i WHERE i.key = v.key)
        ORDER BY v.key
        ON CONFLICT (key) DO NOTHING
        RETURNING domain_id
    )
    SELECT domain_id, count(*)
    FROM added
    GROUP BY domain_id
"""


async def save_images(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> Counter[int]:
    """Add each image once; returns how many were new, by the id of their domain. `rows` are ordered by key:
    if two transactions add the same images, one waits for the other."""
    added: Counter[int] = Counter()
    for start in range(0, len(rows), IMAGES_AT_ONCE):
        counts = await connection.fetch(_SAVE_IMAGES, *to_arrays(rows[start : start + IMAGES_AT_ONCE]))
        added.update({row[0]: row[1] for row in counts})
    return added
