"""Rate limits and sessions in Redis, shared by all API processes on one store. See gate.py."""

from collections.abc import Sequence
from math import ceil
from types import TracebackType
from typing import Self

from tenax.clock import Clock
from tenax.config.worker import RedisSettings
from tenax.coordination.address import RedisAddress
from tenax.coordination.gate import FIRST_WAIT_S, LONGEST_WAIT_S, REMEMBERED_S, LoginSubject, RateHit
from tenax.coordination.keys import RedisNames
from tenax.coordination.link import RedisLink
from tenax.coordination.scripts import ATTEMPT, HIT, UNDO_ATTEMPT

MICRO = 1_000_000


class RedisGate:
    """Use as a context manager. None and False mean that Redis did not answer."""

    def __init__(
        self, address: RedisAddress, settings: RedisSettings, names: RedisNames, clock: Clock
    ) -> None:
        self._link = RedisLink(address, clock, settings.timeout_s)
        self._names = names

    async def __aenter__(self) -> Self:
        await self._link.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._link.__aexit__(kind, error, trace)

    async def hit(self, key: str, limit: int, window_s: float) -> RateHit | None:
        name = self._names.hits(key)
        reply = await self._link.call("EVAL", HIT, 1, name, limit, round(window_s * MICRO))
        if reply is None:
            return None
        let_in, remaining, next_free, all_free = reply
        return RateHit(
            allowed=bool(let_in),
            limit=limit,
            remaining=remaining,
            reset_s=ceil(all_free / MICRO),
            retry_after_s=ceil(next_free / MICRO),
        )

    async def attempt(self, subjects: Sequence[LoginSubject]) -> float | None:
        names = [self._names.attempts(each.key) for each in subjects]
        waits = [round(seconds * MICRO) for seconds in (FIRST_WAIT_S, LONGEST_WAIT_S, REMEMBERED_S)]
        free = [each.free for each in subjects]
        reply = await self._link.call("EVAL", ATTEMPT, len(names), *names, *waits, *free)
        return None if reply is None else reply / MICRO

    def clear_failures(self, key: str) -> None:
        self._link.send("DEL", self._names.attempts(key))

    def undo_attempt(self, key: str) -> None:
        self._link.send("EVAL", UNDO_ATTEMPT, 1, self._names.attempts(key))

    async def find_session(self, key: str) -> bytes | None:
        found = await self._link.call("GET", self._names.session(key))
        return found if isinstance(found, bytes) else None

    async def save_session(self, key: str, value: bytes, ttl_s: float) -> bool:
        name = self._names.session(key)
        return await self._link.call("SET", name, value, "PX", round(ttl_s * 1000)) is not None

    async def drop_session(self, key: str) -> bool:
        return await self._link.call("DEL", self._names.session(key)) is not None
