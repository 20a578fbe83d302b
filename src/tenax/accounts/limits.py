"""Limits on requests and on failed logins, counted in Redis if there is one, else in memory."""

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

# For a name from one address, or from a browser that has logged in with it before.
NAME_FAILURES: Final = 5
# Several people may share an address, and some of them mistype their passwords.
ADDRESS_FAILURES: Final = 20
# For a name, from all addresses together. It slows down attackers with many addresses without locking the
# user out for long.
NAME_PER_MIN: Final = 30
NOTED_FAILURES: Final = 60  # a minute


def name_client(address: str | None) -> str:
    """What counts as one client: an IPv4 address, or the /64 network that an IPv6 site is given."""
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
        """Count a request for `key`. While Redis answers, all processes share the count."""
        found = None if self._redis is None else await self._redis.hit(key, limit, window_s)
        return found or self._memory.hit(key, limit, window_s)


@record
class LoginAttempt:
    """One attempt to log in."""

    name: str
    address: str | None
    device: str | None = None  # see devices.py; None: an unknown browser


class LoginThrottle:
    """Slows down repeated failed logins.

    Failures count per name and address together, and per address, so that knowing a name is not enough to
    lock its user out. An attempt counts as a failure from its start, so many parallel attempts do not get
    around the limit.
    """

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
        """Whether to write a failure to the audit log: an attack on many names must not fill the disk."""
        return self._memory.hit("failed logins", NOTED_FAILURES, 60.0).allowed

    def clear_failures(self, attempt: LoginAttempt) -> None:
        """The password was correct. Failures of other attempts from the same address still count."""
        cleared, *others = _list_subjects(attempt)
        for gate in self._list_gates():
            gate.clear_failures(cleared.key)
            for each in others:
                gate.undo_attempt(each.key)

    def undo_attempt(self, attempt: LoginAttempt) -> None:
        """The password was not checked, so the attempt does not count."""
        for each in _list_subjects(attempt):
            for gate in self._list_gates():
                gate.undo_attempt(each.key)

    def _list_gates(self) -> Sequence[MemoryGate | RedisGate]:
        return [self._memory] if self._redis is None else [self._memory, self._redis]


def _list_subjects(attempt: LoginAttempt) -> tuple[LoginSubject, ...]:
    """The subject that a correct password clears comes first."""
    if attempt.device is not None:
        return (LoginSubject(key=f"device:{attempt.device}", free=NAME_FAILURES),)
    client = name_client(attempt.address)
    return (
        LoginSubject(key=f"name:{_hash(attempt.name)}:{client}", free=NAME_FAILURES),
        LoginSubject(key=f"address:{client}", free=ADDRESS_FAILURES),
    )


def _hash(name: str) -> str:
    """Hashed, because people sometimes type their password into the name field."""
    return hashlib.sha256(fold_name(name).encode("utf-8", "surrogatepass")).hexdigest()[:32]
