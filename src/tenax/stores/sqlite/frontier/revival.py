"""Urls and domains that get another visit in SQLite."""

from collections import Counter
from collections.abc import Iterable

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.records.urls import Fate
from tenax.stores.hot.rows import CAN_BE_ASKED_AGAIN, FRESH_START, VISITED
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.domain_events import add_status_change, add_wakes
from tenax.stores.sqlite.frontier.statements import WAKE
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

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
    SET queued = queued + ?1, {WAKE.format(parked="0")}
    WHERE id = ?3
"""


def requeue(connection: Connection, urls: Iterable[str], now: Instant, source_id: int) -> int:
    """See contracts/frontier.py."""
    queued: Counter[int] = Counter()
    for url in urls:
        row = connection.execute(
            "SELECT id FROM domains WHERE name = ? AND source_id = ?", (domain_of(url), source_id)
        ).fetchone()
        if row is not None:
            queued[row[0]] += connection.execute(_REQUEUE_URL, (now, row[0], url_key(url))).rowcount
    woken = [(number, now, domain_id) for domain_id, number in queued.items() if number]
    add_wakes(connection, (domain_id for _, _, domain_id in woken), now)
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
        AND (fate IN ('dead', 'rejected', 'trapped') OR fate = 'refused' AND reason <> 'noindex')
"""


_COUNT_REVIVED = f"""
    UPDATE domains
    SET queued = queued + ?1, {WAKE.format(parked="0")}
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
    """Retry urls that a user names again: if they are dead, rejected or refused, or if their domain was
    unreachable or forbidden by its robots.txt. A page that asks not to be stored has had its visit."""
    for domain_id, key in keys:
        revived = connection.execute(_REVIVE_URL, (now, Fate.QUEUED, domain_id, key)).rowcount
        if revived:
            add_wakes(connection, [domain_id], now)
            connection.execute(_COUNT_REVIVED, (revived, now, domain_id))
        status = connection.execute(
            f"SELECT status FROM domains WHERE id = ? AND {CAN_BE_ASKED_AGAIN}", (domain_id,)
        ).fetchone()
        if status is not None:
            statuses = (DomainStatus(status[0]), DomainStatus.PENDING)
            add_status_change(
                connection, domain_id, statuses, Cause.ASKED_AGAIN, "it was named as a seed again", now
            )
            connection.execute(_REVIVE_DOMAIN, (now, domain_id))
