"""Visits from their start to their end: takes urls of leased domains, asks for them, takes in the answers.

Whether there is room for another one, and when what has ended is settled, is for the worker to say. No
exception leaves a visit: whatever raises becomes its outcome.
"""

import asyncio
import random
from collections.abc import Callable
from enum import StrEnum
from functools import partial

from tenax import failpoints
from tenax.clock import Clock, Instant
from tenax.config import Settings
from tenax.crawl.domains.fair_share import FairShare, Turn
from tenax.crawl.domains.feedback import take_in
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import RobotsPhase
from tenax.crawl.domains.pool import Pool
from tenax.crawl.reading.isolation import describe_no_process
from tenax.crawl.reading.messages import ReadRequest
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.outcome import OutcomeBuilder, build_visit, internal_error, is_page, refuse, weigh
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.slots import Slot, Slots
from tenax.crawl.visits.unsettled import UnsettledVisits
from tenax.errors import DocumentTooLarge
from tenax.fetch.base import Fetcher
from tenax.policy import politeness
from tenax.policy.blocking import block
from tenax.policy.domain_states import RESTING
from tenax.record import replace
from tenax.records import (
    Cause,
    Failed,
    Failure,
    FailureKind,
    Fetched,
    Merged,
    Refused,
    Request,
    Response,
    Target,
    Visit,
)
from tenax.tracing import Tracer
from tenax.web.urls import origin_of

REFUSALS_PER_TURN = 500
TURN_POLL_S = 0.05
# Of a domain whose page found no room to wait in until it is read.
ROOM_REST_S = 10.0
# Where a site has one pace, its domains take turns.
SITE_TURN_S = 20.0


class QueueStep(StrEnum):
    """What became of the head of a queue."""

    ASKED = "asked"
    REFUSED = "refused"  # or merged: without a request, the next one may be tried at once
    HELD = "held"  # it stays; the domain is busy, waits or leaves


class VisitRunner:
    def __init__(
        self,
        *,
        settings: Settings,
        pool: Pool,
        slots: Slots,
        fetcher: Fetcher,
        visitor: OutcomeBuilder,
        robots_fetch: RobotsFetch,
        tally: WorkerTally,
        headroom: Headroom,
        backlog: UnsettledVisits,
        turns: FairShare,
        clock: Clock,
        count_run_pages: Callable[[], int],
        on_ended: Callable[[], None],
        tracer: Tracer | None = None,
    ) -> None:
        self._settings = settings
        self._shares_sites = settings.politeness.site_gap_s is not None
        self._pool = pool
        self._slots = slots
        self._fetcher = fetcher
        self._visitor = visitor
        self._robots_fetch = robots_fetch
        self._tally = tally
        self._headroom = headroom
        self._backlog = backlog
        self._turns = turns
        self._clock = clock
        self._count_run_pages = count_run_pages  # of all workers, as last heard
        self._on_ended = on_ended
        self._tracer = tracer
        self._loop = asyncio.get_running_loop()
        self._readings: set[asyncio.Task[None]] = set()
        self.visits = 0  # under way; the rest of the requests are for robots.txt
        self.has_spared = False  # a page was set aside for a silent domain, in vain

    def start_next(self, domain: LeasedDomain, now: Instant) -> None:
        """The next visit of a domain whose time has come; or what keeps it from having one."""
        for _ in range(REFUSALS_PER_TURN):
            if not domain.queue:
                break
            target = domain.queue[0]
            try:
                step = self._step(domain, target, now)
            except Exception as error:
                self._give_up(domain, target, error, now)
                continue
            if step is QueueStep.HELD:
                return
            if step is QueueStep.ASKED:
                break
        self._pool.schedule(domain)

    def _step(self, domain: LeasedDomain, target: Target, now: Instant) -> QueueStep:
        """`target` is the head of its queue."""
        origin = origin_of(target.url)
        rules = domain.robots.get(origin)
        if rules is None or rules.expires_at <= now:
            self._occupying(
                domain,
                origin,
                lambda slot: self._robots_fetch.ask(domain, origin, now, partial(self._on_robots, slot)),
            )
            return QueueStep.HELD
        if rules.denial is not None and domain.is_denied():
            self._leave_alone(domain, rules.denial, now)
            return QueueStep.HELD
        if not domain.has_pages_left:
            self._pool.retire(domain)
            return QueueStep.HELD
        if self._turns.matter and not self._has_turn(domain, now):
            return QueueStep.HELD
        if self._shares_sites and domain.ended_visits and now >= domain.leased_at + SITE_TURN_S:
            self._pool.drain(domain)
            return QueueStep.HELD
        refusal: Refused | Merged | None = self._visitor.find_refusal(target, rules)
        if refusal is None and domain.classes is not None:
            refusal = domain.classes.take(target)
        domain.take()
        if refusal is None:
            self._fetch(domain, target, now)
            return QueueStep.ASKED
        self._record(domain, refuse(target, refusal, now))
        return QueueStep.REFUSED

    def _occupying(self, domain: LeasedDomain, url: str, start: Callable[[Slot], None]) -> None:
        """Start a request, which holds a slot until it ends; one that cannot start holds none."""
        slot = self._slots.take(domain, url)
        try:
            start(slot)
        except BaseException:
            self._slots.give_back(slot)
            raise

    def _give_up(self, domain: LeasedDomain, target: Target, error: Exception, now: Instant) -> None:
        """A visit that could not even begin."""
        if domain.queue and domain.queue[0] is target:
            domain.take()
        failed = internal_error(error, target, None)
        visit = Visit(target=target, outcome=failed, at=now, duration_s=0.0, wire_bytes=0, made_request=False)
        self._record_once(domain, visit)

    def _has_turn(self, domain: LeasedDomain, now: Instant) -> bool:
        limit = self._settings.limits.max_pages or 0
        left = limit - self._count_run_pages() - self._backlog.pages - self.visits
        turn = self._turns.find_turn(domain, self._pool, left)
        if turn is Turn.LEAVE:
            self._pool.drain(domain)
        elif turn is Turn.WAIT:
            self._pool.postpone(domain, now + TURN_POLL_S)
        return turn is Turn.GO

    def _leave_alone(self, domain: LeasedDomain, denial: str, now: Instant) -> None:
        """Its robots.txt forbids everything that waits. The urls keep waiting: it may change its mind."""
        domain.state = block(domain.state, Cause.ROBOTS_DENIED, denial, now, self._settings)
        domain.plan(now, random.random())
        if not self._pool.give_back_if_idle(domain):
            self._backlog.is_urgent = True
            self._pool.schedule(domain)

    def _fetch(self, domain: LeasedDomain, target: Target, now: Instant) -> None:
        domain.state = replace(domain.state, pace=politeness.after_start(domain.state.pace, now))
        domain.plan(now, random.random())
        request = Request(url=target.url, etag=target.etag, last_modified=target.last_modified)
        failpoints.reach("fetch.before")
        self._occupying(
            domain,
            target.url,
            lambda slot: self._fetcher.start(request, partial(self._on_answer, slot, target)),
        )
        self.visits += 1
        domain.in_flight += 1

    def _on_answer(self, slot: Slot, target: Target, answer: Response | Failure) -> None:
        failpoints.reach("fetch.after")
        domain = slot.domain
        self._slots.give_back(slot)
        self.visits -= 1
        if slot.is_silent and isinstance(answer, Failure):
            self.has_spared = True
        domain.in_flight -= 1
        if domain.is_held:
            try:
                self._take_in(domain, target, answer)
            except Exception as error:
                self._break_off(domain, target, answer, error)
        self._on_ended()

    def _take_in(self, domain: LeasedDomain, target: Target, answer: Response | Failure) -> None:
        now = self._clock.now()
        if isinstance(answer, Response):
            self._headroom.note_answer(domain, now)
        elif self._headroom.take_on(domain, answer, now, self._slots.in_flight):
            self._put_back(domain, target, now)
            return
        domain.state = take_in(
            domain.state, answer, domain.settings, random.random(), now=now, is_retry=target.attempts > 0
        )
        if target.crashes and isinstance(answer, Response) and is_page(answer):
            self._start_reading(domain, target, answer)
            return
        try:
            visit = self._visitor.conclude(domain, target, answer, now)
        except DocumentTooLarge:
            assert isinstance(answer, Response)
            self._start_reading(domain, target, answer)
        else:
            self._finish(domain, visit, answer)

    def _start_reading(self, domain: LeasedDomain, target: Target, answer: Response) -> None:
        """In another process. It may have to wait for long, and takes no slot meanwhile: only its domain and
        the memory of its compressed body."""
        order = self._visitor.order(target, answer)
        if not self._backlog.keep(len(order.body)):
            now = self._clock.now()
            domain.spare(now + ROOM_REST_S)
            self._put_back(domain, target, now)
            return
        task = self._loop.create_task(self._read_apart(domain, target, replace(answer, body=b""), order))
        self._readings.add(task)
        task.add_done_callback(self._readings.discard)
        domain.in_flight += 1
        self.visits += 1

    @property
    def is_reading(self) -> bool:
        """Documents are being read in another process, or wait for it."""
        return bool(self._readings)

    async def _read_apart(
        self, domain: LeasedDomain, target: Target, answer: Response, order: ReadRequest
    ) -> None:
        visit: Visit | None = None
        error: Exception | None = None
        try:
            visit = await self._visitor.conclude_apart(domain, target, answer, order, self._clock.now())
        except Exception as caught:
            error = caught
        self._backlog.let_go(len(order.body))
        self._tally.read_apart += 1
        self.visits -= 1
        domain.in_flight -= 1
        self._end_reading(domain, target, answer, visit or error)
        self._on_ended()

    def _end_reading(
        self, domain: LeasedDomain, target: Target, answer: Response, came: Visit | Exception | None
    ) -> None:
        if not domain.is_held:
            self._visitor.admission.forget_sent()
            return
        try:
            if isinstance(came, Visit):
                self._finish(domain, came, answer)
            elif isinstance(came, OSError):
                # The document was not looked at: no child could be started.
                self._miss_child(domain, target, came)
            else:
                self._break_off(domain, target, answer, came or RuntimeError())
        except Exception as error:
            self._break_off(domain, target, answer, error)

    def _finish(self, domain: LeasedDomain, visit: Visit, answer: Response | Failure) -> None:
        now = self._clock.now()
        if self._tracer is not None:
            wall = self._clock.wall()
            self._tracer.note(replace(visit, at=visit.at + wall - now), answer, wall)
        domain.take_in(visit, now)
        self._record(domain, visit)
        self._go_on(domain, now)

    def _go_on(self, domain: LeasedDomain, now: Instant) -> None:
        domain.plan(now, random.random())
        self._pool.schedule(domain)

    def _put_back(self, domain: LeasedDomain, target: Target, now: Instant) -> None:
        """It could not be asked for, which is nobody's fault but this machine's: nothing has happened."""
        self._tally.local_failures += 1
        domain.put_back(target)
        self._go_on(domain, now)

    def _miss_child(self, domain: LeasedDomain, target: Target, error: OSError) -> None:
        now = self._clock.now()
        detail = describe_no_process(error)
        failure = Failure(kind=FailureKind.LOCAL, detail=detail, is_transient=True, started_at=now)
        self._headroom.take_on(domain, failure, now, self._slots.in_flight)
        self._put_back(domain, target, now)

    def _break_off(
        self, domain: LeasedDomain, target: Target, answer: Response | Failure, error: Exception
    ) -> None:
        """An exception ended the visit: that is its outcome."""
        failed = internal_error(error, target, answer)
        self._record_once(domain, build_visit(target, answer, failed))
        self._go_on(domain, self._clock.now())

    def _record_once(self, domain: LeasedDomain, visit: Visit) -> None:
        if all(each.target is not visit.target for each in domain.visits):
            self._record(domain, visit)

    def _on_robots(self, slot: Slot, domain: LeasedDomain) -> None:
        self._slots.give_back(slot)
        # A delay that is longer than the default must be durable before it is relied upon: a successor
        # would otherwise not know it.
        if domain.robots_phase is RobotsPhase.UNSETTLED:
            self._backlog.is_urgent = True
        record = domain.robots_visits[-1].record if domain.robots_visits else None
        self._backlog.add(len(record.body) if record is not None else 0)
        self._pool.schedule(domain)
        self._on_ended()

    def _record(self, domain: LeasedDomain, visit: Visit) -> None:
        page = visit.outcome if isinstance(visit.outcome, Fetched) else None
        weight_bytes = 0 if page is None else weigh(page, visit.discovered)
        self._tally.count_visit(visit)
        if domain.classes is not None:
            domain.classes.take_in(visit)
        # Nothing can go wrong between these two: what is in a domain's hands must be known to be settled.
        domain.visits.append(visit)
        self._backlog.add(weight_bytes, is_page=page is not None)
        if page is not None:
            if self._backlog.is_heavy:
                self._fetcher.pause()
            domain.state = replace(domain.state, run_pages=domain.state.run_pages + 1)
            return
        is_limited = isinstance(visit.outcome, Failed) and visit.outcome.kind is FailureKind.RATE_LIMITED
        if is_limited or domain.state.status in RESTING:
            # A successor must know that the domain asked for rest.
            self._backlog.is_urgent = True
