"""The last statement of settling: locks domains and the run, checks the fences, updates all counters.

It is one statement, since others wait for these rows, and a worker's loop is busy with pages between two
statements.
"""

from collections.abc import Sequence
from typing import Any

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.images import ImageCounts
from tenax.stores.hot.items.found import count_items
from tenax.stores.hot.outcomes import count_work, sum_works
from tenax.stores.hot.revisits import Revisits
from tenax.stores.hot.rows import STATE_COLUMNS, StateColumns, state_values
from tenax.stores.postgres.connection.errors import ConcurrentUpdate
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.domain_events import INSERT_WAKES
from tenax.stores.postgres.frontier.statements import STATE_ASSIGNMENTS, state_arrays, to_arrays
from tenax.stores.postgres.frontier.urls import COUNT_ADDED, InsertedUrls, count_others

# 1. All rows are locked, in the order of their ids. 2. Rows with a valid lease are written. `avail_at` is in
# an index: it is only moved when half of the lease is over, so most batches do not touch the index. 3. If
# these were all, the run follows, for whose row every worker waits, and the domains of others that got urls.
# Not if a domain moved to another source meanwhile, or others have found urls there: what was written is
# wrong then.
_HELD = "(SELECT count(*) FROM held) > 0"
_FIRST_HOME = 28 + len(StateColumns._fields)
_SEEN = (
    f"unnest(${_FIRST_HOME}::bigint[], ${_FIRST_HOME + 1}::int[], ${_FIRST_HOME + 2}::int[])"
    " AS v(id, source_id, mixed)"
)
_DUE, _POSTPONED, _TAKEN_S, _ITEMS = (f"${_FIRST_HOME + number}" for number in (3, 4, 5, 6))
_IS_OTHER = "h.source_id <> v.source_id OR h.mixed <> v.mixed"
_COUNT = f"""
    WITH held AS MATERIALIZED (
        SELECT id, status, source_id, mixed
        FROM domains
        WHERE id = ANY($4::bigint[])
        ORDER BY id
        FOR UPDATE
    ),
    own AS (
        UPDATE domains d
        SET
            {STATE_ASSIGNMENTS},
            pages_discovered = d.pages_discovered + v.added,
            queued = d.queued + v.added - v.settled,
            pages_crawled = d.pages_crawled + v.pages,
            requests = d.requests + v.requests,
            wire_bytes = d.wire_bytes + v.wire_bytes,
            total_errors = d.total_errors + v.errors,
            depth_reached = greatest(d.depth_reached, v.depth),
            last_crawled_at = greatest(v.last_crawled_at, d.last_crawled_at),
            last_run_id = $2,
            run_pages = v.run_pages,
            first_blocked_at = CASE
                WHEN v.block_code IS NULL THEN NULL
                ELSE coalesce(d.first_blocked_at, tenax_now())
            END,
            claim_expires_at = $1::float8 + $3::float8,
            avail_at = CASE
                WHEN d.avail_at > $1::float8 + $3::float8 / 2 THEN d.avail_at
                ELSE $1::float8 + $3::float8
            END,
            pages_changed = d.pages_changed + v.changed,
            revisit_at = least(d.revisit_at, v.revisit_at),
            images_found = d.images_found + v.images_found,
            images_stored = d.images_stored + v.images_stored
        FROM unnest(
            $13::bigint[], $14::int[], $15::int[], $16::int[], $17::int[], $18::int[], $19::int[],
            $20::bigint[], $21::int[], $22::int[], $23::float8[], $24::int[], $25::float8[], $26::int[],
            $27::int[], {state_arrays(28)}
        ) AS v(
            id, version, added, run_pages, pages, settled, requests, wire_bytes, errors, depth,
            last_crawled_at, changed, revisit_at, images_found, images_stored, {STATE_COLUMNS}
        )
        WHERE d.id = v.id
            AND d.version = v.version
            AND {_HELD}
        RETURNING d.id
    ),
    woken AS ({INSERT_WAKES.format(held="held", ids="$5")}),
    others AS ({COUNT_ADDED.format(ids="$5", numbers="$6", due=_DUE)} AND {_HELD}),
    used AS (
        UPDATE workers
        SET granted = greatest(granted - $10::int, 0)
        WHERE id = $7 AND granted > 0
    )
    UPDATE runs
    SET
        requests = requests + $8,
        wire_bytes = wire_bytes + $9,
        pages = pages + $10::int,
        visits = visits + $11,
        failed = failed + $12,
        postponed = postponed + {_POSTPONED},
        items = items + {_ITEMS},
        intake_at = CASE
            WHEN {_TAKEN_S}::float8 > 0 THEN greatest(intake_at, $1::float8) + {_TAKEN_S}::float8
            ELSE intake_at
        END
    WHERE id = $2
        AND (SELECT count(*) FROM own) = cardinality($13::bigint[])
        AND NOT EXISTS (
            SELECT 1
            FROM {_SEEN}
            JOIN held h ON h.id = v.id
            WHERE {_IS_OTHER}
        )
        AND NOT EXISTS (
            SELECT 1
            FROM {_SEEN}
            JOIN domains h ON h.id = v.id
            WHERE {_IS_OTHER}
        )
    RETURNING state, pages
"""


async def count_settled(
    connection: Connection,
    batch: Batch,
    works: Sequence[DomainWork],
    revisits: Revisits,
    images: ImageCounts,
    queued: tuple[InsertedUrls, dict[int, int]],
    now: Instant,
) -> tuple[RunState, int]:
    """Update the counters; returns the state of the run and its pages. `works`: at least one; `queued`: new
    urls, and by domain those that are visited after all. Raises ConcurrentUpdate if one of the leases was
    lost meanwhile, or one of the domains moved to another source."""
    inserted, revived = queued
    own, added = {work.lease.domain_id for work in works}, inserted.added
    others = {domain_id: number for domain_id, number in added.items() if domain_id not in own}
    values = [
        _domain_values(
            work, revisits, images, added.get(work.lease.domain_id, 0), revived.get(work.lease.domain_id, 0)
        )
        for work in works
    ]
    homes = inserted.homes
    row = await connection.fetchrow(
        _COUNT,
        now,
        batch.run_id,
        batch.lease_s,
        sorted({*own, *others, *inserted.again, *inserted.strange}),
        list(others),
        list(others.values()),
        batch.worker_id,
        *sum_works(works),
        *to_arrays(values),
        [home.id for home in homes],
        [home.source_id for home in homes],
        [home.mixed for home in homes],
        [inserted.first_due.get(domain_id) for domain_id in others],
        inserted.postponed,
        inserted.taken_s,
        count_items(works) if batch.has_parsers else 0,
    )
    if row is None:
        raise ConcurrentUpdate
    await count_others(connection, inserted, now)
    return RunState(row[0]), row[1]


def _domain_values(
    work: DomainWork, revisits: Revisits, images: ImageCounts, added: int, revived: int
) -> tuple[Any, ...]:
    lease, state = work.lease, work.state
    domain_id = lease.domain_id
    found = (revisits.changed[domain_id], revisits.earliest[domain_id])
    seen = (images.found[domain_id], images.stored[domain_id])
    own = (domain_id, lease.version, added, state.run_pages)
    return (*own, *count_work(work, revived, revisits.unkept), *found, *seen, *state_values(state))
