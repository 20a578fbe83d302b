"""What a worker reports about itself with every heartbeat."""

import resource
from time import monotonic

from tenax.clock import Clock
from tenax.coordination.base import Coordination
from tenax.crawl.page_rate import PageRate
from tenax.crawl.visits.activity import Activity
from tenax.crawl.visits.headroom import Headroom
from tenax.fetch.watched import WatchedFetcher
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker, Vitals

WINDOW_S = 60.0
_PAGE_BYTES = resource.getpagesize()


class Heartbeat:
    def __init__(
        self,
        coordination: Coordination,
        headroom: Headroom,
        fetcher: WatchedFetcher,
        activity: Activity,
        clock: Clock,
    ) -> None:
        self._coordination = coordination
        self._headroom = headroom
        self._fetcher = fetcher
        self._activity = activity
        self._clock = clock
        self._rate = PageRate(clock.now(), WINDOW_S)

    def take(self, pages: int, silent_domains: int = 0) -> Vitals:
        """`pages`: settled so far. `silent_domains`: those that do not answer."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return Vitals(
            pages=pages,
            pages_per_min=60 * self._rate.measure(self._clock.now(), pages),
            breakers=(*list_breakers(self._coordination), *self._headroom.list_breakers()),
            rss_bytes=read_rss_bytes(),
            peak_rss_bytes=usage.ru_maxrss * 1024,
            cpu_ms=round(1000 * (usage.ru_utime + usage.ru_stime)),
            silent_domains=silent_domains,
            longest=self._find_longest(),
            stall=self._activity.stall,
        )

    def _find_longest(self) -> LongestVisit | None:
        longest = find_longest(self._fetcher, self._activity)
        if longest is None:
            return None
        url, lasts_s = longest
        return LongestVisit(url=url, started_at=self._clock.now() - lasts_s)

    def take_local_failures(self) -> int:
        """Requests that this machine could not make since the last call."""
        return self._headroom.take_unreported()


def find_longest(fetcher: WatchedFetcher, activity: Activity) -> tuple[str, float] | None:
    """The url of the visit under way that started first, and how long it has lasted."""
    found = [fetcher.find_longest(), activity.find_longest_reading()]
    now_s = monotonic()
    under_way = [(each.url, now_s - each.since_s) for each in found if each is not None]
    return max(under_way, key=lambda each: each[1], default=None)


def read_rss_bytes() -> int:
    """Memory of this process now; where the system does not report it, its peak."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def list_breakers(coordination: Coordination) -> list[ServiceBreaker]:
    """The breaker of Redis, while Redis is in trouble."""
    if coordination.trouble is None:
        return []
    breaker = coordination.breaker
    return [
        ServiceBreaker(
            service=BackingService.REDIS,
            state=breaker.state,
            retry_at=breaker.reopen_at,
            reason=coordination.trouble,
        )
    ]
