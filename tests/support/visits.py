"""Adds many settled visits of a domain at once."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select, update

from tenax.clock import Instant
from tenax.stores.schema.domains import domains
from tenax.stores.schema.visits import visits


def add_visited(
    connection: Connection, name: str, starts: Sequence[Instant], failed: str | None = None
) -> int:
    """Returns the domain's id."""
    domain_id = connection.scalar(select(domains.c.id).where(domains.c.name == name))
    if domain_id is None:
        domain_id = (connection.scalar(select(func.max(domains.c.id))) or 0) + 1
        row = {"id": domain_id, "name": name, "status": "active", "first_seen_at": 0.0}
        connection.execute(insert(domains).values(**row))
    shared = {
        "run_id": 1,
        "worker_id": 1,
        "domain_id": domain_id,
        "duration_s": 0.1,
        "outcome": "fetched" if failed is None else "failed",
        "wire_bytes": 1,
        "error_kind": failed,
    }
    if starts:
        connection.execute(insert(visits), [{**shared, "at": at} for at in starts])
    counted = domains.c.requests + len(starts)
    connection.execute(update(domains).where(domains.c.id == domain_id).values(requests=counted))
    return domain_id
