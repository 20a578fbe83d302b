"""The urls of a settled batch in PostgreSQL: their fates, and pages with the same text."""

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
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_FIND_TWINS = f"""
    SELECT v.url_id, twin.url
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(url_id, domain_id, content_hash)
    CROSS JOIN LATERAL (
        SELECT u.url
        FROM pages p
        JOIN urls u ON u.id = p.url_id
        WHERE p.domain_id = v.domain_id
            AND p.content_hash = v.content_hash
            AND p.url_id <> v.url_id
            AND {IS_ORIGINAL}
        LIMIT 1
    ) twin
"""


async def find_duplicates(connection: Connection, works: Sequence[DomainWork]) -> dict[int, str]:
    """Fetched urls whose text another page of the domain has, and the url of that page."""
    first_in_batch: dict[tuple[int, int], Visit] = {}
    twins: dict[int, str] = {}
    asked: list[tuple[int, int, int]] = []
    for work, visit in iter_visits(works):
        outcome = visit.outcome
        if not isinstance(outcome, Fetched) or outcome.page.text_chars < LEAST_DUPLICATE_CHARS:
            continue
        content = (work.lease.domain_id, outcome.page.content_hash)
        asked.append((visit.target.id, *content))
        if is_as_before(visit, outcome):
            continue
        twin = first_in_batch.setdefault(content, visit)
        if twin.target.id != visit.target.id:
            twins[visit.target.id] = twin.target.url
    if not asked:
        return {}
    rows = await connection.fetch(_FIND_TWINS, *to_arrays(asked))
    return twins | {row[0]: row[1] for row in rows}


_UPDATE_URLS = """
    UPDATE urls u
    SET
        due_at = v.due_at,
        fate = v.fate,
        reason = v.reason,
        detail = v.detail,
        to_url = v.to_url,
        attempts = v.attempts,
        status = coalesce(v.status, u.status),
        fetched_at = coalesce(v.fetched_at, u.fetched_at),
        etag = v.etag,
        last_modified = v.last_modified,
        content_hash = v.content_hash,
        revisit_at = v.revisit_at,
        unchanged_count = v.unchanged_count,
        misses = v.misses,
        run_id = $16
    FROM unnest(
        $1::float8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[],
        $8::float8[], $9::text[], $10::text[], $11::bigint[], $12::float8[], $13::int[], $14::int[],
        $15::bigint[]
    ) AS v(
        due_at, fate, reason, detail, to_url, attempts, status, fetched_at, etag, last_modified,
        content_hash, revisit_at, unchanged_count, misses, id
    )
    WHERE u.id = v.id
"""


_READDRESS_URLS = """
    UPDATE urls u
    SET url = v.url, hops = u.hops + 1
    FROM unnest($1::text[], $2::bigint[]) AS v(url, id)
    WHERE u.id = v.id
"""


async def update_urls(
    connection: Connection,
    run_id: int,
    works: Sequence[DomainWork],
    duplicates: dict[int, str],
    revisits: Revisits,
) -> None:
    # A statement can update a row once: if there are two visits to a url, the last one counts.
    visits = {visit.target.id: visit for _, visit in iter_visits(works)}
    moved = [
        url_values(visit, duplicates, revisits.by_url[url_id])
        for url_id, visit in visits.items()
        if not keeps_fate(visit)
    ]
    if moved:
        await connection.execute(_UPDATE_URLS, *to_arrays(moved), run_id)
    kept = [visit for visit in visits.values() if keeps_fate(visit)]
    await _update_kept(connection, run_id, kept, revisits)
    await _save_headers(connection, works)
    if readdressed := list_readdressed(works):
        await connection.execute(_READDRESS_URLS, *to_arrays(readdressed))
    # A suspect that was read without a crash is no longer one.
    cleared = [
        visit.target.id
        for _, visit in iter_visits(works)
        if visit.target.crashes and isinstance(visit.outcome, Fetched | Rejected)
    ]
    if cleared:
        await connection.execute("UPDATE urls SET crashes = 0 WHERE id = ANY($1::bigint[])", cleared)


_UPDATE_KEPT = f"""
    UPDATE urls u
    SET
        due_at = v.due_at,
        {KEEP_FATE.format(u="u.")},
        detail = v.detail,
        attempts = v.attempts,
        fetched_at = coalesce(v.fetched_at, u.fetched_at),
        revisit_at = v.revisit_at,
        unchanged_count = v.unchanged_count,
        misses = v.misses,
        run_id = $9
    FROM unnest(
        $1::float8[], $2::text[], $3::int[], $4::float8[], $5::float8[], $6::int[], $7::int[],
        $8::bigint[]
    ) AS v(due_at, detail, attempts, fetched_at, revisit_at, unchanged_count, misses, id)
    WHERE u.id = v.id
"""


async def _update_kept(
    connection: Connection, run_id: int, visits: Sequence[Visit], revisits: Revisits
) -> None:
    if visits:
        await connection.execute(
            _UPDATE_KEPT,
            *to_arrays(kept_values(visit, revisits.by_url[visit.target.id]) for visit in visits),
            run_id,
        )


_SAVE_HEADERS = """
    UPDATE urls u
    SET response_headers = v.headers
    FROM unnest($1::bigint[], $2::text[]) AS v(id, headers)
    WHERE u.id = v.id
"""


async def _save_headers(connection: Connection, works: Sequence[DomainWork]) -> None:
    # If there are two visits to a url, the last one counts.
    rows = {url_id: headers for headers, url_id in header_rows(works)}
    if rows:
        await connection.execute(_SAVE_HEADERS, *to_arrays(rows.items()))
