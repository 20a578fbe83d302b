"""How many new urls a run may take in per second, in SQLite. See policy/intake.py."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import orjson

from tenax.clock import Instant
from tenax.policy.intake import Intake, IntakePlan, UrlName, plan_intake
from tenax.records.urls import NewUrl, Priority
from tenax.stores.contracts.batches import Batch
from tenax.stores.hot.statements import FIND_INTAKE, FIND_LAST_INTAKE, LIST_WAITING
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.statements import WAKE


def find_intake(connection: Connection, batch: Batch) -> Intake | None:
    """None: there is no limit."""
    if not batch.new_urls_per_s:
        return None
    row = connection.execute(FIND_INTAKE, (batch.run_id,)).fetchone()
    return Intake(per_s=batch.new_urls_per_s, next_at=row[0] or 0.0)


_LIST_KNOWN = """
    SELECT key
    FROM urls
    WHERE domain_id = ? AND key IN (SELECT value FROM json_each(?))
"""


def plan_due(
    connection: Connection, urls: Sequence[NewUrl], ids: Mapping[str, int], intake: Intake, now: Instant
) -> IntakePlan:
    """`ids`: of the domains of the run. Urls of other domains are set aside, and have no turn."""
    keys: dict[str, list[int]] = defaultdict(list)
    own = [url for url in urls if url.domain in ids]
    for url in own:
        keys[url.domain].append(url.key)
    known: set[UrlName] = set()
    for domain, found in keys.items():
        rows = connection.execute(_LIST_KNOWN, (ids[domain], orjson.dumps(found).decode()))
        known.update((domain, key) for (key,) in rows)
    return plan_intake(own, known, intake, now)


_RELEASE_POSTPONED = """
    UPDATE urls
    SET due_at = ?1
    WHERE domain_id = ?2
        AND priority = ?3
        AND due_at > ?1
        AND fate = 'queued'
"""
_WAKE = f"""
    UPDATE domains
    SET {WAKE.format(parked="avail_at IS NULL")}
    WHERE id = ?1
"""


def release_postponed(connection: Connection, source_id: int, now: Instant) -> None:
    """A new run begins with everything that is queued, whatever the last one had postponed."""
    row = connection.execute(FIND_LAST_INTAKE, (source_id,)).fetchone()
    if row is None or row[0] is None or row[0] <= now:
        return
    due_at = math.floor(now)
    for (domain_id,) in connection.execute(LIST_WAITING, (source_id,)).fetchall():
        for priority in Priority:
            connection.execute(_RELEASE_POSTPONED, (due_at, domain_id, int(priority)))
        connection.execute(_WAKE, (domain_id, now))
