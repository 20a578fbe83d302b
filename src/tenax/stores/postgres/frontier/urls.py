"""Adding urls and domains, shared by seeding and settling. The caller is inside a transaction.

A fixed order keeps transactions from deadlocks: 1. rows below a domain that its holder writes, 2. the lock of
the seeds, 3. new domains, by name, 4. new urls, by domain and key, 5. notes on sitemaps, yields by domain,
6. new images, by key, 7. links out of scope, by domain, 8. new items, by name, then known ones, by id; what
parsers did and groups of errors, by their keys, 9. rows of `domains`, by id, 10. the run's row. Every worker
that finds a link to a domain needs its row in `domains`, so little work is left to do at that point.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from tenax.clock import Instant
from tenax.policy.intake import NO_PLAN, Intake, IntakePlan
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import FoundBy, NewUrl
from tenax.stores.clock import StoreClock
from tenax.stores.hot.column_lists import NEW_URL_COLUMNS
from tenax.stores.hot.discovery.sitemaps import LEAD_S
from tenax.stores.hot.discovery.yields import URLS, Yields
from tenax.stores.hot.seeds import split_roots
from tenax.stores.hot.takeover import SET_ASIDE
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.discovery.intake import plan_due
from tenax.stores.postgres.frontier.discovery.yields import add_yields
from tenax.stores.postgres.frontier.domain_events import add_wakes
from tenax.stores.postgres.frontier.revival import revive_domains, revive_urls
from tenax.stores.postgres.frontier.statements import WAKE
from tenax.stores.postgres.frontier.takeover import set_aside_new, want_again
from tenax.stores.postgres.frontier.url_domains import UrlDomain, ensure_domains, find_domains, lock_homes

# Ids of seeds must become visible in order: workers query those after the last one they know.
SEEDS_LOCK = 0x7E4A_0001
URLS_AT_ONCE = 20_000
# A domain becomes available if it is idle or waits for a later url. One that has queued urls but no instant
# is parked until the next run.
_IS_PARKED = "(d.avail_at IS NULL AND d.queued > 0)"
_WAKE_IDLE = WAKE.format(parked=_IS_PARKED, at="$1::float8")
_WAKE_WHEN_DUE = WAKE.format(parked=_IS_PARKED, at="coalesce(v.due_at, $1::float8)")
COUNT_ADDED = f"""
    UPDATE domains d
    SET
        pages_discovered = d.pages_discovered + v.number,
        queued = d.queued + v.number,
        {_WAKE_WHEN_DUE}
    FROM unnest({{ids}}::bigint[], {{numbers}}::int[], {{due}}::float8[]) AS v(id, number, due_at)
    WHERE d.id = v.id
"""


@record
class InsertedUrls:
    """Numbers of urls, by the id of their domain. `homes`: these domains, as they were then."""

    homes: Sequence[UrlDomain]
    added: dict[int, int]  # new ones of its own domains
    again: dict[int, int]  # that others had found, and that were not to be visited
    strange: dict[int, int]  # new ones of domains that others own
    ways: Yields  # those that were not found as links
    first_due: dict[int, Instant]  # of domains whose new ones all wait
    postponed: int  # new ones that wait
    taken_s: float  # of what the run may take in

    @property
    def touched(self) -> set[int]:
        return {*self.added, *self.again, *self.strange}

    @property
    def new(self) -> int:
        return sum(sum(each.values()) for each in (self.added, self.again, self.strange))


async def add_urls(
    connection: Connection,
    urls: Sequence[NewUrl],
    now: Instant,
    clock: StoreClock,
    source_id: int = NO_SOURCE,
) -> int:
    """Add urls of any domains, ignoring known ones; urls that a user names, rather than a page, get another
    try. Urls of domains that others own are set aside for the source."""
    wall = now + clock.drift_s
    names = {url.domain for url in urls}
    named = [url for url in urls if url.discovered_from is None]
    homes = await find_domains(connection, names)
    own = {name: home.id for name, home in homes.items() if home.source_id == source_id}
    revived = await revive_urls(
        connection, [(own[url.domain], url.key) for url in named if url.domain in own], now
    )
    await save_seeds(connection, urls, wall, source_id)
    homes |= await ensure_domains(connection, names - homes.keys(), wall, source_id)
    inserted = await insert_urls(connection, urls, homes, (now, wall), source_id)
    await add_yields(connection, inserted.ways)
    wanted = {home.id for url in named if (home := homes[url.domain]).source_id == source_id}
    await lock_homes(connection, homes.values(), {*inserted.touched, *revived, *wanted})
    await add_wakes(connection, {*inserted.added, *revived})
    await count_added(connection, inserted.added, now)
    await count_others(connection, inserted, now)
    await revive_domains(connection, revived, wanted, now)
    return inserted.new


_INSERT_SEEDS = """
    INSERT INTO seeds (url, cause, host, site, added_at, source_id)
    SELECT v.url, v.cause, v.host, v.site, $5::float8, $6
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS v(
        url, cause, host, site, place
    )
    WHERE NOT EXISTS (
        SELECT 1
        FROM seeds
        WHERE seeds.source_id = $6 AND seeds.url = v.url
    )
    ORDER BY v.place
    ON CONFLICT (source_id, url) DO NOTHING
"""


async def save_seeds(connection: Connection, urls: Iterable[NewUrl], wall: Instant, source_id: int) -> None:
    seeds = {url.url: "redirect" if url.hops else "user" for url in urls if url.is_seed}
    if not seeds:
        return
    roots = [split_roots(url) for url in seeds]
    await lock_seeds(connection)
    await connection.execute(
        _INSERT_SEEDS,
        list(seeds),
        list(seeds.values()),
        [host for host, _ in roots],
        [site for _, site in roots],
        wall,
        source_id,
    )


async def lock_seeds(connection: Connection) -> None:
    """Until the end of the transaction nobody else adds seeds."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", SEEDS_LOCK)


async def insert_urls(
    connection: Connection,
    urls: Iterable[NewUrl],
    homes: Mapping[str, UrlDomain],
    times: tuple[Instant, Instant],
    source_id: int,
    intake: Intake | None = None,
) -> InsertedUrls:
    """Keep each url once. `times`: now, by the store's clock, when they are due; and by the calendar.
    `intake`: None: all new ones are due at once."""
    listed = list(urls)
    ids = {name: home.id for name, home in homes.items()}
    of_others = {name for name, home in homes.items() if home.source_id != source_id}
    mixed = {name for name, home in homes.items() if home.mixed and name not in of_others}
    now, wall = times
    again: dict[int, int] = {}
    strange: dict[int, int] = {}
    own = [url for url in listed if url.domain not in of_others] if of_others else listed
    plan = NO_PLAN if intake is None else await plan_due(connection, own, ids, intake, now)
    tally = _Tally()
    added = await _insert_all(connection, own, ids, (now, wall), tally, plan)
    if mixed:
        again = await want_again(connection, [url for url in own if url.domain in mixed], ids, now)
    if of_others:
        others = [url for url in listed if url.domain in of_others]
        strange = {ids[url.domain]: 0 for url in others}
        strange |= await _insert_all(connection, others, ids, (None, wall), tally)
        await set_aside_new(connection, source_id, others, ids, now)
    return InsertedUrls(
        homes=list(homes.values()),
        added=added,
        again=again,
        strange=strange,
        ways=tally.ways,
        first_due={each: at for each, at in tally.first_due.items() if at > now} if plan.due else {},
        postponed=tally.postponed,
        taken_s=plan.taken_s,
    )


@dataclass(slots=True)
class _Tally:
    """Of all that were inserted."""

    ways: Yields = field(default_factory=Counter)
    first_due: dict[int, Instant] = field(default_factory=dict)  # by domain
    postponed: int = 0


async def _insert_all(
    connection: Connection,
    urls: Iterable[NewUrl],
    ids: dict[str, int],
    times: tuple[Instant | None, Instant],
    tally: _Tally,
    plan: IntakePlan = NO_PLAN,
) -> dict[int, int]:
    """How many were new, by the id of their domain. Adds to the tally."""
    # In the order of the unique index: neighbors share its pages, and if two transactions add the same urls,
    # one waits for the other. Python's sort is stable and quick.
    ordered = sorted(sorted(urls, key=attrgetter("key")), key=lambda url: ids[url.domain])
    added: dict[int, int] = {}
    for start in range(0, len(ordered), URLS_AT_ONCE):
        rows = await _insert(connection, ordered[start : start + URLS_AT_ONCE], ids, times, plan)
        for domain_id, way, number, waiting, due_at in rows:
            added[domain_id] = added.get(domain_id, 0) + number
            if way in URLS:
                tally.ways[domain_id, URLS[FoundBy(way)]] += number
            tally.postponed += waiting
            if due_at is not None:
                tally.first_due[domain_id] = min(due_at, tally.first_due.get(domain_id, due_at))
    return added


_INSERT_URLS = f"""
    WITH added AS (
        INSERT INTO urls ({NEW_URL_COLUMNS})
        SELECT
            v.domain_id, v.key, v.url, v.depth, v.priority,
            coalesce(v.due_at, $1::float8) - v.is_sitemap * {LEAD_S}, 'queued',
            v.hops, v.is_seed, $2::float8, v.discovered_from, v.found_by, v.is_sitemap
        FROM unnest(
            $3::bigint[], $4::bigint[], $5::text[], $6::int[], $7::int[], $8::int[], $9::int[],
            $10::bigint[], $11::int[], $12::int[], $13::float8[]
        ) AS v(
            domain_id, key, url, depth, priority, hops, is_seed, discovered_from, found_by, is_sitemap, due_at
        )
        WHERE NOT EXISTS (
            SELECT 1
            FROM urls u
            WHERE u.domain_id = v.domain_id AND u.key = v.key
        )
        ON CONFLICT (domain_id, key) DO NOTHING
        RETURNING domain_id, found_by, due_at
    )
    SELECT domain_id, found_by, count(*), count(*) FILTER (WHERE due_at > $1::float8), min(due_at)
    FROM added
    GROUP BY domain_id, found_by
"""


_InsertedRow = tuple[int, int, int, int, Instant | None]  # domain, way, new ones, those that wait, first due


async def _insert(
    connection: Connection,
    urls: Sequence[NewUrl],
    ids: dict[str, int],
    times: tuple[Instant | None, Instant],
    plan: IntakePlan,
) -> Sequence[_InsertedRow]:
    # Without a limit the last array is empty: NULL for every url.
    due = [plan.due.get((url.domain, url.key)) for url in urls] if plan.due else []
    rows: Sequence[_InsertedRow] = await connection.fetch(
        _INSERT_URLS,
        *times,
        [ids[url.domain] for url in urls],
        [url.key for url in urls],
        [url.url for url in urls],
        [url.depth for url in urls],
        [url.priority for url in urls],
        [url.hops for url in urls],
        [int(url.is_seed) for url in urls],
        [url.discovered_from for url in urls],
        [url.found_by for url in urls],
        [0 if url.sitemap is None else 1 for url in urls],
        due,
    )
    return rows


async def count_added(connection: Connection, added: dict[int, int], now: Instant) -> None:
    """Their rows are locked."""
    await connection.execute(
        COUNT_ADDED.format(ids="$2", numbers="$3", due="'{}'"), now, list(added), list(added.values())
    )


_COUNT_WANTED_AGAIN = f"""
    UPDATE domains d
    SET queued = d.queued + v.number, {_WAKE_IDLE}
    FROM unnest($2::bigint[], $3::int[]) AS v(id, number)
    WHERE d.id = v.id
"""
_COUNT_FOREIGN = f"""
    UPDATE domains d
    SET
        pages_discovered = d.pages_discovered + v.number,
        mixed = greatest(d.mixed, {SET_ASIDE})
    FROM unnest($1::bigint[], $2::int[]) AS v(id, number)
    WHERE d.id = v.id
"""


async def count_others(connection: Connection, inserted: InsertedUrls, now: Instant) -> None:
    """Count urls that are wanted again, and urls of domains that others own. Their rows are locked."""
    if inserted.again:
        await add_wakes(connection, inserted.again)
        await connection.execute(
            _COUNT_WANTED_AGAIN, now, list(inserted.again), list(inserted.again.values())
        )
    if inserted.strange:
        await connection.execute(_COUNT_FOREIGN, list(inserted.strange), list(inserted.strange.values()))
