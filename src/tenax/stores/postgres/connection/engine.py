"""SQLAlchemy on asyncpg, for what is not hot: reports, exports, migrations."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.connection.errors import foreign_errors, translate
from tenax.stores.postgres.connection.protocol import Connection


@contextlib.asynccontextmanager
async def open_connection(url: str, place: str, settings: dict[str, str]) -> AsyncIterator[Any]:
    """SQLAlchemy's asynchronous connection. Raises StoreError with one sentence, also for errors while the
    context lasts."""
    # Late: SQLAlchemy would cost the start of every worker 0.2 s of CPU.
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    async def open_raw() -> Connection:
        try:
            return await connect(url, settings)
        except foreign_errors() as error:
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
