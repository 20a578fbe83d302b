"""The sitemaps of a settled batch in PostgreSQL: which to read, what was read, which pages are outdated.

The caller is inside a transaction. There are few sitemaps in a batch.
"""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.discovery.sitemaps import (
    IS_MARKED,
    IS_OUTDATED,
    LEAD_S,
    MAX_HOSTS_CHARS,
    MERGE_HOSTS,
    NO_SITEMAP,
    REPORT,
    iter_modified,
    list_named,
    list_pages,
    list_unchanged,
    note_values,
    report_rows,
)
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import without_nul

_FIND_MARKED = f"""
    SELECT id, due_at
    FROM urls
    WHERE {IS_MARKED.format(domain_id="$1", key="$2", run_id="$3")}
"""
_MARK = """
    UPDATE urls
    SET
        is_sitemap = 1,
        due_at = $1,
        fate = 'queued',
        reason = NULL,
        detail = NULL,
        attempts = 0,
        priority = 3
    WHERE id = $2
"""


async def settle_sitemaps(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], now: Instant
) -> Counter[int]:
    """After the fates of a batch's urls. Returns how many urls were queued again, by domain."""
    queued = await _mark(connection, batch.run_id, works, now)
    await _save_reports(connection, works)
    if batch.refresh.enabled:
        queued += await _queue_outdated(connection, works, now)
    return queued


async def _mark(
    connection: Connection, run_id: int, works: Sequence[DomainWork], now: Instant
) -> Counter[int]:
    """Only the holder of a domain changes urls that are known."""
    held = {work.lease.domain: work.lease.domain_id for work in works}
    queued: Counter[int] = Counter()
    for url in list_named(works):
        domain_id = held.get(url.domain)
        if domain_id is None:
            continue
        row = await connection.fetchrow(_FIND_MARKED, domain_id, url.key, run_id)
        if row is not None:
            await connection.execute(_MARK, now - LEAD_S, row[0])
            queued[domain_id] += row[1] is None
    return queued


_COLUMNS = REPORT.split(", ")
_SAVE_REPORT = f"""
    UPDATE sitemaps
    SET {", ".join(f"{name} = ${number}" for number, name in enumerate(_COLUMNS, 1))}
    WHERE url_id = ${len(_COLUMNS) + 1}
"""


async def _save_reports(connection: Connection, works: Sequence[DomainWork]) -> None:
    for values in report_rows(works):
        await connection.execute(_SAVE_REPORT, *without_nul(values))
    for at, url_id in list_unchanged(works):
        await connection.execute("UPDATE sitemaps SET read_at = $1 WHERE url_id = $2", at, url_id)
    if pages := list_pages(works):
        await connection.execute("UPDATE urls SET is_sitemap = 0 WHERE id = ANY($1::bigint[])", pages)
        await connection.execute(
            "UPDATE sitemaps SET error = $1 WHERE url_id = ANY($2::bigint[])", NO_SITEMAP, pages
        )


_QUEUE_OUTDATED = f"""
    WITH queued AS (
        UPDATE urls u
        SET due_at = $1::float8, revisit_at = NULL
        FROM unnest($3::bigint[], $4::float8[]) AS v(new_key, modified_at)
        WHERE u.domain_id = $2
            AND u.key = v.new_key
            AND u.fetched_at < v.modified_at
            AND {IS_OUTDATED}
        RETURNING 1
    )
    SELECT count(*)
    FROM queued
"""


async def _queue_outdated(connection: Connection, works: Sequence[DomainWork], now: Instant) -> Counter[int]:
    queued: Counter[int] = Counter()
    for domain_id, read in iter_modified(works):
        keys, dates = read.modified
        queued[domain_id] += await connection.fetchval(
            _QUEUE_OUTDATED, now, domain_id, list(keys), list(dates)
        )
    return queued


_SAVE_NOTE = f"""
    INSERT INTO sitemaps (url_id, domain_id, origin, hosts, level)
    SELECT u.id, u.domain_id, $1, $2, $3
    FROM urls u
    JOIN domains d ON d.id = u.domain_id
    WHERE d.name = $4 AND u.key = $5 AND u.is_sitemap = 1
    ON CONFLICT (url_id) DO UPDATE SET {MERGE_HOSTS}
"""
# A sitemap that has moved may list what it could list before.
_INHERIT = f"""
    UPDATE sitemaps
    SET
        hosts = left(trim(sitemaps.hosts || ' ' || old.hosts), {MAX_HOSTS_CHARS}),
        level = greatest(sitemaps.level, old.level)
    FROM sitemaps old
    WHERE old.url_id = $1 AND sitemaps.url_id = (
        SELECT u.id
        FROM urls u
        JOIN domains d ON d.id = u.domain_id
        WHERE d.name = $2 AND u.key = $3
    )
"""


async def save_notes(connection: Connection, works: Sequence[DomainWork]) -> None:
    """After the new urls. In a fixed order, against deadlocks: two domains may name the same sitemap."""
    for url in sorted(list_named(works), key=lambda url: (url.domain, url.key)):
        await connection.execute(_SAVE_NOTE, *note_values(url), url.domain, url.key)
        if url.hops:
            await connection.execute(_INHERIT, url.discovered_from, url.domain, url.key)
