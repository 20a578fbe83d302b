"""A report arrives as the worker has sent it."""

from collections import Counter

from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.crawl.tally import WorkerTally
from tenax.policy.quality.parser_health import ParserCounts
from tenax.profiling import InFlight, Total, WorkerProfile
from tenax.records.runs import RunState
from tenax.stores.contracts.overview import NextDomain, Overview
from tenax.stores.contracts.runs import Run
from tenax.workers.messages import WorkerProcessReport, format_report, parse_report

RUN = Run(id=3, state=RunState.RUNNING, started_at=12.5, pages=7, is_resumed=True)
WAITING = NextDomain(domain="a.test", avail_at=1.5, backoff_until=None, breaker_reopen_at=2.0, claimed_by=4)
OVERVIEW = Overview(
    queued=9,
    domains=2,
    domains_blocked=1,
    domains_queued=1,
    politeness_s=9.0,
    slowest_domain="a.test",
    next_waiting=WAITING,
)


def test_a_report_is_one_line() -> None:
    report = WorkerProcessReport(snapshot=WorkerSnapshot(trouble="one\ntwo"), run=None, peak_rss_bytes=1)
    assert format_report(report).count(b"\n") == 1


def test_a_report_comes_back_as_it_was() -> None:
    tally = WorkerTally(
        pages=2,
        outcomes=Counter(fetched=2),
        statuses=Counter({200: 2, 404: 1}),
        parsers={"shop": ParserCounts(pages=2, items=1, errors=1, confidence_sum=0.5, rated=1)},
        last_errors={"shop": "KeyError: 'price'"},
    )
    report = WorkerProcessReport(
        snapshot=WorkerSnapshot(
            tally=tally, in_flight=3, waiting_for="a.test asked for a pause", overview=OVERVIEW
        ),
        run=RUN,
        peak_rss_bytes=10**8,
        ended=EngineResult(run=RUN, state=RunState.BUDGET, is_run_over=True),
    )
    assert parse_report(format_report(report)) == report


def test_a_profile_comes_back_as_it_was() -> None:
    profile = WorkerProfile(
        pid=4000,
        pages=7,
        start_s=0.25,
        crawl_s=2.5,
        cpu_s=2.0,
        loop_cpu_s=1.5,
        core_wait_s=0.5,
        stages={"fetch": Total(9, 0.75)},
        operations={"settle": Total(2, 1.25)},
        in_flight=InFlight(sampled_s=2.0, request_s=8.0, none_s=0.5),
    )
    report = WorkerProcessReport(snapshot=WorkerSnapshot(), run=None, peak_rss_bytes=0, profile=profile)
    assert parse_report(format_report(report)) == report


def test_tallies_that_came_back_can_be_added() -> None:
    report = WorkerProcessReport(
        snapshot=WorkerSnapshot(tally=WorkerTally(statuses=Counter({200: 2}))), run=RUN, peak_rss_bytes=0
    )
    tally = parse_report(format_report(report)).snapshot.tally
    assert WorkerTally.sum([tally, tally]).statuses == {200: 4}
