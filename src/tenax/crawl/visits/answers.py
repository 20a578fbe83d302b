"""What an answer to a visit's request does. `apply_answer` is the one place where that happens."""

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from tenax import failpoints
from tenax.clock import Instant
from tenax.crawl.domains.feedback import apply_answer, apply_failure_pace, apply_outcome, apply_rejection
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.reading.isolation import describe_no_process
from tenax.crawl.reading.messages import ReadResult
from tenax.crawl.reading.page import ReadPage
from tenax.crawl.reading.parser_pool import HostGone
from tenax.crawl.visits.apart import PageApart, ReadApart, plan_apart, plan_reading
from tenax.crawl.visits.context import RunContext, VisitTools, WorkerMemory
from tenax.crawl.visits.outcome import Conclusion, build_visit, internal_error
from tenax.crawl.visits.pages import NEW_URL_BYTES, is_page, weigh
from tenax.crawl.visits.parsing import ParsedVisit, add_parsings, weigh_items
from tenax.crawl.visits.sitemaps import is_listing
from tenax.errors import DocumentTooLarge
from tenax.policy.domain_states import RESTING
from tenax.policy.outages import Fault
from tenax.record import replace
from tenax.records.domains import DomainState
from tenax.records.pages import PackedPage
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import NewUrl, Target, ValidationStatus
from tenax.records.visits import Failed, Fetched, Outcome, Rejected, Visit

OFFER_POLL_S = 0.01
# The rest of a domain whose page found no room to wait until it is read.
ROOM_REST_S = 10.0


class AnswerApplier:
    """No exception leaves a visit: whatever raises becomes its outcome (`break_off`)."""

    def __init__(
        self,
        context: RunContext,
        memory: WorkerMemory,
        tools: VisitTools,
        on_ended: Callable[[], None],
    ) -> None:
        """`on_ended`: called when a page was read in another process, so that the worker goes on."""
        self._clock = context.clock
        self._header_names = context.settings.extract.response_headers
        self._memory = memory
        self._tools = tools
        self._on_ended = on_ended
        self._readings: set[asyncio.Task[None]] = set()
        self.is_stopping = False  # sitemaps are not read on

    @property
    def is_reading(self) -> bool:
        """Documents are being read in another process, or wait for it."""
        return bool(self._readings)

    def apply_answer(self, domain: LeasedDomain, target: Target, answer: Response | Failure) -> None:
        """Everything that an answer does, in this order."""
        now = self._clock.now()
        # 1. Whose fault it is. What is this machine's changes nothing: the url goes back to the head of its
        # queue. What is not known yet waits: `_end_holding` goes on with it.
        match self._memory.blame.find_fault(domain, answer, now, self._memory.slots.in_flight):
            case Fault.OURS:
                self._put_back(domain, target, now)
            case Fault.UNJUDGED:
                self._hold(domain, target, answer, now)
            case Fault.SITE:
                self._apply(domain, target, answer, now)

    def _apply(
        self,
        domain: LeasedDomain,
        target: Target,
        answer: Response | Failure,
        now: Instant,
        *,
        is_paced: bool = False,
    ) -> None:
        # 2. The domain's pace, its breaker, whether it is blocked.
        before = domain.state
        domain.state = apply_answer(
            before,
            answer,
            domain.settings,
            random.random(),
            now=now,
            is_retry=target.attempts > 0 or _is_refused_guess(target, answer),
            is_paced=is_paced,
        )
        # 3. The outcome. A page is read, its links are admitted, its text is packed.
        if target.is_sitemap and isinstance(answer, Response):
            if is_listing(target, answer):
                self._start_sitemap(domain, target, answer)
                return
            if is_page(answer):
                # It is a page after all, and had none before.
                target = replace(target, content_hash=None)
        if isinstance(answer, Failure) or not self._tools.pages.takes(answer):
            conclusion = self._tools.outcomes.build(domain, target, answer, now)
        elif (apart := plan_apart(self._tools.pages, self._tools.parsing, target, answer)) is not None:
            self._start_reading(domain, target, apart, before)
            return
        elif (read := self._read(target, answer)) is None:
            # In another process: `_end_reading` goes on with this step.
            self._start_reading(domain, target, plan_reading(self._tools.pages, target, answer), before)
            return
        else:
            conclusion = self._conclude_page(domain, target, answer, read, len(answer.body))
            self._correct(domain, before, target, answer, conclusion[0])
        # 4. Whether the site hides behind a login; the visit waits to be settled; the domain goes on.
        self._finish(domain, target, answer, conclusion)

    def _hold(self, domain: LeasedDomain, target: Target, answer: Response | Failure, now: Instant) -> None:
        """Only the pace is applied. The url stays taken, and its domain makes no request meanwhile."""
        if isinstance(answer, Failure):
            domain.state = apply_failure_pace(domain.state, answer, now)
        domain.plan(now, random.random())
        self._memory.blame.hold(domain, answer, now, partial(self._end_holding, domain, target, answer))

    def _end_holding(
        self, domain: LeasedDomain, target: Target, answer: Response | Failure, fault: Fault
    ) -> None:
        if not domain.is_held:
            return
        now = self._clock.now()
        try:
            if fault is Fault.SITE:
                self._apply(domain, target, answer, now, is_paced=True)
            else:
                self._put_back(domain, target, now)
        except Exception as error:
            self.break_off(domain, target, answer, error)

    def _read(self, target: Target, answer: Response) -> ReadPage | Failed | None:
        """None: it is too large, or a worker died over it, so another process has to read it."""
        if target.crashes:
            return None
        try:
            return self._tools.pages.read(target, answer)
        except DocumentTooLarge:
            return None

    def _conclude_page(
        self,
        domain: LeasedDomain,
        target: Target,
        answer: Response,
        read: ReadPage | ReadResult | Failed,
        body_bytes: int,
        packed: PackedPage | None = None,
    ) -> Conclusion:
        if isinstance(read, Failed):
            return read, ()
        return self._tools.pages.build(domain, target, answer, read, body_bytes, packed)

    def _correct(
        self, domain: LeasedDomain, before: DomainState, target: Target, answer: Response, outcome: Outcome
    ) -> None:
        """What looked like a good answer may have turned the crawler away. `before`: the state of the domain
        before it."""
        if not isinstance(outcome, Rejected) or outcome.reason.status is ValidationStatus.SOFT:
            return
        now, is_retry = self._clock.now(), target.attempts > 0
        domain.state = apply_rejection(
            before, answer, outcome, domain.settings, random.random(), now=now, is_retry=is_retry
        )

    def _finish(
        self,
        domain: LeasedDomain,
        target: Target,
        answer: Response | Failure,
        conclusion: Conclusion,
        parsed: ParsedVisit | None = None,
    ) -> None:
        now = self._clock.now()
        visit = build_visit(target, answer, *conclusion, header_names=self._header_names)
        if parsed is not None:
            self._memory.tally.parse_s += parsed.parse_s
            visit = add_parsings(visit, parsed)
        if self._tools.tracer is not None:
            wall = self._clock.wall()
            self._tools.tracer.note(replace(visit, at=visit.at + wall - now), answer, wall)
        domain.state = apply_outcome(
            domain.state, visit, domain.settings, stored_pages=domain.stored_pages, now=now
        )
        if self._tools.pages.soft_404 is not None:
            self._tools.pages.soft_404.note_visit(domain, visit)
        domain.ended_visits += 1
        if isinstance(visit.outcome, Fetched):
            domain.page_hash = visit.outcome.page.content_hash
        self.record(domain, visit)
        self._go_on(domain, now)

    def record(self, domain: LeasedDomain, visit: Visit) -> None:
        """A visit has ended: it waits to be settled."""
        unsettled = self._memory.unsettled
        page = visit.outcome if isinstance(visit.outcome, Fetched) else None
        weight_bytes = NEW_URL_BYTES * len(visit.discovered) if page is None else weigh(page, visit)
        if visit.parsings:
            weight_bytes += weigh_items(visit.parsings)
        self._memory.tally.count_visit(visit)
        if domain.classes is not None:
            domain.classes.apply_outcome(visit)
        if domain.guesses is not None:
            domain.guesses.learn(visit)
        # Nothing can go wrong between these two: every visit that a domain holds must be counted.
        domain.visits.append(visit)
        unsettled.add(weight_bytes, is_page=page is not None)
        if page is not None:
            if unsettled.is_heavy:
                self._tools.fetcher.pause()
            domain.state = replace(domain.state, run_pages=domain.state.run_pages + 1)
            return
        is_limited = isinstance(visit.outcome, Failed) and visit.outcome.kind is FailureKind.RATE_LIMITED
        if is_limited or domain.state.status in RESTING:
            # A successor must know that the domain asked for rest.
            unsettled.is_urgent = True

    def record_once(self, domain: LeasedDomain, visit: Visit) -> None:
        """The same after an exception, which may have come before or after the visit was recorded."""
        if all(each.target is not visit.target for each in domain.visits):
            self.record(domain, visit)

    def break_off(
        self, domain: LeasedDomain, target: Target, answer: Response | Failure, error: Exception
    ) -> None:
        """An exception ended the visit: that is its outcome."""
        failed = internal_error(error, target, answer)
        self.record_once(domain, build_visit(target, answer, failed))
        self._go_on(domain, self._clock.now())

    def _go_on(self, domain: LeasedDomain, now: Instant) -> None:
        domain.plan(now, random.random())
        self._memory.pool.schedule(domain)

    def _put_back(self, domain: LeasedDomain, target: Target, now: Instant) -> None:
        """This machine could not make the request: nothing has happened."""
        self._memory.tally.local_failures += 1
        domain.put_back(target)
        self._go_on(domain, now)

    # --- pages that are read in another process ------------------------------------------------------

    def _start_reading(
        self, domain: LeasedDomain, target: Target, apart: PageApart, before: DomainState
    ) -> None:
        """It may have to wait for long. Meanwhile it takes no slot: only its domain, and memory for its
        body."""
        if self._keep_room(domain, target, apart.kept_bytes):
            self._begin(domain, self._read_apart(domain, target, apart, before))

    def _keep_room(self, domain: LeasedDomain, target: Target, body_bytes: int) -> bool:
        """Make room for a body that is read later. False: there is none, and the url waits for some."""
        if self._memory.unsettled.keep(body_bytes):
            return True
        now = self._clock.now()
        domain.spare(now + ROOM_REST_S)
        self._put_back(domain, target, now)
        return False

    def _begin(self, domain: LeasedDomain, reading: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(reading)
        self._readings.add(task)
        task.add_done_callback(self._readings.discard)
        domain.in_flight += 1
        self._memory.unsettled.in_flight += 1

    def _end(self, domain: LeasedDomain, body_bytes: int) -> None:
        self._memory.activity.actions += 1
        unsettled = self._memory.unsettled
        unsettled.let_go(body_bytes)
        unsettled.in_flight -= 1
        domain.in_flight -= 1

    async def _read_apart(
        self, domain: LeasedDomain, target: Target, apart: PageApart, before: DomainState
    ) -> None:
        found: ReadApart | Exception
        now, after = self._clock.now(), domain.state
        ticket = self._memory.activity.begin_reading(target.url)
        try:
            found = await apart.read(now)
        except Exception as error:
            found = error
        finally:
            self._memory.activity.end_reading(ticket)
        self._end(domain, apart.kept_bytes)
        self._memory.tally.read_apart += not apart.runs_parsers
        if domain.is_held:
            # What other answers have changed meanwhile stays.
            before = before if domain.state is after else domain.state
            try:
                self._end_reading(domain, target, apart, found, before)
            except Exception as error:
                self.break_off(domain, target, apart.answer, error)
        self._on_ended()

    def _end_reading(
        self,
        domain: LeasedDomain,
        target: Target,
        apart: PageApart,
        found: ReadApart | Exception,
        before: DomainState,
    ) -> None:
        """Go on with step 3 of `apply_answer`."""
        if isinstance(found, HostGone):
            self._put_back(domain, target, self._clock.now())
        elif isinstance(found, OSError):
            self._miss_process(domain, target, found)
        elif isinstance(found, Exception):
            self.break_off(domain, target, apart.answer, found)
        else:
            answer = apart.answer
            conclusion = self._conclude_page(
                domain, target, answer, found.read, apart.body_bytes, found.packed
            )
            self._correct(domain, before, target, answer, conclusion[0])
            parsed = self._conclude_parsing(domain, target, apart, found, conclusion[0])
            self._finish(domain, target, answer, conclusion, parsed)

    def _conclude_parsing(
        self, domain: LeasedDomain, target: Target, apart: PageApart, found: ReadApart, outcome: Outcome
    ) -> ParsedVisit | None:
        """Only a page that is kept has items."""
        parsing = self._tools.parsing
        if parsing is None or apart.chosen is None or not isinstance(outcome, Fetched):
            return None
        return parsing.conclude(domain, target, found.parsed, apart.chosen, follows=found.may_follow)

    def _miss_process(self, domain: LeasedDomain, target: Target, error: OSError) -> None:
        """The document was not looked at: no process could be started."""
        now = self._clock.now()
        detail = describe_no_process(error)
        failure = Failure(kind=FailureKind.LOCAL, detail=detail, is_transient=True, started_at=now)
        self._memory.blame.find_fault(domain, failure, now, self._memory.slots.in_flight)
        self._put_back(domain, target, now)

    # --- sitemaps, which are read in slices ----------------------------------------------------------

    def _start_sitemap(self, domain: LeasedDomain, target: Target, answer: Response) -> None:
        if self._keep_room(domain, target, len(answer.body)):
            self._begin(domain, self._read_sitemap(domain, target, answer))

    async def _read_sitemap(self, domain: LeasedDomain, target: Target, answer: Response) -> None:
        found: Conclusion | Exception | None
        ticket = self._memory.activity.begin_reading(target.url)
        try:
            found = await self._tools.sitemaps.read(domain, target, answer, partial(self._offer, domain))
        except Exception as error:
            found = error
        finally:
            self._memory.activity.end_reading(ticket)
        self._end(domain, len(answer.body))
        if domain.is_held and found is not None:
            self._end_sitemap(domain, target, replace(answer, body=b""), found)
        self._on_ended()

    def _end_sitemap(
        self, domain: LeasedDomain, target: Target, answer: Response, found: Conclusion | Exception
    ) -> None:
        try:
            if isinstance(found, Exception):
                self.break_off(domain, target, answer, found)
            else:
                self._finish(domain, target, answer, found)
        except Exception as error:
            self.break_off(domain, target, answer, error)

    async def _offer(self, domain: LeasedDomain, urls: Sequence[NewUrl]) -> bool:
        """Have urls settled before the visit that finds them has ended, and wait until they are on their way:
        so a sitemap of any size takes the memory of two slices."""
        domain.found.extend(urls)
        self._memory.unsettled.add(NEW_URL_BYTES * len(urls))
        self._memory.unsettled.is_urgent = True
        self._on_ended()
        while domain.found and domain.is_held and not self.is_stopping:  # noqa: ASYNC110
            await asyncio.sleep(OFFER_POLL_S)
        self._memory.activity.actions += 1
        failpoints.reach("sitemap.slice")
        return domain.is_held and not self.is_stopping


def _is_refused_guess(target: Target, answer: Response | Failure) -> bool:
    """A guess that is forbidden says nothing about the rest of the domain."""
    return target.found_by.is_guess and isinstance(answer, Response) and answer.status in (401, 403)
