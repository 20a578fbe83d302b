"""Sitemaps as values of rows: the same for every database."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tenax.clock import Instant
from tenax.records.sitemaps import SitemapState
from tenax.records.urls import NewUrl
from tenax.records.visits import Fetched, Read, Unchanged
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.outcomes import iter_discovered, iter_visits

# They come before all other urls of their domain that were found in the last hour.
LEAD_S = 3600.0
MAX_HOSTS_CHARS = 10_000
NO_SITEMAP = "it is an HTML page, not a sitemap"

# Urls of leased domains that are read as sitemaps from now on, although they were found before: those that
# wait for their first visit, those that were no pages, and those that could not be read in an earlier run.
IS_MARKED = """
    domain_id = {domain_id}
    AND key = {key}
    AND is_seed = 0
    AND content_hash IS NULL
    AND merged_key IS NULL
    AND (
        due_at IS NOT NULL AND run_id IS NULL AND is_sitemap = 0
        OR due_at IS NULL
        AND fate IN ('skipped', 'gone', 'dead', 'refused')
        AND (is_sitemap = 0 AND fate = 'skipped' OR coalesce(run_id, 0) <> {run_id})
    )
"""
# Pages of a sitemap's domain that have changed since they were fetched.
IS_OUTDATED = """
    due_at IS NULL
    AND is_sitemap = 0
    AND merged_key IS NULL
    AND fate IN ('fetched', 'duplicate')
"""
# A robots.txt may name a sitemap again, and another one may name it, too.
MERGE_HOSTS = f"""
    hosts = CASE
        WHEN excluded.hosts = ''
            OR ' ' || sitemaps.hosts || ' ' LIKE '% ' || excluded.hosts || ' %'
            OR length(sitemaps.hosts) + length(excluded.hosts) > {MAX_HOSTS_CHARS}
            THEN sitemaps.hosts
        ELSE trim(sitemaps.hosts || ' ' || excluded.hosts)
    END
"""
REPORT = "kind, entries, refused, added, images, body_bytes, lastmod, fresh_reads, read_at, error"


class SitemapColumns(NamedTuple):
    """What a worker needs to know of a sitemap."""

    hosts: str
    level: int
    fresh_reads: int
    read_at: Instant | None
    known_sitemaps: int
    found_urls: int


FIND_STATE = """
    SELECT
        s.hosts,
        s.level,
        s.fresh_reads,
        s.read_at,
        (SELECT count(*) FROM sitemaps o WHERE o.domain_id = s.domain_id),
        coalesce((SELECT y.sitemap_urls FROM yields y WHERE y.domain_id = s.domain_id), 0)
    FROM sitemaps s
    WHERE s.url_id = {mark}
"""


def read_state(row: Sequence[Any] | None) -> SitemapState:
    """From FIND_STATE."""
    found = SitemapColumns("", 0, 0, None, 0, 0) if row is None else SitemapColumns._make(row)
    return SitemapState(
        hosts=frozenset(found.hosts.split()),
        level=found.level,
        fresh_reads=found.fresh_reads,
        read_at=found.read_at,
        known_sitemaps=found.known_sitemaps,
        found_urls=found.found_urls,
    )


def list_named(works: Sequence[DomainWork]) -> list[NewUrl]:
    """The sitemaps that a batch names."""
    return [url for url in iter_discovered(works) if url.sitemap is not None]


def note_values(url: NewUrl) -> tuple[str, str, int]:
    """(origin, hosts, level)"""
    assert url.sitemap is not None
    return url.sitemap.origin.value, " ".join(url.sitemap.hosts), url.sitemap.level


def report_rows(works: Sequence[DomainWork]) -> list[tuple[Any, ...]]:
    """What was found in each sitemap that was read: (columns of REPORT, url id)"""
    rows = []
    for _, visit in iter_visits(works):
        if isinstance(visit.outcome, Read):
            report = visit.outcome.report
            kind = None if report.kind is None else report.kind.value
            counts = (report.entries, report.refused, report.added, report.images, visit.outcome.body_bytes)
            trust = (report.lastmod.value, report.fresh_reads)
            rows.append((kind, *counts, *trust, visit.at, report.error, visit.target.id))
    return rows


def list_unchanged(works: Sequence[DomainWork]) -> list[tuple[Instant, int]]:
    """Sitemaps that are as they were: (at, url id)"""
    return [
        (visit.at, visit.target.id)
        for _, visit in iter_visits(works)
        if visit.target.is_sitemap and isinstance(visit.outcome, Unchanged)
    ]


def list_pages(works: Sequence[DomainWork]) -> list[int]:
    """Ids of urls that were named as sitemaps and are pages."""
    return [
        visit.target.id
        for _, visit in iter_visits(works)
        if visit.target.is_sitemap and isinstance(visit.outcome, Fetched)
    ]


def iter_modified(works: Sequence[DomainWork]) -> Iterator[tuple[int, Read]]:
    """Sitemaps that say when pages of their domain changed, with the id of the domain."""
    for work, visit in iter_visits(works):
        if isinstance(visit.outcome, Read) and visit.outcome.modified[0]:
            yield work.lease.domain_id, visit.outcome
