"""What holds a crawl back, in one sentence."""

from dataclasses import replace

import pytest

from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.crawl.insight.live_doctor import find_wait
from tenax.crawl.insight.waiting import describe_foreign, format_wait
from tenax.records.domains import Breaker, BreakerState, DomainState, DomainStatus, Pace
from tenax.stores.contracts.overview import ForeignTransaction, NextDomain, Overview
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

NOTHING = Overview(
    queued=0,
    domains=0,
    domains_blocked=0,
    domains_queued=0,
    politeness_s=0.0,
    slowest_domain=None,
    next_waiting=None,
)


def hold(*domains: LeasedDomain) -> Pool:
    pool = Pool()
    for number, domain in enumerate(domains):
        domain.lease = replace(domain.lease, domain_id=number)
        pool.add(domain, START)
    return pool


def with_state(**fields: object) -> LeasedDomain:
    state = DomainState(status=DomainStatus.ACTIVE, **fields)  # type: ignore[arg-type]
    return make_domain(state=state, queue=[make_target()])


def ask(pool: Pool, overview: Overview | None = NOTHING) -> str | None:
    return find_wait(now=START, pool=pool, overview=overview)


def test_a_crawl_that_moves_has_nothing_to_say() -> None:
    assert ask(hold(with_state())) is None


def test_who_does_not_look_at_the_store_knows_only_what_it_holds() -> None:
    assert ask(hold(), None) is None
    assert ask(hold(with_state(pace=Pace(backoff_until=START + 4.0))), None) is not None


def test_a_lease_of_this_process_is_not_taken_for_that_of_another() -> None:
    waiting = NextDomain(
        domain="a.test", avail_at=START + 60, backoff_until=None, breaker_reopen_at=None, claimed_by=1
    )
    pool, overview = hold(with_state()), replace(NOTHING, next_waiting=waiting)
    assert ask(pool, overview) is None
    assert ask(hold(), overview) == "another process is crawling a.test"


def test_politeness_is_named_with_its_pace() -> None:
    domain = with_state(pace=Pace(last_start_at=START, robots_delay_s=3.0))
    assert ask(hold(domain)) == "politeness: a.test, one request every 3.0 s"


def test_other_resting_domains_are_counted() -> None:
    domains = [with_state(pace=Pace(last_start_at=START)) for _ in range(3)]
    assert ask(hold(*domains)) == "politeness: a.test and 2 more, one request every 1.0 s"


def test_a_rest_that_the_server_asked_for_is_named() -> None:
    domain = with_state(pace=Pace(backoff_until=START + 4.0))
    assert ask(hold(domain)) == "a.test asked for a pause; next request in 4.0 s"


def test_an_open_breaker_is_named() -> None:
    breaker = Breaker(state=BreakerState.OPEN, failures=5, trips=1, reopen_at=START + 4.0)
    assert ask(hold(with_state(breaker=breaker))) == "a.test failed 5 times in a row; next try in 4.0 s"


def test_a_failing_robots_file_is_named() -> None:
    domain = with_state()
    domain.not_before = START + 4.0
    domain.plan(START, 0.0)
    assert ask(hold(domain)) == "robots.txt of a.test is unavailable; next try in 4.0 s"


@pytest.mark.parametrize(
    ("wait_s", "text"),
    [(4.0, "4.0 s"), (90.0, "90 s"), (600.0, "10 min"), (7200.0, "2 h"), (604_800.0, "7 days")],
)
def test_a_wait_is_told_in_fitting_units(wait_s: float, text: str) -> None:
    waiting = NextDomain(
        domain="b.test",
        avail_at=START + wait_s,
        backoff_until=None,
        breaker_reopen_at=None,
        claimed_by=None,
    )
    assert ask(hold(), replace(NOTHING, next_waiting=waiting)) == f"b.test is due again in {text}"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"claimed_by": 7}, "another process is crawling b.test"),
        ({"backoff_until": START + 60}, "b.test asked for a pause; next request in 60 s"),
        ({"breaker_reopen_at": START + 60}, "b.test keeps failing; next try in 60 s"),
    ],
)
def test_what_nobody_holds_is_explained_too(fields: dict[str, float], text: str) -> None:
    waiting = NextDomain(
        domain="b.test", avail_at=START + 60, backoff_until=None, breaker_reopen_at=None, claimed_by=None
    )
    overview = replace(NOTHING, next_waiting=replace(waiting, **fields))  # type: ignore[arg-type]
    assert ask(hold(), overview) == text


@pytest.mark.parametrize(
    ("is_blocking", "age_s", "rest"),
    [
        (True, 3.0, ", open for 3.0 s, has locked rows that the crawl must write"),
        (True, None, " has locked rows that the crawl must write"),
        (False, 600.0, ", open for 10 min, prevents the database from cleaning up: claims get slower"),
    ],
)
def test_a_foreign_transaction_is_named_with_what_it_does(
    is_blocking: bool, age_s: float | None, rest: str
) -> None:
    foreign = ForeignTransaction(session="process 7", is_blocking=is_blocking, age_s=age_s)
    assert describe_foreign(foreign) == f"a transaction of process 7{rest}"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "a moment"), (0.04, "a moment"), (0.2, "0.2 s"), (172_800, "2 days")]
)
def test_no_wait_is_of_nought_seconds(seconds: float, text: str) -> None:
    assert format_wait(seconds) == text
