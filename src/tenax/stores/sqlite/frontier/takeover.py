"""Domains that move from one source or crawl to another, in SQLite. See hot/takeover.py."""

from collections.abc import Collection, Iterable, Sequence

import orjson

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.records.urls import NewUrl
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.hot.column_lists import SET_ASIDE_COLUMNS
from tenax.stores.hot.rows import LEFT_ALONE
from tenax.stores.hot.statements import FIND_SHARING, FIND_STATUS, LIST_NAMED_SEEDS, LIST_RUNNING
from tenax.stores.hot.takeover import (
    CRAWLED_BY_OTHERS,
    GONE_DETAIL,
    IS_OPEN,
    SET_ASIDE,
    STILL_WANTED,
    UNVISITED,
    ForeignDomain,
    choose_free,
    list_taken,
    read_foreign_domain,
)
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.domain_events import add_status_change, add_wakes
from tenax.web.urls import domain_of

_IDS = "(SELECT value FROM json_each(?1))"


def take_domains(connection: Connection, source_id: int, needed: Collection[str]) -> TakeoverResult:
    """Make the source the owner of the domains that it needs, and of those of its seeds and of its urls that
    are set aside which no run uses. `needed` empty: the domains of the seeds that users named. Raises
    DomainsBusy."""
    own = _list_seed_domains(connection, source_id)
    needed = frozenset(needed or own)
    free = choose_free(_find_foreign_domains(connection, source_id, needed | own), needed)
    if free:
        _set_aside(connection, source_id, free)
    return TakeoverResult(taken=list_taken(free), returned=_bring_back(connection, source_id))


def find_sharing(connection: Connection, source_id: int) -> DomainSharing:
    has_aside, is_mixed = connection.execute(FIND_SHARING, (source_id,)).fetchone()
    return DomainSharing(has_aside=bool(has_aside), is_mixed=bool(is_mixed))


def _list_seed_domains(connection: Connection, source_id: int) -> frozenset[str]:
    rows = connection.execute(LIST_NAMED_SEEDS, (source_id,))
    return frozenset(domain_of(row[0]) for row in rows)


_LIST_FOREIGN_DOMAINS = """
    SELECT d.id, d.name, d.source_id, s.name, s.kind, d.queued, coalesce(d.claim_expires_at > ?3, 0)
    FROM domains d
    LEFT JOIN sources s ON s.id = d.source_id
    WHERE d.source_id <> ?1
        AND d.id IN (
            SELECT id
            FROM domains
            WHERE name IN (SELECT value FROM json_each(?2))
            UNION
            SELECT domain_id
            FROM set_aside
            WHERE source_id = ?1
        )
"""


def _find_foreign_domains(
    connection: Connection, source_id: int, names: Collection[str]
) -> list[ForeignDomain]:
    runs = connection.execute(LIST_RUNNING)
    active_runs = dict(runs.fetchall())
    rows = connection.execute(
        _LIST_FOREIGN_DOMAINS, (source_id, orjson.dumps(list(names)).decode(), _now(connection))
    )
    return [read_foreign_domain(row, active_runs) for row in rows.fetchall()]


_SAVE_WAITING = f"""
    INSERT INTO set_aside ({SET_ASIDE_COLUMNS})
    SELECT
        u.id,
        d.source_id,
        d.id,
        u.depth,
        u.priority,
        u.due_at,
        CASE WHEN u.{UNVISITED} THEN NULL ELSE wall_s() END
    FROM domains d
    JOIN urls u ON u.domain_id = d.id AND u.due_at IS NOT NULL
    WHERE d.id IN {_IDS}
    ON CONFLICT (url_id, source_id) DO UPDATE SET
        depth = excluded.depth,
        priority = excluded.priority,
        due_at = excluded.due_at,
        revisit_since = excluded.revisit_since
"""
_TAKE_DOMAINS = f"""
    UPDATE domains
    SET
        source_id = ?2,
        queued = 0,
        avail_at = NULL,
        mixed = max(mixed, CASE WHEN pages_crawled > 0 THEN {CRAWLED_BY_OTHERS} ELSE {SET_ASIDE} END),
        status = CASE status WHEN 'active' THEN 'exhausted' ELSE status END,
        last_start_at = CASE WHEN claimed_by IS NULL THEN last_start_at ELSE ?3 END,
        last_answer_at = CASE WHEN claimed_by IS NULL THEN last_answer_at ELSE ?3 END,
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1
    WHERE id IN {_IDS}
"""


def _set_aside(connection: Connection, source_id: int, foreign: Sequence[ForeignDomain]) -> None:
    """Make the source the owner of the domains, and set aside what waits there. Their fences are raised: a
    worker whose lease is over must not write there any more."""
    ids, now = str([domain.id for domain in foreign]), _now(connection)
    connection.execute(_SAVE_WAITING, (ids,))
    connection.execute(
        f"UPDATE urls SET due_at = NULL WHERE domain_id IN {_IDS} AND due_at IS NOT NULL", (ids,)
    )
    for domain in foreign:
        _add_exhausted(connection, domain.id, now)
    # The last request of the worker that held it was at an unknown time: taken as now.
    connection.execute(_TAKE_DOMAINS, (ids, source_id, now))


def _add_exhausted(connection: Connection, domain_id: int, now: Instant) -> None:
    status = connection.execute(FIND_STATUS, (domain_id,)).fetchone()[0]
    if status == DomainStatus.ACTIVE:
        statuses = (DomainStatus.ACTIVE, DomainStatus.EXHAUSTED)
        add_status_change(connection, domain_id, statuses, Cause.ALL_DONE, GONE_DETAIL, now)


_LIST_RETURNED_DOMAINS = """
    SELECT DISTINCT s.domain_id
    FROM set_aside s
    JOIN domains d ON d.id = s.domain_id
    WHERE s.source_id = ?1 AND d.source_id = ?1
"""
_RETURN_URLS = f"""
    UPDATE urls AS u
    SET
        due_at = s.due_at,
        depth = s.depth,
        priority = s.priority,
        revisit_at = NULL
    FROM set_aside s
    WHERE s.source_id = ?2
        AND s.domain_id IN {_IDS}
        AND u.id = s.url_id
        AND u.due_at IS NULL
        AND {STILL_WANTED}
"""


def _bring_back(connection: Connection, source_id: int) -> int:
    """Queue what was set aside for the source on domains that it owns again; returns how many are due."""
    rows = connection.execute(_LIST_RETURNED_DOMAINS, (source_id,)).fetchall()
    if not rows:
        return 0
    ids = str([row[0] for row in rows])
    returned = connection.execute(_RETURN_URLS, (ids, source_id)).rowcount
    connection.execute(
        f"DELETE FROM set_aside WHERE source_id = ?2 AND domain_id IN {_IDS}", (ids, source_id)
    )
    _wake(connection, [row[0] for row in rows], ids)
    return returned


_COUNT_QUEUED = f"""
    UPDATE domains
    SET
        queued = (
            SELECT count(*)
            FROM urls
            WHERE domain_id = domains.id AND due_at IS NOT NULL
        )
    WHERE id IN {_IDS}
"""
_WAKE_DOMAINS = f"""
    UPDATE domains
    SET
        avail_at = max(
            coalesce(ready_at, 0),
            coalesce(last_answer_at, 0),
            (
                SELECT min(due_at)
                FROM urls
                WHERE domain_id = domains.id AND due_at IS NOT NULL
            )
        ),
        status = CASE status WHEN 'exhausted' THEN 'active' ELSE status END
    WHERE id IN {_IDS}
        AND queued > 0
        AND claimed_by IS NULL
        AND NOT {LEFT_ALONE}
"""


def _wake(connection: Connection, domain_ids: Sequence[int], ids: str) -> None:
    connection.execute(_COUNT_QUEUED, (ids,))
    waiting = connection.execute(
        f"SELECT id FROM domains WHERE id IN {_IDS} AND queued > 0", (ids,)
    ).fetchall()
    add_wakes(connection, (row[0] for row in waiting), _now(connection))
    # A domain that a worker holds finds them by itself.
    connection.execute(_WAKE_DOMAINS, (ids,))


def _now(connection: Connection) -> Instant:
    now: Instant = connection.execute("SELECT now_s()").fetchone()[0]
    return now


_WANT_AGAIN = f"""
    UPDATE urls
    SET
        due_at = ?,
        depth = ?,
        priority = ?,
        reason = NULL,
        detail = NULL,
        fate = CASE fate WHEN 'refused' THEN 'queued' ELSE fate END
    WHERE domain_id = ?
        AND key = ?
        AND {IS_OPEN}
"""


def want_again(connection: Connection, domain_id: int, urls: Iterable[NewUrl], now: Instant) -> int:
    """Make urls that are set aside for others due for the source that has found them, too; returns how
    many."""
    return int(
        connection.executemany(
            _WANT_AGAIN, [(now, url.depth, int(url.priority), domain_id, url.key) for url in urls]
        ).rowcount
    )


_SET_ASIDE_NEW = f"""
    INSERT INTO set_aside (url_id, source_id, domain_id, depth, priority, due_at)
    SELECT id, ?, domain_id, ?, ?, ?
    FROM urls
    WHERE domain_id = ?
        AND key = ?
        AND {UNVISITED}
    ON CONFLICT (url_id, source_id) DO NOTHING
"""


def set_aside_new(
    connection: Connection, domain_id: int, source_id: int, urls: Iterable[NewUrl], now: Instant
) -> None:
    """Set urls aside until the source owns the domain; also known urls that wait for another source."""
    connection.executemany(
        _SET_ASIDE_NEW, [(source_id, url.depth, int(url.priority), now, domain_id, url.key) for url in urls]
    )
