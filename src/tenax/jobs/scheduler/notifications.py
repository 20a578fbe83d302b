"""Hears, through Redis, that a source was changed at another server or at the command line, so that its job
need not wait for the next look. Nothing rests on it: a notice may be lost, the looks go on."""

import asyncio
from collections.abc import Callable
from typing import Final

from tenax.coordination.base import Coordination

POLL_EVERY_S: Final = 1.0
BATCH: Final = 1000


async def listen_for_changes(coordination: Coordination, wake: Callable[[], None]) -> None:
    """`wake`: told when something has changed. Until it is cancelled, or at once where nobody else is."""
    last: str | None = None
    while coordination.is_shared:
        # Answers nothing while Redis is away.
        notices = await coordination.read_notices(last, BATCH)
        if notices:
            last = notices[-1][0]
            wake()
        await asyncio.sleep(POLL_EVERY_S)
