"""How parsers did, as rows of an hour."""

from sqlalchemy import Connection, insert, select

from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import parser_stats

HOUR_S, DAY_S = 3600, 86_400


def add_figures(
    connection: Connection,
    domain: str,
    at: float,
    *,
    pages: int,
    full: int,
    parser: str = "shop",
    version: str = "1",
    confidence: float = 0.9,
) -> None:
    """`full`: pages with an item."""
    domain_id = connection.scalar(select(domains.c.id).where(domains.c.name == domain))
    row = {
        "hour": int(at // HOUR_S) * HOUR_S,
        "domain_id": domain_id,
        "parser": parser,
        "parser_version": version,
        "pages": pages,
        "items": full,
        "invalid": 0,
        "empty": pages - full,
        "errors": 0,
        "confidence_sum": confidence * full,
        "rated": full,
    }
    connection.execute(insert(parser_stats).values(row))
