"""The domains that a worker holds, ordered by when each may be requested next. In memory only.

The pool alone moves a domain from phase to phase (phases.py) and keeps the indexes that go with them.
"""

import heapq
from collections.abc import Iterable, Iterator
from itertools import count
from operator import attrgetter

from tenax.clock import Instant
from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness
from tenax.crawl.domains.phases import GONE, Phase, RobotsPhase, check_phase
from tenax.records.domains import DomainRules

# A domain that rests for longer is given back: a worker that is free by then can take it.
RELEASE_AFTER_S = 5.0

# Reading members through their class is slow, and a visit does it ten times.
_SCHEDULED, _BUSY, _HUNGRY, _REFILLING = Phase.SCHEDULED, Phase.BUSY, Phase.HUNGRY, Phase.REFILLING
_STARVED, _DRAINING = Phase.STARVED, Phase.DRAINING
_ROBOTS_IDLE = RobotsPhase.IDLE


class Pool:
    def __init__(self) -> None:
        self._domains: dict[int, LeasedDomain] = {}
        # A scheduled domain has one entry. Entries of domains that left the pool or drain are skipped later.
        self._heaps: dict[Responsiveness, list[tuple[Instant, int, LeasedDomain]]] = {
            each: [] for each in Responsiveness
        }
        self._order = count()
        self._hungry: set[LeasedDomain] = set()
        self._starved: set[LeasedDomain] = set()
        self._given_back: list[LeasedDomain] = []

    def __len__(self) -> int:
        return len(self._domains)

    def __contains__(self, domain: object) -> bool:
        return isinstance(domain, LeasedDomain) and self.get(domain.lease.domain_id) is domain

    def __iter__(self) -> Iterator[LeasedDomain]:
        return iter(self._domains.values())

    def get(self, domain_id: int) -> LeasedDomain | None:
        return self._domains.get(domain_id)

    # --- entering and leaving --------------------------------------------------------------------

    def add(self, domain: LeasedDomain, now: Instant) -> None:
        """A domain was leased, perhaps again because its lease had expired."""
        if (earlier := self.get(domain.lease.domain_id)) is not None:
            self.lose(earlier)
        self._domains[domain.lease.domain_id] = domain
        self._move(domain, _BUSY)
        if not domain.rules.is_active:
            # Nothing of an inactive domain is requested.
            self.drain(domain)
        else:
            # What a dead worker held can be claimed at once, even while it has to rest.
            self._go_on(domain, now)

    def lose(self, domain: LeasedDomain) -> None:
        """The lease is gone: forget the domain. Answers to its running requests will be ignored."""
        if domain.is_held:
            self._leave(domain, Phase.LOST)

    def give_back(self, domain: LeasedDomain) -> None:
        """Take the domain out of the pool, to be released in the store."""
        self._leave(domain, Phase.GIVEN_BACK)
        self._given_back.append(domain)

    def give_back_if_idle(self, domain: LeasedDomain) -> bool:
        """Give the domain back unless something of it is in flight or not durable yet; returns whether."""
        if not domain.is_idle:
            return False
        self.give_back(domain)
        return True

    def give_back_all(self) -> None:
        """At the end of a worker, whatever is still in flight."""
        for domain in list(self):
            self.give_back(domain)

    def drain(self, domain: LeasedDomain) -> None:
        """Start nothing more; give the domain back once what runs has ended and is durable."""
        if domain.phase is not _DRAINING:
            self._move(domain, _DRAINING)
        self.give_back_if_idle(domain)

    @property
    def has_given_back(self) -> bool:
        """Some domains are to be released."""
        return bool(self._given_back)

    def take_given_back(self) -> list[LeasedDomain]:
        """The domains to release; the caller takes them over."""
        given_back, self._given_back = self._given_back, []
        return given_back

    def shed(self, keep: int) -> None:
        """Give domains back because another worker has too few, until `keep` are left: idle ones at once,
        others once they have drained."""
        staying = [domain for domain in self if domain.phase is not _DRAINING]
        staying.sort(key=attrgetter("is_idle"), reverse=True)
        for domain in staying[: max(len(staying) - keep, 0)]:
            self.drain(domain)

    # --- from one visit to the next ----------------------------------------------------------------

    def schedule(self, domain: LeasedDomain) -> None:
        """Put the domain where it belongs: on a heap, among the hungry, or nowhere while it is busy."""
        phase = domain.phase
        if phase is _SCHEDULED or phase in GONE:
            return
        if phase is _DRAINING:
            self.give_back_if_idle(domain)
            return
        if domain.robots_phase is not _ROBOTS_IDLE or domain.unjudged:
            return
        if domain.in_flight >= domain.settings.politeness.per_domain:
            return
        if domain.queue:
            self._push(domain, domain.ready_at)
        elif phase is not _STARVED and phase is not _HUNGRY and phase is not _REFILLING:
            self._move(domain, _HUNGRY)

    def postpone(self, domain: LeasedDomain, until: Instant) -> None:
        """Let other domains go first."""
        self._push(domain, until)

    def pop_ready(
        self, now: Instant, manners: Iterable[Responsiveness] = Responsiveness
    ) -> LeasedDomain | None:
        """Hand out a domain whose time has come, from the first of these groups that has one. It is busy
        until it is scheduled again."""
        for manner in manners:
            heap = self._heaps[manner]
            while heap and heap[0][0] <= now:
                domain = heapq.heappop(heap)[2]
                if domain.phase is not _SCHEDULED:
                    continue
                if domain.ready_at <= now and domain.manner is manner:
                    self._move(domain, _BUSY)
                    return domain
                # An answer has since asked for a longer rest, or failed to come.
                self._enter_heap(domain, domain.ready_at)
        return None

    def next_ready_at(self, manners: Iterable[Responsiveness] = Responsiveness) -> Instant | None:
        """The earliest instant at which `pop_ready` may have a domain of these groups."""
        instants = []
        for manner in manners:
            heap = self._heaps[manner]
            while heap and heap[0][2].phase is not _SCHEDULED:
                heapq.heappop(heap)
            if heap:
                instants.append(heap[0][0])
        return min(instants, default=None)

    def settled(self, domain: LeasedDomain, now: Instant) -> None:
        """The domain's visits are durable: the store may have new urls for it, or it may rest elsewhere."""
        if domain.phase is _STARVED:
            self._move(domain, _HUNGRY)
        else:
            self._go_on(domain, now)

    def next_commit_at(self) -> Instant | None:
        """When a domain could go on if its visits were durable; None: none waits for that."""
        return min((domain.ready_at for domain in self._starved if not domain.is_busy), default=None)

    def retire(self, domain: LeasedDomain) -> None:
        """The domain has used up its pages of this run: give it back once everything of it is durable."""
        domain.queue.clear()
        if not self.give_back_if_idle(domain):
            self._move(domain, _STARVED)

    def apply_rules(self, domain: LeasedDomain, rules: DomainRules, now: Instant, roll: float) -> None:
        """A user has changed the rules of the domain. One that is inactive now or has to rest for long is
        given back."""
        domain.apply_rules(rules, now, roll)
        self._unschedule(domain)
        if rules.is_active:
            self._go_on(domain, now)
        else:
            self.drain(domain)

    def _go_on(self, domain: LeasedDomain, now: Instant) -> None:
        """Schedule the domain, unless it has to rest for long and nothing keeps it here: the run would wait
        for it, however long that is."""
        rests_long = domain.ready_at > now + RELEASE_AFTER_S
        if not (rests_long and self.give_back_if_idle(domain)):
            self.schedule(domain)

    # --- refilling -----------------------------------------------------------------------------------

    @property
    def has_hungry(self) -> bool:
        """Some domains need more urls from the store."""
        return bool(self._hungry)

    def start_refill(self) -> list[LeasedDomain]:
        """The hungry domains, for which the caller now asks the store."""
        hungry = list(self._hungry)
        for domain in hungry:
            self._move(domain, _REFILLING)
        return hungry

    def end_refill(self, domain: LeasedDomain, now: Instant) -> None:
        """The store has answered, and what it had is in the domain's queue."""
        if domain.phase is not _REFILLING:
            # It went on meanwhile with a url that was put back.
            self.schedule(domain)
            return
        if domain.queue:
            self._move(domain, _BUSY)
            self._go_on(domain, now)
        elif domain.taken or domain.is_dirty:
            self._move(domain, _STARVED)
        else:
            self._await_next(domain, now)

    def _await_next(self, domain: LeasedDomain, now: Instant) -> None:
        """Nothing of the domain is due: keep it if that changes within a moment, else give it back."""
        due_at = domain.next_due_at
        next_at = None if due_at is None else max(due_at, domain.ready_at)
        if next_at is not None and next_at <= now + RELEASE_AFTER_S:
            self._push(domain, next_at)
        else:
            self.give_back(domain)

    # --- memory and figures ----------------------------------------------------------------------------

    @property
    def weight_bytes(self) -> int:
        return sum([domain.weight_bytes for domain in self])

    def lighten(self, limit_bytes: int) -> None:
        """Hold no more than this: forget known keys, then give idle domains back. They can be claimed
        again."""
        excess = self.weight_bytes - limit_bytes
        excess -= self.forget_known(excess)
        if excess > 0:
            self._shed_idle(excess)

    def forget_known(self, excess: int) -> int:
        """Forget known keys, which the store has too, largest first; returns how many bytes that freed."""
        if excess <= 0:
            return 0
        freed = 0
        for domain in sorted(self, key=_known_bytes, reverse=True):
            if freed >= excess or domain.known is None:
                break
            freed += domain.known.weight_bytes
            domain.known = None
        return freed

    def _shed_idle(self, excess: int) -> None:
        freed = 0
        for domain in sorted(self, key=attrgetter("weight_bytes"), reverse=True):
            if freed >= excess or len(self) == 1:
                break
            weight_bytes = domain.weight_bytes
            if self.give_back_if_idle(domain):
                freed += weight_bytes

    def count_silent(self) -> int:
        return sum([domain.silent > 0 for domain in self])

    def count_slow(self) -> int:
        return sum([domain.manner is Responsiveness.SLOW for domain in self])

    # --- phases and their indexes ------------------------------------------------------------------------

    def _move(self, domain: LeasedDomain, phase: Phase) -> None:
        """The one place where a phase changes. The heaps are kept by the callers."""
        earlier = domain.phase
        check_phase(earlier, phase)
        if earlier is _HUNGRY:
            self._hungry.discard(domain)
        elif earlier is _STARVED:
            self._starved.discard(domain)
        domain.phase = phase
        if phase is _HUNGRY:
            self._hungry.add(domain)
        elif phase is _STARVED:
            self._starved.add(domain)

    def _leave(self, domain: LeasedDomain, phase: Phase) -> None:
        self._move(domain, phase)
        if self.get(domain.lease.domain_id) is domain:
            del self._domains[domain.lease.domain_id]

    def _push(self, domain: LeasedDomain, at: Instant) -> None:
        self._move(domain, _SCHEDULED)
        self._enter_heap(domain, at)

    def _enter_heap(self, domain: LeasedDomain, at: Instant) -> None:
        heapq.heappush(self._heaps[domain.manner], (at, next(self._order), domain))

    def _unschedule(self, domain: LeasedDomain) -> None:
        """The instant of its heap entry does not hold any more: it may be earlier now."""
        if domain.phase is _SCHEDULED:
            self._move(domain, _BUSY)
            for heap in self._heaps.values():
                heap[:] = [entry for entry in heap if entry[2] is not domain]
                heapq.heapify(heap)


def _known_bytes(domain: LeasedDomain) -> int:
    return 0 if domain.known is None else domain.known.weight_bytes
