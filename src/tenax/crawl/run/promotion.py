"""Turns links out of scope into seeds."""

from collections.abc import Collection
from functools import partial

from tenax.clock import Instant
from tenax.stores.access import Access
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.hot.seeds import make_seed
from tenax.stores.queries.discovered import load_link_urls, remove_discovered


async def promote(access: Access, frontier: FrontierStore, ids: Collection[int], now: Instant) -> list[str]:
    """Queue these discovered links as seeds, which widens the scope; returns their urls. Workers learn of it
    with their next claim. A process that dies in between leaves seeds that are still listed: repeating is
    safe."""
    found = await access.read(partial(load_link_urls, ids=ids))
    if found:
        await frontier.add_urls([make_seed(url) for url in found], now)
        await access.write(partial(remove_discovered, ids=ids))
    return found
