"""The sitemaps of a settled batch in SQLite: which to read, what was read, which pages are outdated."""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import join_marks
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
from tenax.stores.sqlite.connection.database import Connection

_FIND_MARKED = f"""
    SELECT id, due_at
    FROM urls
    WHERE {IS_MARKED.format(domain_id="?1", key="?2", run_id="?3")}
"""
_MARK = """
    UPDATE urls
    SET
        is_sitemap = 1,
        due_at = ?1,
        fate = 'queued',
        reason = NULL,
        detail = NULL,
        attempts = 0,
        priority = 3
    WHERE id = ?2
"""
_SAVE_NOTE = f"""
    INSERT INTO sitemaps (url_id, domain_id, origin, hosts, level)
    SELECT u.id, u.domain_id, ?1, ?2, ?3
    FROM urls u
    JOIN domains d ON d.id = u.domain_id
    WHERE d.name = ?4 AND u.key = ?5 AND u.is_sitemap = 1
    ON CONFLICT (url_id) DO UPDATE SET {MERGE_HOSTS}
"""
# A sitemap that has moved may list what it could list before.
_INHERIT = f"""
    UPDATE sitemaps
    SET
        hosts = substr(trim(sitemaps.hosts || ' ' || old.hosts), 1, {MAX_HOSTS_CHARS}),
        level = max(sitemaps.level, old.level)
    FROM sitemaps old
    WHERE old.url_id = ?1 AND sitemaps.url_id = (
        SELECT u.id
        FROM urls u
        JOIN domains d ON d.id = u.domain_id
        WHERE d.name = ?2 AND u.key = ?3
    )
"""


def settle_sitemaps(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], now: Instant
) -> Counter[int]:
    """After the fates of a batch's urls and its new urls. Returns how many urls were queued again, by
    domain."""
    queued = _mark(connection, batch.run_id, works, now)
    _save_reports(connection, works)
    if batch.refresh.enabled:
        queued += _queue_outdated(connection, works, now)
    return queued


def _mark(connection: Connection, run_id: int, works: Sequence[DomainWork], now: Instant) -> Counter[int]:
    """Note what is to be read as a sitemap. Only the holder of a domain changes urls that are known."""
    held = {work.lease.domain: work.lease.domain_id for work in works}
    queued: Counter[int] = Counter()
    for url in list_named(works):
        domain_id = held.get(url.domain)
        if domain_id is not None:
            row = connection.execute(_FIND_MARKED, (domain_id, url.key, run_id)).fetchone()
            if row is not None:
                connection.execute(_MARK, (now - LEAD_S, row[0]))
                queued[domain_id] += row[1] is None
        connection.execute(_SAVE_NOTE, (*note_values(url), url.domain, url.key))
        if url.hops:
            connection.execute(_INHERIT, (url.discovered_from, url.domain, url.key))
    return queued


def _save_reports(connection: Connection, works: Sequence[DomainWork]) -> None:
    connection.executemany(
        f"UPDATE sitemaps SET ({REPORT}) = ({join_marks(REPORT.split(', '))}) WHERE url_id = ?",
        report_rows(works),
    )
    connection.executemany("UPDATE sitemaps SET read_at = ? WHERE url_id = ?", list_unchanged(works))
    for url_id in list_pages(works):
        connection.execute("UPDATE urls SET is_sitemap = 0 WHERE id = ?", (url_id,))
        connection.execute("UPDATE sitemaps SET error = ? WHERE url_id = ?", (NO_SITEMAP, url_id))


_QUEUE_OUTDATED = f"""
    UPDATE urls
    SET due_at = ?1, revisit_at = NULL
    WHERE domain_id = ?2
        AND key = ?3
        AND fetched_at < ?4
        AND {IS_OUTDATED}
"""


def _queue_outdated(connection: Connection, works: Sequence[DomainWork], now: Instant) -> Counter[int]:
    queued: Counter[int] = Counter()
    for domain_id, read in iter_modified(works):
        keys, dates = read.modified
        rows = [(now, domain_id, key, at) for key, at in zip(keys, dates, strict=True)]
        queued[domain_id] += connection.executemany(_QUEUE_OUTDATED, rows).rowcount
    return queued
