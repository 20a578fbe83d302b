"""Settling: one transaction turns a batch of visits into rows. See contracts/frontier.py."""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
from tenax.stores.hot.discovery.discovered import discovered_rows
from tenax.stores.hot.discovery.yields import count_page_yields
from tenax.stores.hot.images import ImageCounts, count_found, image_rows
from tenax.stores.hot.items.found import count_items
from tenax.stores.hot.outcomes import count_work, date_works, iter_discovered, list_probes, sum_works
from tenax.stores.hot.revisits import Revisits, plan_revisits
from tenax.stores.hot.rows import state_values
from tenax.stores.hot.statements import HURRY_PROBE
from tenax.stores.hot.stats import count_works
from tenax.stores.hot.vitals import assign_vitals, vital_values
from tenax.stores.sqlite.bodies import save_bodies
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.discovery.discovered import save_discovered
from tenax.stores.sqlite.frontier.discovery.intake import find_intake
from tenax.stores.sqlite.frontier.discovery.sitemaps import settle_sitemaps
from tenax.stores.sqlite.frontier.discovery.yields import add_yields
from tenax.stores.sqlite.frontier.domain_events import save_transitions
from tenax.stores.sqlite.frontier.images import count_shown, save_images
from tenax.stores.sqlite.frontier.items.counts import save_errors, save_parser_counts
from tenax.stores.sqlite.frontier.items.follow_ups import settle_follow_ups
from tenax.stores.sqlite.frontier.items.settling import settle_items
from tenax.stores.sqlite.frontier.learned.traps import save_traps
from tenax.stores.sqlite.frontier.merging import settle_classes
from tenax.stores.sqlite.frontier.pages import add_changes, add_visits, save_pages, save_robots
from tenax.stores.sqlite.frontier.renewal import renew_leases
from tenax.stores.sqlite.frontier.shares import find_share_to_keep
from tenax.stores.sqlite.frontier.similarity import find_near, save_near
from tenax.stores.sqlite.frontier.statements import STATE_ASSIGNMENTS
from tenax.stores.sqlite.frontier.stats import save_counts
from tenax.stores.sqlite.frontier.urls import AddedUrls, insert_urls
from tenax.stores.sqlite.frontier.visited_urls import find_duplicates, update_urls
from tenax.stores.sqlite.guesses import save_learned


def settle_batch(connection: Connection, batch: Batch, source_id: int) -> Settled:
    now, drift_s = connection.execute("SELECT now_s(), drift_s()").fetchone()
    wall = now + drift_s
    expires_at = now + batch.lease_s
    if not _begin(connection, batch, now):
        leases = [work.lease for work in batch.works]
        return renew_leases(
            connection, source_id, batch.worker_id, batch.run_id, leases, batch.lease_s, batch.vitals
        )
    works, lost = _check_fences(connection, batch.works)
    works = date_works(works, drift_s)
    inserted = insert_urls(
        connection,
        iter_discovered(works),
        now,
        source_id=source_id,
        intake=find_intake(connection, batch),
    )
    connection.executemany(HURRY_PROBE, list_probes(works))
    duplicates = find_duplicates(connection, works)
    near = find_near(connection, works, duplicates, batch.similarity)
    revisits = plan_revisits(works, batch.refresh, near.unkept)
    update_urls(connection, batch.run_id, works, duplicates, revisits)
    revived = settle_classes(connection, works, now) + settle_sitemaps(connection, batch, works, now)
    if batch.has_parsers:
        revived += settle_follow_ups(connection, works, source_id, now)
        settle_items(connection, batch, works, source_id)
        save_parser_counts(connection, works, source_id)
    save_errors(connection, batch, works, source_id)
    add_yields(connection, count_page_yields(works))
    again = [visit.target.id for visit in revisits.again]
    shown_before = count_shown(connection, again)
    add_changes(connection, batch, revisits)
    save_near(connection, near)
    save_pages(connection, works, near)
    images = ImageCounts(
        found=count_found(works, shown_before, count_shown(connection, again), near.unkept),
        stored=save_images(connection, image_rows(batch, works, wall)),
    )
    save_discovered(connection, discovered_rows(works, wall))
    add_visits(connection, batch, works)
    save_bodies(connection, batch, works)
    save_robots(connection, works)
    save_learned(connection, works, wall)
    save_traps(connection, works, wall)
    save_transitions(connection, ((work.lease, work.state) for work in works))
    _update_domains(connection, batch, works, revisits, images, revived, (expires_at, wall))
    state, pages = _update_run(connection, batch, works, inserted, now)
    counts = count_works(works, inserted.new, len(near.originals), batch.local_failures)
    save_counts(connection, batch.worker_id, counts, wall)
    share = find_share_to_keep(
        connection,
        source_id=source_id,
        worker_id=batch.worker_id,
        run_id=batch.run_id,
        lease_s=batch.lease_s,
        now=now,
    )
    return Settled(lost=lost, run_pages=pages, expires_at=expires_at, run_state=state, share=share)


_BEGIN_BATCH = f"""
    UPDATE workers
    SET
        heartbeat_at = ?1,
        last_batch = ?2,
        {assign_vitals("?", 4)}
    WHERE id = ?3 AND last_batch < ?2
"""


def _begin(connection: Connection, batch: Batch, now: Instant) -> bool:
    """Begin a batch. False: it was settled before, but the worker did not get the answer."""
    cursor = connection.execute(
        _BEGIN_BATCH, (now, batch.number, batch.worker_id, *vital_values(batch.vitals))
    )
    return bool(cursor.rowcount)


def _check_fences(
    connection: Connection, works: Sequence[DomainWork]
) -> tuple[list[DomainWork], frozenset[int]]:
    """Separate the domains that another worker has claimed meanwhile."""
    valid, lost = [], []
    for work in works:
        lease = work.lease
        row = connection.execute("SELECT version FROM domains WHERE id = ?", (lease.domain_id,)).fetchone()
        if row is not None and row[0] == lease.version:
            valid.append(work)
        else:
            lost.append(lease.domain_id)
    return valid, frozenset(lost)


_UPDATE_DOMAINS = f"""
    UPDATE domains
    SET
        {STATE_ASSIGNMENTS},
        pages_crawled = pages_crawled + ?,
        queued = queued - ?,
        requests = requests + ?,
        wire_bytes = wire_bytes + ?,
        total_errors = total_errors + ?,
        depth_reached = max(depth_reached, ?),
        last_crawled_at = max(coalesce(last_crawled_at, 0), coalesce(?, last_crawled_at)),
        last_run_id = ?,
        run_pages = ?,
        first_blocked_at = CASE WHEN ? IS NULL THEN NULL ELSE coalesce(first_blocked_at, ?) END,
        claim_expires_at = ?,
        avail_at = ?,
        pages_changed = pages_changed + ?,
        revisit_at = coalesce(min(revisit_at, ?), revisit_at, ?),
        images_found = images_found + ?,
        images_stored = images_stored + ?
    WHERE id = ?
"""


def _update_domains(
    connection: Connection,
    batch: Batch,
    works: Sequence[DomainWork],
    revisits: Revisits,
    images: ImageCounts,
    revived: Counter[int],
    times: tuple[Instant, Instant],
) -> None:
    """`revived`: urls that were queued again, by domain. `times`: when the leases end, by the store's clock;
    now, by the calendar."""
    expires_at, wall = times
    connection.executemany(
        _UPDATE_DOMAINS,
        [
            (
                *state_values(work.state),
                *count_work(work, revived[work.lease.domain_id], revisits.unkept),
                batch.run_id,
                work.state.run_pages,
                work.state.block_code,
                wall,
                expires_at,
                expires_at,
                revisits.changed[work.lease.domain_id],
                *(revisits.earliest[work.lease.domain_id],) * 2,
                images.found[work.lease.domain_id],
                images.stored[work.lease.domain_id],
                work.lease.domain_id,
            )
            for work in works
        ],
    )


_UPDATE_RUN = """
    UPDATE runs
    SET
        requests = requests + ?1,
        wire_bytes = wire_bytes + ?2,
        pages = pages + ?3,
        visits = visits + ?4,
        failed = failed + ?5,
        postponed = postponed + ?6,
        intake_at = CASE
            WHEN ?7 > 0 THEN max(coalesce(intake_at, 0), ?8) + ?7
            ELSE intake_at
        END,
        items = items + ?9
    WHERE id = ?10
    RETURNING state, pages
"""


def _update_run(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], inserted: AddedUrls, now: Instant
) -> tuple[RunState, int]:
    counts = sum_works(works)
    taken = (inserted.postponed, inserted.taken_s, now)
    items = count_items(works) if batch.has_parsers else 0
    row = connection.execute(_UPDATE_RUN, (*counts, *taken, items, batch.run_id)).fetchone()
    connection.execute(
        "UPDATE workers SET granted = max(granted - ?, 0) WHERE id = ? AND granted > 0",
        (counts[2], batch.worker_id),
    )
    return RunState(row[0]), row[1]
