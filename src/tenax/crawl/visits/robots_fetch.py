"""Fetches robots.txt files as politely as any other url, redirects included."""

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from functools import partial

from tenax.clock import Clock, Instant
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.config.settings import Settings
from tenax.coordination.base import RobotsCache
from tenax.crawl.domains.feedback import apply_answer
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.robots_rules import (
    FIRST_PAUSE_S,
    MAX_HOPS,
    TRIES,
    OriginRules,
    RobotsRequest,
    build_record,
    build_rules,
    plan_reuse,
    refuse_address,
    refuse_origin,
)
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.sitemap_naming import SitemapNaming
from tenax.fetch.base import Fetcher
from tenax.policy import politeness
from tenax.policy.blocking import block, find_silence
from tenax.policy.domain_states import RESTING
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import record
from tenax.records.domains import Cause, DomainState, RobotsRecord
from tenax.records.requests import OURS, Failure, FailureKind, Request, Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.stores.contracts.batches import RobotsVisit
from tenax.telemetry import log
from tenax.web.urls import parse_url

Done = Callable[[LeasedDomain], None]


@record
class RobotsFetch:
    settings: Settings
    fetcher: Fetcher
    tally: WorkerTally
    headroom: Headroom
    clock: Clock
    naming: SitemapNaming
    shared: RobotsCache | None = None
    lookups: set[asyncio.Task[None]] = field(default_factory=set)  # of other workers' copies

    def fetch(self, domain: LeasedDomain, origin: str, now: Instant, done: Done) -> None:
        """Fetch the rules of the origin; the domain is busy until `done` is called with it."""
        domain.begin_robots_fetch()
        try:
            if self.shared is None or domain.question is not None:
                self._request(domain, origin, now, done)
                return
            task = asyncio.create_task(self._look_up(self.shared, domain, origin, done))
        except Exception:
            domain.end_robots_fetch()
            raise
        self.lookups.add(task)
        task.add_done_callback(self.lookups.discard)

    async def _look_up(self, shared: RobotsCache, domain: LeasedDomain, origin: str, done: Done) -> None:
        """Use the copy that another worker fetched lately, or make the request."""
        try:
            is_requested = await self._find_shared(shared, domain, origin, done)
        except Exception as error:
            self._break_off(domain, origin, error)
            is_requested = False
        if not is_requested:
            domain.end_robots_fetch()
            done(domain)

    async def _find_shared(self, shared: RobotsCache, domain: LeasedDomain, origin: str, done: Done) -> bool:
        """Whether a request to the origin was needed."""
        found = await shared.find_robots(origin)
        now = self.clock.now()
        record = None if found is None else plan_reuse(found, now, self.settings.robots)
        is_ours = domain.is_held and now < domain.lease.expires_at
        if is_ours and record is None:
            self._request(domain, origin, now, done)
            return True
        if is_ours and record is not None:
            self._keep(domain, record)
            domain.robots_visits.append(build_reuse(record, now))
            domain.plan(now, random.random())
        return False

    def _request(self, domain: LeasedDomain, origin: str, now: Instant, done: Done) -> None:
        question = domain.question or RobotsRequest(origin=origin, url=f"{origin}/robots.txt")
        domain.question = None
        domain.state = replace(domain.state, pace=politeness.after_start(domain.state.pace, now))
        robots = self.settings.robots
        request = Request(
            url=question.url,
            html_only=False,
            max_bytes=robots.max_bytes,
            truncate=True,
            timeout_s=robots.timeout_s,
        )
        self.fetcher.start(request, partial(self._on_answer, domain, question, done))

    def _on_answer(
        self, domain: LeasedDomain, question: RobotsRequest, done: Done, answer: Response | Failure
    ) -> None:
        if domain.is_held:
            try:
                self._apply_answer(domain, question, answer)
            except Exception as error:
                self._break_off(domain, question.origin, error)
        domain.end_robots_fetch()
        done(domain)

    def _apply_answer(
        self, domain: LeasedDomain, question: RobotsRequest, answer: Response | Failure
    ) -> None:
        now = self.clock.now()
        if isinstance(answer, Response):
            self.headroom.note_answer(domain, now)
        elif self.headroom.absorb(domain, answer, now, self.fetcher.in_flight):
            self._put_back(domain, question, now)
            return
        self.tally.count_robots(answer)
        domain.state = apply_answer(domain.state, answer, self.settings, random.random(), now=now)
        record = build_record(question, answer, now, self.settings.robots)
        if (next_url := find_hop(question, answer)) is not None:
            domain.question = replace(question, url=next_url, hops=question.hops + 1)
            domain.robots_visits.append(build_robots_visit(None, answer))
        else:
            self._conclude(domain, record, answer, now)
            if self.shared is not None and record.error is None:
                self.shared.save_robots(record)
            domain.robots_visits.append(build_robots_visit(record, answer))
        domain.plan(now, random.random())

    def _put_back(self, domain: LeasedDomain, question: RobotsRequest, now: Instant) -> None:
        """This machine could not make the request: nothing has happened."""
        self.tally.local_failures += 1
        domain.question = question
        domain.plan(now, random.random())

    def _break_off(self, domain: LeasedDomain, origin: str, error: Exception) -> None:
        """Without its rules nothing of the origin may be requested; another try would end the same way."""
        log.error("robots_failed", domain=domain.name, origin=origin, exc_info=error)
        self._refuse(domain, origin, f"internal error: {type(error).__name__}")

    def _refuse(self, domain: LeasedDomain, origin: str, detail: str) -> None:
        now = self.clock.now()
        refusal = Refused(reason=RefusalReason.ROBOTS_UNREACHABLE, detail=f"robots.txt: {detail}")
        domain.robots[origin] = refuse_origin(refusal, now, now + self.settings.robots.retry_s)
        domain.plan(now, random.random())

    def _conclude(
        self, domain: LeasedDomain, record: RobotsRecord, answer: Response | Failure, now: Instant
    ) -> None:
        if record.error is None:
            self._keep(domain, record)
        elif (refusal := refuse_address(answer)) is not None:
            until = now + self.settings.robots.cache_s
            domain.robots[record.origin] = refuse_origin(refusal, now, until)
        elif (stale := domain.robots.get(record.origin)) is not None and stale.is_usable:
            until = now + self.settings.robots.retry_s
            domain.robots[record.origin] = replace(stale, expires_at=until)
        else:
            self._count_failure(domain, record, answer, now)

    def _keep(self, domain: LeasedDomain, record: RobotsRecord) -> None:
        found = build_rules(record)
        domain.robots[record.origin] = found
        domain.robots_failures.pop(record.origin, None)
        domain.found += self.naming.list_named(record.origin, found.rules)
        pace, limits = domain.state.pace, domain.settings.politeness
        delay_s = find_delay(domain.robots.values(), limits.max_crawl_delay_s)
        domain.state = replace(domain.state, pace=replace(pace, robots_delay_s=delay_s))
        is_longer = (delay_s or 0.0) > max(pace.robots_delay_s or 0.0, limits.delay_s)
        if is_longer:
            domain.await_settling()

    def _count_failure(
        self, domain: LeasedDomain, record: RobotsRecord, answer: Response | Failure, now: Instant
    ) -> None:
        failures = domain.robots_failures.get(record.origin, 0) + 1
        domain.robots_failures[record.origin] = failures
        is_nameless = isinstance(answer, Failure) and answer.kind is FailureKind.NO_SUCH_HOST
        if failures < TRIES and not is_nameless:
            domain.not_before = now + FIRST_PAUSE_S * 2 ** (failures - 1)
            return
        if isinstance(answer, Failure) and answer.kind in OURS:
            self._refuse(domain, record.origin, answer.detail)
            return
        domain.state = plan_unreachable(domain.state, answer, now, self.settings)
        log.warning("domain_unreachable", domain=domain.name, reason=domain.state.block_reason)


def find_delay(origins: Iterable[OriginRules], longest_s: float) -> float | None:
    """The Crawl-delay of a domain: it may have several origins, and the slowest sets its pace."""
    delays = [each.rules.crawl_delay(agent=PRODUCT_TOKEN) for each in origins if each.is_usable]
    longest = max((delay_s for delay_s in delays if delay_s is not None), default=None)
    return None if longest is None else min(longest, longest_s)


def find_hop(question: RobotsRequest, answer: Response | Failure) -> str | None:
    """Where the robots.txt has moved to; None: nowhere, or it moved too often (which allows everything)."""
    if isinstance(answer, Failure) or classify_status(answer.status) is not StatusClass.REDIRECT:
        return None
    location = answer.headers.get("location")
    if not location or question.hops >= MAX_HOPS:
        return None
    return parse_url(location, question.url)


def plan_unreachable(
    state: DomainState, answer: Response | Failure, now: Instant, settings: Settings
) -> DomainState:
    """Without its robots.txt nothing of a domain may be fetched: leave it alone for a while."""
    if state.status in RESTING:
        return state
    if isinstance(answer, Failure):
        return block(state, find_silence(answer), answer.detail, now, settings)
    detail = f"robots.txt answered {answer.status} {TRIES} times, so nothing may be fetched"
    return block(state, Cause.ROBOTS_UNREACHABLE, detail, now, settings)


def build_reuse(record: RobotsRecord, now: Instant) -> RobotsVisit:
    """A copy from another worker: kept with the domain, without a request."""
    return RobotsVisit(
        record=record,
        at=now,
        duration_s=0.0,
        wire_bytes=0,
        status=record.status,
        error=None,
        made_request=False,
    )


def build_robots_visit(record: RobotsRecord | None, answer: Response | Failure) -> RobotsVisit:
    if isinstance(answer, Failure):
        return RobotsVisit(
            record=record,
            at=answer.started_at,
            duration_s=answer.elapsed_s,
            wire_bytes=0,
            status=None,
            error=answer.detail,
            failure=answer.kind,
        )
    return RobotsVisit(
        record=record,
        at=answer.started_at,
        duration_s=answer.timings.total_s,
        wire_bytes=answer.wire_bytes,
        status=answer.status,
        error=record.error if record is not None else None,
        dns_s=answer.timings.dns_s,
    )
