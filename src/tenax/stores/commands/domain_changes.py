"""Rows of domains that a person's order changes, while workers may hold them: the same for every database.

Whoever takes back what a worker may have in hand lifts the fence: the worker loses the domain, and what it
has not settled of it. It may go on asking until it hears of that, at the latest when its lease ends, so
nobody else gets the domain before then.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records import Cause, DomainStatus
from tenax.stores.schema.domains import domain_events, domains

Values = dict[str, Any]

UNLEASED: Values = {"claimed_by": None, "claim_expires_at": None}


@record
class DomainChange:
    """What becomes of a domain."""

    domain_id: int
    values: Values


def lock_domains(connection: Connection, ids: Collection[int]) -> Sequence[Row[*tuple[Any, ...]]]:
    """Held until the end of the transaction; after all rows below them, as workers do."""
    statement = select(domains).where(domains.c.id.in_(ids)).order_by(domains.c.id)
    return connection.execute(statement.with_for_update()).all()


def revoke_lease(domain: Row[*tuple[Any, ...]], now: Instant) -> Values:
    """Take the domain from whoever holds it. Nothing, if nobody does."""
    if domain.claimed_by is None:
        return {}
    free_at = max(now, domain.claim_expires_at)
    return {
        **UNLEASED,
        "version": domain.version + 1,
        # Asked last at an unknown time, as if it were now; and it may be asked until the lease ends.
        "last_start_at": now,
        "last_answer_at": free_at,
        "ready_at": max(domain.ready_at or 0.0, free_at),
        "avail_at": max(domain.ready_at or 0.0, domain.next_crawl_after or 0.0, free_at)
        if domain.is_active
        else None,
    }


def save_changes(connection: Connection, changes: Sequence[DomainChange]) -> None:
    """The rows are locked."""
    for change in changes:
        statement = update(domains).where(domains.c.id == change.domain_id)
        connection.execute(statement.values(change.values))


def record_status_changes(
    connection: Connection,
    rows: Sequence[Row[*tuple[Any, ...]]],
    to_status: DomainStatus,
    cause: Cause,
    detail: str,
    wall: Instant,
) -> None:
    """These domains are about to change their status."""
    if rows:
        values = {
            "domain_id": bindparam("domain"),
            "at": wall,
            "from_status": bindparam("earlier"),
            "to_status": to_status,
            "cause": cause,
            "detail": detail,
        }
        statement = insert(domain_events).values(values)
        connection.execute(statement, [{"domain": row.id, "earlier": row.status} for row in rows])
