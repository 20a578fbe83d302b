"""Decides whose fault an answer is: the site's, this machine's, or not known yet. The one place that does.

What is the site's changes its domain and its url. What is this machine's never happened.
"""

from tenax.clock import Clock, Instant
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.network_watch import NetworkWatch, Settle
from tenax.policy.outages import NO_ROUTE_TRIES, Fault
from tenax.policy.overload import REST_S
from tenax.records.requests import Failure, FailureKind, Response
from tenax.stores.contracts.vitals import ServiceBreaker

_UNSENT = (FailureKind.LOCAL, FailureKind.NO_ROUTE)


class Blame:
    """Mutable, of one worker."""

    def __init__(self, headroom: Headroom, network: NetworkWatch, clock: Clock) -> None:
        self.headroom = headroom
        self.network = network
        self._clock = clock
        self._answered_at: Instant = 0.0
        self._unreported = 0

    @property
    def trouble(self) -> str | None:
        """What this machine waits for or is short of; None: nothing."""
        return self.network.trouble or self.headroom.trouble

    def list_breakers(self) -> list[ServiceBreaker]:
        return [*self.headroom.list_breakers(), *self.network.list_breakers()]

    @property
    def is_short(self) -> bool:
        return self.headroom.is_short or self.network.is_waiting

    def take_unreported(self) -> int:
        """Requests since the last call that count as never made."""
        unreported, self._unreported = self._unreported, 0
        return unreported

    def find_fault(
        self, domain: LeasedDomain, answer: Response | Failure, now: Instant, in_flight: int
    ) -> Fault:
        """`in_flight`: requests of the worker, without this one. After UNJUDGED, call `hold`."""
        if isinstance(answer, Response):
            fault = self._note_response(domain, answer, now)
        else:
            fault = self._find_failure(domain, answer, now, in_flight)
        if fault is Fault.OURS:
            self._spare(domain, now)
        return fault

    def hold(self, domain: LeasedDomain, answer: Response | Failure, now: Instant, settle: Settle) -> None:
        """Keep an unjudged answer. `settle` is called once, later, with its judgment."""

        def judge(fault: Fault) -> None:
            if fault is Fault.OURS:
                self._spare(domain, self._clock.now())
            settle(fault)

        self.network.hold(domain, answer, now, judge)

    def _spare(self, domain: LeasedDomain, now: Instant) -> None:
        """A request to the domain counts as never made."""
        self._unreported += 1
        domain.spare(now + REST_S)

    def _find_failure(self, domain: LeasedDomain, failure: Failure, now: Instant, in_flight: int) -> Fault:
        if failure.kind is FailureKind.NO_ROUTE and self._is_routed_elsewhere(domain, now):
            return Fault.SITE
        if self.network.is_enabled and failure.is_unheard:
            return self.network.find_fault(failure)
        if failure.kind not in _UNSENT:
            return Fault.SITE
        self.headroom.note_shortage(failure.detail, now, in_flight)
        return Fault.OURS

    def _note_response(self, domain: LeasedDomain, response: Response, now: Instant) -> Fault:
        self._answered_at = now
        domain.no_routes = 0
        self.headroom.note_answer(now)
        if not self.network.is_enabled:
            return Fault.SITE
        return self.network.note_response(domain, response, now)

    def _is_routed_elsewhere(self, domain: LeasedDomain, now: Instant) -> bool:
        """Only this domain cannot be reached from here: others answered after each of its failures."""
        if self._answered_at > domain.no_route_at:
            domain.no_routes += 1
        domain.no_route_at = now
        return domain.no_routes >= NO_ROUTE_TRIES
