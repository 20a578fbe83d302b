"""Deletes old errors, and how parsers did long ago. Several servers may do it concurrently."""

from typing import Final

from sqlalchemy import Connection, Table, delete, select

from tenax.clock import Instant
from tenax.stores.schema.error_log import error_groups, errors
from tenax.stores.schema.items import parser_stats

ERRORS_KEPT_S: Final = 30 * 86_400.0
STATS_KEPT_S: Final = 400 * 86_400.0
PRUNED_AT_ONCE: Final = 5_000


def prune_errors(connection: Connection, now: Instant) -> bool:
    """Delete old errors, and groups without a newer one. True: there is more to do."""
    before = now - ERRORS_KEPT_S
    connection.execute(delete(error_groups).where(error_groups.c.last_at < before))
    return _prune(connection, errors, "at", before)


def prune_parser_stats(connection: Connection, now: Instant) -> bool:
    """True: there is more to do."""
    return _prune(connection, parser_stats, "hour", now - STATS_KEPT_S)


def _prune(connection: Connection, table: Table, column: str, before: Instant) -> bool:
    old = select(table.c.id).where(table.c[column] < before).limit(PRUNED_AT_ONCE)
    return connection.execute(delete(table).where(table.c.id.in_(old))).rowcount == PRUNED_AT_ONCE
