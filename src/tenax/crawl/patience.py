"""Waits out trouble with the store, behind a breaker that is tried again and again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenax.clock import Clock, Instant, format_instant
from tenax.config import BreakerSettings
from tenax.errors import StoreError
from tenax.policy import breaker as breakers
from tenax.records import Breaker, BreakerState
from tenax.stores.vitals import Service, ServiceBreaker
from tenax.telemetry import log

T = TypeVar("T")

RETRY_S = 1.0
# Three failures in a row open it. A store that is back has to be noticed within seconds, so the rest between
# two trials is short; after OUTAGE_S without success it is no hiccup any more. See decision 19.
LIMITS = BreakerSettings(failures=3, open_s=RETRY_S, successes=1)
OUTAGE_S = 30.0


class Patience:
    def __init__(self, clock: Clock, limit_s: float) -> None:
        self._clock = clock
        self.limit_s = limit_s  # then the trouble is the caller's
        self._breaker = Breaker()
        self._failing_since: Instant | None = None
        self._is_outage = False
        self.trouble: str | None = None  # why the store takes nothing at the moment

    async def insist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Repeat while the store is full, busy or out of reach. Every method may be repeated."""
        since = self._clock.now()
        while True:
            try:
                result = await attempt()
            except StoreError as error:
                if not error.is_transient or self._clock.now() - since > self.limit_s:
                    raise
                self._note_failure(error)
                await asyncio.sleep(RETRY_S)
                self._breaker = breakers.on_time(self._breaker, self._clock.now())
            else:
                self._note_success()
                return result

    def list_breakers(self) -> list[ServiceBreaker]:
        """The store's, unless it is closed."""
        if self._breaker.state is BreakerState.CLOSED or self.trouble is None:
            return []
        return [
            ServiceBreaker(
                service=Service.STORE,
                state=self._breaker.state,
                retry_at=self._breaker.reopen_at,
                reason=self.trouble,
            )
        ]

    def _note_failure(self, error: StoreError) -> None:
        now = self._clock.now()
        self._breaker = breakers.on_failure(self._breaker, now, LIMITS)
        self.trouble = str(error)
        if self._failing_since is None:
            self._failing_since = now
            log.error("store_in_trouble", error=str(error))
        if now - self._failing_since < OUTAGE_S:
            return
        began = format_instant(self._failing_since)
        self.trouble += f" It has been out since {began}."
        if not self._is_outage:
            self._is_outage = True
            log.error("store_outage", error=str(error), since=began)

    def _note_success(self) -> None:
        if self._failing_since is not None:
            log.info("store_back", after_s=self._clock.now() - self._failing_since)
        # Whoever gets through proves it, also with a question from before it opened.
        self._breaker = Breaker()
        self._failing_since = None
        self._is_outage = False
        self.trouble = None
