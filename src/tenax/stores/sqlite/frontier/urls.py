"""Adding urls and domains, shared by seeding and settling."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter

from tenax.clock import Instant
from tenax.job_records import NO_SOURCE
from tenax.records import Cause, DomainStatus, Fate, NewUrl, RefusalReason
from tenax.stores.hot.column_lists import NEW_URL_COLUMNS, NEW_URL_NAMES, join_marks
from tenax.stores.hot.rows import CAN_BE_ASKED_AGAIN, FRESH_START, LEFT_ALONE, VISITED
from tenax.stores.hot.seeds import split_roots
from tenax.stores.hot.takeover import SET_ASIDE
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.domain_events import note_order, note_wakes
from tenax.stores.sqlite.frontier.takeover import set_aside_new, want_again
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, registrable_domain

# Plain values: the driver needs 1.7 µs to adapt each enum or bool, and there are thousands per batch.
_QUEUED = Fate.QUEUED.value

# A leased domain finds its new urls by itself, and one that is to be left alone stays so.
_WAKE = f"""
    avail_at = CASE
        WHEN claimed_by IS NOT NULL OR {{parked}} OR {LEFT_ALONE} THEN avail_at
        ELSE min(coalesce(avail_at, 9e99), max(?2, coalesce(ready_at, 0)))
    END,
    status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END
"""


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
        {_WAKE.format(parked="(avail_at IS NULL AND queued > 0)")}
    WHERE id = ?3
"""
_COUNT_FOREIGN = """
    UPDATE domains
    SET pages_discovered = pages_discovered + ?1, mixed = max(mixed, ?2)
    WHERE id = ?3
"""


def insert_urls(
    connection: Connection,
    urls: Iterable[NewUrl],
    now: Instant,
    *,
    source_id: int = NO_SOURCE,
    are_listed: bool = False,
) -> int:
    """Add urls of any domains, known ones ignored; moves the counters and wakes idle domains. Those of
    domains that others have are set aside for the source. `are_listed`: all are seeds of a list, which are
    kept already; nobody asks for them by name."""
    by_domain: dict[str, list[NewUrl]] = defaultdict(list)
    seeds, named = [], []
    wall = now + connection.execute("SELECT drift_s()").fetchone()[0]
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
    added: Counter[int] = Counter()
    again: Counter[int] = Counter()  # urls that others had found, and that nobody was to visit
    strange: Counter[int] = Counter()  # new ones of domains that others have
    # In the order of the unique index: neighbours share its pages.
    for name in sorted(by_domain, key=homes.__getitem__):
        domain_id, owner, mixed = homes[name]
        found = sorted(by_domain[name], key=attrgetter("key"))
        if owner == source_id:
            added[domain_id] = _insert(connection, domain_id, found, (now, wall), now)
            if mixed:
                again[domain_id] = want_again(connection, domain_id, found, now)
        else:
            strange[domain_id] = _insert(connection, domain_id, found, (now, wall), None)
            set_aside_new(connection, domain_id, source_id, found, now)
    woken = [(count, now, domain_id) for domain_id, count in (added + again).items() if count]
    note_wakes(connection, (domain_id for _, _, domain_id in woken), now)
    # A domain wakes up that is idle or waits for a later url. One that has queued urls but no instant is
    # parked until the next run.
    connection.executemany(_COUNT_ADDED, [(*each, added[each[2]]) for each in woken])
    connection.executemany(
        _COUNT_FOREIGN, [(count, SET_ASIDE, domain_id) for domain_id, count in strange.items()]
    )
    asked_for = [(homes[url.domain][0], url.key) for url in named if homes[url.domain][1] == source_id]
    revive(connection, asked_for, now)
    return added.total() + again.total() + strange.total()


_INSERT_URLS = f"""
    INSERT INTO urls ({NEW_URL_COLUMNS})
    VALUES ({join_marks(NEW_URL_NAMES)})
    ON CONFLICT (domain_id, key) DO NOTHING
"""


def _insert(
    connection: Connection,
    domain_id: int,
    urls: Iterable[NewUrl],
    times: tuple[Instant, Instant],
    due_at: Instant | None,
) -> int:
    """Those that are new; returns how many. `times`: now, by the store's clock and by the calendar."""
    rows = [
        (
            domain_id,
            url.key,
            url.url,
            url.depth,
            int(url.priority),
            due_at,
            _QUEUED,
            url.hops,
            int(url.is_seed),
            times[1],
            url.discovered_from,
        )
        for url in urls
    ]
    cursor = connection.executemany(_INSERT_URLS, rows)
    return int(cursor.rowcount)


_REQUEUE_URL = f"""
    UPDATE urls
    SET
        due_at = min(
            ?1,
            coalesce(
                (
                    SELECT min(due_at)
                    FROM urls
                    WHERE domain_id = ?2
                        AND priority = 3
                        AND due_at IS NOT NULL
                ) - 1,
                ?1
            )
        ),
        priority = 3,
        revisit_at = NULL
    WHERE domain_id = ?2
        AND key = ?3
        AND {VISITED}
"""
_COUNT_REQUEUED = f"""
    UPDATE domains
    SET queued = queued + ?1, {_WAKE.format(parked="0")}
    WHERE id = ?3
"""


def requeue(connection: Connection, urls: Iterable[str], now: Instant, source_id: int) -> int:
    """See base.FrontierStore.requeue."""
    queued: Counter[int] = Counter()
    for url in urls:
        row = connection.execute(
            "SELECT id FROM domains WHERE name = ? AND source_id = ?", (domain_of(url), source_id)
        ).fetchone()
        if row is not None:
            queued[row[0]] += connection.execute(_REQUEUE_URL, (now, row[0], url_key(url))).rowcount
    woken = [(number, now, domain_id) for domain_id, number in queued.items() if number]
    note_wakes(connection, (domain_id for _, _, domain_id in woken), now)
    connection.executemany(_COUNT_REQUEUED, woken)
    return queued.total()


_REVIVE_URL = """
    UPDATE urls
    SET
        due_at = ?,
        fate = ?,
        reason = NULL,
        detail = NULL,
        attempts = 0
    WHERE domain_id = ?
        AND key = ?
        AND (fate = ? OR fate = ? AND reason <> ?)
"""
_COUNT_REVIVED = f"""
    UPDATE domains
    SET queued = queued + ?1, {_WAKE.format(parked="0")}
    WHERE id = ?3
"""
_REVIVE_DOMAIN = f"""
    UPDATE domains
    SET
        {FRESH_START},
        ready_at = max(?1, coalesce(last_answer_at, 0)),
        avail_at = CASE WHEN is_active = 1 THEN max(?1, coalesce(last_answer_at, 0)) END
    WHERE id = ?2
"""


def revive(connection: Connection, keys: Iterable[tuple[int, int]], now: Instant) -> None:
    """Whoever asks for a url by name again wants another try: of one that is dead or was refused, of a
    domain that was unreachable or whose robots.txt forbade it. A page that asks not to be kept has had its
    visit."""
    for domain_id, key in keys:
        revived = connection.execute(
            _REVIVE_URL, (now, Fate.QUEUED, domain_id, key, Fate.DEAD, Fate.REFUSED, RefusalReason.NOINDEX)
        ).rowcount
        if revived:
            note_wakes(connection, [domain_id], now)
            connection.execute(_COUNT_REVIVED, (revived, now, domain_id))
        status = connection.execute(
            f"SELECT status FROM domains WHERE id = ? AND {CAN_BE_ASKED_AGAIN}", (domain_id,)
        ).fetchone()
        if status is not None:
            statuses = (DomainStatus(status[0]), DomainStatus.PENDING)
            note_order(
                connection, domain_id, statuses, Cause.ASKED_AGAIN, "it was named as a seed again", now
            )
            connection.execute(_REVIVE_DOMAIN, (now, domain_id))


_INSERT_DOMAIN = """
    INSERT INTO domains (name, site, source_id, status, first_seen_at)
    VALUES (?, ?, ?, ?, ?)
    RETURNING id, source_id, mixed
"""


def ensure_domains(
    connection: Connection, names: Iterable[str], wall: Instant, source_id: int
) -> dict[str, tuple[int, int, int]]:
    """The domains' ids, who has them, and whether they are mixed; created where unknown."""
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
