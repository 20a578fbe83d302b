"""How often somebody may ask, and how often somebody may fail to log in. Counted in Redis, else in memory."""

import hashlib
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from tenax.coordination.gate import Contender, Hit
from tenax.coordination.memory_gate import MemoryGate
from tenax.coordination.redis_gate import RedisGate
from tenax.errors import TooManyAttempts
from tenax.stores.users import fold_name

# Several people may sit behind one address, and one of them may have a finger that slips.
NAME_FAILURES: Final = 5
ADDRESS_FAILURES: Final = 20
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

    async def hit(self, key: str, limit: int, window_s: float = 60) -> Hit:
        """Count a request of `key`. It does not matter which process it came to, as long as Redis answers."""
        found = None if self._redis is None else await self._redis.hit(key, limit, window_s)
        return found or self._memory.hit(key, limit, window_s)


class Throttle:
    """Of logins, by name and by address. An attempt counts as a failure from its beginning: many at once are
    no way around it."""

    def __init__(self, memory: MemoryGate, redis: RedisGate | None) -> None:
        self._memory = memory
        self._redis = redis

    async def enter(self, name: str, address: str | None) -> None:
        """Raises TooManyAttempts."""
        contenders = _list_contenders(name, address)
        wait_s = None if self._redis is None else await self._redis.attempt(contenders)
        if wait_s is None:
            wait_s = self._memory.attempt(contenders)
        if wait_s > 0:
            raise TooManyAttempts(wait_s)

    def is_worth_noting(self) -> bool:
        """Whether a failure is written down: whoever tries many names must not fill the disk with it."""
        return self._memory.hit("failed logins", NOTED_FAILURES, 60.0).allowed

    def forgive(self, name: str, address: str | None) -> None:
        """The password was right. Others behind the address remain suspected of what they did."""
        who, where = _list_contenders(name, address)
        for gate in self._list_gates():
            gate.forgive(who.who)
            gate.take_back(where.who)

    def take_back(self, name: str, address: str | None) -> None:
        """The password was not even looked at."""
        for each in _list_contenders(name, address):
            for gate in self._list_gates():
                gate.take_back(each.who)

    def _list_gates(self) -> Sequence[MemoryGate | RedisGate]:
        return [self._memory] if self._redis is None else [self._memory, self._redis]


def _list_contenders(name: str, address: str | None) -> tuple[Contender, Contender]:
    # Hashed: people type passwords where their name belongs.
    hashed = hashlib.sha256(fold_name(name).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return (
        Contender(who=f"name:{hashed}", free=NAME_FAILURES),
        Contender(who=f"address:{name_client(address)}", free=ADDRESS_FAILURES),
    )
