"""How a worker's memory is divided. The setting is a promise, so every large consumer has a share.

Every consumer gets the minimum that it needs, and a part of the rest.
"""

from dataclasses import fields

from tenax.config.settings import Settings
from tenax.errors import ConfigError
from tenax.record import record
from tenax.web.markup import SMALL_MEMORY_BYTES

MB = 1_000_000
CONNECTION_BYTES = 80_000  # an idle one with TLS; without TLS, 3 kB
READING_COPIES = 4  # of a document while it is parsed: its bytes, the tree, its text twice

# The interpreter, the libraries, and everything that is not counted.
_BASE_BYTES = 78 * MB
# Fraction of memory that is lost to fragmentation.
_SLACK = 0.08
# Fraction of the rest that is given out: on a busy machine memory is freed late.
_SPENT = 0.7


@record
class MemoryPlan:
    """Bytes for each consumer."""

    connections: int  # idle ones, between requests
    waits: int  # requests to domains that are slow to respond
    store: int  # pages of the store's file
    domains: int  # of leased domains: head of the queue, known keys, robots rules
    links: int  # hrefs and keys of recent links
    bodies: int  # of responses in transit
    results: int  # of visits that are not settled yet
    document: int  # the one that is being parsed

    @property
    def connections_count(self) -> int:
        return self.connections // CONNECTION_BYTES


_WEIGHTS = MemoryPlan(
    connections=13, waits=12, store=30, domains=21, links=17, bodies=3, results=7, document=2
)


def plan_memory(settings: Settings) -> MemoryPlan:
    """Divide up the memory of a worker. Raises ConfigError if it is too little."""
    memory_mb, concurrency = settings.worker.memory_mb, settings.worker.concurrency
    max_body_bytes = settings.fetch.max_bytes
    needs = _find_needs(max_body_bytes, concurrency)
    needed = sum(_values(needs))
    room = int((memory_mb * MB - _BASE_BYTES) * (1 - _SLACK))
    if room < needed:
        least_mb = -(-int(needed / (1 - _SLACK) + _BASE_BYTES) // MB)
        raise ConfigError(
            f"worker.memory_mb is {memory_mb}, but {concurrency:,} concurrent requests (worker.concurrency)"
            f" with bodies of up to {max_body_bytes:,} bytes (fetch.max_bytes) need at least {least_mb}."
        )
    total = sum(_values(_WEIGHTS))
    spare = int((room - needed) * _SPENT)
    shares = [
        need + spare * weight // total for need, weight in zip(_values(needs), _values(_WEIGHTS), strict=True)
    ]
    return MemoryPlan(**dict(zip(_NAMES, shares, strict=True)))


def _find_needs(max_body_bytes: int, concurrency: int) -> MemoryPlan:
    return MemoryPlan(
        connections=concurrency * CONNECTION_BYTES,
        waits=0,
        store=8 * MB,
        domains=6 * MB,
        links=3 * MB,
        bodies=2 * MB + max_body_bytes,
        results=4 * MB + 2 * max_body_bytes,
        document=max(SMALL_MEMORY_BYTES, READING_COPIES * max_body_bytes),
    )


_NAMES = [field.name for field in fields(MemoryPlan)]


def _values(plan: MemoryPlan) -> list[int]:
    return [getattr(plan, name) for name in _NAMES]
