"""Changes to rows of domains while workers may hold them. The statements are the same for every database.

Taking urls away that a worker may be visiting revokes its lease by raising the fence: the worker loses the
domain and whatever it has not settled. It may continue to send requests until it notices, at the latest when
its lease expires, so no other worker gets the domain before then.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import Cause, DomainStatus
from tenax.stores.schema.domains import domain_events, domains

Values = dict[str, Any]

UNLEASED: Values = {"claimed_by": None, "claim_expires_at": None}


@record
class DomainChange:
    """The new values of a domain's row."""

    domain_id: int
    values: Values


@record
class StatusChange:
    """The new status of domains, and why."""

    to_status: DomainStatus
    cause: Cause
    detail: str
    at: Instant  # by the calendar


def lock_domains(connection: Connection, ids: Collection[int]) -> Sequence[Row[*tuple[Any, ...]]]:
    """Lock rows of domains until the transaction ends. As in workers, this comes after all locks on urls."""
    statement = select(domains).where(domains.c.id.in_(ids)).order_by(domains.c.id)
    return connection.execute(statement.with_for_update()).all()


def revoke_lease(domain: Row[*tuple[Any, ...]], now: Instant) -> Values:
    """Values that take the domain from the worker that holds it; none if no worker does."""
    if domain.claimed_by is None:
        return {}
    free_at = max(now, domain.claim_expires_at)
    return {
        **UNLEASED,
        "version": domain.version + 1,
        # The last request was at an unknown time, so assume now; more may follow until the lease expires.
        "last_start_at": now,
        "last_answer_at": free_at,
        "ready_at": max(domain.ready_at or 0.0, free_at),
        "avail_at": max(domain.ready_at or 0.0, domain.next_crawl_after or 0.0, free_at)
        if domain.is_active
        else None,
    }


def save_changes(connection: Connection, changes: Sequence[DomainChange]) -> None:
    """The caller has locked the rows."""
    for change in changes:
        statement = update(domains).where(domains.c.id == change.domain_id)
        connection.execute(statement.values(change.values))


def record_status_changes(
    connection: Connection, rows: Sequence[Row[*tuple[Any, ...]]], change: StatusChange
) -> None:
    """Add an event for each of these domains, whose status is about to change."""
    if rows:
        values = {
            "domain_id": bindparam("domain"),
            "at": change.at,
            "from_status": bindparam("earlier"),
            "to_status": change.to_status,
            "cause": change.cause,
            "detail": change.detail,
        }
        statement = insert(domain_events).values(values)
        connection.execute(statement, [{"domain": row.id, "earlier": row.status} for row in rows])
