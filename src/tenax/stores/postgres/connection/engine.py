"""SQLAlchemy on asyncpg, for what is not hot: reports, exports, migrations."""

import contextlib
from collections.abc import AsyncIterator

import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.connection.errors import FOREIGN, translate


@contextlib.asynccontextmanager
async def open_connection(url: str, place: str, settings: dict[str, str]) -> AsyncIterator[AsyncConnection]:
    """Raises StoreError with one sentence, also for what goes wrong while the context lasts."""

    async def open_raw() -> asyncpg.Connection:
        try:
            return await connect(url, settings)
        except FOREIGN as error:
            raise translate(error, place) from error

    engine = create_async_engine("postgresql+asyncpg://", async_creator=open_raw, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        cause = error.orig.__cause__ if error.orig is not None else None
        raise translate(cause or error, place) from error
    finally:
        await engine.dispose()
