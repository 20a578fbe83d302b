"""Starts visits of leased domains: takes a url, checks what may forbid it, makes the request.

Whether there is room for another visit, and when ended ones are settled, is for the worker to decide. What an
answer does is in answers.py.
"""

import random
from collections.abc import Callable
from enum import StrEnum
from functools import partial

from tenax import failpoints
from tenax.clock import Instant
from tenax.crawl.domains.fair_share import Turn
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import RobotsPhase
from tenax.crawl.visits.answers import AnswerApplier
from tenax.crawl.visits.context import RunContext, VisitTools, WorkerMemory
from tenax.crawl.visits.outcome import internal_error, refuse
from tenax.crawl.visits.robots_fetch import RobotsListener
from tenax.crawl.visits.slots import Slot
from tenax.crawl.visits.stored_bodies import pack_answer
from tenax.policy import politeness
from tenax.policy.blocking import block
from tenax.record import replace
from tenax.records.domains import Cause
from tenax.records.requests import Failure, Request, Response
from tenax.records.traps import TrapState
from tenax.records.urls import Priority, Target
from tenax.records.visits import Merged, Refused, Trapped
from tenax.web.urls import origin_of

REFUSALS_PER_TURN = 500
TURN_POLL_S = 0.05
# Where all domains of a site share one pace, they take turns.
SITE_TURN_S = 20.0


class QueueStep(StrEnum):
    """What became of the head of a queue."""

    REQUESTED = "requested"
    REFUSED = "refused"  # or merged, or put last: without a request, so the next url may be tried at once
    HELD = "held"  # it stays; the domain is busy, waits or leaves


class VisitRunner:
    def __init__(
        self,
        context: RunContext,
        memory: WorkerMemory,
        tools: VisitTools,
        on_ended: Callable[[], None],
    ) -> None:
        """`on_ended`: called after each request that has ended."""
        self._settings = context.settings
        self._shares_sites = context.settings.politeness.site_gap_s is not None
        self._memory = memory
        self._pool = memory.pool
        self._slots = memory.slots
        self._tools = tools
        self._on_ended = on_ended
        self._answers = AnswerApplier(context, memory, tools, on_ended)

    @property
    def is_reading(self) -> bool:
        """Documents are being read in another process, or wait for it."""
        return self._answers.is_reading

    def stop_reading(self) -> None:
        """Break off what takes long and can be repeated: the worker ends."""
        self._answers.is_stopping = True

    def start_next(self, domain: LeasedDomain, now: Instant) -> None:
        """Start the next visit of a domain whose time has come, or apply what forbids it."""
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
            if step is QueueStep.REQUESTED:
                break
        self._pool.schedule(domain)

    def _step(self, domain: LeasedDomain, target: Target, now: Instant) -> QueueStep:
        """`target` is the head of the queue."""
        origin = origin_of(target.url)
        rules = domain.robots.get(origin)
        if rules is None or rules.expires_at <= now:
            self._fetch_robots(domain, origin, now)
            return QueueStep.HELD
        if rules.denial is not None and domain.is_denied():
            self._leave_alone(domain, rules.denial, now)
            return QueueStep.HELD
        if not domain.has_pages_left:
            self._pool.retire(domain)
            return QueueStep.HELD
        if self._memory.fair_share.is_limited and not self._has_turn(domain, now):
            return QueueStep.HELD
        if self._shares_sites and domain.ended_visits and now >= domain.leased_at + SITE_TURN_S:
            self._pool.drain(domain)
            return QueueStep.HELD
        refusal: Refused | Trapped | Merged | None = self._tools.outcomes.find_refusal(target, rules)
        if refusal is None and domain.guard is not None and domain.guard.is_holding:
            refusal, is_put_last = self._hold_back(domain, target)
            if is_put_last:
                return QueueStep.REFUSED
        if refusal is None and domain.classes is not None and not target.is_sitemap:
            refusal = domain.classes.take(target)
        domain.take()
        if refusal is None:
            self._fetch(domain, target, now)
            return QueueStep.REQUESTED
        self._answers.record(domain, refuse(target, refusal, now))
        return QueueStep.REFUSED

    def _hold_back(self, domain: LeasedDomain, target: Target) -> tuple[Trapped | None, bool]:
        """What becomes of a url whose cluster is slowed or closed, and whether it was put last. Seeds,
        urls that a parser asks for and pages that are visited again are left alone."""
        if domain.guard is None or target.is_seed or target.is_sitemap or target.content_hash is not None:
            return None, False
        if target.follow_ups:
            return None, False
        trap = domain.guard.find_hold(target.url)
        if trap is None:
            return None, False
        if trap.state is TrapState.CLOSED:
            return Trapped(shape=trap.shape, rule=trap.rule), False
        if target.priority <= Priority.SLOWED:
            return None, False
        domain.put_last()
        self._memory.unsettled.add()
        return None, True

    def _has_turn(self, domain: LeasedDomain, now: Instant) -> bool:
        left = self._memory.budget.count_run_left(self._memory.unsettled.possible_pages)
        turn = self._memory.fair_share.find_turn(domain, self._pool, left)
        if turn is Turn.LEAVE:
            self._pool.drain(domain)
        elif turn is Turn.WAIT:
            self._pool.postpone(domain, now + TURN_POLL_S)
        return turn is Turn.GO

    def _leave_alone(self, domain: LeasedDomain, denial: str, now: Instant) -> None:
        """Its robots.txt forbids everything that waits. The urls keep waiting: it may change."""
        domain.state = block(domain.state, Cause.ROBOTS_DENIED, denial, now, self._settings)
        domain.plan(now, random.random())
        if not self._pool.give_back_if_idle(domain):
            self._memory.unsettled.is_urgent = True
            self._pool.schedule(domain)

    def _give_up(self, domain: LeasedDomain, target: Target, error: Exception, now: Instant) -> None:
        """A visit could not even begin."""
        if domain.queue and domain.queue[0] is target:
            domain.take()
        self._answers.record_once(domain, refuse(target, internal_error(error, target, None), now))

    # --- requests ------------------------------------------------------------------------------------

    def _fetch(self, domain: LeasedDomain, target: Target, now: Instant) -> None:
        domain.state = replace(domain.state, pace=politeness.after_start(domain.state.pace, now))
        domain.plan(now, random.random())
        request = self._build_request(target)
        failpoints.reach("fetch.before")
        self._hold_slot(
            domain,
            target.url,
            lambda slot: self._tools.fetcher.start(request, partial(self._on_answer, slot, target)),
        )
        self._memory.unsettled.in_flight += 1
        domain.in_flight += 1

    def _build_request(self, target: Target) -> Request:
        parsing = self._tools.parsing
        if parsing is not None and parsing.wants_whole(target):
            target = replace(target, etag=None, last_modified=None)
        request = Request(
            url=target.url,
            etag=target.etag,
            last_modified=target.last_modified,
            keeps_heads=self._settings.bodies.store,
            takes_pdf=self._settings.extract.reads_pdf,
        )
        if not target.is_sitemap:
            return request
        max_bytes = self._settings.sitemaps.max_bytes
        return replace(request, html_only=False, max_bytes=max_bytes, truncate=True)

    def _fetch_robots(self, domain: LeasedDomain, origin: str, now: Instant) -> None:
        def start(slot: Slot) -> None:
            listener = RobotsListener(on_ended=partial(self._slots.give_back, slot), on_done=self._on_robots)
            self._tools.robots_fetch.fetch(domain, origin, now, listener)

        self._hold_slot(domain, origin, start)

    def _hold_slot(self, domain: LeasedDomain, url: str, start: Callable[[Slot], None]) -> None:
        """Start a request, which holds a slot until it ends; one that cannot start holds none."""
        slot = self._slots.take(domain, url)
        self._memory.activity.actions += 1
        try:
            start(slot)
        except BaseException:
            self._slots.give_back(slot)
            raise

    def _on_answer(self, slot: Slot, target: Target, answer: Response | Failure) -> None:
        failpoints.reach("fetch.after")
        domain = slot.domain
        self._slots.give_back(slot)
        self._memory.activity.actions += 1
        self._memory.unsettled.in_flight -= 1
        if slot.is_silent and isinstance(answer, Failure):
            self._memory.budget.has_spare = True
        domain.in_flight -= 1
        if domain.is_held:
            try:
                if self._settings.bodies.store:
                    answer = pack_answer(answer, self._tools.pages)
                self._answers.apply_answer(domain, target, answer)
            except Exception as error:
                self._answers.break_off(domain, target, answer, error)
        self._on_ended()

    def _on_robots(self, domain: LeasedDomain) -> None:
        self._memory.activity.actions += 1
        unsettled = self._memory.unsettled
        if domain.robots_phase is RobotsPhase.UNSETTLED:
            unsettled.is_urgent = True
        record = domain.robots_visits[-1].record if domain.robots_visits else None
        unsettled.add(len(record.body) if record is not None else 0)
        self._pool.schedule(domain)
        self._on_ended()
