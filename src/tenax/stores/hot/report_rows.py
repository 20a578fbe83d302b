"""Rows of urls and domains for reports. See rows.py."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenax.clock import Instant
from tenax.records.urls import Fate, FoundBy
from tenax.stores.contracts.lookup import DomainRow, UrlRow
from tenax.stores.contracts.overview import NextDomain, TroubledDomain
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.rows import RuleColumns, StateColumns, read_rules, read_state


class UrlColumns(NamedTuple):
    """A url in a report, in `urls` as u."""

    id: int
    url: str
    fate: str
    reason: str | None
    detail: str | None
    to_url: str | None
    depth: int
    priority: int
    attempts: int
    crashes: int
    is_seed: int
    status: int | None
    due_at: Instant | None
    discovered_at: Instant
    fetched_at: Instant | None
    revisit_at: Instant | None
    unchanged_count: int
    misses: int
    found_by: int
    is_sitemap: int


_URL = len(UrlColumns._fields)
# Besides: the url of the page that named it, its title, the page's key, and a url with the same text.
URL_ROW_COLUMNS = f"""
    {join_names(UrlColumns._fields, "u.")},
    parent.url,
    p.title,
    p.url_id,
    (
        SELECT t.url
        FROM pages q
        JOIN urls t ON t.id = q.url_id
        WHERE q.domain_id = p.domain_id
            AND q.content_hash = p.content_hash
            AND q.url_id <> p.url_id
            AND t.fate = 'fetched'
        LIMIT 1
    )
"""


def read_url_columns(row: Sequence[Any]) -> UrlColumns:
    """From URL_ROW_COLUMNS."""
    return UrlColumns._make(row[:_URL])


def read_url_row(row: Sequence[Any], *, ahead: int) -> UrlRow:
    """From URL_ROW_COLUMNS."""
    found = read_url_columns(row)
    discovered_from, title, page_id, twin = row[_URL:]
    return UrlRow(
        id=found.id,
        url=found.url,
        fate=Fate(found.fate),
        reason=found.reason,
        detail=found.detail,
        to_url=found.to_url,
        depth=found.depth,
        priority=found.priority,
        attempts=found.attempts,
        crashes=found.crashes,
        is_seed=bool(found.is_seed),
        status=found.status,
        due_at=found.due_at,
        discovered_at=found.discovered_at,
        fetched_at=found.fetched_at,
        discovered_from=discovered_from,
        title=title,
        revisit_at=found.revisit_at,
        unchanged_count=found.unchanged_count,
        misses=found.misses,
        found_by=FoundBy(found.found_by),
        is_sitemap=bool(found.is_sitemap),
        has_page=page_id is not None,
        twin=twin,
        ahead=ahead,
    )


class DomainColumns(NamedTuple):
    """A domain in a report, in `domains` as d, without its rules and its state."""

    name: str
    queued: int
    avail_at: Instant | None
    claim_expires_at: Instant | None
    last_run_id: int | None
    run_pages: int
    rules_by: str | None
    rules_at: Instant | None


_DOMAIN = len(DomainColumns._fields)
_STATE = _DOMAIN + len(RuleColumns._fields)
# Besides: the process and the host of the worker `w` that holds it.
DOMAIN_ROW_COLUMNS = f"""
    w.pid,
    w.host,
    {join_names((*DomainColumns._fields, *RuleColumns._fields, *StateColumns._fields), "d.")}
"""


def read_domain_row(row: Sequence[Any]) -> DomainRow:
    """From DOMAIN_ROW_COLUMNS."""
    (pid, host), values = row[:2], row[2:]
    found = DomainColumns._make(values[:_DOMAIN])
    return DomainRow(
        name=found.name,
        queued=found.queued,
        avail_at=found.avail_at,
        claim_expires_at=found.claim_expires_at,
        claimed_by=f"process {pid} on {host}" if pid is not None else None,
        last_run_id=found.last_run_id,
        rules_by=found.rules_by,
        rules_at=found.rules_at,
        rules=read_rules(values[_DOMAIN:_STATE]),
        state=read_state(values[_STATE:], found.run_pages),
    )


class TroubledColumns(NamedTuple):
    """A domain whose urls are blocked, in `domains`."""

    name: str
    queued: int
    block_reason: str | None
    next_crawl_after: Instant | None
    backoff_until: Instant | None
    avail_at: Instant | None
    is_active: int


TROUBLED_COLUMNS = join_names(TroubledColumns._fields)
INACTIVE = "it was made inactive"


def read_troubled(row: Sequence[Any]) -> TroubledDomain:
    """From TROUBLED_COLUMNS."""
    found = TroubledColumns._make(row)
    name, queued, block_reason = found.name, found.queued, found.block_reason
    if not found.is_active:
        return TroubledDomain(domain=name, queued=queued, reason=INACTIVE, until=None, is_inactive=True)
    if block_reason is not None and found.next_crawl_after is None:
        return TroubledDomain(domain=name, queued=queued, reason=block_reason, until=None, is_for_good=True)
    reason, until = _describe_rest(found)
    return TroubledDomain(domain=name, queued=queued, reason=reason, until=until)


def _describe_rest(found: TroubledColumns) -> tuple[str, Instant | None]:
    if found.block_reason is not None:
        return found.block_reason, found.next_crawl_after
    if found.avail_at is None:
        return "its page budget of this run is used up", None
    if found.backoff_until is not None:
        return "it asked for rest", found.avail_at
    return "it failed several times in a row", found.avail_at


class DomainCounts(NamedTuple):
    """The domains of a source, counted."""

    queued: int
    domains: int
    blocked: int
    with_queue: int
    robots_failed: int
    robots_until: Instant | None


class NextColumns(NamedTuple):
    """The domain that can be claimed next, in `domains`."""

    name: str
    avail_at: Instant
    backoff_until: Instant | None
    breaker_reopen_at: Instant | None
    claimed_by: int | None


NEXT_COLUMNS = join_names(NextColumns._fields)


def read_next(row: Sequence[Any]) -> NextDomain:
    """From NEXT_COLUMNS."""
    found = NextColumns._make(row)
    return NextDomain(
        domain=found.name,
        avail_at=found.avail_at,
        backoff_until=found.backoff_until,
        breaker_reopen_at=found.breaker_reopen_at,
        claimed_by=found.claimed_by,
    )
