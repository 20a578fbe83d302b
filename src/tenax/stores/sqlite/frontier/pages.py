"""The pages of a settled batch in SQLite, with the changes, visits and robots.txt files."""

from collections.abc import Sequence

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
    join_marks,
)
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
from tenax.stores.sqlite.connection.database import Connection

_INSERT_CHANGES = f"""
    INSERT INTO changes ({CHANGE_COLUMNS})
    SELECT url_id, domain_id, ?, ?, ?, content_hash, ?, body_bytes, ?, coalesce(?, title)
    FROM pages
    WHERE url_id = ?
"""


def add_changes(connection: Connection, batch: Batch, revisits: Revisits) -> None:
    """Store changes before the pages are replaced, as they say what the pages were."""
    if not revisits.again:
        return
    connection.executemany(_INSERT_CHANGES, change_rows(batch.run_id, revisits.again))
    unwanted = [(url_id,) for url_id in list_unwanted(revisits.again)]
    connection.executemany("DELETE FROM pages WHERE url_id = ?", unwanted)
    connection.executemany(f"UPDATE pages SET {FREED} WHERE near_url_id = ?", unwanted)


_SAVE_PAGES = f"""
    INSERT INTO pages ({PAGE_COLUMNS})
    VALUES ({join_marks(PAGE_NAMES)})
    ON CONFLICT (url_id) DO UPDATE SET
        {REPLACED_PAGE_COLUMNS},
        changed_at = CASE
            WHEN pages.content_hash = excluded.content_hash THEN pages.changed_at
            ELSE excluded.changed_at
        END
"""


def save_pages(connection: Connection, works: Sequence[DomainWork], near: NearPages) -> None:
    connection.executemany(
        _SAVE_PAGES,
        [
            page_values(
                work.lease.domain_id,
                visit,
                visit.outcome,
                near.mark_values(visit.target.id, visit.outcome.page.simhash),
            )
            for work, visit in iter_visits(works)
            if isinstance(visit.outcome, Fetched) and visit.target.id not in near.unkept
        ],
    )


_INSERT_VISITS = f"""
    INSERT INTO visits ({VISIT_COLUMNS})
    VALUES ({join_marks(VISIT_NAMES)})
"""


def add_visits(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
    connection.executemany(_INSERT_VISITS, visit_rows(batch, works))


_SAVE_ROBOTS = f"""
    INSERT INTO robots ({ROBOTS_ROW_COLUMNS})
    VALUES ({join_marks(ROBOTS_NAMES)})
    ON CONFLICT (origin) DO UPDATE SET {REPLACED_ROBOTS_COLUMNS}
    WHERE excluded.error IS NULL OR robots.error IS NOT NULL
"""


def save_robots(connection: Connection, works: Sequence[DomainWork]) -> None:
    for work in works:
        for robots in work.robots:
            record = robots.record
            if record is None:
                continue
            # Without an answer an older copy, if there is one, stays in force.
            connection.execute(_SAVE_ROBOTS, robots_values(work.lease.domain_id, record))
