"""Visits from their start to their end: takes urls of leased domains, asks for them, takes in the answers.

Whether there is room for another one, and when what has ended is settled, is for the worker to say.
"""

import asyncio
import random
from collections.abc import Callable
from functools import partial

from tenax import failpoints
from tenax.clock import Clock, Instant
from tenax.config import Settings
from tenax.crawl.answers import take_in
from tenax.crawl.backlog import Backlog
from tenax.crawl.domain import LeasedDomain
from tenax.crawl.inquiry import Inquiry
from tenax.crawl.pool import Pool
from tenax.crawl.tally import Tally
from tenax.crawl.turns import Turn, Turns
from tenax.crawl.visit import Visitor, build_visit, internal_error, refuse, weigh
from tenax.fetch.base import Fetcher
from tenax.policy import politeness
from tenax.policy.blocking import block
from tenax.policy.domain_states import RESTING
from tenax.records import (
    Cause,
    Failed,
    Failure,
    FailureKind,
    Fetched,
    Request,
    Response,
    Target,
    Visit,
)
from tenax.tracing import Tracer
from tenax.values import replace
from tenax.web.urls import origin_of

REFUSALS_PER_TURN = 500
TURN_POLL_S = 0.05


class Visiting:
    def __init__(
        self,
        *,
        settings: Settings,
        pool: Pool,
        fetcher: Fetcher,
        visitor: Visitor,
        inquiry: Inquiry,
        tally: Tally,
        backlog: Backlog,
        turns: Turns,
        clock: Clock,
        count_run_pages: Callable[[], int],
        on_ended: Callable[[], None],
        tracer: Tracer | None = None,
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._fetcher = fetcher
        self._visitor = visitor
        self._inquiry = inquiry
        self._tally = tally
        self._backlog = backlog
        self._turns = turns
        self._clock = clock
        self._count_run_pages = count_run_pages  # of all workers, as last heard
        self._on_ended = on_ended
        self._tracer = tracer
        self._loop = asyncio.get_running_loop()
        self._readings: set[asyncio.Task[None]] = set()
        self.in_flight = 0

    def start_next(self, domain: LeasedDomain, now: Instant) -> None:
        """The next visit of a domain whose time has come; or what keeps it from having one."""
        for _ in range(REFUSALS_PER_TURN):
            if not domain.queue:
                break
            origin = origin_of(domain.queue[0].url)
            rules = domain.robots.get(origin)
            if rules is None or rules.expires_at <= now:
                self.in_flight += 1
                self._inquiry.ask(domain, origin, now, self._on_robots)
                return
            if rules.denial is not None and domain.is_denied():
                self._leave_alone(domain, rules.denial, now)
                return
            if not self._has_pages_left(domain):
                self._retire(domain)
                return
            if self._turns.matter and not self._has_turn(domain, now):
                return
            target = domain.take()
            refusal = self._visitor.find_refusal(target, rules)
            if refusal is None:
                self._fetch(domain, target, now)
                break
            self._record(domain, refuse(target, refusal, now))
        self._pool.schedule(domain)

    def _has_pages_left(self, domain: LeasedDomain) -> bool:
        # Pages under way count as pages: each may become one.
        return domain.state.run_pages + domain.in_flight < self._settings.limits.domain_budget

    def _retire(self, domain: LeasedDomain) -> None:
        """Its budget is used up: give it back once everything of it is durable."""
        domain.queue.clear()
        if domain.taken or domain.is_dirty:
            self._pool.starved.add(domain)
            return
        self._pool.give_back(domain)

    def _has_turn(self, domain: LeasedDomain, now: Instant) -> bool:
        limit = self._settings.limits.max_pages or 0
        left = limit - self._count_run_pages() - self._backlog.pages - self.in_flight
        turn = self._turns.find_turn(domain, self._pool, left)
        if turn is Turn.LEAVE:
            self._pool.take_turns(domain)
        elif turn is Turn.WAIT:
            self._pool.postpone(domain, now + TURN_POLL_S)
        return turn is Turn.GO

    def _leave_alone(self, domain: LeasedDomain, denial: str, now: Instant) -> None:
        """Its robots.txt forbids everything that waits. The urls keep waiting: it may change its mind."""
        domain.state = block(domain.state, Cause.ROBOTS_DENIED, denial, now, self._settings)
        domain.plan(now, random.random())
        if domain.taken or domain.is_dirty:
            self._backlog.is_urgent = True
            self._pool.schedule(domain)
        else:
            self._pool.give_back(domain)

    def _fetch(self, domain: LeasedDomain, target: Target, now: Instant) -> None:
        self.in_flight += 1
        domain.in_flight += 1
        domain.state = replace(domain.state, pace=politeness.after_start(domain.state.pace, now))
        domain.plan(now, random.random())
        request = Request(url=target.url, etag=target.etag, last_modified=target.last_modified)
        failpoints.reach("fetch.before")
        self._fetcher.start(request, partial(self._on_answer, domain, target))

    def _on_answer(self, domain: LeasedDomain, target: Target, answer: Response | Failure) -> None:
        failpoints.reach("fetch.after")
        self.in_flight -= 1
        domain.in_flight -= 1
        if domain.is_lost:
            self._on_ended()
            return
        domain.state = take_in(
            domain.state,
            answer,
            self._settings,
            random.random(),
            now=self._clock.now(),
            is_retry=target.attempts > 0,
        )
        if target.crashes and isinstance(answer, Response):
            domain.in_flight += 1
            self.in_flight += 1
            task = self._loop.create_task(self._read_isolated(domain, target, answer))
            self._readings.add(task)
            task.add_done_callback(self._readings.discard)
            return
        self._conclude(domain, target, answer)

    def _conclude(self, domain: LeasedDomain, target: Target, answer: Response | Failure) -> None:
        now = self._clock.now()
        try:
            visit = self._visitor.conclude(domain, target, answer, now)
        except Exception as error:
            visit = build_visit(target, answer, internal_error(error, target, answer))
        self._finish(domain, visit, answer)
        self._on_ended()

    async def _read_isolated(self, domain: LeasedDomain, target: Target, answer: Response) -> None:
        try:
            visit = await self._visitor.conclude_isolated(domain, target, answer, self._clock.now())
        except Exception as error:
            visit = build_visit(target, answer, internal_error(error, target, answer))
        self.in_flight -= 1
        domain.in_flight -= 1
        if domain.is_lost:
            self._visitor.admission.forget_sent()
        else:
            self._finish(domain, visit, answer)
        self._on_ended()

    def _finish(self, domain: LeasedDomain, visit: Visit, answer: Response | Failure) -> None:
        now = self._clock.now()
        if self._tracer is not None:
            self._tracer.note(visit, answer, now)
        domain.take_in(visit, now)
        self._record(domain, visit)
        domain.plan(now, random.random())
        self._pool.schedule(domain)

    def _on_robots(self, domain: LeasedDomain) -> None:
        self.in_flight -= 1
        # A delay that is longer than the default must be durable before it is relied upon: a successor
        # would otherwise not know it.
        if domain.awaits_commit:
            self._backlog.is_urgent = True
        record = domain.robots_visits[-1].record if domain.robots_visits else None
        self._backlog.add(len(record.body) if record is not None else 0)
        self._pool.schedule(domain)
        self._on_ended()

    def _record(self, domain: LeasedDomain, visit: Visit) -> None:
        domain.visits.append(visit)
        self._tally.count_visit(visit)
        if isinstance(visit.outcome, Fetched):
            self._backlog.add(weigh(visit.outcome, visit.discovered), is_page=True)
            if self._backlog.is_heavy:
                self._fetcher.pause()
            domain.state = replace(domain.state, run_pages=domain.state.run_pages + 1)
            return
        self._backlog.add()
        is_limited = isinstance(visit.outcome, Failed) and visit.outcome.kind is FailureKind.RATE_LIMITED
        if is_limited or domain.state.status in RESTING:
            # A successor must know that the domain asked for rest.
            self._backlog.is_urgent = True
