"""Adding urls and domains, shared by seeding and settling."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter, itemgetter

from tenax.clock import Instant
from tenax.policy.intake import NO_PLAN, Intake, IntakePlan
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import Fate, FoundBy, NewUrl
from tenax.stores.hot.column_lists import NEW_URL_COLUMNS, NEW_URL_NAMES, join_marks
from tenax.stores.hot.discovery.sitemaps import LEAD_S
from tenax.stores.hot.discovery.yields import URLS, Yields
from tenax.stores.hot.seeds import split_roots
from tenax.stores.hot.takeover import SET_ASIDE
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.discovery.intake import plan_due
from tenax.stores.sqlite.frontier.discovery.yields import add_yields
from tenax.stores.sqlite.frontier.domain_events import add_wakes
from tenax.stores.sqlite.frontier.revival import revive
from tenax.stores.sqlite.frontier.statements import WAKE
from tenax.stores.sqlite.frontier.takeover import set_aside_new, want_again
from tenax.web.urls import registrable_domain

# Plain values: the driver needs 1.7 µs to adapt each enum or bool, and there are thousands per batch.
_QUEUED = Fate.QUEUED.value
_LINKS_ONLY = frozenset({FoundBy.LINK})


_INSERT_SEEDS = """
    INSERT INTO seeds (url, cause, added_at, host, site, source_id)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (source_id, url) DO NOTHING
"""
_COUNT_ADDED = f"""
    UPDATE domains
    SET
        pages_discovered = pages_discovered + ?4,
        queued = queued + ?1,
        {WAKE.format(parked="(avail_at IS NULL AND queued > 0)")}
    WHERE id = ?3
"""
_COUNT_FOREIGN = """
    UPDATE domains
    SET pages_discovered = pages_discovered + ?1, mixed = max(mixed, ?2)
    WHERE id = ?3
"""


@record
class AddedUrls:
    new: int
    postponed: int  # of the new ones
    taken_s: float  # of what the run may take in


def insert_urls(
    connection: Connection,
    urls: Iterable[NewUrl],
    now: Instant,
    *,
    source_id: int = NO_SOURCE,
    are_listed: bool = False,
    intake: Intake | None = None,
) -> AddedUrls:
    """Add urls of any domains, ignoring known ones; update the counters and wake idle domains. Urls of
    domains that others own are set aside for the source. `are_listed`: all are seeds of a list, which are
    stored already; no user named them. `intake`: None: all new ones are due at once."""
    by_domain: dict[str, list[NewUrl]] = defaultdict(list)
    seeds, named = [], []
    wall = now + connection.execute("SELECT drift_s()").fetchone()[0]
    urls = urls if intake is None else list(urls)
    for url in urls:
        by_domain[url.domain].append(url)
        if are_listed:
            continue
        if url.is_seed:
            cause = "redirect" if url.hops else "user"
            seeds.append((url.url, cause, wall, *split_roots(url.url), source_id))
        if url.discovered_from is None:
            named.append(url)
    connection.executemany(_INSERT_SEEDS, seeds)
    homes = ensure_domains(connection, by_domain, wall, source_id)
    plan = NO_PLAN
    if intake is not None:
        own = {name: home[0] for name, home in homes.items() if home[1] == source_id}
        plan = plan_due(connection, list(urls), own, intake, now)
    added: Counter[int] = Counter()
    postponed = 0
    first_due: dict[int, Instant] = {}  # of domains with new urls
    again: Counter[int] = Counter()  # urls that others had found, and that were not to be visited
    strange: Counter[int] = Counter()  # new ones of domains that others own
    ways: Yields = Counter()
    # In the order of the unique index: neighbors share its pages.
    for name in sorted(by_domain, key=homes.__getitem__):
        domain_id, owner, mixed = homes[name]
        found = sorted(by_domain[name], key=attrgetter("key"))
        if owner == source_id:
            for due_at, turn in _split_by_turn(found, plan, now):
                number = _insert_by_way(connection, domain_id, turn, (wall, due_at), ways)
                added[domain_id] += number
                postponed += number if due_at > now else 0
                if number:
                    first_due.setdefault(domain_id, due_at)
            if mixed:
                again[domain_id] = want_again(connection, domain_id, found, now)
        else:
            strange[domain_id] = _insert_by_way(connection, domain_id, found, (wall, None), ways)
            set_aside_new(connection, domain_id, source_id, found, now)
    add_yields(connection, ways)
    woken = [
        (count, now if again[domain_id] else first_due[domain_id], domain_id)
        for domain_id, count in (added + again).items()
    ]
    add_wakes(connection, (domain_id for _, _, domain_id in woken), now)
    # A domain becomes available if it is idle or waits for a later url. One that has queued urls but no
    # instant is parked until the next run.
    connection.executemany(_COUNT_ADDED, [(*each, added[each[2]]) for each in woken])
    connection.executemany(
        _COUNT_FOREIGN, [(count, SET_ASIDE, domain_id) for domain_id, count in strange.items()]
    )
    asked_for = [(homes[url.domain][0], url.key) for url in named if homes[url.domain][1] == source_id]
    revive(connection, asked_for, now)
    total = added.total() + again.total() + strange.total()
    return AddedUrls(new=total, postponed=postponed, taken_s=plan.taken_s)


def _split_by_turn(
    urls: list[NewUrl], plan: IntakePlan, now: Instant
) -> Iterable[tuple[Instant, list[NewUrl]]]:
    """By when they are due, the earliest first."""
    if not plan.due:
        return ((now, urls),)
    turns: dict[Instant, list[NewUrl]] = defaultdict(list)
    for url in urls:
        turns[plan.due.get((url.domain, url.key), now)].append(url)
    return sorted(turns.items(), key=itemgetter(0))


def _insert_by_way(
    connection: Connection,
    domain_id: int,
    urls: list[NewUrl],
    times: tuple[Instant, Instant | None],
    ways: Yields,
) -> int:
    """Insert the new ones; returns how many, and counts those that were not found as links."""
    found_by = {url.found_by for url in urls}
    if found_by <= _LINKS_ONLY:
        return _insert(connection, domain_id, urls, *times)
    total = 0
    for way in sorted(found_by):
        added = _insert(connection, domain_id, [url for url in urls if url.found_by is way], *times)
        total += added
        if way in URLS:
            ways[domain_id, URLS[way]] += added
    return total


_INSERT_URLS = f"""
    INSERT INTO urls ({NEW_URL_COLUMNS})
    VALUES ({join_marks(NEW_URL_NAMES)})
    ON CONFLICT (domain_id, key) DO NOTHING
"""


def _insert(
    connection: Connection,
    domain_id: int,
    urls: Iterable[NewUrl],
    wall: Instant,
    due_at: Instant | None,
) -> int:
    """Insert the new ones; returns how many."""
    # Whole seconds: SQLite keeps them in four bytes instead of eight, in the row and in the frontier's index.
    # That is a tenth of what a url takes besides its address.
    discovered_at = math.floor(wall)
    due_at = None if due_at is None else math.floor(due_at)
    first_at = None if due_at is None else due_at - LEAD_S
    rows = [
        (
            domain_id,
            url.key,
            url.url,
            url.depth,
            int(url.priority),
            due_at if url.sitemap is None else first_at,
            _QUEUED,
            url.hops,
            int(url.is_seed),
            discovered_at,
            url.discovered_from,
            int(url.found_by),
            0 if url.sitemap is None else 1,
        )
        for url in urls
    ]
    cursor = connection.executemany(_INSERT_URLS, rows)
    return int(cursor.rowcount)


_INSERT_DOMAIN = """
    INSERT INTO domains (name, site, source_id, status, first_seen_at)
    VALUES (?, ?, ?, ?, ?)
    RETURNING id, source_id, mixed
"""


def ensure_domains(
    connection: Connection, names: Iterable[str], wall: Instant, source_id: int
) -> dict[str, tuple[int, int, int]]:
    """The ids of the domains, their owners, and whether they are mixed; unknown domains are created."""
    homes: dict[str, tuple[int, int, int]] = {}
    for name in names:
        row = connection.execute(
            "SELECT id, source_id, mixed FROM domains WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            row = connection.execute(
                _INSERT_DOMAIN, (name, registrable_domain(name), source_id, DomainStatus.PENDING, wall)
            ).fetchone()
        homes[name] = row
    return homes
