"""The domains that a worker holds, ordered by when they may be asked next. In memory only."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import count
from operator import attrgetter

from tenax.clock import Instant
from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness
from tenax.records.domains import DomainRules

# A domain that rests longer is given back, so that whoever is free then can take it.
RELEASE_AFTER_S = 5.0


class Pool:
    def __init__(self) -> None:
        self._domains: dict[int, LeasedDomain] = {}
        self._heaps: dict[Responsiveness, list[tuple[Instant, int, LeasedDomain]]] = {
            each: [] for each in Responsiveness
        }
        self._order = count()
        self.hungry: set[LeasedDomain] = set()  # their queue is to be filled from the store
        self.starved: set[LeasedDomain] = set()  # the store has nothing until their visits are settled
        self.leaving: list[LeasedDomain] = []  # to be given back

    def __len__(self) -> int:
        return len(self._domains)

    def __contains__(self, domain: object) -> bool:
        return isinstance(domain, LeasedDomain) and self.get(domain.lease.domain_id) is domain

    def __iter__(self) -> Iterator[LeasedDomain]:
        return iter(self._domains.values())

    def add(self, domain: LeasedDomain, now: Instant) -> None:
        """A domain was leased, perhaps anew because its lease had expired."""
        if (earlier := self.get(domain.lease.domain_id)) is not None:
            self.drop(earlier)
        self._domains[domain.lease.domain_id] = domain
        if not domain.is_leaving and domain.ready_at > now + RELEASE_AFTER_S:
            # What a dead worker held can be claimed at once, also while it has to rest.
            self.give_back(domain)
        else:
            self.schedule(domain)

    def get(self, domain_id: int) -> LeasedDomain | None:
        return self._domains.get(domain_id)

    def drop(self, domain: LeasedDomain) -> None:
        """The lease is gone: forget everything about the domain, its running requests included."""
        domain.is_lost = True
        if self.get(domain.lease.domain_id) is domain:
            del self._domains[domain.lease.domain_id]
        self.hungry.discard(domain)
        self.starved.discard(domain)

    def give_back(self, domain: LeasedDomain) -> None:
        self.drop(domain)
        self.leaving.append(domain)

    def shed(self, keep: int) -> None:
        """Give domains back, for another worker is hungry, until `keep` are left: idle ones at once, others
        when what runs has ended and is durable."""
        staying = [domain for domain in self if not domain.is_leaving]
        staying.sort(key=self._is_idle, reverse=True)
        for domain in staying[: max(len(staying) - keep, 0)]:
            domain.is_leaving = True
            self._let_go(domain)

    def take_turns(self, domain: LeasedDomain) -> None:
        """Give it back when what runs has ended and is durable: others wait that have had less."""
        domain.is_leaving = True
        self._let_go(domain)

    def follow(self, domain: LeasedDomain, rules: DomainRules, now: Instant, roll: float) -> None:
        """A person has changed its rules. One that is inactive now or has to rest for long is given back."""
        domain.follow(rules, now, roll)
        self._unschedule(domain)
        if self._is_idle(domain) and domain.ready_at > now + RELEASE_AFTER_S:
            self.give_back(domain)
        else:
            self.schedule(domain)

    def postpone(self, domain: LeasedDomain, until: Instant) -> None:
        """Others go first."""
        self._push(domain, until)

    def _let_go(self, domain: LeasedDomain) -> None:
        if self._is_idle(domain):
            self.give_back(domain)

    @property
    def weight_bytes(self) -> int:
        return sum([domain.weight_bytes for domain in self])

    def lighten(self, limit_bytes: int) -> None:
        """Hold no more than this: forget known keys, which the store has too, then give domains back that
        are idle. Whoever took them will claim them again."""
        excess = self.weight_bytes - limit_bytes
        for shed in (self._forget_known, self._shed_idle):
            if excess > 0:
                excess -= shed(excess)

    def _forget_known(self, excess: int) -> int:
        freed = 0
        for domain in sorted(self, key=_known_bytes, reverse=True):
            if freed >= excess or domain.known is None:
                break
            freed += domain.known.weight_bytes
            domain.known = None
        return freed

    def _shed_idle(self, excess: int) -> int:
        freed = 0
        for domain in sorted(self, key=attrgetter("weight_bytes"), reverse=True):
            if freed >= excess or len(self) == 1:
                break
            if self._is_idle(domain):
                freed += domain.weight_bytes
                self.give_back(domain)
        return freed

    def schedule(self, domain: LeasedDomain) -> None:
        """Put the domain where it belongs: on the heap, among the hungry, or nowhere while it is busy."""
        if domain.is_lost:
            return
        if domain.is_leaving:
            self._let_go(domain)
            return
        if domain.is_scheduled or domain.is_asking_robots or domain.awaits_commit:
            return
        if domain.in_flight >= domain.settings.politeness.per_domain:
            return
        if domain.queue:
            self._push(domain, domain.ready_at)
        elif domain not in self.starved:
            self.hungry.add(domain)

    def fed(self, domain: LeasedDomain, now: Instant) -> None:
        """The store was asked for more urls of the domain; see what comes next."""
        if domain.is_leaving:
            self._let_go(domain)
        elif domain.queue:
            self.schedule(domain)
        elif domain.taken or domain.is_dirty:
            self.starved.add(domain)
        else:
            self._await_next(domain, now)

    def _await_next(self, domain: LeasedDomain, now: Instant) -> None:
        """Nothing of it is due: keep it when that changes in a moment, else give it back."""
        due_at = domain.next_due_at
        next_at = None if due_at is None else max(due_at, domain.ready_at)
        if next_at is not None and next_at <= now + RELEASE_AFTER_S:
            self._push(domain, next_at)
        else:
            self.give_back(domain)

    def settled(self, domain: LeasedDomain, now: Instant) -> None:
        """Its visits are durable: new urls may have come, or it may rest elsewhere."""
        if domain.is_leaving:
            self._let_go(domain)
        elif domain in self.starved:
            self.starved.discard(domain)
            self.hungry.add(domain)
        elif self._is_idle(domain) and domain.ready_at > now + RELEASE_AFTER_S:
            self.give_back(domain)
        else:
            self.schedule(domain)

    def pop_ready(
        self, now: Instant, manners: Iterable[Responsiveness] = Responsiveness
    ) -> LeasedDomain | None:
        """A domain whose time has come, of the first of these manners of which there is one."""
        for manner in manners:
            heap = self._heaps[manner]
            while heap and heap[0][0] <= now:
                domain = heapq.heappop(heap)[2]
                domain.is_scheduled = False
                if domain.is_lost or domain.is_leaving:
                    continue
                if domain.ready_at <= now and domain.manner is manner:
                    return domain
                # An answer that came meanwhile asked for more patience, or one that failed to come did.
                self._push(domain, domain.ready_at)
        return None

    def next_ready_at(self, manners: Iterable[Responsiveness] = Responsiveness) -> Instant | None:
        instants = []
        for manner in manners:
            heap = self._heaps[manner]
            while heap and heap[0][2].is_lost:
                heapq.heappop(heap)
            if heap:
                instants.append(heap[0][0])
        return min(instants, default=None)

    def count_silent(self) -> int:
        return sum([domain.silent > 0 for domain in self])

    def count_slow(self) -> int:
        return sum([domain.manner is Responsiveness.SLOW for domain in self])

    def next_commit_at(self) -> Instant | None:
        """When a domain could go on if its visits were durable; None: none waits for that."""
        return min((domain.ready_at for domain in self.starved if not domain.is_busy), default=None)

    def _unschedule(self, domain: LeasedDomain) -> None:
        """It stands on a heap for an instant that does not hold any more: it may be earlier now."""
        if domain.is_scheduled:
            domain.is_scheduled = False
            for heap in self._heaps.values():
                heap[:] = [entry for entry in heap if entry[2] is not domain]
                heapq.heapify(heap)

    def _push(self, domain: LeasedDomain, at: Instant) -> None:
        if domain.is_scheduled:
            return
        domain.is_scheduled = True
        heapq.heappush(self._heaps[domain.manner], (at, next(self._order), domain))

    def _is_idle(self, domain: LeasedDomain) -> bool:
        return not (domain.is_busy or domain.is_dirty or domain.taken)


def _known_bytes(domain: LeasedDomain) -> int:
    return 0 if domain.known is None else domain.known.weight_bytes
