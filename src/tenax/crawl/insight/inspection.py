"""One visit that is shown instead of stored: the robots.txt of every origin on the way, each hop, the page.

As polite as a crawl: no hop without its robots.txt, never two requests to a domain within its delay.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace

from tenax.clock import Clock
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.config.settings import Settings
from tenax.crawl.domains.feedback import apply_answer
from tenax.crawl.domains.robots_rules import OriginRules, RobotsRequest, build_record, build_rules
from tenax.crawl.reading.isolation import IsolatedReader, ReaderLimits, describe_no_process
from tenax.crawl.reading.messages import ReadResult
from tenax.crawl.reading.page import ReadPage, read_page
from tenax.crawl.visits.pages import build_read_request, describe_loss, is_page, is_wanted_pdf
from tenax.crawl.visits.robots_fetch import find_hop
from tenax.errors import ContentError, DocumentTooLarge
from tenax.extract.profile import ExtractionProfile
from tenax.extract.validation import Validator
from tenax.fetch.base import Fetcher
from tenax.policy import politeness
from tenax.policy.memory import plan_memory
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import record
from tenax.records.domains import DomainState, RobotsRecord
from tenax.records.requests import Failure, FailureKind, Request, Response
from tenax.web.hrefs import Hrefs
from tenax.web.robots import RobotsMatch
from tenax.web.urls import domain_of, origin_of, parse_url

Sleep = Callable[[float], Awaitable[None]]


@record
class Exchange:
    """One request and what came of it."""

    url: str
    waited_s: float  # for politeness
    answer: Response | Failure


@record
class RobotsInspection:
    origin: str
    exchanges: tuple[Exchange, ...]  # more than one: it was redirected
    record: RobotsRecord
    found: OriginRules


@record
class Hop:
    url: str
    robots: RobotsInspection | None  # None: known from an earlier hop
    verdict: RobotsMatch
    exchange: Exchange | None  # None: robots.txt forbids it, so no request was made


@record
class Inspection:
    hops: tuple[Hop, ...]
    reading: ReadPage | None  # of the last hop, when it is a page
    trouble: str | None  # why there is no page; None: there is, or the type is not read

    @property
    def met_forbidden_address(self) -> bool:
        exchanges = [hop.exchange for hop in self.hops if hop.exchange is not None]
        exchanges += [each for hop in self.hops if hop.robots is not None for each in hop.robots.exchanges]
        answers = (exchange.answer for exchange in exchanges)
        return any(
            isinstance(answer, Failure) and answer.kind is FailureKind.FORBIDDEN_ADDRESS for answer in answers
        )


class Inspector:
    """Remembers the rules and the pace of the domains it has requested; one per command."""

    def __init__(
        self, settings: Settings, fetcher: Fetcher, clock: Clock, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._settings = settings
        self._profile = ExtractionProfile.build(settings.extract)
        self._validator = Validator.build(settings.validation)
        self._keep = settings.scope.kept_names
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._domains: dict[str, DomainState] = {}
        self._rules: dict[str, RobotsInspection] = {}

    async def inspect(self, url: str) -> Inspection:
        """Follow the url, which is an address, through its redirects."""
        hops: list[Hop] = []
        while True:
            hop = await self._visit(url)
            hops.append(hop)
            if hop.exchange is None:
                return Inspection(hops=tuple(hops), reading=None, trouble=self._explain_refusal(url))
            answer = hop.exchange.answer
            if isinstance(answer, Failure):
                return Inspection(hops=tuple(hops), reading=None, trouble=answer.detail)
            if classify_status(answer.status) is not StatusClass.REDIRECT:
                return await self._conclude(tuple(hops), answer)
            to_url = parse_url(answer.headers.get("location", ""), url, self._keep)
            trouble = self._refuse_redirect(to_url, hops)
            if to_url is None or trouble is not None:
                return Inspection(hops=tuple(hops), reading=None, trouble=trouble)
            url = to_url

    async def ask_robots(self, origin: str) -> RobotsInspection:
        """Fetch an origin's robots.txt through its redirects."""
        question = RobotsRequest(origin=origin, url=f"{origin}/robots.txt")
        exchanges: list[Exchange] = []
        while True:
            exchange = await self._request(self._robots_request(question.url))
            exchanges.append(exchange)
            next_url = find_hop(question, exchange.answer)
            if next_url is None:
                break
            question = replace(question, url=next_url, hops=question.hops + 1)
        record = build_record(question, exchange.answer, self._clock.now(), self._settings.robots)
        found = build_rules(record)
        self._keep_delay(origin, found)
        return RobotsInspection(origin=origin, exchanges=tuple(exchanges), record=record, found=found)

    async def _visit(self, url: str) -> Hop:
        origin = origin_of(url)
        robots = None
        if origin not in self._rules:
            robots = self._rules[origin] = await self.ask_robots(origin)
        verdict = self._rules[origin].found.rules.match(url)
        request = Request(url=url, takes_pdf=self._settings.extract.reads_pdf)
        exchange = await self._request(request) if verdict.is_allowed else None
        return Hop(url=url, robots=robots, verdict=verdict, exchange=exchange)

    async def _request(self, request: Request) -> Exchange:
        domain = domain_of(request.url)
        state = self._domains.get(domain, DomainState())
        ready_at = politeness.plan_next_fetch(state.pace, self._settings.politeness, random.random())
        wait_s = max(ready_at - self._clock.now(), 0.0)
        if wait_s:
            await self._sleep(wait_s)
        state = replace(state, pace=politeness.after_start(state.pace, self._clock.now()))
        answer = await self._fetcher.fetch(request)
        now = self._clock.now()
        self._domains[domain] = apply_answer(state, answer, self._settings, random.random(), now=now)
        return Exchange(url=request.url, waited_s=wait_s, answer=answer)

    def _robots_request(self, url: str) -> Request:
        robots = self._settings.robots
        return Request(
            url=url, html_only=False, max_bytes=robots.max_bytes, truncate=True, timeout_s=robots.timeout_s
        )

    def _keep_delay(self, origin: str, found: OriginRules) -> None:
        domain = domain_of(f"{origin}/")
        state = self._domains.get(domain, DomainState())
        delay_s = found.rules.crawl_delay(agent=PRODUCT_TOKEN)
        self._domains[domain] = replace(state, pace=replace(state.pace, robots_delay_s=delay_s))

    def _explain_refusal(self, url: str) -> str:
        error = self._rules[origin_of(url)].record.error
        return "robots.txt forbids it" if error is None else f"robots.txt could not be read: {error}"

    def _refuse_redirect(self, to_url: str | None, hops: list[Hop]) -> str | None:
        if to_url is None:
            return "it redirects to something that cannot be crawled"
        if any(hop.url == to_url for hop in hops):
            return "it redirects in a loop"
        if len(hops) > self._settings.limits.max_hops:
            return f"it redirects more than {self._settings.limits.max_hops} times"
        return None

    async def _conclude(self, hops: tuple[Hop, ...], answer: Response) -> Inspection:
        if not (is_page(answer) or is_wanted_pdf(answer, self._profile)):
            trouble = None if answer.status < 400 else f"the server answered {answer.status}"
            return Inspection(hops=hops, reading=None, trouble=trouble)
        try:
            found = await self._read(hops[-1].url, answer)
        except ContentError as error:
            found = str(error)
        if isinstance(found, str):
            return Inspection(hops=hops, reading=None, trouble=found)
        return Inspection(hops=hops, reading=found, trouble=None)

    async def _read(self, url: str, answer: Response) -> ReadPage | str:
        """Read it as a worker would, here or in another process; or say why that cannot be done."""
        try:
            if is_wanted_pdf(answer, self._profile):
                return await self._read_apart(url, answer)
            return read_page(
                answer.body,
                url=url,
                headers=answer.headers,
                max_links=self._settings.limits.links_per_page,
                hrefs=Hrefs(keep=self._keep),
                profile=self._profile,
                least_similar_chars=self._settings.similarity.compared_chars,
                validator=self._validator,
                memory_bytes=plan_memory(self._settings).document,
            )
        except DocumentTooLarge:
            return await self._read_apart(url, answer)

    async def _read_apart(self, url: str, answer: Response) -> ReadPage | str:
        async with IsolatedReader(ReaderLimits.build(self._settings.reader)) as reader:
            try:
                found = await reader.read(build_read_request(answer, url, self._settings, self._profile))
            except OSError as error:
                return describe_no_process(error)
        return found.unpack() if isinstance(found, ReadResult) else describe_loss(found)
