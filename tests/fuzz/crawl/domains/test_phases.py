"""A pool under whatever order a worker's events come in: no transition is illegal, and no index is stale."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import Phase, RobotsPhase
from tenax.crawl.domains.pool import Pool
from tenax.crawl.visits.outcome import refuse
from tenax.records.domains import DomainRules
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import Refused
from tenax.stores.contracts.batches import QueueHead
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

REFUSED = Refused(reason=RefusalReason.ROBOTS, detail="")
TWO_AT_A_TIME = Settings.model_validate({"politeness": {"per_domain": 2}})
EVENTS = [
    "visit", "answer", "put_back", "ask_robots", "answer_robots", "start_refill", "end_refill", "settle",
    "renew", "shed", "retire", "postpone", "rules", "inactive", "lighten", "lose", "claim",
]  # fmt: skip


class WorkerModel:
    """One domain, and what a worker does with it."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.now = START
        self.in_flight: list[tuple[LeasedDomain, Target]] = []
        self.refilling: list[LeasedDomain] = []
        self.ids = iter(range(1, 10_000))
        self.claim()

    @property
    def domain(self) -> LeasedDomain | None:
        return self.pool.get(1)

    def claim(self) -> None:
        self.pool.add(make_domain(queue=self.make_targets(2), settings=TWO_AT_A_TIME, now=self.now), self.now)

    def make_targets(self, number: int) -> list[Target]:
        return [make_target(f"http://a.test/{each}", id=each) for each in islice(self.ids, number)]

    def pop(self) -> LeasedDomain | None:
        return self.pool.pop_ready(self.now)

    def visit(self) -> None:
        if (domain := self.pop()) is not None:
            if domain.queue:
                self.in_flight.append((domain, domain.take()))
                domain.in_flight += 1
            self.pool.schedule(domain)

    def _end(self) -> tuple[LeasedDomain, Target] | None:
        if not self.in_flight:
            return None
        domain, target = self.in_flight.pop(0)
        domain.in_flight -= 1
        return (domain, target) if domain.is_held else None

    def answer(self) -> None:
        if (ended := self._end()) is not None:
            ended[0].visits.append(refuse(ended[1], REFUSED, self.now))
            self.pool.schedule(ended[0])

    def put_back(self) -> None:
        if (ended := self._end()) is not None:
            ended[0].put_back(ended[1])
            self.pool.schedule(ended[0])

    def ask_robots(self) -> None:
        if (domain := self.pop()) is not None:
            domain.begin_robots_fetch()

    def answer_robots(self) -> None:
        domain = self.domain
        if domain is not None and domain.robots_phase is RobotsPhase.FETCHING:
            if len(domain.queue) % 2:
                domain.await_settling()
            domain.end_robots_fetch()
            self.pool.schedule(domain)

    def start_refill(self) -> None:
        if not self.refilling:
            self.refilling = self.pool.start_refill()

    def end_refill(self) -> None:
        refilling, self.refilling = self.refilling, []
        for domain in refilling:
            if domain.is_held:
                number = next(self.ids) % 3
                due_at = self.now + 1 if number == 1 else None
                domain.refill(QueueHead(targets=tuple(self.make_targets(number)), next_due_at=due_at))
                self.pool.end_refill(domain, self.now)

    def settle(self) -> None:
        if (domain := self.domain) is not None:
            work = domain.hand_over()
            domain.mark_settled(work.visits, self.now + 60)
            self.pool.settled(domain, self.now)

    def renew(self) -> None:
        if (domain := self.domain) is not None:
            self.pool.schedule(domain)

    def shed(self) -> None:
        self.pool.shed(0)

    def retire(self) -> None:
        if (domain := self.pop()) is not None:
            self.pool.retire(domain)

    def postpone(self) -> None:
        if (domain := self.pop()) is not None:
            self.pool.postpone(domain, self.now + 0.05)

    def rules(self) -> None:
        if (domain := self.domain) is not None:
            self.pool.apply_rules(domain, DomainRules(per_domain=1), self.now, 0.0)

    def inactive(self) -> None:
        if (domain := self.domain) is not None:
            self.pool.apply_rules(domain, DomainRules(is_active=False), self.now, 0.0)

    def lighten(self) -> None:
        self.pool.lighten(0)

    def lose(self) -> None:
        if (domain := self.domain) is not None:
            self.pool.lose(domain)

    def check(self) -> None:
        domain = self.domain
        phase = None if domain is None else domain.phase
        assert phase not in (Phase.CLAIMED, Phase.GIVEN_BACK, Phase.LOST)
        assert self.pool.has_hungry == (phase is Phase.HUNGRY)
        assert (self.pool.next_ready_at() is not None) == (phase is Phase.SCHEDULED)
        if domain is not None and phase is Phase.BUSY:
            assert self._is_awaited(domain), "nothing would ever schedule it again"
        assert all(each.phase is Phase.GIVEN_BACK for each in self.pool.take_given_back())

    def _is_awaited(self, domain: LeasedDomain) -> bool:
        return domain.in_flight > 0 or domain.robots_phase is not RobotsPhase.IDLE


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.booleans()), max_size=60))
def test_no_event_is_illegal_and_no_index_is_stale(events: list[tuple[str, bool]]) -> None:
    model = WorkerModel()
    for event, takes_time in events:
        model.now += 0.5 if takes_time else 0.0
        getattr(model, event)()
        model.check()
