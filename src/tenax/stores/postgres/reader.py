"""Opens a database for reading only, through SQLAlchemy; for reports and exports.

Every block of statements between `commit`s is one snapshot. A long reader commits from time to time, so that
the server can clean up what the crawl has replaced meanwhile.
"""

import asyncio
from typing import TypeVar

from sqlalchemy import Connection, text

from tenax.clock import Instant
from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.hot.statements import FIND_REVISION
from tenax.stores.place import Place
from tenax.stores.postgres.connection.clock import SERVER
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.postgres.connection.foreign_transactions import build_query, read_transaction
from tenax.stores.postgres.schema.identity import FACTS, format_identity
from tenax.stores.postgres.schema.revision import judge
from tenax.stores.reading import Work

T = TypeVar("T")

SETTINGS = {
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "repeatable read",
    "statement_timeout": "900s",
    "idle_in_transaction_session_timeout": "900s",
}


def read(place: Place, work: Work[T]) -> T:
    return asyncio.run(_read(place, work))


async def _read(place: Place, work: Work[T]) -> T:
    assert place.url is not None
    async with open_connection(place.url, str(place), SETTINGS) as connection:
        await connection.run_sync(check_schema, str(place))
        result: T = await connection.run_sync(work)
        return result


def check_schema(connection: Connection, place: str) -> None:
    has_table = connection.scalar(text("SELECT to_regclass('alembic_version') IS NOT NULL"))
    found = connection.scalar(text(FIND_REVISION)) if has_table else None
    judge(found, place)


def measure(place: Place, connection: Connection) -> int:
    size: int = connection.scalar(text("SELECT pg_database_size(current_database())")) or 0
    return size


def tell_time(connection: Connection) -> Instant:
    now: Instant = connection.execute(text("SELECT tenax_now()")).scalar_one()
    return now


_STORE_TIME = """
    SELECT tenax_now() + coalesce((SELECT offset_s FROM store_clock WHERE name = :name), 0)
"""


def tell_store_time(connection: Connection) -> Instant:
    now: Instant = connection.execute(text(_STORE_TIME), {"name": SERVER}).scalar_one()
    return now


def find_foreign(place: Place, connection: Connection) -> ForeignTransaction | None:
    row = connection.execute(text(build_query())).one_or_none()
    return read_transaction(None if row is None else tuple(row))


def identify(place: Place, connection: Connection) -> str:
    return format_identity(connection.execute(text(FACTS)).scalar_one())
