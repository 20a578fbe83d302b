"""Caches results that many requests share: the longer a result takes, the less often it is computed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

FRESH_S = 0.5
# A result that takes a second is computed every twenty seconds: at most a twentieth of a reader's time.
SHARE = 20


class Cached(Generic[T]):
    def __init__(
        self, find: Callable[[], Awaitable[T]], fresh_s: float = FRESH_S, share: float = SHARE
    ) -> None:
        self._find = find
        self._fresh_s = fresh_s
        self._share = share
        self._until = 0.0
        self._turn = asyncio.Lock()
        self._found: T | None = None

    async def get(self) -> T:
        async with self._turn:
            if self._found is None or time.monotonic() >= self._until:
                started_at = time.monotonic()
                self._found = await self._find()
                now = time.monotonic()
                self._until = now + max(self._fresh_s, self._share * (now - started_at))
            return self._found
