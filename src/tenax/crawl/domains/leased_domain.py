"""A leased domain in a worker's memory: the head of its queue, its pace, its unsettled visits."""

from collections import Counter, deque
from collections.abc import Iterable
from enum import StrEnum

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.crawl.domains.guesses import DomainGuesses
from tenax.crawl.domains.known_keys import KnownKeys
from tenax.crawl.domains.merge_classes import MergeClasses
from tenax.crawl.domains.phases import GONE, Phase, RobotsPhase, check_robots_phase
from tenax.crawl.domains.robots_rules import OriginRules, RobotsRequest, build_rules
from tenax.crawl.domains.trap_guard import TrapGuard
from tenax.policy import breaker as breakers
from tenax.policy import politeness
from tenax.policy.blocking import plan_unblock
from tenax.policy.domain_states import RESTING
from tenax.policy.guards.soft_404 import ErrorPage, format_error_page, read_error_page
from tenax.policy.rules import apply_rules
from tenax.record import replace
from tenax.records.domains import DomainRules, DomainState, Lease
from tenax.records.urls import NewUrl, Priority, Target
from tenax.records.visits import Visit
from tenax.stores.contracts.batches import DomainWork, LoadedDomain, QueueHead, RobotsVisit
from tenax.web.urls import origin_of

# What is held in memory, measured.
DOMAIN_BYTES = 6_000
_TARGET_BYTES = 300  # besides the characters of its url
_RULES_FACTOR = 20  # size of parsed rules relative to their robots.txt
_QUEUE_BYTES = 32_000  # a domain with long urls has a shorter queue in memory
_NEVER: Instant = 1e11
_SLOWED = Priority.SLOWED
_SLOWED_AT_ONCE = 8


class Responsiveness(StrEnum):
    """How a domain has answered the worker that holds it."""

    UNKNOWN = "unknown"  # not yet
    PROMPT = "prompt"  # its last request ended within a moment, with any result
    SLOW = "slow"  # its last request took longer, or has not ended yet


class LeasedDomain:
    """Mutable, owned by one worker. Its pool alone moves `phase`; the domain itself moves `robots_phase`."""

    def __init__(self, loaded: LoadedDomain, settings: Settings, now: Instant, roll: float) -> None:
        self.lease: Lease = loaded.lease
        self.name = loaded.lease.domain
        self.state: DomainState = plan_unblock(loaded.lease.state, now)
        self.state = replace(
            self.state,
            pace=politeness.clamp(self.state.pace, now),
            breaker=breakers.clamp(self.state.breaker, now, settings.breaker),
        )
        self.queue: deque[Target] = deque()
        self._target_bytes = _TARGET_BYTES
        self.next_due_at: Instant | None = None
        self.known: KnownKeys | None = None if loaded.known is None else KnownKeys(loaded.known)
        self.classes: MergeClasses | None = None  # where merge rules apply
        self.guesses: DomainGuesses | None = None  # where archives or pages of lists are guessed
        self.guard = TrapGuard(loaded.traps, settings.traps) if settings.traps.enabled else None
        self.slowed: list[int] = []  # ids of taken urls that are to come last
        self.robots: dict[str, OriginRules] = {record.origin: build_rules(record) for record in loaded.robots}
        self.robots_failures: dict[str, int] = {}
        self.question: RobotsRequest | None = None  # a robots.txt that has moved
        self.page_hash: int | None = None  # of the text of its last page
        self.error_page: ErrorPage | None = read_error_page(self.state.soft_404)
        self.samples: list[str] = []  # texts of its pages, until it is probed
        self.visits: list[Visit] = []
        self.robots_visits: list[RobotsVisit] = []
        self.found: list[NewUrl] = []  # in robots.txt, and in sitemaps that are being read
        self.listed: Counter[str] | None = None  # urls and files of sitemaps; None: none was read yet
        self.taken: set[int] = set()  # url ids taken from the queue and not settled yet
        self.in_flight = 0
        self.manner = Responsiveness.UNKNOWN
        self.silent = 0  # requests in flight without an answer for more than a moment
        self.leased_at = now
        self.ended_visits = 0  # since then
        self.phase = Phase.CLAIMED
        self.robots_phase = RobotsPhase.IDLE
        self.not_before: Instant = 0.0  # set by robots.txt trouble
        self.spared_until: Instant = 0.0  # this machine was short of resources
        self.no_routes = 0  # in a row, while other domains answered
        self.no_route_at: Instant = 0.0
        self.unjudged = 0  # answers of which it is not known yet whose fault they are
        self.heard_at: Instant | None = None  # when it last answered this worker, from another machine
        self.heard_from = ("", "")  # the address of its server then, and the url
        self.ready_at: Instant = 0.0
        self._crawl = settings
        self.rules: DomainRules = loaded.lease.rules
        self.settings = apply_rules(settings, self.rules)  # as they apply to this domain
        self.plan(now, roll)
        self.refill(loaded.head)

    # --- the queue -----------------------------------------------------------------------------

    def list_in_hand(self) -> frozenset[int]:
        """Ids of the urls that are queued in memory or were taken."""
        return frozenset(self.taken).union(target.id for target in self.queue)

    def refill(self, head: QueueHead, before: frozenset[int] = frozenset()) -> None:
        """Add urls to the queue. `before`: ids in memory when the query started. They may have been settled
        since, but the store's answer can be older than that."""
        known = before | self.list_in_hand()
        new = self._leave_slowed([target for target in head.targets if target.id not in known])
        if new:
            # What does not fit stays due in the store.
            self._target_bytes = _TARGET_BYTES + sum(len(target.url) for target in new) // len(new)
            self.queue.extend(new[: max(1, _QUEUE_BYTES // self._target_bytes)])
        self.next_due_at = head.next_due_at

    def _leave_slowed(self, targets: list[Target]) -> list[Target]:
        """Slowed urls are left in the store as long as there are others, or visits may have found some; then
        they come a few at a time."""
        if not targets or targets[-1].priority > _SLOWED:
            return targets
        others = [target for target in targets if target.priority > _SLOWED]
        if others or self.taken:
            return others
        return targets[:_SLOWED_AT_ONCE]

    def shorten_queue(self, length: int) -> None:
        """Leave the rest to the store: something more urgent is about to be queued there."""
        while len(self.queue) > length:
            self.queue.pop()

    def take(self) -> Target:
        target = self.queue.popleft()
        self.taken.add(target.id)
        return target

    def put_last(self) -> None:
        """Its next url is to come after all others. That is stored with the next batch."""
        self.slowed.append(self.take().id)

    def put_back(self, target: Target) -> None:
        """The url was not requested: it is the next one again."""
        self.taken.discard(target.id)
        self.queue.appendleft(target)

    def spare(self, until: Instant) -> None:
        """Request nothing before this instant: the last request failed through no fault of the domain."""
        self.spared_until = until

    def is_denied(self) -> bool:
        """Every known robots.txt of the domain forbids everything, and those of all queued urls are known."""
        if any(rules.denial is None for rules in self.robots.values()):
            return False
        return all(origin_of(target.url) in self.robots for target in self.queue)

    @property
    def has_had_its_turn(self) -> bool:
        """Since it was leased it has had as many pages as before in this run, or its first one.
        Visits in flight count: each may become a page."""
        before = self.lease.state.run_pages
        return self.state.run_pages + self.in_flight - before >= max(1, before)

    # --- pace ------------------------------------------------------------------------------------

    def apply_rules(self, rules: DomainRules, now: Instant, roll: float) -> None:
        """A user has changed the rules of the domain."""
        self.rules = rules
        self.settings = apply_rules(self._crawl, rules)
        self.plan(now, roll)

    def plan(self, now: Instant, roll: float) -> None:
        """Set the earliest instant of the next request from all that is known."""
        breaker = breakers.on_time(self.state.breaker, now)
        if breaker is not self.state.breaker:
            self.state = replace(self.state, breaker=breaker)
        ready_at = politeness.plan_next_fetch(self.state.pace, self.settings.politeness, roll)
        reopen_at = self.state.breaker.reopen_at or 0.0
        rests_until = 0.0
        if self.state.status in RESTING:
            rests_until = _NEVER if self.state.next_crawl_after is None else self.state.next_crawl_after
        self.ready_at = max(ready_at, reopen_at, rests_until, self.not_before, self.spared_until)

    @property
    def delay_s(self) -> float:
        return politeness.delay_in_force(self.state.pace, self.settings.politeness)[0]

    # --- memory ----------------------------------------------------------------------------------

    @property
    def weight_bytes(self) -> int:
        """Its size in memory, without unsettled visits."""
        known_bytes = 0 if self.known is None else self.known.weight_bytes
        robots_bytes = sum([rules.body_bytes for rules in self.robots.values()])
        queue_bytes = len(self.queue) * self._target_bytes
        if self.classes is not None:
            queue_bytes += self.classes.weight_bytes
        if self.guesses is not None:
            queue_bytes += self.guesses.weight_bytes
        if self.guard is not None:
            queue_bytes += self.guard.weight_bytes
        queue_bytes += sum([len(text) for text in self.samples])
        return DOMAIN_BYTES + queue_bytes + known_bytes + _RULES_FACTOR * robots_bytes

    # --- results ---------------------------------------------------------------------------------

    @property
    def stored_pages(self) -> int:
        """Pages of the domain in the store, and those that are about to be."""
        return self.lease.stored_pages + self.state.run_pages - self.lease.state.run_pages

    def learn_error_page(self, error_page: ErrorPage) -> None:
        """Settled with the visit that showed it."""
        self.error_page = error_page
        self.state = replace(self.state, soft_404=format_error_page(error_page))

    def merges(self, target: Target, url: str) -> bool:
        """Whether merge rules make the address one url with the target."""
        return self.classes is not None and self.classes.is_one(target, url)

    @property
    def has_pages_left(self) -> bool:
        """Of its page limit for this run. Visits in flight count: each may become a page."""
        return self.state.run_pages + self.in_flight < self.settings.limits.domain_budget

    @property
    def is_spent(self) -> bool:
        """Its page limit for this run is used up."""
        return self.state.run_pages >= self.settings.limits.domain_budget

    @property
    def is_dirty(self) -> bool:
        has_learned = self.guesses is not None and self.guesses.is_dirty
        return bool(self.visits or self.robots_visits or self.found or self.slowed or has_learned)

    @property
    def is_busy(self) -> bool:
        """A request of it is in flight, or not judged yet."""
        return bool(self.in_flight or self.unjudged or self.robots_phase is RobotsPhase.FETCHING)

    @property
    def is_idle(self) -> bool:
        """Nothing of it is in flight, and everything is durable."""
        return not (self.is_busy or self.is_dirty or self.taken)

    @property
    def is_held(self) -> bool:
        """The lease is this worker's. Otherwise whatever still arrives is ignored."""
        return self.phase not in GONE

    def hand_over(self) -> DomainWork:
        """Everything that has ended since the last batch."""
        work = DomainWork(
            lease=self.lease,
            state=self.state,
            visits=tuple(self.visits),
            robots=tuple(self.robots_visits),
            found=tuple(self.found),
            has_classes=self.classes is not None,
            guessed=() if self.guesses is None else self.guesses.take_guessed(),
            learned=None if self.guesses is None else self.guesses.take_learned(),
            traps=() if self.guard is None else self.guard.take_changed(),
            slowed=tuple(self.slowed),
        )
        if self.state.transitions:
            self.state = replace(self.state, transitions=())
        self.visits = []
        self.robots_visits = []
        self.slowed = []
        self.found = []
        return work

    def mark_settled(self, visits: Iterable[Visit], expires_at: Instant, slowed: Iterable[int] = ()) -> None:
        self.taken.difference_update(visit.target.id for visit in visits)
        self.taken.difference_update(slowed)
        self.lease = replace(self.lease, expires_at=expires_at)
        if self.robots_phase is RobotsPhase.UNSETTLED and not self.is_dirty:
            self._move_robots(RobotsPhase.IDLE)

    # --- robots.txt --------------------------------------------------------------------------------

    def begin_robots_fetch(self) -> None:
        self._move_robots(RobotsPhase.FETCHING)

    def await_settling(self) -> None:
        """Its robots.txt asks for a longer delay: nothing starts before that is durable. A successor would
        not know of it otherwise."""
        self._move_robots(RobotsPhase.UNSETTLED)

    def end_robots_fetch(self) -> None:
        if self.robots_phase is RobotsPhase.FETCHING:
            self._move_robots(RobotsPhase.IDLE)

    def _move_robots(self, phase: RobotsPhase) -> None:
        check_robots_phase(self.robots_phase, phase)
        self.robots_phase = phase
