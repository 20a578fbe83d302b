"""DNS lookups with a bounded cache.

libcurl never looks up a name itself: its threaded resolver stalls transfers, and the guard must check the
addresses first.
"""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import ip_address
from math import inf
from typing import Any

import pycares

from tenax.clock import Clock, Instant
from tenax.config.fetch import FetchSettings
from tenax.fetch.ares import Answered, LoopAres
from tenax.fetch.base import SharedAddresses
from tenax.fetch.failures import explain_exception
from tenax.fetch.local_errors import NO_MEMORY
from tenax.fetch.overrides import parse_resolve
from tenax.record import record
from tenax.records.requests import Addresses, FailureKind
from tenax.telemetry import log

_READING_S = 0.01
_CACHE_SIZE = 100_000
_MIN_TTL_S, _MAX_TTL_S = 30.0, 3600.0
_NO_SUCH_HOST_TTL_S, _TEMPORARY_TTL_S, _OURS_TTL_S = 60.0, 10.0, 1.0
_MAX_ADDRESSES = 16  # used per host, however many the answer contains
_LOCALHOST = ("127.0.0.1", "::1")  # RFC 6761: DNS servers are never queried for it

_NO_SUCH_HOST_CODES = frozenset(
    {pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_ENODATA, pycares.errno.ARES_EBADNAME}
)
_ARES_ENOSERVER = 26  # pycares does not export it
# No DNS server could be queried or heard: that says nothing about the name.
_LOCAL_CODES = {
    pycares.errno.ARES_ECONNREFUSED: "this machine cannot reach any of its DNS servers",
    _ARES_ENOSERVER: "this machine has no DNS server",
    pycares.errno.ARES_ENOMEM: NO_MEMORY,
    pycares.errno.ARES_ECANCELLED: "this machine cannot receive answers from its DNS servers",
}


@record
class DnsFailure:
    kind: FailureKind
    detail: str
    stored_at: Instant
    expires_at: Instant

    @property
    def is_no_such_host(self) -> bool:
        """False: a later lookup may succeed."""
        return self.kind is FailureKind.NO_SUCH_HOST


Lookup = Addresses | DnsFailure
Found = Callable[[Lookup], None]


class _Query:
    """A DNS query and all callers that wait for its answer."""

    __slots__ = ("deadline", "host", "waiting")

    def __init__(self, host: str, deadline: asyncio.TimerHandle) -> None:
        self.host = host
        self.deadline = deadline
        self.waiting: list[Found] = []


class Resolver:
    """Looks up hosts, between `open` and `close`, on the loop that opened it."""

    def __init__(self, settings: FetchSettings, clock: Clock, shared: SharedAddresses | None = None) -> None:
        self._settings = settings
        self._shared = shared
        self._sharing: set[asyncio.Task[None]] = set()
        self._overrides = parse_resolve(settings.resolve)
        self._clock = clock
        self._cache: OrderedDict[str, Lookup] = OrderedDict()
        self._queries: dict[str, _Query] = {}
        self._ares: LoopAres | None = None

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ares = LoopAres(self._loop, self._settings.dns_servers, self._settings.dns_timeout_s)

    def close(self) -> None:
        """Stop; callers that still wait are not called. Safe to repeat."""
        ares, self._ares = self._ares, None
        if ares is None:
            return
        ares.close()
        for task in self._sharing:
            task.cancel()
        for query in self._queries.values():
            query.deadline.cancel()
        self._queries.clear()

    def cached(self, host: str) -> Lookup | None:
        """What is known about a host without a query; None: look it up."""
        found = self._cache.get(host)
        if found is not None:
            # A clock that was set back must not keep an answer forever.
            if found.stored_at <= self._clock.now() < found.expires_at:
                self._cache.move_to_end(host)
                return found
            del self._cache[host]
        ips = self._overrides.find(host) or _find_local(host)
        if ips is None:
            return None
        return self._remember(host, Addresses(ips=ips, stored_at=-inf, expires_at=inf))

    def lookup(self, host: str, found: Found) -> None:
        """Look up a host; concurrent lookups of the same host share a query. `found` is called once, later.

        It must not raise.
        """
        if self._ares is None:
            raise RuntimeError("the resolver is not open")
        query = self._queries.get(host)
        if query is None:
            query = self._start_query(self._ares, host)
        query.waiting.append(found)

    async def ask(self, host: str) -> Lookup | None:
        """Look up a host, whatever is cached. None: DNS servers are not queried for it."""
        if self._overrides.find(host) is not None or _find_local(host) is not None:
            return None
        answer: asyncio.Future[Lookup] = self._loop.create_future()
        self.lookup(host, lambda found: None if answer.done() else answer.set_result(found))
        return await answer

    def _start_query(self, ares: LoopAres, host: str) -> _Query:
        def answered(result: Any, code: int | None) -> None:
            try:
                found = _read_answer(result, code, self._clock.now())
            except Exception as error:
                found = self._report_local_error(host, error)
            if self._shared is not None and isinstance(found, Addresses):
                self._shared.save_addresses(host, found)
            self._settle(query, found)

        def give_up() -> None:
            detail = f"no DNS server answered within {timeout_s:g} s"
            self._settle(query, _fail_for_now(FailureKind.DNS, detail, self._clock.now()))

        def on_timeout() -> None:
            # If the loop was blocked, the answer may have arrived and not been read yet.
            query.deadline = self._loop.call_later(_READING_S, give_up)

        timeout_s = self._settings.dns_timeout_s
        query = self._queries[host] = _Query(host, self._loop.call_later(timeout_s, on_timeout))
        if self._shared is None:
            self._query_servers(ares, query, answered)
        else:
            task = self._loop.create_task(self._query_shared(self._shared, ares, query, answered))
            self._sharing.add(task)
            task.add_done_callback(self._sharing.discard)
        return query

    def _query_servers(self, ares: LoopAres, query: _Query, answered: Answered) -> None:
        try:
            ares.query(query.host, answered)
        except Exception as error:
            self._loop.call_soon(self._settle, query, self._report_local_error(query.host, error))

    async def _query_shared(
        self, shared: SharedAddresses, ares: LoopAres, query: _Query, answered: Answered
    ) -> None:
        found = await shared.find_addresses(query.host)
        if found is not None:
            self._settle(query, found)
        else:
            self._query_servers(ares, query, answered)

    def _report_local_error(self, host: str, error: Exception) -> DnsFailure:
        log.error("look_up_failed", host=host, exc_info=error)
        reason = explain_exception(error)
        return _fail_for_now(reason.kind, reason.detail, self._clock.now())

    def _settle(self, query: _Query, found: Lookup) -> None:
        query.deadline.cancel()
        if self._queries.get(query.host) is query:
            del self._queries[query.host]
        elif isinstance(found, DnsFailure):
            return  # late: the timeout has already been reported
        self._remember(query.host, found)
        for tell in query.waiting:
            tell(found)
        query.waiting.clear()

    def _remember(self, host: str, found: Lookup) -> Lookup:
        self._cache[host] = found
        self._cache.move_to_end(host)
        if len(self._cache) > _CACHE_SIZE:
            self._cache.popitem(last=False)
        return found


def _find_local(host: str) -> tuple[str, ...] | None:
    if host == "localhost" or host.endswith(".localhost"):
        return _LOCALHOST
    # Only these can be addresses: spare names a failed parse.
    if ":" not in host and not host[-1:].isdigit():
        return None
    try:
        return (str(ip_address(host)),)
    except ValueError:
        return None


def _read_answer(result: Any, code: int | None, now: Instant) -> Lookup:
    if code in _LOCAL_CODES:
        return _fail_for_now(FailureKind.LOCAL, _LOCAL_CODES[code], now)
    if code is not None and code not in _NO_SUCH_HOST_CODES:
        why = str(pycares.errno.strerror(code)).lower()
        return _fail_for_now(FailureKind.DNS, f"the DNS lookup failed: {why}", now)
    nodes = result.nodes if result is not None else ()
    nodes = [node for node in nodes if node.family in (socket.AF_INET, socket.AF_INET6)]
    if not nodes:
        return _fail_for_good(now)
    nodes.sort(key=lambda node: node.family != socket.AF_INET)
    ips = tuple(dict.fromkeys(node.addr[0].decode("ascii") for node in nodes))
    ttl_s = min(max(min(node.ttl for node in nodes), _MIN_TTL_S), _MAX_TTL_S)
    return Addresses(ips=ips[:_MAX_ADDRESSES], stored_at=now, expires_at=now + ttl_s)


def _fail_for_good(now: Instant) -> DnsFailure:
    return DnsFailure(
        kind=FailureKind.NO_SUCH_HOST,
        detail="the name does not exist or has no address",
        stored_at=now,
        expires_at=now + _NO_SUCH_HOST_TTL_S,
    )


def _fail_for_now(kind: FailureKind, detail: str, now: Instant) -> DnsFailure:
    ttl_s = _TEMPORARY_TTL_S if kind is FailureKind.DNS else _OURS_TTL_S
    return DnsFailure(kind=kind, detail=detail, stored_at=now, expires_at=now + ttl_s)
