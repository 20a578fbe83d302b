"""What holds a crawl back, seen from its store: one verdict for all facts."""

from dataclasses import replace
from typing import Any

import pytest

from tenax.clock import format_instant
from tenax.crawl.insight.store_doctor import (
    BEGINNING_S,
    LEAST_VISITS,
    STILL_S,
    diagnose_store,
    diagnose_write_obstacle,
)
from tenax.crawl.insight.verdicts import Verdict, VerdictCode
from tenax.exits import Exit
from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.stalls import ADVICE, Stall, StallCause
from tenax.records.domains import BreakerState
from tenax.records.runs import RunState
from tenax.stores.contracts.overview import ForeignTransaction, NextDomain
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker
from tenax.stores.queries.doctor import (
    DoctorFacts,
    FailingParser,
    QueueFacts,
    RecentDeaths,
    RecentVisits,
    TrappedDomain,
)
from tenax.stores.queries.runs import RunSummary
from tenax.stores.write_check import WriteObstacle
from tests.support.clock import START

RUN = RunSummary(
    id=3,
    state=RunState.RUNNING,
    started_at=START - 600,
    ended_at=None,
    paused_at=None,
    cancelled_at=None,
    last_sign_at=START - 5,
    pages=50,
    requests=60,
    wire_bytes=1000,
)
RESTING = NextDomain(
    domain="a.example",
    avail_at=START + 90,
    backoff_until=START + 90,
    breaker_reopen_at=None,
    claimed_by=None,
)
WELL = DoctorFacts(
    now=START,
    run=RUN,
    max_pages=None,
    queues=QueueFacts(urls=20, domains=4, held=2, ready=1, resting=1, next_waiting=RESTING),
    visits=RecentVisits(number=60, last_at=START - 1),
    workers=2,
    silent_workers=0,
    last_heartbeat_at=START - 5,
    pages_per_min=120.0,
    silent_domains=0,
    redis=None,
    machine=None,
    short_workers=0,
    network=None,
    waiting_workers=0,
    foreign=None,
)
STOPPED = replace(RUN, state=RunState.STOPPED, ended_at=START - 60)
AT_REST = QueueFacts(urls=20, domains=4, resting=3, blocked=1, next_waiting=RESTING)
BROKEN = FailingParser(parser="shop", pages=100, errors=51)
BARREN = {"shop": ParserCounts(pages=49, empty=49)}
TRAP = TrappedDomain(domain="a.test", shape="/calendar/{n}/{n}", visits=90, pages=100)
REDIS = ServiceBreaker(
    service=BackingService.REDIS, state=BreakerState.OPEN, retry_at=START + 5, reason="it refuses connections"
)
DOWN = ServiceBreaker(
    service=BackingService.NETWORK,
    state=BreakerState.OPEN,
    retry_at=START + 10,
    reason="no reference answers",
    since=START - 30,
)
SHORT = ServiceBreaker(
    service=BackingService.MACHINE,
    state=BreakerState.HALF_OPEN,
    retry_at=None,
    reason="this machine has no memory left",
)
LOCKING = ForeignTransaction(session="process 7 (admin, psql)", is_blocking=True, age_s=30.0)
OLD = replace(LOCKING, is_blocking=False)
NAMES_FAIL = RecentVisits(number=100, names_failed=60, names_failed_since=START - 40, last_at=START - 1)

WALLED = QueueFacts(urls=20, domains=2, walled=2, first_walled="a.test")
UNRENDERED = RecentVisits(number=100, need_rendering=51, need_rendering_since=START - 40, last_at=START - 1)
STALL = Stall(cause=StallCause.STORE, sentence="The store does not answer: no answer.", began_at=START - 400)
DEATHS = RecentDeaths(number=3, last_at=START - 10, last_code=Exit.MEMORY)
AHEAD = replace(RUN, intake_at=START + 60)
ALL_HELD = QueueFacts(urls=20, domains=4, held=4)

CASES: list[tuple[dict[str, Any], VerdictCode, float | None]] = [
    ({"run": None}, VerdictCode.NO_RUN, None),
    (
        {"run": replace(RUN, state=RunState.PAUSED, paused_at=START - 9), "workers": 0},
        VerdictCode.PAUSED,
        START - 9,
    ),
    ({"run": STOPPED, "workers": 0}, VerdictCode.STOPPED, START - 60),
    ({"run": replace(STOPPED, state=RunState.FAILED)}, VerdictCode.STOPPED, START - 60),
    ({"run": STOPPED, "queues": QueueFacts()}, VerdictCode.DONE, START - 60),
    ({"run": replace(STOPPED, state=RunState.BUDGET)}, VerdictCode.BUDGET, START - 60),
    ({"run": replace(STOPPED, state=RunState.DONE), "queues": AT_REST}, VerdictCode.RESTING, START - 1),
    ({"run": replace(STOPPED, state=RunState.DONE)}, VerdictCode.STOPPED, START - 60),
    ({"workers": 0}, VerdictCode.NO_WORKER, START - 5),
    ({"workers": 0, "silent_workers": 1}, VerdictCode.STORE, START - 5),
    ({"foreign": LOCKING}, VerdictCode.STORE, START - 30),
    ({"foreign": LOCKING, "workers": 0}, VerdictCode.STORE, START - 30),
    ({"foreign": OLD}, VerdictCode.STORE, START - 30),
    ({"max_pages": 50}, VerdictCode.BUDGET, None),
    ({"max_pages": 51}, VerdictCode.WELL, START - 600),
    ({"queues": QueueFacts()}, VerdictCode.DONE, START - 1),
    ({"queues": AT_REST}, VerdictCode.RESTING, START - 1),
    ({"queues": QueueFacts(urls=20, domains=4, held=3), "silent_domains": 3}, VerdictCode.SILENT, START - 1),
    ({"queues": QueueFacts(urls=20, domains=4, held=3), "silent_domains": 2}, VerdictCode.WELL, START - 600),
    ({"silent_domains": 2}, VerdictCode.WELL, START - 600),
    ({"queues": QueueFacts(urls=20, domains=4, parked=3, blocked=1)}, VerdictCode.PARKED, START - 1),
    ({"queues": QueueFacts(urls=20, domains=4, blocked=4)}, VerdictCode.BLOCKED, START - 1),
    ({"visits": NAMES_FAIL}, VerdictCode.DNS, START - 40),
    ({"visits": NAMES_FAIL, "queues": AT_REST}, VerdictCode.DNS, START - 40),
    ({"visits": replace(NAMES_FAIL, number=LEAST_VISITS - 1, names_failed=9)}, VerdictCode.WELL, START - 600),
    ({"visits": replace(NAMES_FAIL, names_failed=50)}, VerdictCode.WELL, START - 600),
    ({"visits": RecentVisits(number=5, last_at=START - STILL_S - 1)}, VerdictCode.STILL, START - STILL_S - 1),
    ({"visits": RecentVisits()}, VerdictCode.STILL, START - 600),
    (
        {"visits": RecentVisits(), "run": replace(RUN, started_at=START - BEGINNING_S)},
        VerdictCode.WELL,
        START - BEGINNING_S,
    ),
    ({"queues": WALLED}, VerdictCode.BOT_WALL, START - 1),
    ({"queues": replace(WALLED, walled=1, parked=1)}, VerdictCode.PARKED, START - 1),
    ({"visits": UNRENDERED}, VerdictCode.RENDERING, START - 40),
    ({"visits": replace(UNRENDERED, need_rendering=50)}, VerdictCode.WELL, START - 600),
    ({"run": AHEAD, "new_urls_per_s": 100, "queues": ALL_HELD}, VerdictCode.INTAKE, None),
    ({"run": AHEAD, "new_urls_per_s": 100}, VerdictCode.WELL, START - 600),
    ({"run": AHEAD, "queues": ALL_HELD}, VerdictCode.WELL, START - 600),
    ({"redis": REDIS}, VerdictCode.REDIS, None),
    ({"trap": TRAP}, VerdictCode.TRAPPED, None),
    ({"parser": BROKEN}, VerdictCode.PARSER, None),
    ({"parser": BROKEN, "run": STOPPED, "queues": QueueFacts()}, VerdictCode.PARSER, None),
    ({"parsers": BARREN, "run": STOPPED, "queues": QueueFacts()}, VerdictCode.PARSER, None),
    ({"parsers": BARREN}, VerdictCode.WELL, START - 600),
    ({"parsers": {"shop": ParserCounts(pages=50, empty=50)}}, VerdictCode.PARSER, None),
    ({"machine": SHORT, "short_workers": 2, "visits": NAMES_FAIL}, VerdictCode.MACHINE, None),
    ({"network": DOWN, "waiting_workers": 2, "machine": SHORT}, VerdictCode.NETWORK, START - 30),
    ({"stall": STALL, "stalled_workers": 1, "machine": SHORT}, VerdictCode.STALLED, START - 400),
    ({"deaths": DEATHS, "workers": 0}, VerdictCode.CRASH_LOOP, START - 10),
    ({}, VerdictCode.WELL, START - 600),
]


def judge(**facts: Any) -> Verdict:
    return diagnose_store(replace(WELL, **facts))


@pytest.mark.parametrize(("facts", "code", "since"), CASES)
def test_the_binding_constraint_is_named(
    facts: dict[str, Any], code: VerdictCode, since: float | None
) -> None:
    verdict = judge(**facts)
    assert (verdict.code, verdict.since) == (code, since)
    assert verdict.sentence.endswith(".")


@pytest.mark.parametrize(("is_disk", "code"), [(True, VerdictCode.DISK), (False, VerdictCode.STORE)])
def test_a_store_that_takes_nothing_is_a_verdict_of_its_own(is_disk: bool, code: VerdictCode) -> None:
    obstacle = WriteObstacle(
        is_disk=is_disk, sentence="The disk of crawl is full.", advice="Free some space."
    )
    expected = Verdict(code=code, sentence=obstacle.sentence, since=None, advice=obstacle.advice)
    assert diagnose_write_obstacle(obstacle) == expected


def test_every_verdict_is_reached() -> None:
    assert {code for _, code, _ in CASES} | {VerdictCode.DISK} == set(VerdictCode)


def test_a_network_that_is_down_is_named() -> None:
    verdict = judge(network=DOWN, waiting_workers=2)
    assert verdict.sentence == "Waiting for the network (2 workers): no reference answers."


def test_what_a_machine_is_short_of_is_named() -> None:
    verdict = judge(machine=SHORT, short_workers=2)
    assert verdict.sentence == (
        "The machine of 2 workers is short of resources: this machine has no memory left."
    )


def test_a_stall_says_why_and_what_to_do() -> None:
    verdict = judge(stall=STALL, stalled_workers=2)
    assert verdict.sentence.startswith("Stall detected: 2 workers did nothing although something was due.")
    assert (verdict.detail, verdict.advice) == (STALL.sentence, ADVICE[StallCause.STORE])


def test_a_crash_loop_says_how_workers_died_and_what_to_do() -> None:
    verdict = judge(deaths=DEATHS)
    assert "the last with exit code 72: too much memory" in verdict.sentence
    assert verdict.advice == "Raise worker.memory_mb, or lower worker.concurrency."


def test_deaths_long_ago_are_no_crash_loop() -> None:
    assert judge(deaths=replace(DEATHS, last_at=START - 300)).code is VerdictCode.WELL


def test_two_deaths_are_no_crash_loop() -> None:
    assert judge(deaths=replace(DEATHS, number=2)).code is VerdictCode.WELL


def test_a_crawl_that_does_not_move_names_its_longest_visit() -> None:
    longest = LongestVisit(url="https://slow.example/", started_at=START - 25)
    visits = RecentVisits(number=60, last_at=START - STILL_S - 1)
    assert judge(visits=visits, longest=longest).detail == (
        "The longest visit in progress is https://slow.example/, for 25 s."
    )


def test_a_rest_names_the_domain_and_when_it_ends() -> None:
    verdict = judge(queues=AT_REST)
    assert "a.example asked for a pause; next request in 90 s" in verdict.sentence
    assert verdict.advice == f"Wait until {format_instant(START + 90)}."


def test_a_crawl_that_goes_well_needs_no_advice() -> None:
    verdict = judge()
    assert verdict.advice is None
    assert verdict.sentence == ("Healthy: 120 pages/min, 2 active workers, 20 urls queued.")


def test_domains_that_do_not_answer_are_counted_where_all_goes_well() -> None:
    assert diagnose_store(replace(WELL, silent_domains=2)).sentence.endswith(
        "20 urls queued, 2 silent domains."
    )


def test_where_naming_the_seed_again_helps_that_is_the_advice() -> None:
    resting = replace(WELL, queues=AT_REST)
    assert diagnose_store(resting).advice == f"Wait until {format_instant(RESTING.avail_at)}."
    again = diagnose_store(replace(resting, queues=replace(AT_REST, can_ask_again=True)))
    assert "or start a crawl with the seed of a.example" in (again.advice or "")
