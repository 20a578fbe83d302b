"""The fetcher: libcurl with pinned addresses, stopped at every limit."""

import asyncio
import contextlib
import itertools
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from time import monotonic
from types import TracebackType
from typing import NamedTuple, Self

import pycurl

from tenax import failpoints
from tenax.clock import Clock, Instant
from tenax.config.fetch import FetchSettings
from tenax.fetch.base import Done, SharedAddresses
from tenax.fetch.body_budget import BodyBudget
from tenax.fetch.custom_headers import parse_headers
from tenax.fetch.descriptors import DescriptorPlan, plan_descriptors
from tenax.fetch.dns import DnsFailure, Lookup, Resolver
from tenax.fetch.failures import ABORTED, Reason, explain_exception, forbidden_reason
from tenax.fetch.guard import Guard
from tenax.fetch.multi import LoopMulti
from tenax.fetch.transfer import Transfer
from tenax.record import replace
from tenax.records.requests import Addresses, Failure, Request, Response
from tenax.telemetry import log
from tenax.web.headers import count_retry_after
from tenax.web.urls import host_of, origin_of, port_of

# libcurl scans its whole table of pinned hosts once it has more than 30,000 entries.
_MAX_PINS = 10_000
_MAX_CONNECTIONS, _CONCURRENCY = 1000, 100
_MAX_HELD_BYTES = 50_000_000


@dataclass(slots=True)
class _Pin:
    """The addresses of an origin that the guard has approved and libcurl uses."""

    host: str
    addresses: Addresses
    entry: str  # libcurl's "HOST:PORT"
    # libcurl reads a pin when the transfer that carries it starts, and transfers do not start in the order in
    # which they are added. So every transfer carries the pin until one of them has ended.
    is_held: bool = False

    def format(self) -> str:
        return f"{self.entry}:{','.join(map(_format_ip, self.addresses.ips))}"


class _Waiting(NamedTuple):
    """A request whose host is being looked up."""

    request: Request
    done: Done
    since: float  # monotonic
    asked_at: Instant


class CurlFetcher:
    """A Fetcher (base.py). One per loop; its requests share connections, which are kept open."""

    def __init__(
        self,
        settings: FetchSettings,
        clock: Clock,
        user_agent: str,
        *,
        max_held_bytes: int = _MAX_HELD_BYTES,
        max_connections: int = _MAX_CONNECTIONS,
        concurrency: int = _CONCURRENCY,
        shared: SharedAddresses | None = None,
    ) -> None:
        """`max_connections`: in use and idle, while no more than `concurrency` are in use."""
        self._settings = settings
        self._body_budget = BodyBudget(max_held_bytes)
        self._max_connections = max_connections
        self._concurrency = concurrency
        self._clock = clock
        self._user_agent = user_agent
        self._custom_headers = parse_headers(settings)
        self._guard = Guard(settings.allow_private)
        self._resolver = Resolver(settings, clock, shared)
        self._pins: OrderedDict[str, _Pin] = OrderedDict()
        self._idle: list[Transfer] = []
        self._running: dict[pycurl.Curl, Transfer] = {}
        self._waiting: dict[int, _Waiting] = {}
        self._tickets = itertools.count()
        self._undelivered = 0  # results on their way to `done`
        self._loop: asyncio.AbstractEventLoop
        self._plan: DescriptorPlan
        self._multi: LoopMulti | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._resolver.open()
        self._plan = plan_descriptors(self._max_connections)
        self._multi = LoopMulti(self._loop, self._ended, self._broken, self._plan, self._concurrency)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        multi, self._multi = self._multi, None
        if multi is None:
            return
        self._resolver.close()
        for waiting in self._waiting.values():
            self._refuse(waiting.done, waiting.asked_at, ABORTED)
        self._waiting.clear()
        for transfer in self._running.values():
            with contextlib.suppress(pycurl.error):
                multi.remove(transfer.curl)
            self._answer(transfer.done, transfer.fail(ABORTED))
        multi.close()
        for transfer in (*self._idle, *self._running.values()):
            transfer.close()
        self._running.clear()
        self._idle.clear()
        self._pins.clear()
        await asyncio.sleep(0)  # the results above are delivered in the loop's next iteration

    @property
    def capacity(self) -> int:
        return self._plan.requests

    def resize(self, requests: int) -> None:
        if self._multi is not None:
            self._multi.limit_connections(self._plan.count_connections(requests))

    @property
    def in_flight(self) -> int:
        return len(self._running) + len(self._waiting) + self._undelivered

    async def fetch(self, request: Request) -> Response | Failure:
        future: asyncio.Future[Response | Failure] = asyncio.get_running_loop().create_future()
        self.start(request, partial(_resolve_future, future))
        return await future

    def start(self, request: Request, done: Done) -> None:
        multi = self._multi
        if multi is None:
            raise RuntimeError("the fetcher is not open")
        if failpoints.is_reached("fetch.lost", request.url):
            return
        try:
            self._start(multi, request, done)
        except Exception as error:
            self._fail(request, done, error)

    # An exception below becomes the failure of its own request only, exactly once: in `_fail` before the
    # request is active, in `_ended` afterwards.

    def _start(self, multi: LoopMulti, request: Request, done: Done) -> None:
        pin = self._pins.get(origin_of(request.url))
        found = self._resolver.cached(pin.host if pin else host_of(request.url))
        if pin is not None and pin.addresses is found:
            self._begin(multi, request, done, 0.0, None if pin.is_held else [pin.format()])
        elif found is not None:
            self._continue(multi, request, done, found, 0.0)
        else:
            self._look_up(request, done)

    # --- before the request ------------------------------------------------------------------

    def _look_up(self, request: Request, done: Done) -> None:
        ticket = next(self._tickets)
        self._waiting[ticket] = _Waiting(request, done, monotonic(), self._clock.now())
        try:
            self._resolver.lookup(host_of(request.url), partial(self._looked_up, ticket))
        except Exception:
            del self._waiting[ticket]
            raise

    def _looked_up(self, ticket: int, found: Lookup) -> None:
        waiting = self._waiting.pop(ticket, None)
        if waiting is not None and self._multi is not None:
            dns_s = monotonic() - waiting.since
            try:
                self._continue(self._multi, waiting.request, waiting.done, found, dns_s)
            except Exception as error:
                self._fail(waiting.request, waiting.done, error)

    def _continue(self, multi: LoopMulti, request: Request, done: Done, found: Lookup, dns_s: float) -> None:
        """After the lookup: refuse the host, or pin its addresses and begin."""
        if isinstance(found, DnsFailure):
            reason = Reason(found.kind, not found.is_no_such_host, found.detail)
            self._refuse(done, self._clock.now(), reason, dns_s)
            return
        refusal = self._check(found)
        if refusal is not None:
            self._refuse(done, self._clock.now(), refusal, dns_s)
            return
        self._begin(multi, request, done, dns_s, self._pin(request.url, found))

    def _check(self, addresses: Addresses) -> Reason | None:
        for ip in addresses.ips:
            name = self._guard.check(ip)
            if name is not None:
                return forbidden_reason(name)
        return None

    def _pin(self, url: str, addresses: Addresses) -> list[str]:
        """Remember the addresses of an origin and format the changes for libcurl."""
        host = host_of(url)
        entry = f"[{host}]:{port_of(url)}" if ":" in host else f"{host}:{port_of(url)}"
        origin = origin_of(url)
        pin = self._pins[origin] = _Pin(host, addresses, entry)
        self._pins.move_to_end(origin)
        changes = [pin.format()]
        if len(self._pins) > _MAX_PINS:
            _, oldest = self._pins.popitem(last=False)
            changes.insert(0, f"-{oldest.entry}")
        return changes

    # --- the request -------------------------------------------------------------------------

    def _begin(
        self, multi: LoopMulti, request: Request, done: Done, dns_s: float, pins: list[str] | None
    ) -> None:
        transfer = self._idle.pop() if self._idle else self._new_transfer(multi)
        try:
            transfer.begin(request, done, self._clock.now(), dns_s, pins)
            multi.add(transfer.curl)
        except Exception:
            transfer.close()  # its options are in an unknown state
            raise
        self._running[transfer.curl] = transfer

    def _new_transfer(self, multi: LoopMulti) -> Transfer:
        return Transfer(
            self._settings, self._guard, self._user_agent, self._custom_headers, multi, self._body_budget
        )

    def _fail(self, request: Request, done: Done, error: Exception) -> None:
        log.error("request_failed", url=request.url, exc_info=error)
        self._refuse(done, self._clock.now(), explain_exception(error))

    def _ended(self, curl: pycurl.Curl, code: int, message: str) -> None:
        transfer = self._running.pop(curl)
        try:
            answer = self._conclude(transfer, code, message)
        except Exception as error:
            transfer.note_fault(error)
            self._discard(transfer, error)
            return
        self._answer(transfer.done, answer)
        if transfer.is_spent:
            transfer.close()
        else:
            self._idle.append(transfer)

    def _conclude(self, transfer: Transfer, code: int, message: str) -> Response | Failure:
        origin = origin_of(transfer.request.url)
        pin = self._pins.get(origin)
        if code == pycurl.E_ABORTED_BY_CALLBACK:
            self._pins.pop(origin, None)  # libcurl lost it: pin again
        elif transfer.pins and pin is not None:
            pin.is_held = pin.is_held or pin.format() in transfer.pins
        return transfer.finish(code, message, () if pin is None else pin.addresses.ips)

    def _broken(self, fd: int, error: Exception) -> None:
        """End the transfers of a socket that cannot be polled. Otherwise they would time out, and the server
        would be blamed."""
        using = [each for each in self._running.values() if each.uses(fd)]
        if not using:
            log.error("socket_broken", fd=fd, exc_info=error)
        for transfer in using:
            transfer.note_fault(error)
            del self._running[transfer.curl]
            if self._multi is not None:
                with contextlib.suppress(pycurl.error):
                    self._multi.remove(transfer.curl)
            self._discard(transfer, error)

    def _discard(self, transfer: Transfer, error: Exception) -> None:
        """Deliver the failure of a transfer that has ended and whose options are in an unknown state."""
        self._answer(transfer.done, transfer.abandon(error))
        transfer.close()

    def abort(self, done: Done) -> None:
        for ticket, waiting in list(self._waiting.items()):
            if waiting.done is done:
                del self._waiting[ticket]
        for transfer in [each for each in self._running.values() if each.done is done]:
            del self._running[transfer.curl]
            if self._multi is not None:
                with contextlib.suppress(pycurl.error):
                    self._multi.remove(transfer.curl)
            transfer.abandon(TimeoutError())
            transfer.close()

    async def check_names(self, host: str) -> str | None:
        found = await self._resolver.ask(host)
        return found.detail if isinstance(found, DnsFailure) and not found.is_no_such_host else None

    @property
    def held_bytes(self) -> int:
        return self._body_budget.held_bytes

    def pause(self) -> None:
        self._body_budget.is_closed = True

    def resume(self) -> None:
        if self._body_budget.is_closed:
            self._body_budget.is_closed = False
            self._body_budget.wake()

    def _refuse(self, done: Done, at: Instant, reason: Reason, elapsed_s: float = 0.0) -> None:
        failure = Failure(
            kind=reason.kind,
            detail=reason.detail,
            is_transient=reason.is_transient,
            started_at=at,
            elapsed_s=elapsed_s,
        )
        self._answer(done, failure)

    def _answer(self, done: Done, answer: Response | Failure) -> None:
        # Through the loop: an exception in one `done` must not affect the others.
        self._undelivered += 1
        if isinstance(answer, Response):
            self._body_budget.keep(len(answer.body))
            if "retry-after" in answer.headers:
                answer = replace(answer, headers=count_retry_after(answer.headers, self._clock.wall()))
        self._loop.call_soon(self._deliver, done, answer)

    def _deliver(self, done: Done, answer: Response | Failure) -> None:
        self._undelivered -= 1
        if isinstance(answer, Response):
            self._body_budget.hand_over(len(answer.body))
        if self._multi is not None:
            self._body_budget.wake()
        done(answer)


def _resolve_future(future: asyncio.Future[Response | Failure], answer: Response | Failure) -> None:
    if not future.done():
        future.set_result(answer)


def _format_ip(ip: str) -> str:
    return f"[{ip}]" if ":" in ip else ip
