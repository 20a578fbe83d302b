"""Reads an overview of the store for observers: never for long, and trouble with the store is reported."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any

from tenax.errors import StoreError
from tenax.record import record
from tenax.stores.contracts.overview import ForeignTransaction, Overview
from tenax.telemetry import log

TIMEOUT_S = 2.0
# An overview of a million domains takes half a second, and others wait meanwhile.
COSTLY_S = 0.3
RESTS = 20  # times the duration of a costly overview, until the next
MOST_REST_S = 15.0  # it may have been slow only once


@record
class StoreView:
    overview: Overview | None  # None: it could not be loaded
    trouble: str | None = None  # why


class StoreProbe:
    def __init__(self, ask: Callable[[], Coroutine[Any, Any, Overview]]) -> None:
        self._ask = ask
        self._asking: asyncio.Task[Overview] | None = None
        self._asked_at = 0.0
        self._noted: str | None = None
        self._seen: StoreView | None = None
        self._rests_until = 0.0

    async def look(self) -> StoreView:
        """A query that takes longer continues: the next call waits for it too. An overview that was costly is
        returned again for a while."""
        if self._seen is not None and time.monotonic() < self._rests_until:
            return self._seen
        if self._asking is None:
            self._asked_at = time.monotonic()
            self._asking = asyncio.create_task(self._ask())
        asking = self._asking
        await asyncio.wait([asking], timeout=TIMEOUT_S)
        if not asking.done():
            waited_s = time.monotonic() - self._asked_at
            return StoreView(overview=None, trouble=f"The store has not answered for {waited_s:.0f} s.")
        self._asking = None
        try:
            overview = asking.result()
        except StoreError as error:
            return StoreView(overview=None, trouble=str(error))
        self._note(overview.foreign_transaction)
        self._seen = StoreView(overview=overview)
        took_s = time.monotonic() - self._asked_at
        if took_s > COSTLY_S:
            self._rests_until = time.monotonic() + min(RESTS * took_s, MOST_REST_S)
        return self._seen

    def _note(self, foreign: ForeignTransaction | None) -> None:
        """Log it once for each session."""
        session = foreign.session if foreign else None
        if foreign is not None and session != self._noted:
            log.warning("foreign_transaction", **asdict(foreign))
        self._noted = session
