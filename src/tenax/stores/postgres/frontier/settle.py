"""Settling: one transaction turns a batch of visits into rows. See contracts/frontier.py.

Every table is written by one statement with an array per column: about twelve round trips for a batch of any
size. The rows of `domains` are locked last, since others wait for them: either every lease is still valid
then, or the transaction is rolled back and repeated without those that are not.
"""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.record import replace
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
from tenax.stores.hot.discovery.discovered import discovered_rows
from tenax.stores.hot.discovery.yields import count_page_yields
from tenax.stores.hot.images import ImageCounts, count_found, image_rows
from tenax.stores.hot.outcomes import date_works, iter_discovered, list_probes
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.revisits import plan_revisits
from tenax.stores.hot.statements import HURRY_PROBE
from tenax.stores.hot.stats import count_works
from tenax.stores.hot.vitals import assign_vitals, vital_values
from tenax.stores.postgres.bodies import save_bodies
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.counters import count_settled
from tenax.stores.postgres.frontier.discovery.discovered import save_discovered
from tenax.stores.postgres.frontier.discovery.intake import find_intake
from tenax.stores.postgres.frontier.discovery.sitemaps import save_notes, settle_sitemaps
from tenax.stores.postgres.frontier.discovery.yields import add_yields
from tenax.stores.postgres.frontier.domain_events import save_transitions
from tenax.stores.postgres.frontier.images import count_shown, save_images
from tenax.stores.postgres.frontier.items.counts import save_errors, save_parser_counts
from tenax.stores.postgres.frontier.items.follow_ups import lock_urls, settle_follow_ups
from tenax.stores.postgres.frontier.items.settling import settle_items
from tenax.stores.postgres.frontier.learned.traps import save_traps
from tenax.stores.postgres.frontier.merging import settle_classes
from tenax.stores.postgres.frontier.pages import add_changes, add_visits, save_pages, save_robots
from tenax.stores.postgres.frontier.renewal import renew_leases
from tenax.stores.postgres.frontier.shares import IS_HUNGRY, find_share_to_keep
from tenax.stores.postgres.frontier.similarity import find_near, save_near
from tenax.stores.postgres.frontier.stats import save_counts
from tenax.stores.postgres.frontier.url_domains import UrlDomain, ensure_domains
from tenax.stores.postgres.frontier.urls import InsertedUrls, insert_urls, save_seeds
from tenax.stores.postgres.frontier.visited_urls import find_duplicates, update_urls
from tenax.stores.postgres.guesses import save_learned

_HURRY_PROBE = to_postgres(HURRY_PROBE)


async def settle_batch(connection: Connection, batch: Batch, source_id: int, clock: StoreClock) -> Settled:
    now, drift_s = clock.now(), clock.drift_s
    wall = now + drift_s
    begun = await _begin(connection, batch, source_id, now)
    if begun is None:
        # It was settled before, but the worker did not get the answer.
        return await _renew(connection, batch, source_id, now)
    (share,) = begun
    works, homes = await _keep_valid(connection, batch.works)
    if not works:
        return await _renew(connection, batch, source_id, now)
    works = date_works(works, drift_s)
    if batch.has_parsers:
        await lock_urls(connection, works)
    duplicates = await find_duplicates(connection, works)
    near = await find_near(connection, works, duplicates, batch.similarity)
    revisits = plan_revisits(works, batch.refresh, near.unkept)
    await update_urls(connection, batch.run_id, works, duplicates, revisits)
    revived = Counter(await settle_classes(connection, works, now))
    revived += await settle_sitemaps(connection, batch, works, now)
    again = [visit.target.id for visit in revisits.again]
    shown_before = await count_shown(connection, again)
    await add_changes(connection, batch, revisits)
    await save_near(connection, near)
    await save_pages(connection, works, near)
    shown_after = await count_shown(connection, again)
    await add_visits(connection, batch, works)
    await save_bodies(connection, batch, works)
    await save_robots(connection, works)
    await save_learned(connection, works, wall)
    await save_traps(connection, works, wall)
    await save_transitions(connection, ((work.lease, work.state) for work in works), drift_s)
    inserted = await _add_discovered(connection, batch, works, homes, (now, wall), source_id)
    for probe in list_probes(works):
        await connection.execute(_HURRY_PROBE, *probe)
    await save_notes(connection, works)
    ways = count_page_yields(works)
    ways.update(inserted.ways)
    await add_yields(connection, ways)
    images = ImageCounts(
        found=count_found(works, shown_before, shown_after, near.unkept),
        stored=await save_images(connection, image_rows(batch, works, wall)),
    )
    await save_discovered(connection, discovered_rows(works, wall))
    if batch.has_parsers:
        queued = await settle_follow_ups(connection, works, source_id, now)
        inserted, revived = _add_queued(inserted, revived, queued, {work.lease.domain_id for work in works})
        await settle_items(connection, batch, works, source_id)
        await save_parser_counts(connection, works, source_id)
    await save_errors(connection, batch, works, source_id)
    counts = count_works(works, inserted.new, len(near.originals), batch.local_failures)
    await save_counts(connection, batch.worker_id, counts, wall)
    state, pages = await count_settled(connection, batch, works, revisits, images, (inserted, revived), now)
    valid = {work.lease.domain_id for work in works}
    return Settled(
        lost=frozenset(work.lease.domain_id for work in batch.works) - valid,
        run_pages=pages,
        expires_at=now + batch.lease_s,
        run_state=state,
        share=share,
    )


def _add_queued(
    inserted: InsertedUrls, revived: Counter[int], queued: dict[int, int], held: set[int]
) -> tuple[InsertedUrls, Counter[int]]:
    """Count known urls that were queued: those of domains of the batch, and others."""
    own = {domain_id: number for domain_id, number in queued.items() if domain_id in held}
    others = Counter(inserted.again) + Counter(
        {domain_id: number for domain_id, number in queued.items() if domain_id not in held}
    )
    return replace(inserted, again=others), revived + Counter(own)


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
    """Begin a batch. Returns the worker's share in a tuple if another one is hungry; None: the batch was
    settled before."""
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
    """Leave out the domains that another worker has claimed meanwhile; returns also those that are left, by
    name."""
    rows = await connection.fetch(
        "SELECT id, version, source_id, mixed FROM domains WHERE id = ANY($1::bigint[])",
        [work.lease.domain_id for work in works],
    )
    versions = {row["id"]: row["version"] for row in rows}
    homes = {
        row["id"]: UrlDomain(id=row["id"], source_id=row["source_id"], mixed=row["mixed"]) for row in rows
    }
    valid = [work for work in works if versions.get(work.lease.domain_id) == work.lease.version]
    return valid, {work.lease.domain: homes[work.lease.domain_id] for work in valid}


async def _add_discovered(
    connection: Connection,
    batch: Batch,
    works: Sequence[DomainWork],
    homes: dict[str, UrlDomain],
    times: tuple[Instant, Instant],
    source_id: int,
) -> InsertedUrls:
    """`works`: those of the batch that are valid; `homes`: their domains. `times`: see insert_urls."""
    intake = await find_intake(connection, batch)
    await save_seeds(connection, iter_discovered(works), times[1], source_id)
    foreign = {url.domain for url in iter_discovered(works)} - homes.keys()
    homes = homes | await ensure_domains(connection, foreign, times[1], source_id)
    return await insert_urls(connection, iter_discovered(works), homes, times, source_id, intake)
