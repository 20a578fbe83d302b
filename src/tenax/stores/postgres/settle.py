"""Settling: one transaction turns a batch of ended visits into rows. See base.FrontierStore.settle.

Every table is written by one statement with an array per column: a dozen round trips for a batch of any size.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tenax.clock import Instant
from tenax.records import Fetched, NewUrl, RunState, Visit
from tenax.stores.base import Batch, DomainWork, Settled
from tenax.stores.outcomes import (
    LEAST_DUPLICATE_CHARS,
    count_work,
    iter_discovered,
    iter_visits,
    page_values,
    robots_values,
    url_values,
    visit_rows,
)
from tenax.stores.postgres.line import Connection
from tenax.stores.postgres.renewal import renew_leases
from tenax.stores.postgres.shares import IS_HUNGRY, find_share_to_keep
from tenax.stores.postgres.statements import (
    STATE_ASSIGNMENTS,
    STATE_NAMES,
    state_arrays,
    to_arrays,
    without_nul,
)
from tenax.stores.postgres.urls import (
    ensure_domains,
    find_unknown,
    insert_urls,
    lock_domains,
    save_seeds,
)
from tenax.stores.rows import state_values


async def settle_batch(connection: Connection, batch: Batch) -> Settled:
    now: Instant | None = await connection.fetchval(
        "UPDATE workers SET heartbeat_at = tenax_now(), last_batch = $2 WHERE id = $1 AND last_batch < $2"
        " RETURNING heartbeat_at",
        batch.worker_id,
        batch.number,
    )
    if now is None:
        # It was settled before; whoever sent it did not hear of it.
        leases = [work.lease for work in batch.works]
        return await renew_leases(connection, batch.worker_id, batch.run_id, leases, batch.lease_s)
    works = await _settle_urls(connection, batch.works, now)
    duplicates = await _find_duplicates(connection, works)
    await _update_urls(connection, works, duplicates)
    await _save_pages(connection, works)
    await _add_visits(connection, batch, works)
    await _save_robots(connection, works)
    await _update_domains(connection, batch, works, now)
    state, pages, is_wanted = await _update_run(connection, batch, works, now)
    share = None
    if is_wanted:
        share = await find_share_to_keep(
            connection, worker_id=batch.worker_id, run_id=batch.run_id, lease_s=batch.lease_s, now=now
        )
    valid = {work.lease.domain_id for work in works}
    return Settled(
        lost=frozenset(work.lease.domain_id for work in batch.works) - valid,
        run_pages=pages,
        expires_at=now + batch.lease_s,
        run_state=state,
        share=share,
    )


# --- fences and new urls -------------------------------------------------------------------------


async def _settle_urls(connection: Connection, works: Sequence[DomainWork], now: Instant) -> list[DomainWork]:
    """Add what was discovered; returns the works whose lease still stands, their domains locked."""
    own = {work.lease.domain: work.lease.domain_id for work in works}
    foreign: list[NewUrl] = []
    ids = dict(own)
    if any(url.domain not in own or url.is_seed for url in iter_discovered(works)):
        # Asked without locks first: what a lost lease has found must not make domains.
        works = _keep_valid(works, await _find_versions(connection, own.values()))
        await save_seeds(connection, iter_discovered(works), now)
        ids |= await ensure_domains(
            connection, {url.domain for url in iter_discovered(works)} - own.keys(), now
        )
        candidates = [url for url in iter_discovered(works) if url.domain not in own]
        foreign = await find_unknown(connection, candidates, ids)
    locked = {*own.values(), *(ids[url.domain] for url in foreign)}
    works = _keep_valid(works, await lock_domains(connection, locked))
    # A domain that was not locked has nothing new in this batch.
    found = (url for url in iter_discovered(works) if ids.get(url.domain) in locked)
    await insert_urls(connection, found, ids, now)
    return works


async def _find_versions(connection: Connection, ids: Iterable[int]) -> dict[int, int]:
    rows = await connection.fetch("SELECT id, version FROM domains WHERE id = ANY($1::bigint[])", list(ids))
    return {row[0]: row[1] for row in rows}


def _keep_valid(works: Sequence[DomainWork], versions: dict[int, int]) -> list[DomainWork]:
    """Without the domains that somebody else has claimed meanwhile."""
    return [work for work in works if versions.get(work.lease.domain_id) == work.lease.version]


# --- urls, pages, visits -------------------------------------------------------------------------


async def _find_duplicates(connection: Connection, works: Sequence[DomainWork]) -> dict[int, str]:
    """For fetched urls whose text another page of the domain has: the url of that page."""
    first_in_batch: dict[tuple[int, int], Visit] = {}
    twins: dict[int, str] = {}
    asked: list[tuple[int, int, int]] = []
    for work, visit in iter_visits(works):
        outcome = visit.outcome
        if not isinstance(outcome, Fetched) or len(outcome.page.text) < LEAST_DUPLICATE_CHARS:
            continue
        content = (work.lease.domain_id, outcome.page.content_hash)
        asked.append((visit.target.id, *content))
        twin = first_in_batch.setdefault(content, visit)
        if twin.target.id != visit.target.id:
            twins[visit.target.id] = twin.target.url
    if not asked:
        return {}
    rows = await connection.fetch(
        "SELECT v.url_id, u.url"
        " FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(url_id, domain_id, content_hash)"
        " CROSS JOIN LATERAL (SELECT p.url_id FROM pages p WHERE p.domain_id = v.domain_id"
        "   AND p.content_hash = v.content_hash AND p.url_id <> v.url_id LIMIT 1) twin"
        " JOIN urls u ON u.id = twin.url_id",
        *to_arrays(asked),
    )
    return twins | {row[0]: row[1] for row in rows}


async def _update_urls(
    connection: Connection, works: Sequence[DomainWork], duplicates: dict[int, str]
) -> None:
    # A row can be updated once by a statement: of two visits to a url the last one counts.
    rows = {visit.target.id: url_values(visit, duplicates) for _, visit in iter_visits(works)}
    if not rows:
        return
    await connection.execute(
        "UPDATE urls u SET due_at = v.due_at, fate = v.fate, reason = v.reason, detail = v.detail,"
        " to_url = v.to_url, attempts = v.attempts, status = coalesce(v.status, u.status),"
        " fetched_at = coalesce(v.fetched_at, u.fetched_at), etag = v.etag,"
        " last_modified = v.last_modified, content_hash = v.content_hash"
        " FROM unnest($1::float8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[],"
        "  $8::float8[], $9::text[], $10::text[], $11::bigint[], $12::bigint[]) AS v(due_at, fate, reason,"
        "  detail, to_url, attempts, status, fetched_at, etag, last_modified, content_hash, id)"
        " WHERE u.id = v.id",
        *to_arrays(rows.values()),
    )
    # A suspect that was read well is no suspect any more.
    cleared = [
        visit.target.id
        for _, visit in iter_visits(works)
        if visit.target.crashes and isinstance(visit.outcome, Fetched)
    ]
    if cleared:
        await connection.execute("UPDATE urls SET crashes = 0 WHERE id = ANY($1::bigint[])", cleared)


async def _save_pages(connection: Connection, works: Sequence[DomainWork]) -> None:
    rows = {
        visit.target.id: page_values(work.lease.domain_id, visit, visit.outcome)
        for work, visit in iter_visits(works)
        if isinstance(visit.outcome, Fetched)
    }
    if not rows:
        return
    await connection.execute(
        "INSERT INTO pages (url_id, domain_id, status, content_type, charset, language, body_bytes, title,"
        " description, canonical, content_hash, text, links_count, links, fetched_at, changed_at)"
        " SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[],"
        "  $7::int[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bytea[], $13::int[],"
        "  $14::bytea[], $15::float8[], $16::float8[])"
        " ON CONFLICT (url_id) DO UPDATE SET status = excluded.status,"
        " content_type = excluded.content_type, charset = excluded.charset, language = excluded.language,"
        " body_bytes = excluded.body_bytes, title = excluded.title, description = excluded.description,"
        " canonical = excluded.canonical, content_hash = excluded.content_hash, text = excluded.text,"
        " links_count = excluded.links_count, links = excluded.links, fetched_at = excluded.fetched_at,"
        " changed_at = CASE WHEN pages.content_hash = excluded.content_hash THEN pages.changed_at"
        "   ELSE excluded.changed_at END",
        *to_arrays(rows.values()),
    )


async def _add_visits(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
    rows = visit_rows(batch, works)
    if not rows:
        return
    await connection.execute(
        "INSERT INTO visits (run_id, worker_id, domain_id, url_id, at, duration_s, outcome, status,"
        " wire_bytes, error_kind, error_detail) SELECT * FROM unnest($1::int[], $2::int[], $3::bigint[],"
        "  $4::bigint[], $5::float8[], $6::float8[], $7::text[], $8::int[], $9::int[], $10::text[],"
        "  $11::text[])",
        *to_arrays(rows),
    )


async def _save_robots(connection: Connection, works: Sequence[DomainWork]) -> None:
    for work in works:
        for robots in work.robots:
            if robots.record is None:
                continue
            # No answer: an older copy, if there is one, stays in force.
            await connection.execute(
                "INSERT INTO robots (origin, domain_id, status, body, fetched_at, expires_at, error)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (origin) DO UPDATE SET"
                " domain_id = excluded.domain_id, status = excluded.status, body = excluded.body,"
                " fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,"
                " error = excluded.error WHERE excluded.error IS NULL OR robots.error IS NOT NULL",
                *without_nul(robots_values(work.lease.domain_id, robots.record)),
            )


# --- counters ------------------------------------------------------------------------------------


async def _update_domains(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], now: Instant
) -> None:
    if not works:
        return
    # `avail_at` stands in an index: moved only when half of the lease is over, it costs most batches nothing.
    await connection.execute(
        f"UPDATE domains d SET {STATE_ASSIGNMENTS}, pages_crawled = d.pages_crawled + v.pages,"
        " queued = d.queued - v.settled, requests = d.requests + v.requests,"
        " wire_bytes = d.wire_bytes + v.wire_bytes, total_errors = d.total_errors + v.errors,"
        " depth_reached = greatest(d.depth_reached, v.depth),"
        " last_crawled_at = coalesce(v.last_crawled_at, d.last_crawled_at), last_run_id = $1,"
        " run_pages = v.run_pages, first_blocked_at = CASE WHEN v.block_code IS NULL THEN NULL"
        "   ELSE coalesce(d.first_blocked_at, $2::float8) END,"
        " claim_expires_at = $2::float8 + $3::float8,"
        " avail_at = CASE WHEN d.avail_at > $2::float8 + $3::float8 / 2 THEN d.avail_at"
        "   ELSE $2::float8 + $3::float8 END"
        f" FROM unnest($4::bigint[], $5::int[], $6::int[], $7::int[], $8::int[], $9::bigint[], $10::int[],"
        f"  $11::int[], $12::float8[], {state_arrays(13)}) AS v(id, run_pages, pages, settled, requests,"
        f"  wire_bytes, errors, depth, last_crawled_at, {STATE_NAMES}) WHERE d.id = v.id",
        batch.run_id,
        now,
        batch.lease_s,
        *to_arrays(_domain_values(work) for work in works),
    )


def _domain_values(work: DomainWork) -> tuple[Any, ...]:
    return (work.lease.domain_id, work.state.run_pages, *count_work(work), *state_values(work.state))


async def _update_run(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], now: Instant
) -> tuple[RunState, int, bool]:
    """Where the run stands, and whether another worker is hungry. Last of all: every worker waits for this
    row."""
    requests = wire_bytes = pages = 0
    for work in works:
        counts = count_work(work)
        requests += counts[2]
        wire_bytes += counts[3]
        pages += sum(isinstance(visit.outcome, Fetched) for visit in work.visits)
    hungry = IS_HUNGRY.format(run_id="$1", since="$6", worker_id="$5")
    row = await connection.fetchrow(
        "WITH used AS (UPDATE workers SET granted = greatest(granted - $4::int, 0)"
        "   WHERE id = $5 AND granted > 0)"
        " UPDATE runs SET requests = requests + $2, wire_bytes = wire_bytes + $3, pages = pages + $4::int"
        f" WHERE id = $1 RETURNING state, pages, {hungry}",
        batch.run_id,
        requests,
        wire_bytes,
        pages,
        batch.worker_id,
        now - batch.lease_s,
    )
    return RunState(row[0]), row[1], row[2]
