"""A feed is asked as its source wants it: robots.txt of its origin first, then the feed, both by the source's
name and with its headers, never two requests within its delay.
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
from tenax.jobs.feeds.plans import FeedPlan
from tenax.jobs.feeds.turns import FeedPostponed, FeedRequests
from tenax.records.feeds import Feed
from tenax.records.requests import Failure, Request, Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.web.urls import origin_of

UNREADABLE: Final = Refused(
    reason=RefusalReason.ROBOTS_UNREACHABLE, detail="robots.txt could not be read, so nothing may be asked"
)
MOST_RULES: Final = 5_000  # origins whose robots.txt is remembered
LONGEST_SLEEP_S: Final = 5.0  # others wait meanwhile; a longer delay is waited for in the store

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class _Asked(NamedTuple):
    """An origin, and who asked it: it may tell each something else."""

    origin: str
    headers: tuple[bytes, ...]


class FeedFetcher:
    """Remembers the rules of origins; one per server."""

    def __init__(self, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._rules: OrderedDict[_Asked, OriginRules] = OrderedDict()
        self._questions: OrderedDict[_Asked, RobotsRequest] = OrderedDict()  # that go on after a long delay

    async def ask(
        self, feed: Feed, plan: FeedPlan, turns: FeedRequests
    ) -> Response | Failure | Refused | FeedPostponed:
        """The caller has taken the feed, and holds its domain for the first request."""
        asked = _Asked(origin_of(feed.url), plan.list_headers(feed.url))
        rules = self._find_rules(asked)
        is_new = rules is None
        if rules is None:
            found = await self._ask_robots(asked, plan, turns)
            if isinstance(found, FeedPostponed):
                return found
            rules = found
        refusal = find_robots_refusal(rules.rules, feed.url)
        if refusal is not None:
            return refusal if rules.is_usable else UNREADABLE
        if is_new and (put_off := await self._wait(_find_delay(rules, plan, turns))) is not None:
            return put_off
        request = Request(
            url=feed.url,
            etag=feed.etag,
            last_modified=feed.last_modified,
            html_only=False,
            max_bytes=MAX_BYTES,
            headers=asked.headers,
        )
        return await turns.fetch(request)

    def _find_rules(self, asked: _Asked) -> OriginRules | None:
        rules = self._rules.get(asked)
        return rules if rules is not None and rules.expires_at > self._clock.now() else None

    async def _ask_robots(
        self, asked: _Asked, plan: FeedPlan, turns: FeedRequests
    ) -> OriginRules | FeedPostponed:
        usual = RobotsRequest(origin=asked.origin, url=f"{asked.origin}/robots.txt")
        question = self._questions.pop(asked, usual)
        robots = plan.settings.robots
        while True:
            request = Request(
                url=question.url,
                html_only=False,
                max_bytes=robots.max_bytes,
                truncate=True,
                timeout_s=robots.timeout_s,
                headers=plan.list_headers(question.url),
            )
            answer = await turns.fetch(request)
            if isinstance(answer, FeedPostponed):
                return answer
            next_url = find_hop(question, answer)
            if next_url is None:
                break
            question = replace(question, url=next_url, hops=question.hops + 1)
            put_off = await self._wait(turns.delay_s)
            if put_off is not None:
                _remember(self._questions, asked, question)
                return put_off
        rules = build_rules(build_record(question, answer, self._clock.now(), robots))
        _remember(self._rules, asked, self._extend(rules, plan, turns))
        return rules

    def _extend(self, rules: OriginRules, plan: FeedPlan, turns: FeedRequests) -> OriginRules:
        """However long the delay is, they hold for the request that they were asked for. What stands for an
        answer that never came has expired already, and nothing may be asked."""
        if not rules.is_usable:
            return rules
        needed_until = self._clock.now() + _find_delay(rules, plan, turns) + LONGEST_SLEEP_S
        return replace(rules, expires_at=max(rules.expires_at, needed_until))

    async def _wait(self, delay_s: float) -> FeedPostponed | None:
        if delay_s > LONGEST_SLEEP_S:
            return FeedPostponed(wait_s=delay_s)
        await self._sleep(delay_s)
        return None


def _remember(memory: OrderedDict[_Asked, T], asked: _Asked, what: T) -> None:
    memory[asked] = what
    memory.move_to_end(asked)
    if len(memory) > MOST_RULES:
        memory.popitem(last=False)


def _find_delay(rules: OriginRules, plan: FeedPlan, turns: FeedRequests) -> float:
    asked_s = rules.rules.crawl_delay(agent=PRODUCT_TOKEN) or 0.0
    return max(turns.delay_s, min(asked_s, plan.settings.politeness.max_crawl_delay_s))
