"""Listens, through Redis, for sources that were changed at another server or at the command line, so that
their jobs need not wait for the next poll. Nothing depends on it: a notice may be lost, and polling
continues.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tenax.coordination.base import Coordination

POLL_EVERY_S: Final = 1.0
BATCH: Final = 1000


async def listen_for_changes(coordination: Coordination, wake: Callable[[], None]) -> None:
    """Call `wake` after every change, until cancelled. Returns at once if nothing is shared."""
    last: str | None = None
    while coordination.is_shared:
        # Returns nothing while Redis is unavailable.
        notices = await coordination.read_notices(last, BATCH)
        if notices:
            last = notices[-1][0]
            wake()
        await asyncio.sleep(POLL_EVERY_S)
