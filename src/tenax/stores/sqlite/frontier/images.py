"""Images in SQLite. The caller is inside a transaction."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import orjson

from tenax.stores.hot.column_lists import IMAGE_COLUMNS, IMAGE_NAMES, join_marks
from tenax.stores.sqlite.connection.database import Connection

_COUNT_SHOWN = """
    SELECT domain_id, sum(images_count)
    FROM pages
    WHERE url_id IN (SELECT value FROM json_each(?))
    GROUP BY domain_id
"""


def count_shown(connection: Connection, url_ids: Sequence[int]) -> Counter[int]:
    """How many images these pages show, by the id of their domain."""
    if not url_ids:
        return Counter()
    rows = connection.execute(_COUNT_SHOWN, (orjson.dumps(url_ids).decode(),))
    return Counter(dict(rows.fetchall()))


_SAVE_IMAGES = f"""
    INSERT INTO images ({IMAGE_COLUMNS})
    VALUES ({join_marks(IMAGE_NAMES)})
    ON CONFLICT (key) DO NOTHING
"""


def save_images(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> Counter[int]:
    """Add each image once; returns how many were new, by the id of their domain."""
    by_domain: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        by_domain[row[3]].append(row)
    added: Counter[int] = Counter()
    for domain_id, images in by_domain.items():
        added[domain_id] = connection.executemany(_SAVE_IMAGES, images).rowcount
    return added
