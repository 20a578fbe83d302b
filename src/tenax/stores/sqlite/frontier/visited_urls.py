"""The urls of a settled batch in SQLite: their fates, and pages with the same text."""

from collections.abc import Sequence

from tenax.policy.revisit import keeps_fate
from tenax.records.visits import Fetched, Rejected, Visit
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.outcomes import (
    IS_ORIGINAL,
    LEAST_DUPLICATE_CHARS,
    header_rows,
    is_as_before,
    iter_visits,
    list_readdressed,
    url_values,
)
from tenax.stores.hot.revisits import (
    KEEP_FATE,
    Revisits,
    kept_values,
)
from tenax.stores.sqlite.connection.database import Connection

_FIND_TWIN = f"""
    SELECT u.url
    FROM pages p
    JOIN urls u ON u.id = p.url_id
    WHERE p.domain_id = ?
        AND p.content_hash = ?
        AND p.url_id <> ?
        AND {IS_ORIGINAL}
    LIMIT 1
"""


def find_duplicates(connection: Connection, works: Sequence[DomainWork]) -> dict[int, str]:
    """Fetched urls whose text another page of the domain has, and the url of that page."""
    duplicates: dict[int, str] = {}
    first_in_batch: dict[tuple[int, int], Visit] = {}
    for work, visit in iter_visits(works):
        outcome = visit.outcome
        if not isinstance(outcome, Fetched) or outcome.page.text_chars < LEAST_DUPLICATE_CHARS:
            continue
        content = (work.lease.domain_id, outcome.page.content_hash)
        row = connection.execute(_FIND_TWIN, (*content, visit.target.id)).fetchone()
        if row is not None:
            duplicates[visit.target.id] = row[0]
        elif not is_as_before(visit, outcome):
            twin = first_in_batch.setdefault(content, visit)
            if twin.target.id != visit.target.id:
                duplicates[visit.target.id] = twin.target.url
    return duplicates


_UPDATE_URLS = """
    UPDATE urls
    SET
        run_id = {run_id:d},
        due_at = ?,
        fate = ?,
        reason = ?,
        detail = ?,
        to_url = ?,
        attempts = ?,
        status = coalesce(?, status),
        fetched_at = coalesce(?, fetched_at),
        etag = ?,
        last_modified = ?,
        content_hash = ?,
        revisit_at = ?,
        unchanged_count = ?,
        misses = ?
    WHERE id = ?
"""


_UPDATE_KEPT = f"""
    UPDATE urls
    SET
        run_id = {{run_id:d}},
        due_at = ?,
        {KEEP_FATE.format(u="")},
        detail = ?,
        attempts = ?,
        fetched_at = coalesce(?, fetched_at),
        revisit_at = ?,
        unchanged_count = ?,
        misses = ?
    WHERE id = ?
"""


def update_urls(
    connection: Connection,
    run_id: int,
    works: Sequence[DomainWork],
    duplicates: dict[int, str],
    revisits: Revisits,
) -> None:
    moved, kept = [], []
    for _, visit in iter_visits(works):
        revisit = revisits.by_url[visit.target.id]
        if keeps_fate(visit):
            kept.append(kept_values(visit, revisit))
        else:
            moved.append(url_values(visit, duplicates, revisit))
    connection.executemany(_UPDATE_URLS.format(run_id=run_id), moved)
    connection.executemany(_UPDATE_KEPT.format(run_id=run_id), kept)
    connection.executemany("UPDATE urls SET response_headers = ? WHERE id = ?", header_rows(works))
    connection.executemany("UPDATE urls SET url = ?, hops = hops + 1 WHERE id = ?", list_readdressed(works))
    # A suspect that was read without a crash is no longer one.
    connection.executemany(
        "UPDATE urls SET crashes = 0 WHERE id = ?",
        [
            (visit.target.id,)
            for _, visit in iter_visits(works)
            if visit.target.crashes and isinstance(visit.outcome, Fetched | Rejected)
        ],
    )
