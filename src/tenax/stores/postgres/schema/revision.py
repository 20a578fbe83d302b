"""Whether a database is a store, and its schema."""

from tenax.errors import StoreError, StoreTooNew
from tenax.stores.hot.statements import FIND_REVISION
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.schema.migrations import REVISION

LEAST_SERVER = 150_000


_FIND_SERVER = """
    SELECT current_setting('server_version_num')::int, current_setting('server_encoding')
"""


async def check_schema(connection: Connection, place: str) -> None:
    """Raises StoreError with one sentence unless the database can be used as it is."""
    version, encoding = await connection.fetchrow(_FIND_SERVER)
    if version < LEAST_SERVER:
        raise StoreError(f"{place} runs PostgreSQL {version // 10_000}; Tenax needs 15 or newer.")
    if encoding != "UTF8":
        raise StoreError(f"{place} has the encoding {encoding}; create a database with the encoding UTF8.")
    judge(await read_revision(connection), place)


_IS_OURS = """
    SELECT to_regclass('alembic_version') IS NOT NULL AND to_regprocedure('tenax_now()') IS NOT NULL
"""


async def read_revision(connection: Connection) -> str | None:
    """The schema's revision, None in a database without one."""
    is_ours = await connection.fetchval(_IS_OURS)
    if not is_ours:
        return None
    revision: str | None = await connection.fetchval(FIND_REVISION)
    return revision


def judge(found: str | None, place: str) -> None:
    if found is None:
        raise StoreError(
            f"{place} holds no Tenax store yet. Run 'tenax migrate --store …' once to create it."
        )
    refuse_newer(found, place)
    if found < REVISION:
        raise StoreError(
            f"{place} was made by an older Tenax (schema {found}, this one needs {REVISION}). "
            "Stop its workers and run 'tenax migrate --store …'."
        )


def refuse_newer(found: str, place: str) -> None:
    if found > REVISION:
        raise StoreTooNew(
            f"{place} was made by a newer Tenax (schema {found}, this one knows {REVISION}). Upgrade Tenax."
        )
