"""Waits out trouble with the store: repeats what failed, behind a breaker."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenax.clock import Clock, Instant, format_instant
from tenax.config.crawl import BreakerSettings
from tenax.errors import StoreError
from tenax.policy import breaker as breakers
from tenax.records.domains import Breaker, BreakerState
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.telemetry import log

T = TypeVar("T")

RETRY_S = 1.0
# Three failures in a row open the breaker. A store that is back has to be noticed within seconds, so the rest
# between two tries is short; after OUTAGE_S without success it is an outage. See decision 20.
LIMITS = BreakerSettings(failures=3, open_s=RETRY_S, successes=1)
OUTAGE_S = 30.0


class StoreRetry:
    def __init__(self, clock: Clock, limit_s: float, is_excused: Callable[[], bool] = lambda: False) -> None:
        """`limit_s`: after that the error is raised. `is_excused`: the network is down, and perhaps the store
        is beyond it; that time does not count."""
        self._clock = clock
        self._limit_s = limit_s
        self._is_excused = is_excused
        self._breaker = Breaker()
        self._failing_since: Instant | None = None
        self._is_outage = False
        self._troubles: dict[object, str] = {}  # of every attempt that is being repeated

    @property
    def trouble(self) -> str | None:
        """Why the store cannot be written at the moment; None: it can."""
        return next(iter(self._troubles.values()), None)

    def hurry(self, limit_s: float) -> None:
        """Wait no longer than this, whatever the reason."""
        self._limit_s = min(self._limit_s, limit_s)
        self._is_excused = lambda: False

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Repeat the attempt while the store is full, busy or out of reach. Every method of a store may be
        repeated."""
        since = self._clock.now()
        try:
            while True:
                try:
                    return await attempt()
                except StoreError as error:
                    if self._is_excused():
                        since = self._clock.now()
                    if not error.is_transient or self._clock.now() - since > self._limit_s:
                        raise
                    self._troubles[attempt] = self._note_failure(error)
                await asyncio.sleep(RETRY_S)
                self._breaker = breakers.on_time(self._breaker, self._clock.now())
        finally:
            # Only its own: a store that can be read may still refuse to be written.
            if self._troubles.pop(attempt, None) is not None and not self._troubles:
                self._note_end()

    def list_breakers(self) -> list[ServiceBreaker]:
        """The store's, unless it is closed."""
        reason = self.trouble
        if self._breaker.state is BreakerState.CLOSED or reason is None:
            return []
        return [
            ServiceBreaker(
                service=BackingService.STORE,
                state=self._breaker.state,
                retry_at=self._breaker.reopen_at,
                reason=reason,
            )
        ]

    def _note_failure(self, error: StoreError) -> str:
        """Returns the trouble in words."""
        now = self._clock.now()
        self._breaker = breakers.on_failure(self._breaker, now, LIMITS)
        if self._failing_since is None:
            self._failing_since = now
            log.error("store_in_trouble", error=str(error))
        if now - self._failing_since < OUTAGE_S:
            return str(error)
        began = format_instant(self._clock.wall() - (now - self._failing_since))
        if not self._is_outage:
            self._is_outage = True
            log.error("store_outage", error=str(error), since=began)
        return f"{error} The store has been unavailable since {began}."

    def _note_end(self) -> None:
        if self._failing_since is not None:
            log.info("store_trouble_over", after_s=self._clock.now() - self._failing_since)
        self._breaker = Breaker()
        self._failing_since = None
        self._is_outage = False
