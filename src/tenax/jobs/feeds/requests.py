"""The requests for one feed. Each holds the feed's domain, so that no crawl requests it meanwhile."""

from functools import partial
from typing import Final

from tenax.clock import Clock, Instant
from tenax.failpoints import reach
from tenax.fetch.base import Fetcher
from tenax.jobs.feeds.conclusion import find_rest
from tenax.jobs.feeds.plan import FeedPlan
from tenax.record import record
from tenax.records.feeds import Feed
from tenax.records.requests import Failure, FailureKind, Request, Response
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.feeds.feeds import ClaimedFeed, hold_again
from tenax.stores.feeds.holds import SOON_S, FeedAnswer, FeedHold, release_domain
from tenax.telemetry import log

SHORTAGE_PAUSE_S: Final = 60.0  # before a machine that was short of a resource tries again
# This machine could not send the request, which says nothing about the feed.
_NOT_SENT: Final = (FailureKind.LOCAL, FailureKind.NO_ROUTE)


@record
class FeedPostponed:
    """The feed cannot be requested now: a crawl has its domain, the domain must rest, or this machine
    failed."""

    wait_s: float


@record
class FeedClaim:
    """A feed that this server has locked."""

    taken: ClaimedFeed
    token: str  # of the lock
    plan: FeedPlan

    @property
    def feed(self) -> Feed:
        return self.taken.feed


class FeedRequests:
    """Requests for one feed that this server has locked."""

    def __init__(self, access: Access, fetcher: Fetcher, clock: Clock, claimed: FeedClaim) -> None:
        self._access = access
        self._fetcher = fetcher
        self._clock = clock
        self._feed = claimed.feed
        self._token = claimed.token
        self._terms = claimed.plan.terms
        self._hold: FeedHold | None = claimed.taken.hold
        self.delay_s = self._terms.politeness.delay_s  # between two requests, as of the start of the last one

    async def fetch(self, request: Request) -> Response | Failure | FeedPostponed:
        """Send a request. Raises StoreError; a hold that could not be released expires by itself."""
        hold = self._hold or await self._take_hold()
        if isinstance(hold, FeedPostponed):
            return hold
        self._hold = hold
        self.delay_s = hold.delay_s
        if self._clock.now() + self._terms.request_s > hold.until:
            # The process was suspended for so long that a crawl could take the domain before the response
            # arrives.
            await self.end()
            return FeedPostponed(wait_s=SOON_S)
        answer = await self._fetcher.fetch(request)
        reach("feeds.answered")
        if isinstance(answer, Failure) and answer.kind in _NOT_SENT:
            log.warning("feed_not_asked", url=request.url, reason=answer.detail)
            await self.end()
            return FeedPostponed(wait_s=SHORTAGE_PAUSE_S)
        await self._release_hold(hold, _describe(answer, self._clock.now()))
        return answer

    async def end(self) -> None:
        """Release a hold that was not needed."""
        if self._hold is not None:
            await self._release_hold(self._hold, FeedAnswer(at=self._clock.now(), response_s=0.0))

    async def _take_hold(self) -> FeedHold | FeedPostponed:
        now = self._clock.now()

        def work(connection: Connection) -> FeedHold | Instant:
            return hold_again(connection, self._feed, self._token, self._terms, now)

        held = await self._access.write(work)
        return held if isinstance(held, FeedHold) else FeedPostponed(wait_s=held - now)

    async def _release_hold(self, hold: FeedHold, answered: FeedAnswer) -> None:
        self._hold = None
        await self._access.write(partial(release_domain, hold=hold, terms=self._terms, answered=answered))


def _describe(answer: Response | Failure, now: Instant) -> FeedAnswer:
    rest_s = find_rest(answer, now)
    return FeedAnswer(
        at=now,
        response_s=answer.timings.total_s if isinstance(answer, Response) else answer.elapsed_s,
        rests_until=None if rest_s is None else now + rest_s,
    )
