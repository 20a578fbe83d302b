"""How often somebody may ask: a sliding window."""

import time
from collections import deque

from tenax.values import record


@record(frozen=True, slots=True, kw_only=True)
class Hit:
    allowed: bool
    limit: int
    remaining: int
    reset_s: int  # until the whole limit is there again
    retry_after_s: int  # until the next one is allowed; 0: it is


class Limiter:
    def __init__(self) -> None:
        self._hits: dict[str, deque[float]] = {}

    async def hit(self, key: str, limit: int, window_s: float = 60.0) -> Hit:
        now = time.monotonic()
        hits = self._hits.setdefault(key, deque())
        while hits and hits[0] <= now - window_s:
            hits.popleft()
        allowed = len(hits) < limit
        if allowed:
            hits.append(now)
        wait_s = 0 if allowed else int(hits[0] + window_s - now) + 1
        return Hit(
            allowed=allowed,
            limit=limit,
            remaining=limit - len(hits),
            reset_s=int(hits[-1] + window_s - now) + 1,
            retry_after_s=wait_s,
        )
