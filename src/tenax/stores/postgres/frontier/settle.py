"""Settling: one transaction turns a batch of ended visits into rows. See base.FrontierStore.settle.

Every table is written by one statement with an array per column: a dozen round trips for a batch of any size.
The rows of `domains` are locked last, since others wait for them: then it is known that every lease still
stands, or the transaction is rolled back and done again without those that do not.
"""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.policy.revisit import keeps_fate
from tenax.records import Fetched, RobotsRecord, Visit
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
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
from tenax.stores.hot.discovered import discovered_rows
from tenax.stores.hot.images import ImageCounts, count_found, image_rows
from tenax.stores.hot.outcomes import (
    IS_ORIGINAL,
    LEAST_DUPLICATE_CHARS,
    date_works,
    header_rows,
    is_as_before,
    iter_discovered,
    iter_visits,
    list_readdressed,
    page_values,
    robots_values,
    url_values,
    visit_rows,
)
from tenax.stores.hot.revisits import (
    KEEP_FATE,
    Revisits,
    change_rows,
    kept_values,
    list_unwanted,
    plan_revisits,
)
from tenax.stores.hot.stats import count_works
from tenax.stores.hot.vitals import assign_vitals, vital_values
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.counters import count_settled
from tenax.stores.postgres.frontier.discovered import save_discovered
from tenax.stores.postgres.frontier.domain_events import save_transitions
from tenax.stores.postgres.frontier.images import count_shown, save_images
from tenax.stores.postgres.frontier.merging import settle_classes
from tenax.stores.postgres.frontier.renewal import renew_leases
from tenax.stores.postgres.frontier.shares import IS_HUNGRY, find_share_to_keep
from tenax.stores.postgres.frontier.statements import to_arrays
from tenax.stores.postgres.frontier.stats import save_counts
from tenax.stores.postgres.frontier.urls import (
    InsertedUrls,
    UrlDomain,
    ensure_domains,
    insert_urls,
    save_seeds,
)


async def settle_batch(connection: Connection, batch: Batch, source_id: int, clock: StoreClock) -> Settled:
    now, drift_s = clock.now(), clock.drift_s
    wall = now + drift_s
    begun = await _begin(connection, batch, source_id, now)
    if begun is None:
        # It was settled before; whoever sent it did not hear of it.
        return await _renew(connection, batch, source_id, now)
    (share,) = begun
    works, homes = await _keep_valid(connection, batch.works)
    if not works:
        return await _renew(connection, batch, source_id, now)
    works = date_works(works, drift_s)
    duplicates = await _find_duplicates(connection, works)
    revisits = plan_revisits(works, batch.refresh)
    await _update_urls(connection, batch.run_id, works, duplicates, revisits)
    revived = await settle_classes(connection, works, now)
    again = [visit.target.id for visit in revisits.again]
    shown_before = await count_shown(connection, again)
    await _add_changes(connection, batch, revisits)
    await _save_pages(connection, works)
    shown_after = await count_shown(connection, again)
    await _add_visits(connection, batch, works)
    await _save_robots(connection, works)
    await save_transitions(connection, ((work.lease, work.state) for work in works), drift_s)
    inserted = await _add_discovered(connection, works, homes, (now, wall), source_id)
    images = ImageCounts(
        found=count_found(works, shown_before, shown_after),
        stored=await save_images(connection, image_rows(batch, works, wall)),
    )
    await save_discovered(connection, discovered_rows(works, wall))
    counts = count_works(works, inserted.new, batch.local_failures)
    await save_counts(connection, batch.worker_id, counts, wall)
    queued = (inserted, revived)
    state, pages = await count_settled(connection, batch, works, revisits, images, queued, now)
    valid = {work.lease.domain_id for work in works}
    return Settled(
        lost=frozenset(work.lease.domain_id for work in batch.works) - valid,
        run_pages=pages,
        expires_at=now + batch.lease_s,
        run_state=state,
        share=share,
    )


async def _renew(connection: Connection, batch: Batch, source_id: int, now: Instant) -> Settled:
    leases = [work.lease for work in batch.works]
    return await renew_leases(
        connection, source_id, batch.worker_id, batch.run_id, leases, batch.lease_s, batch.vitals, now
    )


_IS_ANOTHER_HUNGRY = IS_HUNGRY.format(run_id="$3", since="$4 - $5::float8", worker_id="$1")
_BEGIN_BATCH = f"""
    UPDATE workers
    SET
        heartbeat_at = $4,
        last_batch = $2,
        {assign_vitals("$", 6)}
    WHERE id = $1 AND last_batch < $2
    RETURNING {_IS_ANOTHER_HUNGRY}
"""


async def _begin(
    connection: Connection, batch: Batch, source_id: int, now: Instant
) -> tuple[int | None] | None:
    """The worker's share while another one is hungry; nothing at all: it was settled before."""
    is_wanted = await connection.fetchval(
        _BEGIN_BATCH,
        batch.worker_id,
        batch.number,
        batch.run_id,
        now,
        batch.lease_s,
        *vital_values(batch.vitals),
    )
    if is_wanted is None:
        return None
    if not is_wanted:
        return (None,)
    share = await find_share_to_keep(
        connection,
        source_id=source_id,
        worker_id=batch.worker_id,
        run_id=batch.run_id,
        lease_s=batch.lease_s,
        now=now,
    )
    return (share,)


async def _keep_valid(
    connection: Connection, works: Sequence[DomainWork]
) -> tuple[list[DomainWork], dict[str, UrlDomain]]:
    """Without the domains that somebody else has claimed meanwhile; and those that are left, by name."""
    rows = await connection.fetch(
        "SELECT id, version, source_id, mixed FROM domains WHERE id = ANY($1::bigint[])",
        [work.lease.domain_id for work in works],
    )
    versions = {row[0]: row[1] for row in rows}
    homes = {row[0]: UrlDomain(id=row[0], source_id=row[2], mixed=row[3]) for row in rows}
    valid = [work for work in works if versions.get(work.lease.domain_id) == work.lease.version]
    return valid, {work.lease.domain: homes[work.lease.domain_id] for work in valid}


async def _add_discovered(
    connection: Connection,
    works: Sequence[DomainWork],
    homes: dict[str, UrlDomain],
    times: tuple[Instant, Instant],
    source_id: int,
) -> InsertedUrls:
    """`homes`: the domains of the works. `times`: see insert_urls."""
    await save_seeds(connection, iter_discovered(works), times[1], source_id)
    foreign = {url.domain for url in iter_discovered(works)} - homes.keys()
    homes = homes | await ensure_domains(connection, foreign, times[1], source_id)
    return await insert_urls(connection, iter_discovered(works), homes, times, source_id)


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


async def _find_duplicates(connection: Connection, works: Sequence[DomainWork]) -> dict[int, str]:
    """For fetched urls whose text another page of the domain has: the url of that page."""
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


async def _update_urls(
    connection: Connection,
    run_id: int,
    works: Sequence[DomainWork],
    duplicates: dict[int, str],
    revisits: Revisits,
) -> None:
    # A row can be updated once by a statement: of two visits to a url the last one counts.
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
    # A suspect that was read well is no suspect any more.
    cleared = [
        visit.target.id
        for _, visit in iter_visits(works)
        if visit.target.crashes and isinstance(visit.outcome, Fetched)
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
    # Of two visits to a url the last one counts.
    rows = {url_id: headers for headers, url_id in header_rows(works)}
    if rows:
        await connection.execute(_SAVE_HEADERS, *to_arrays(rows.items()))


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


async def _add_changes(connection: Connection, batch: Batch, revisits: Revisits) -> None:
    """Before the pages are replaced: what they were is a part of it."""
    if rows := change_rows(batch.run_id, revisits.again):
        await connection.execute(_INSERT_CHANGES, *to_arrays(rows))
    if unwanted := list_unwanted(revisits.again):
        await connection.execute("DELETE FROM pages WHERE url_id = ANY($1::bigint[])", unwanted)


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


async def _save_pages(connection: Connection, works: Sequence[DomainWork]) -> None:
    rows = {
        visit.target.id: page_values(work.lease.domain_id, visit, visit.outcome)
        for work, visit in iter_visits(works)
        if isinstance(visit.outcome, Fetched)
    }
    if not rows:
        return
    await connection.execute(_SAVE_PAGES, *to_arrays(rows.values()))


_INSERT_VISITS = f"""
    INSERT INTO visits ({VISIT_COLUMNS})
    SELECT * FROM unnest({join_arrays(VISIT_NAMES, VISITS)})
"""


async def _add_visits(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
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


async def _save_robots(connection: Connection, works: Sequence[DomainWork]) -> None:
    newest: dict[str, tuple[int, RobotsRecord]] = {}
    for work in works:
        for record in (robots.record for robots in work.robots if robots.record is not None):
            # No answer: an older copy, if there is one, stays in force; also one of the same batch.
            earlier = newest.get(record.origin)
            if record.error is None or earlier is None or earlier[1].error is not None:
                newest[record.origin] = (work.lease.domain_id, record)
    if not newest:
        return
    await connection.execute(_SAVE_ROBOTS, *to_arrays(robots_values(*each) for each in newest.values()))
