"""How often somebody may ask, and how often somebody may fail to log in. Counted in Redis, else in memory."""

import hashlib
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from tenax.coordination.gate import LoginSubject, RateHit
from tenax.coordination.memory_gate import MemoryGate
from tenax.coordination.redis_gate import RedisGate
from tenax.errors import TooManyAttempts
from tenax.record import record
from tenax.wording import fold_name

# Of a name from one address, or from a browser that has logged in with it before.
NAME_FAILURES: Final = 5
# Several people may sit behind one address, and one of them may have a finger that slips.
ADDRESS_FAILURES: Final = 20
# Of a name, from all addresses together. It slows down those who have many; it shuts nobody out for long.
NAME_PER_MIN: Final = 30
NOTED_FAILURES: Final = 60  # a minute


def name_client(address: str | None) -> str:
    """Who is counted as one: an address, or the network that a site with IPv6 is given."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


class Limiter:
    def __init__(self, memory: MemoryGate, redis: RedisGate | None) -> None:
        self._memory = memory
        self._redis = redis

    async def hit(self, key: str, limit: int, window_s: float = 60) -> RateHit:
        """Count a request of `key`. It does not matter which process it came to, as long as Redis answers."""
        found = None if self._redis is None else await self._redis.hit(key, limit, window_s)
        return found or self._memory.hit(key, limit, window_s)


@record
class LoginAttempt:
    """Somebody tries to come in."""

    name: str
    address: str | None
    device: str | None = None  # see devices.py; None: a browser that nobody knows


class LoginThrottle:
    """Of logins. Failures count by name and address together, and by address: whoever knows a name can keep
    nobody else from using it. An attempt counts as a failure from its beginning: many at once are no way
    around it."""

    def __init__(self, memory: MemoryGate, redis: RedisGate | None) -> None:
        self._memory = memory
        self._redis = redis
        self._limiter = Limiter(memory, redis)

    async def enter(self, attempt: LoginAttempt) -> None:
        """Raises TooManyAttempts."""
        subjects = _list_subjects(attempt)
        wait_s = None if self._redis is None else await self._redis.attempt(subjects)
        if wait_s is None:
            wait_s = self._memory.attempt(subjects)
        if wait_s > 0:
            raise TooManyAttempts(wait_s)
        if attempt.device is None:
            hit = await self._limiter.hit(f"logins:{_hash(attempt.name)}", NAME_PER_MIN)
            if not hit.allowed:
                self.undo_attempt(attempt)
                raise TooManyAttempts(hit.retry_after_s)

    def should_record_failure(self) -> bool:
        """Whether a failure is written down: whoever tries many names must not fill the disk with it."""
        return self._memory.hit("failed logins", NOTED_FAILURES, 60.0).allowed

    def clear_failures(self, attempt: LoginAttempt) -> None:
        """The password was right. Others behind the address remain suspected of what they did."""
        who, *where = _list_subjects(attempt)
        for gate in self._list_gates():
            gate.clear_failures(who.who)
            for each in where:
                gate.undo_attempt(each.who)

    def undo_attempt(self, attempt: LoginAttempt) -> None:
        """The password was not even looked at."""
        for each in _list_subjects(attempt):
            for gate in self._list_gates():
                gate.undo_attempt(each.who)

    def _list_gates(self) -> Sequence[MemoryGate | RedisGate]:
        return [self._memory] if self._redis is None else [self._memory, self._redis]


def _list_subjects(attempt: LoginAttempt) -> tuple[LoginSubject, ...]:
    """First the one that a right password clears."""
    if attempt.device is not None:
        return (LoginSubject(who=f"device:{attempt.device}", free=NAME_FAILURES),)
    client = name_client(attempt.address)
    return (
        LoginSubject(who=f"name:{_hash(attempt.name)}:{client}", free=NAME_FAILURES),
        LoginSubject(who=f"address:{client}", free=ADDRESS_FAILURES),
    )


def _hash(name: str) -> str:
    """People type passwords where their name belongs."""
    return hashlib.sha256(fold_name(name).encode("utf-8", "surrogatepass")).hexdigest()[:32]
