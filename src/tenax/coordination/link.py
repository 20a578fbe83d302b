"""The connection to a Redis that may be down, slow or full: every call has a deadline, and lost connections
are restored in the background.

Callers never connect and never try a server that was found dead; a background task does. So a caller waits
for its deadline at most five times in a row; after that, nothing is sent until the background task has had a
reply.
"""

import asyncio
import contextlib
from functools import partial
from types import TracebackType
from typing import Any, Self

from tenax.clock import Clock, Instant
from tenax.config.crawl import BreakerSettings
from tenax.coordination.address import RedisAddress
from tenax.coordination.wire import Refusal, Wire, Word, connect
from tenax.policy import breaker as breakers
from tenax.records.domains import Breaker, BreakerState
from tenax.telemetry import log

# Five failures in a row open the breaker. The goal is to be back within 10 s of the server's return, so the
# pause between two trials is half of that.
LIMITS = BreakerSettings(failures=5, open_s=5.0, successes=1)
CONNECT_S = 1.0
RECONNECT_S = 0.2
REFUSAL_SHOWN_S = 5.0  # how long a refusal is reported


class RedisLink:
    """Use as a context manager; entering succeeds even without a server."""

    def __init__(self, address: RedisAddress, clock: Clock, timeout_s: float) -> None:
        self._address = address
        self._clock = clock
        self._timeout_s = timeout_s
        self._wire: Wire | None = None
        self.breaker = Breaker()
        self._error = ""
        self._refused_at: Instant | None = None
        self._refusal = ""
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        await self._try_connect()
        self._keeper = self._loop.create_task(self._keep_connected())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._wire is not None:
            # A reply to this means that all earlier commands are done.
            await self.call("PING")
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._wire is not None:
            self._wire.close()

    @property
    def trouble(self) -> str | None:
        is_recent = (
            self._refused_at is not None and 0 <= self._clock.now() - self._refused_at < REFUSAL_SHOWN_S
        )
        if self.breaker.state is BreakerState.CLOSED and not is_recent:
            return None
        return f"{self.describe_failure()}; continuing without it"

    def describe_failure(self) -> str:
        """A clause about the last failure, for a caller that knows there was one."""
        if self.breaker.failures or self._refused_at is None:
            return f"Redis at {self._address.place} does not answer ({self._error})"
        return f"Redis at {self._address.place} refuses ({self._refusal})"

    def send(self, *words: Word) -> None:
        """Send without waiting. What cannot be sent is dropped."""
        self._start(words)

    async def call(self, *words: Word) -> Any:
        """Send a command and return the reply; None also if there is none within the deadline."""
        future = self._start(words)
        if future is None:
            return None
        with contextlib.suppress(OSError, Refusal):
            return await future
        return None

    # --- calls -------------------------------------------------------------------------------------

    def _start(self, words: tuple[Word, ...]) -> asyncio.Future[Any] | None:
        if self._wire is None:
            return None
        future = self._wire.start(*words)
        deadline = self._loop.call_later(self._timeout_s, self._expire, future)
        future.add_done_callback(partial(self._record_reply, deadline))
        return future

    def _expire(self, future: asyncio.Future[Any]) -> None:
        if not future.done():
            future.set_exception(TimeoutError(f"no reply within {self._timeout_s * 1000:g} ms"))

    def _record_reply(self, deadline: asyncio.TimerHandle, future: asyncio.Future[Any]) -> None:
        deadline.cancel()
        if future.cancelled():
            return
        error = future.exception()
        if isinstance(error, Refusal):
            self._refused_at, self._refusal = self._clock.now(), str(error)
        elif isinstance(error, TimeoutError):
            self._fail(error)
        elif error is None and self.breaker.failures:
            self.breaker = breakers.on_success(self.breaker, LIMITS)

    def _fail(self, error: BaseException) -> None:
        was_open = self.breaker.state is not BreakerState.CLOSED
        self._error = str(error) or type(error).__name__
        self.breaker = breakers.on_failure(self.breaker, self._clock.now(), LIMITS)
        if self.breaker.state is BreakerState.OPEN:
            if not was_open:
                log.warning("redis_lost", place=self._address.place, error=self._error)
            if self._wire is not None:
                self._wire.close()

    # --- reconnecting --------------------------------------------------------------------------------

    async def _keep_connected(self) -> None:
        """Reconnect: almost at once after a loss, after a pause while the breaker is open."""
        while True:
            if self._wire is not None:
                await self._wire.lost.wait()
                self._wire = None
                if self.breaker.state is BreakerState.CLOSED:
                    self._fail(ConnectionError("the connection was lost"))
            await self._pause()
            await self._try_connect()

    async def _pause(self) -> None:
        now = self._clock.now()
        reopen_at = breakers.clamp(self.breaker, now, LIMITS).reopen_at or now
        await asyncio.sleep(max(reopen_at - now, RECONNECT_S))

    async def _try_connect(self) -> None:
        if self.breaker.reopen_at is not None:
            self.breaker = breakers.on_time(self.breaker, self.breaker.reopen_at)
        try:
            async with asyncio.timeout(CONNECT_S):
                self._wire = await connect(self._address)
        except TimeoutError:
            self._fail(TimeoutError(f"no reply within {CONNECT_S:g} s"))
        except (OSError, Refusal) as error:
            self._fail(error)
        else:
            self._on_connected()

    def _on_connected(self) -> None:
        # While the breaker is closed, only an answered command proves anything: a server may accept and hang
        # up.
        if self.breaker.state is not BreakerState.CLOSED:
            log.info("redis_back", place=self._address.place)
            self.breaker = breakers.on_success(self.breaker, LIMITS)
