"""Adding urls and domains, shared by seeding and settling."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter

from tenax.clock import Instant
from tenax.records import DomainStatus, Fate, NewUrl
from tenax.stores.sqlite.database import Connection


def insert_urls(connection: Connection, urls: Iterable[NewUrl], now: Instant) -> int:
    """Add urls of any domains, known ones ignored; moves the counters and wakes idle domains."""
    by_domain: dict[str, list[NewUrl]] = defaultdict(list)
    seeds = []
    for url in urls:
        by_domain[url.domain].append(url)
        if url.is_seed:
            seeds.append((url.url, "redirect" if url.hops else "user", now))
    connection.executemany(
        "INSERT INTO seeds (url, cause, added_at) VALUES (?, ?, ?) ON CONFLICT (url) DO NOTHING", seeds
    )
    ids = ensure_domains(connection, by_domain, now)
    added: Counter[int] = Counter()
    # In the order of the unique index: neighbours share its pages.
    for name in sorted(by_domain, key=ids.__getitem__):
        domain_id = ids[name]
        rows = [
            (
                domain_id,
                url.key,
                url.url,
                url.depth,
                url.priority,
                now,
                Fate.QUEUED,
                url.hops,
                url.is_seed,
                now,
                url.discovered_from,
            )
            for url in sorted(by_domain[name], key=attrgetter("key"))
        ]
        cursor = connection.executemany(
            "INSERT INTO urls (domain_id, key, url, depth, priority, due_at, fate, hops, is_seed,"
            " discovered_at, discovered_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (domain_id, key) DO NOTHING",
            rows,
        )
        added[domain_id] += cursor.rowcount
    # An idle domain wakes up. A leased one finds its new urls by itself, and one that has queued urls
    # but no instant is parked until the next run.
    connection.executemany(
        "UPDATE domains SET pages_discovered = pages_discovered + ?1, queued = queued + ?1,"
        " avail_at = CASE WHEN claimed_by IS NULL AND avail_at IS NULL AND queued = 0"
        "   THEN max(?2, COALESCE(next_crawl_after, 0)) ELSE avail_at END,"
        " status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END"
        " WHERE id = ?3",
        [(count, now, domain_id) for domain_id, count in added.items() if count],
    )
    return added.total()


def ensure_domains(connection: Connection, names: Iterable[str], now: Instant) -> dict[str, int]:
    """The ids of the domains, created where unknown."""
    ids: dict[str, int] = {}
    for name in names:
        row = connection.execute("SELECT id FROM domains WHERE name = ?", (name,)).fetchone()
        if row is None:
            row = connection.execute(
                "INSERT INTO domains (name, status, first_seen_at) VALUES (?, ?, ?) RETURNING id",
                (name, DomainStatus.PENDING, now),
            ).fetchone()
        ids[name] = row[0]
    return ids
