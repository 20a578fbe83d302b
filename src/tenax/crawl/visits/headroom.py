"""How many requests this machine has room for: as many as configured, fewer while it is short of resources.

A shortage halves the number, and every second with answers brings some back. It is never held against a
domain: the url goes back to its queue and is requested again.
"""

from collections.abc import Callable

from tenax.clock import Clock, Instant
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.policy.overload import NO_ROUTE_TRIES, REST_S, STEP_S, lower_limit, plan_pause, raise_limit
from tenax.records.domains import BreakerState
from tenax.records.requests import Failure, FailureKind
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.telemetry import log


class Headroom:
    """The limit of one worker."""

    def __init__(self, wanted: int, capacity: int, resize: Callable[[int], None], clock: Clock) -> None:
        """`wanted`: concurrent requests, including those that wait; `capacity`: what the fetcher has
        descriptors for; `resize`: called with the number of requests that may run, whenever it changes."""
        self._capacity = capacity
        self._resize = resize
        self._clock = clock
        self.full = max(min(wanted, capacity), 1)
        self._limit = self.full
        self._changed_at: Instant = 0.0
        self._pause_s = 0.0
        self._paused_until: Instant = 0.0
        self.answered_at: Instant = 0.0  # the last answer of any server; 0: none yet
        self._unrouted_at: Instant = 0.0
        self._reason: str | None = None  # what the machine is short of
        self._unreported = 0

    @property
    def limit(self) -> int:
        """How many requests may run concurrently now."""
        if self._reason is None:
            return self.full
        return 0 if self._clock.now() < self._paused_until else self._limit

    @property
    def is_short(self) -> bool:
        return self._reason is not None

    @property
    def is_unrouted(self) -> bool:
        """A request found no route, and no server has answered since."""
        return self._unrouted_at > self.answered_at

    @property
    def paused_until(self) -> Instant | None:
        """None: requests may start."""
        return None if self._reason is None else self._paused_until

    @property
    def trouble(self) -> str | None:
        """What the machine is short of, and what that means."""
        if self._reason is None:
            return None
        return f"{self._reason}; limited to {self._limit:,} of {self.full:,} concurrent requests"

    def list_breakers(self) -> list[ServiceBreaker]:
        trouble = self.trouble
        if trouble is None:
            return []
        is_paused = self._clock.now() < self._paused_until
        return [
            ServiceBreaker(
                service=BackingService.MACHINE,
                state=BreakerState.OPEN if is_paused else BreakerState.HALF_OPEN,
                retry_at=self._paused_until if is_paused else None,
                reason=trouble,
            )
        ]

    def take_unreported(self) -> int:
        """Requests that could not be made since the last call."""
        unreported, self._unreported = self._unreported, 0
        return unreported

    def note_answer(self, domain: LeasedDomain, now: Instant) -> None:
        """A server answered: the machine works."""
        self.answered_at = now
        domain.no_routes = 0
        if self._reason is not None:
            self._recover(now)

    def absorb(self, domain: LeasedDomain, failure: Failure, now: Instant, in_flight: int) -> bool:
        """Whether this machine caused the failure: the domain is spared, and its url is requested again.
        False: the domain caused it, or this program. `in_flight`: of the worker, without this one."""
        if failure.kind is FailureKind.NO_ROUTE:
            if not self._take_no_route(domain, failure.detail, now):
                return False
        elif failure.kind is FailureKind.LOCAL:
            self._take_shortage(failure.detail, now, in_flight)
        else:
            return False
        self._unreported += 1
        domain.spare(now + REST_S)
        return True

    def _take_shortage(self, detail: str, now: Instant, in_flight: int) -> None:
        self._note(detail)
        if self._limit > 1 or in_flight:
            # Requests that were in flight when it was lowered fail too: they do not lower it again.
            if now >= self._changed_at + REST_S:
                self._change(lower_limit(self._limit, in_flight), now)
        else:
            self._pause(now)

    def _take_no_route(self, domain: LeasedDomain, detail: str, now: Instant) -> bool:
        """If no other server answers, the network is down, and everything has to wait. If others answer, only
        this domain cannot be reached from here."""
        if self.answered_at > domain.no_route_at:
            domain.no_routes += 1
        domain.no_route_at = now
        if domain.no_routes >= NO_ROUTE_TRIES:
            return False
        if self.answered_at <= self._unrouted_at:
            self._note(detail)
            self._pause(now)
        self._unrouted_at = now
        return True

    def _note(self, detail: str) -> None:
        if self._reason is None:
            log.warning("machine_short", reason=detail)
        self._reason = detail

    def _pause(self, now: Instant) -> None:
        if now >= self._paused_until:
            self._pause_s = plan_pause(self._pause_s)
            self._paused_until = now + self._pause_s

    def _recover(self, now: Instant) -> None:
        self._pause_s, self._paused_until = 0.0, 0.0
        if self._limit >= self.full:
            log.info("machine_recovered", concurrency=self.full)
            self._reason = None
        elif now >= self._changed_at + STEP_S:
            self._change(raise_limit(self._limit, self.full), now)

    def _change(self, limit: int, now: Instant) -> None:
        self._limit, self._changed_at = limit, now
        self._resize(limit if limit < self.full else self._capacity)
