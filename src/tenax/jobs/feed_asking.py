"""One request for a feed: robots.txt of its origin first, then the feed, never two within the delay."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from tenax.clock import Clock
from tenax.config import PRODUCT_TOKEN, Settings
from tenax.crawl.inquiry import find_hop
from tenax.crawl.robots import OriginRules, Question, build_record, build_rules, find_robots_refusal
from tenax.discover.feeds import MAX_BYTES
from tenax.fetch.base import Fetcher
from tenax.job_records import Feed
from tenax.records import Failure, RefusalReason, Refused, Request, Response
from tenax.values import record
from tenax.web.urls import origin_of

UNREADABLE: Final = Refused(
    reason=RefusalReason.ROBOTS_UNREACHABLE, detail="robots.txt could not be read, so nothing may be asked"
)
MOST_RULES: Final = 5_000  # origins whose robots.txt is remembered

Sleep = Callable[[float], Awaitable[None]]
# Whether the domain may have another request now.
MayAsk = Callable[[Feed], Awaitable[bool]]


@record(frozen=True, slots=True, kw_only=True)
class PutOff:
    """Somebody else has taken the domain meanwhile."""

    wait_s: float


class FeedAsker:
    """Remembers the rules of origins; one per server."""

    def __init__(
        self, settings: Settings, fetcher: Fetcher, clock: Clock, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._settings = settings
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._rules: OrderedDict[str, OriginRules] = OrderedDict()

    async def ask(self, feed: Feed, may_ask: MayAsk) -> Response | Failure | Refused | PutOff:
        """The caller holds the feed, and its domain may be asked now."""
        origin = origin_of(feed.url)
        rules = self._find_rules(origin)
        if rules is None:
            rules = await self._ask_robots(origin)
            wait_s = self._find_delay(rules)
            await self._sleep(wait_s)
            if not await may_ask(feed):
                return PutOff(wait_s=wait_s)
        refusal = find_robots_refusal(rules.rules, feed.url)
        if refusal is not None:
            return refusal if rules.is_usable else UNREADABLE
        return await self._fetcher.fetch(
            Request(
                url=feed.url,
                etag=feed.etag,
                last_modified=feed.last_modified,
                html_only=False,
                max_bytes=MAX_BYTES,
            )
        )

    def _find_rules(self, origin: str) -> OriginRules | None:
        rules = self._rules.get(origin)
        return rules if rules is not None and rules.expires_at > self._clock.now() else None

    async def _ask_robots(self, origin: str) -> OriginRules:
        question = Question(origin=origin, url=f"{origin}/robots.txt")
        robots = self._settings.robots
        while True:
            request = Request(
                url=question.url,
                html_only=False,
                max_bytes=robots.max_bytes,
                truncate=True,
                timeout_s=robots.timeout_s,
            )
            answer = await self._fetcher.fetch(request)
            next_url = find_hop(question, answer)
            if next_url is None:
                break
            await self._sleep(self._settings.politeness.delay_s)
            question = replace(question, url=next_url, hops=question.hops + 1)
        rules = build_rules(build_record(question, answer, self._clock.now(), robots))
        self._remember(origin, rules)
        return rules

    def _remember(self, origin: str, rules: OriginRules) -> None:
        """What stands for an answer that never came is not remembered: it has expired already."""
        self._rules[origin] = rules
        self._rules.move_to_end(origin)
        if len(self._rules) > MOST_RULES:
            self._rules.popitem(last=False)

    def _find_delay(self, rules: OriginRules) -> float:
        politeness = self._settings.politeness
        asked_s = rules.rules.crawl_delay(agent=PRODUCT_TOKEN) or 0.0
        return max(politeness.delay_s, min(asked_s, politeness.max_crawl_delay_s))
