"""Crawls: what both databases share. See contracts/crawls.py."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from tenax.errors import SourceExists
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.stores.contracts.crawls import DEFAULT_NAME, Crawl, CrawlSummary
from tenax.stores.hot.run_states import UNDER_WAY

ADD_CRAWL: Final = """
    INSERT INTO sources (name, key, kind, definition, enabled, created_at, updated_at)
    VALUES ({name}, {key}, 'crawl', '{{}}', 0, {now}, {now})
    ON CONFLICT (key) DO NOTHING
"""
# The crawl `default`, if it began with that seed.
FIND_DEFAULT: Final = f"""
    SELECT s.id, s.name, s.kind
    FROM sources s
    WHERE s.key = '{DEFAULT_NAME}'
        AND s.kind = 'crawl'
        AND ? = (
            SELECT url
            FROM seeds
            WHERE source_id = s.id AND cause = 'user'
            ORDER BY id
            LIMIT 1
        )
"""
FIND_CRAWL: Final = "SELECT id, name, kind FROM sources WHERE key = ?"
# Rows that nothing refers to are left over from crawls that could not start.
LIST_CRAWLS: Final = f"""
    SELECT s.id, s.name, r.id, r.state, coalesce(d.queued, 0) + coalesce(a.number, 0)
    FROM sources s
    LEFT JOIN (
        SELECT source_id, sum(queued) AS queued
        FROM domains
        GROUP BY source_id
    ) d ON d.source_id = s.id
    LEFT JOIN (
        SELECT source_id, count(*) AS number
        FROM set_aside
        GROUP BY source_id
    ) a ON a.source_id = s.id
    LEFT JOIN (
        SELECT source_id, max(id) AS id
        FROM runs
        WHERE {UNDER_WAY}
        GROUP BY source_id
    ) o ON o.source_id = s.id
    LEFT JOIN runs r ON r.id = o.id
    WHERE s.kind = 'crawl'
        AND (
            d.source_id IS NOT NULL
            OR a.source_id IS NOT NULL
            OR EXISTS (SELECT 1 FROM runs WHERE source_id = s.id)
            OR EXISTS (SELECT 1 FROM seeds WHERE source_id = s.id)
        )
    ORDER BY s.id
"""


def read_crawl(row: Sequence[Any]) -> Crawl:
    """From FIND_CRAWL. Raises SourceExists where the name is a source's."""
    number, name, kind = row
    if kind != SourceKind.CRAWL:
        raise SourceExists(f"{name} is the name of a source: choose another one for the crawl.")
    return Crawl(id=number, name=name)


class CrawlColumns(NamedTuple):
    """From LIST_CRAWLS."""

    id: int
    name: str
    run_id: int | None
    run_state: str | None
    waiting: int


def read_snapshot(row: Sequence[Any]) -> CrawlSummary:
    """From LIST_CRAWLS."""
    found = CrawlColumns._make(row)
    return CrawlSummary(
        id=found.id,
        name=found.name,
        run_id=found.run_id,
        run_state=None if found.run_state is None else RunState(found.run_state),
        waiting=int(found.waiting),
    )
