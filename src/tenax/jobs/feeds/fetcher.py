"""Requests a feed as its source defines: robots.txt of its origin first, then the feed, both with the
source's user agent and headers, and never two requests within its delay.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar

from tenax.clock import Clock
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.crawl.domains.robots_rules import (
    OriginRules,
    RobotsRequest,
    build_record,
    build_rules,
    find_robots_refusal,
)
from tenax.crawl.visits.robots_fetch import find_hop
from tenax.discover.feeds import MAX_BYTES
from tenax.jobs.feeds.plan import FeedPlan
from tenax.jobs.feeds.requests import FeedPostponed, FeedRequests
from tenax.records.feeds import Feed
from tenax.records.requests import Failure, Request, Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.web.urls import origin_of

UNREADABLE: Final = Refused(
    reason=RefusalReason.ROBOTS_UNREACHABLE,
    detail="robots.txt could not be read, so nothing may be requested",
)
MAX_RULES: Final = 5_000  # origins whose robots.txt is kept
LONGEST_SLEEP_S: Final = 5.0  # other feeds wait meanwhile; a longer delay is scheduled in the store

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class _RulesKey(NamedTuple):
    """An origin and the headers of the request: it may answer each client differently."""

    origin: str
    headers: tuple[bytes, ...]


class FeedFetcher:
    """Keeps the rules of origins; one per server."""

    def __init__(self, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._rules: OrderedDict[_RulesKey, OriginRules] = OrderedDict()
        self._paused_requests: OrderedDict[_RulesKey, RobotsRequest] = (
            OrderedDict()
        )  # that go on after a long delay

    async def fetch(
        self, feed: Feed, plan: FeedPlan, requests: FeedRequests
    ) -> Response | Failure | Refused | FeedPostponed:
        """Request a feed. The caller has locked the feed and holds its domain for the first request."""
        key = _RulesKey(origin_of(feed.url), plan.list_headers(feed.url))
        rules = self._find_rules(key)
        is_new = rules is None
        if rules is None:
            found = await self._fetch_robots(key, plan, requests)
            if isinstance(found, FeedPostponed):
                return found
            rules = found
        refusal = find_robots_refusal(rules.rules, feed.url)
        if refusal is not None:
            return refusal if rules.is_usable else UNREADABLE
        if is_new and (postponed := await self._wait(_find_delay(rules, plan, requests))) is not None:
            return postponed
        request = Request(
            url=feed.url,
            etag=feed.etag,
            last_modified=feed.last_modified,
            html_only=False,
            max_bytes=MAX_BYTES,
            headers=key.headers,
        )
        return await requests.fetch(request)

    def _find_rules(self, key: _RulesKey) -> OriginRules | None:
        rules = self._rules.get(key)
        return rules if rules is not None and rules.expires_at > self._clock.now() else None

    async def _fetch_robots(
        self, key: _RulesKey, plan: FeedPlan, requests: FeedRequests
    ) -> OriginRules | FeedPostponed:
        usual = RobotsRequest(origin=key.origin, url=f"{key.origin}/robots.txt")
        robots_request = self._paused_requests.pop(key, usual)
        robots = plan.settings.robots
        while True:
            request = Request(
                url=robots_request.url,
                html_only=False,
                max_bytes=robots.max_bytes,
                truncate=True,
                timeout_s=robots.timeout_s,
                headers=plan.list_headers(robots_request.url),
            )
            answer = await requests.fetch(request)
            if isinstance(answer, FeedPostponed):
                return answer
            next_url = find_hop(robots_request, answer)
            if next_url is None:
                break
            robots_request = replace(robots_request, url=next_url, hops=robots_request.hops + 1)
            postponed = await self._wait(requests.delay_s)
            if postponed is not None:
                _remember(self._paused_requests, key, robots_request)
                return postponed
        rules = build_rules(build_record(robots_request, answer, self._clock.now(), robots))
        _remember(self._rules, key, self._extend(rules, plan, requests))
        return rules

    def _extend(self, rules: OriginRules, plan: FeedPlan, requests: FeedRequests) -> OriginRules:
        """Keep the rules valid until the request they were fetched for, however long the delay. Rules that
        stand for a missing answer have expired already, and nothing may be requested."""
        if not rules.is_usable:
            return rules
        needed_until = self._clock.now() + _find_delay(rules, plan, requests) + LONGEST_SLEEP_S
        return replace(rules, expires_at=max(rules.expires_at, needed_until))

    async def _wait(self, delay_s: float) -> FeedPostponed | None:
        if delay_s > LONGEST_SLEEP_S:
            return FeedPostponed(wait_s=delay_s)
        await self._sleep(delay_s)
        return None


def _remember(memory: OrderedDict[_RulesKey, T], key: _RulesKey, value: T) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > MAX_RULES:
        memory.popitem(last=False)


def _find_delay(rules: OriginRules, plan: FeedPlan, requests: FeedRequests) -> float:
    wanted_s = rules.rules.crawl_delay(agent=PRODUCT_TOKEN) or 0.0
    return max(requests.delay_s, min(wanted_s, plan.settings.politeness.max_crawl_delay_s))
