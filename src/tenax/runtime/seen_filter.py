"""Refills the seen filter in Redis from the store."""

import asyncio
from collections.abc import Iterable, Mapping

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.coordination.base import UrlName
from tenax.coordination.redis import RedisCoordination
from tenax.errors import ConfigError
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_coordination
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.reading import Work


async def refill_seen(
    place: Place, settings: Settings, iter_names: Work[Iterable[Mapping[int, list[UrlName]]]]
) -> int:
    """Make the seen filter hold exactly these urls of the store; returns how many. Workers may be crawling: a
    url that is missing for a moment is looked up in the store."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with (
        backend.open_stores(place, SystemClock()) as stores,
        open_coordination(settings, stores) as redis,
    ):
        if not isinstance(redis, RedisCoordination):
            raise ConfigError("There is no Redis to fill: name it with --redis or TENAX_REDIS__URL.")
        await redis.clear_seen()
        loop = asyncio.get_running_loop()

        def fill(connection: Connection) -> int:
            known = 0
            for by_source in iter_names(connection):
                for source_id, names in by_source.items():
                    filled = redis.refill_seen(names, source_id)
                    asyncio.run_coroutine_threadsafe(filled, loop).result()
                    known += len(names)
            return known

        # Reading a store blocks, so it runs in a thread of its own.
        return await asyncio.to_thread(read_store, place, fill)
