"""Hears, through Redis, that a source was changed at another server or at the command line, so that its job
need not wait for the next look. Nothing rests on it: a notice may be lost, the looks go on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

from tenax.coordination.base import Coordination

LOOK_S: Final = 1.0
AT_ONCE: Final = 1000


@contextlib.asynccontextmanager
async def listen_for_changes(coordination: Coordination, wake: Callable[[], None]) -> AsyncIterator[None]:
    """`wake`: told when something has changed."""
    if not coordination.is_shared:
        yield
        return
    listener = asyncio.create_task(_listen(coordination, wake))
    try:
        yield
    finally:
        listener.cancel()
        await asyncio.gather(listener, return_exceptions=True)


async def _listen(coordination: Coordination, wake: Callable[[], None]) -> None:
    last: str | None = None
    while True:
        # Answers nothing while Redis is away.
        notices = await coordination.read_notices(last, AT_ONCE)
        if notices:
            last = notices[-1][0]
            wake()
        await asyncio.sleep(LOOK_S)
