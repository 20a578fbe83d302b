"""The pages of a settled batch in PostgreSQL, with the changes, visits and robots.txt files."""

from collections.abc import Sequence

from tenax.records.domains import RobotsRecord
from tenax.records.visits import Fetched
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import (
    CHANGE_COLUMNS,
    PAGE_COLUMNS,
    PAGE_NAMES,
    REPLACED_PAGE_COLUMNS,
    REPLACED_ROBOTS_COLUMNS,
    ROBOTS_NAMES,
    ROBOTS_ROW_COLUMNS,
    VISIT_COLUMNS,
    VISIT_NAMES,
    join_arrays,
)
from tenax.stores.hot.columns import PAGES, ROBOTS, VISITS
from tenax.stores.hot.outcomes import (
    iter_visits,
    page_values,
    robots_values,
    visit_rows,
)
from tenax.stores.hot.revisits import (
    Revisits,
    change_rows,
    list_unwanted,
)
from tenax.stores.hot.similarity import FREED, NearPages
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_INSERT_CHANGES = f"""
    INSERT INTO changes ({CHANGE_COLUMNS})
    SELECT
        p.url_id,
        p.domain_id,
        v.run_id,
        v.at,
        v.kind,
        p.content_hash,
        v.new_hash,
        p.body_bytes,
        v.new_bytes,
        coalesce(v.title, p.title)
    FROM unnest(
        $1::int[], $2::float8[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::bigint[]
    ) AS v(run_id, at, kind, new_hash, new_bytes, title, url_id)
    JOIN pages p ON p.url_id = v.url_id
"""


async def add_changes(connection: Connection, batch: Batch, revisits: Revisits) -> None:
    """Store changes before the pages are replaced, as they say what the pages were."""
    if rows := change_rows(batch.run_id, revisits.again):
        await connection.execute(_INSERT_CHANGES, *to_arrays(rows))
    if unwanted := list_unwanted(revisits.again):
        await connection.execute("DELETE FROM pages WHERE url_id = ANY($1::bigint[])", unwanted)
        await connection.execute(f"UPDATE pages SET {FREED} WHERE near_url_id = ANY($1::bigint[])", unwanted)


_SAVE_PAGES = f"""
    INSERT INTO pages ({PAGE_COLUMNS})
    SELECT * FROM unnest({join_arrays(PAGE_NAMES, PAGES)})
    ON CONFLICT (url_id) DO UPDATE SET
        {REPLACED_PAGE_COLUMNS},
        changed_at = CASE
            WHEN pages.content_hash = excluded.content_hash THEN pages.changed_at
            ELSE excluded.changed_at
        END
"""


async def save_pages(connection: Connection, works: Sequence[DomainWork], near: NearPages) -> None:
    rows = {
        visit.target.id: page_values(
            work.lease.domain_id,
            visit,
            visit.outcome,
            near.mark_values(visit.target.id, visit.outcome.page.simhash),
        )
        for work, visit in iter_visits(works)
        if isinstance(visit.outcome, Fetched) and visit.target.id not in near.unkept
    }
    if not rows:
        return
    await connection.execute(_SAVE_PAGES, *to_arrays(rows.values()))


_INSERT_VISITS = f"""
    INSERT INTO visits ({VISIT_COLUMNS})
    SELECT * FROM unnest({join_arrays(VISIT_NAMES, VISITS)})
"""


async def add_visits(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
    rows = visit_rows(batch, works)
    if not rows:
        return
    await connection.execute(_INSERT_VISITS, *to_arrays(rows))


_SAVE_ROBOTS = f"""
    INSERT INTO robots ({ROBOTS_ROW_COLUMNS})
    SELECT * FROM unnest({join_arrays(ROBOTS_NAMES, ROBOTS)})
    ON CONFLICT (origin) DO UPDATE SET {REPLACED_ROBOTS_COLUMNS}
    WHERE excluded.error IS NULL OR robots.error IS NOT NULL
"""


async def save_robots(connection: Connection, works: Sequence[DomainWork]) -> None:
    newest: dict[str, tuple[int, RobotsRecord]] = {}
    for work in works:
        for record in (robots.record for robots in work.robots if robots.record is not None):
            # Without an answer an older copy, if there is one, stays in force; also one of the same batch.
            earlier = newest.get(record.origin)
            if record.error is None or earlier is None or earlier[1].error is not None:
                newest[record.origin] = (work.lease.domain_id, record)
    if not newest:
        return
    await connection.execute(_SAVE_ROBOTS, *to_arrays(robots_values(*each) for each in newest.values()))
