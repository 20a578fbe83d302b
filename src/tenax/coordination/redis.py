"""Coordination through Redis or Valkey. See base.Coordination; keys.py lists the keys."""

import asyncio
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from xxhash import xxh3_64_intdigest

from tenax.clock import Clock
from tenax.config.worker import RedisSettings
from tenax.coordination.address import RedisAddress
from tenax.coordination.base import CrawlEvent, Notice, UrlName, WorkerReport
from tenax.coordination.keys import ADDRESSES, EVENTS, NOTICES, REPORTS, ROBOTS, SEEN, RedisNames, plan_ttl_ms
from tenax.coordination.link import RedisLink
from tenax.coordination.scripts import ANNOUNCE, BUCKETS, FIND_SEEN, PUBLISH, REMEMBER, name_buckets
from tenax.coordination.values import (
    format_addresses,
    format_notice,
    format_report,
    format_robots,
    parse_addresses,
    parse_notice,
    parse_report,
    parse_robots,
)
from tenax.errors import ServiceError
from tenax.records.domains import Breaker, RobotsRecord
from tenax.records.jobs import NO_SOURCE
from tenax.records.requests import Addresses
from tenax.web.identity import VERSION as IDENTITY_VERSION

MAX_ROBOTS_BYTES = 65_536  # a longer robots.txt is not shared: it would displace many others
KEPT_EVENTS = 10_000
KEPT_NOTICES = 1000
CHUNK = 5000  # urls per script: a script blocks the server, 1 µs per url
MAX_QUERIED = 4 * CHUNK  # urls per query; the store decides about the rest


class RedisCoordination:
    """Use as a context manager."""

    is_shared = True

    def __init__(
        self,
        address: RedisAddress,
        settings: RedisSettings,
        names: RedisNames,
        clock: Clock,
        source_id: int = NO_SOURCE,
    ) -> None:
        """`source_id`: whose links the seen filter is queried for. A url that one source or crawl has stored
        may be new to another."""
        self._link = RedisLink(address, clock, settings.timeout_s)
        self._names = names
        self._clock = clock
        self._bucket_size = max(settings.seen_urls // BUCKETS, 1)
        # Keys are url hashes, and a site could make them collide across domains; the salt prevents that. Keys
        # of another version mean other urls.
        self._salt = _find_salt(names, source_id)

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

    @property
    def trouble(self) -> str | None:
        return self._link.trouble

    @property
    def breaker(self) -> Breaker:
        return self._link.breaker

    async def check(self) -> str | None:
        """What is wrong right now; None: it answers."""
        return None if await self._link.call("PING") else self._link.describe_failure()

    # --- facts about the web -----------------------------------------------------------------------

    async def find_robots(self, origin: str) -> RobotsRecord | None:
        value = await self._link.call("GET", self._names.robots(origin))
        return None if value is None else parse_robots(origin, value, self._clock.now())

    def save_robots(self, record: RobotsRecord) -> None:
        ttl_ms = plan_ttl_ms(ROBOTS, record.expires_at, self._clock.now())
        if ttl_ms and len(record.body) <= MAX_ROBOTS_BYTES:
            self._link.send("SET", self._names.robots(record.origin), format_robots(record), "PX", ttl_ms)

    async def find_addresses(self, host: str) -> Addresses | None:
        value = await self._link.call("GET", self._names.addresses(host))
        return None if value is None else parse_addresses(value, self._clock.now())

    def save_addresses(self, host: str, addresses: Addresses) -> None:
        ttl_ms = plan_ttl_ms(ADDRESSES, addresses.expires_at, self._clock.now())
        if ttl_ms:
            self._link.send("SET", self._names.addresses(host), format_addresses(addresses), "PX", ttl_ms)

    # --- the seen filter ---------------------------------------------------------------------------

    async def find_seen(self, urls: Sequence[UrlName]) -> set[UrlName]:
        chunks = list(_split(urls[:MAX_QUERIED]))
        replies = await asyncio.gather(
            *(
                self._link.call("EVAL", FIND_SEEN, 1, self._names.seen, *_mix(chunk, self._salt))
                for chunk in chunks
            )
        )
        return {
            chunk[number - 1] for chunk, reply in zip(chunks, replies, strict=True) for number in reply or ()
        }

    def remember(self, urls: Sequence[UrlName]) -> None:
        for chunk in _split(urls):
            self._link.send(*self._remember(chunk, self._salt))

    async def refill_seen(self, urls: Sequence[UrlName], source_id: int) -> None:
        """Remember urls for that source. Raises ServiceError unless it was done."""
        salt = _find_salt(self._names, source_id)
        for chunk in _split(urls):
            self._require_reply(await self._link.call(*self._remember(chunk, salt)))

    async def clear_seen(self) -> None:
        """Forget every url. Raises ServiceError unless it was done."""
        self._require_reply(await self._link.call("UNLINK", *name_buckets(self._names.seen)))

    def _require_reply(self, reply: Any) -> None:
        if reply is None:
            raise ServiceError(f"{self._link.describe_failure()}.")

    def _remember(self, urls: Sequence[UrlName], salt: int) -> tuple[Any, ...]:
        members = _mix(urls, salt)
        return ("EVAL", REMEMBER, 1, self._names.seen, SEEN.ttl_s, self._bucket_size, *members)

    # --- reports and events ------------------------------------------------------------------------

    def publish(self, report: WorkerReport) -> None:
        names = self._names
        keys = (names.reports(report.run_id), names.events)
        limits = (REPORTS.ttl_s, EVENTS.ttl_s, KEPT_EVENTS)
        self._link.send("EVAL", PUBLISH, 2, *keys, *limits, report.worker, format_report(report))

    async def list_reports(self, run_id: int) -> list[WorkerReport]:
        values = await self._link.call("HVALS", self._names.reports(run_id))
        found = [parse_report(value) for value in values or ()]
        return [report for report in found if report is not None]

    async def read_events(self, after: str | None, limit: int) -> list[CrawlEvent]:
        start = f"({after}" if after else "-"
        entries = await self._link.call("XRANGE", self._names.events, start, "+", "COUNT", limit)
        found = [(entry_id.decode(), parse_report(fields[1])) for entry_id, fields in entries or ()]
        return [CrawlEvent(id=entry_id, report=report) for entry_id, report in found if report is not None]

    def announce(self, notice: Notice) -> None:
        limits = (NOTICES.ttl_s, KEPT_NOTICES)
        self._link.send("EVAL", ANNOUNCE, 1, self._names.notices, *limits, format_notice(notice))

    async def read_notices(self, after: str | None, limit: int) -> list[tuple[str, Notice]]:
        start = f"({after}" if after else "-"
        entries = await self._link.call("XRANGE", self._names.notices, start, "+", "COUNT", limit)
        found = [(entry_id.decode(), parse_notice(fields[1])) for entry_id, fields in entries or ()]
        return [(entry_id, notice) for entry_id, notice in found if notice is not None]


def _find_salt(names: RedisNames, source_id: int) -> int:
    return xxh3_64_intdigest(f"{names.store}:{IDENTITY_VERSION}:{source_id}".encode())


def _mix(urls: Sequence[UrlName], salt: int) -> list[int]:
    """One signed integer per domain and key: Redis packs sets of integers into 8 bytes each."""
    half = 1 << 63
    return [
        ((key & (2 * half - 1)) ^ xxh3_64_intdigest(domain.encode(), salt)) - half for domain, key in urls
    ]


def _split(urls: Sequence[UrlName]) -> Iterator[Sequence[UrlName]]:
    for start in range(0, len(urls), CHUNK):
        yield urls[start : start + CHUNK]
