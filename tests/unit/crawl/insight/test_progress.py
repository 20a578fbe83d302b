"""The numbers of a running crawl and its forecast."""

from collections import Counter
from dataclasses import replace

import pytest

from tenax.cli.show.live import format_line
from tenax.crawl.insight.metrics import measure_crawl
from tenax.crawl.insight.progress import Progress, ProgressMeter, WorkerSnapshot, forecast
from tenax.crawl.page_rate import RATE_WINDOW_S, PageRate
from tenax.crawl.tally import WorkerTally
from tenax.policy.stalls import Stall, StallCause
from tenax.stores.contracts.overview import ForeignTransaction, Overview
from tests.support.clock import START

OVERVIEW = Overview(
    queued=100,
    domains=10,
    domains_blocked=2,
    domains_queued=8,
    politeness_s=50.0,
    slowest_domain="slow.test",
    next_waiting=None,
)


def measure(*snapshots: WorkerSnapshot, tally: WorkerTally | None = None) -> Progress:
    return ProgressMeter(START).measure(
        START + 5, snapshots, tally or WorkerTally.sum(snapshot.tally for snapshot in snapshots)
    )


@pytest.mark.parametrize(
    ("queued", "rate", "left_s"),
    [
        (0, 5.0, 0.0),
        (100, 0.0, 50.0),
        (100, 10.0, 50.0),  # the longest queue needs its time, however fast the others are
        (100, 1.0, 100.0),
    ],
)
def test_the_forecast_is_the_longer_of_two_floors(queued: int, rate: float, left_s: float) -> None:
    assert forecast(replace(OVERVIEW, queued=queued), rate) == left_s


def test_without_anything_to_go_by_there_is_no_forecast() -> None:
    assert forecast(replace(OVERVIEW, politeness_s=0.0), 0.0) is None


def test_the_rate_is_that_of_the_last_seconds() -> None:
    rate = PageRate(START)
    assert rate.measure(START + 1, 100) == 100.0
    rate.measure(START + 1 + RATE_WINDOW_S, 110)
    assert rate.measure(START + 2 + RATE_WINDOW_S, 111) == pytest.approx(1.0)


def test_a_clock_that_stands_still_gives_no_rate() -> None:
    assert PageRate(START).measure(START, 5) == 0.0


def test_domains_are_counted_by_what_they_do() -> None:
    progress = measure(WorkerSnapshot(domains_active=1, overview=OVERVIEW))
    assert (progress.domains_active, progress.domains_resting, progress.domains_blocked) == (1, 5, 2)


def test_workers_are_added_up() -> None:
    first = WorkerSnapshot(
        tally=WorkerTally(pages=10, requests=12, outcomes=Counter(fetched=10)),
        in_flight=3,
        domains_active=2,
        overview=OVERVIEW,
    )
    second = WorkerSnapshot(
        tally=WorkerTally(pages=5, requests=5, outcomes=Counter(fetched=5)), in_flight=1, domains_active=1
    )
    progress = measure(first, second)
    assert (progress.workers, progress.pages, progress.requests) == (2, 15, 17)
    assert (progress.in_flight, progress.domains_active, progress.queued) == (4, 3, 100)
    assert (progress.outcomes, progress.pages_per_s) == ({"fetched": 15}, 3.0)


def test_what_workers_did_that_are_gone_counts() -> None:
    assert measure(WorkerSnapshot(), tally=WorkerTally(pages=7)).pages == 7


def test_the_last_look_at_the_store_is_remembered() -> None:
    meter = ProgressMeter(START)
    meter.measure(START + 1, [WorkerSnapshot(overview=OVERVIEW)], WorkerTally())
    assert meter.measure(START + 2, [WorkerSnapshot()], WorkerTally()).queued == 100


def test_a_crawl_with_requests_under_way_waits_for_nothing() -> None:
    assert measure(WorkerSnapshot(waiting_for="politeness"), WorkerSnapshot(in_flight=3)).waiting_for is None


def test_a_crawl_whose_requests_are_all_silent_says_so() -> None:
    silent = WorkerSnapshot(in_flight=3, domains_active=3, domains_silent=3)
    assert measure(silent, silent).waiting_for == "6 silent domains"
    assert measure(silent, silent).domains_silent == 6
    assert (
        measure(silent, WorkerSnapshot(in_flight=2, domains_active=2, domains_silent=1)).waiting_for is None
    )


def test_trouble_is_told_also_while_requests_are_under_way() -> None:
    snapshots = [WorkerSnapshot(in_flight=3), WorkerSnapshot(trouble="The disk is full.")]
    assert measure(*snapshots).waiting_for == "The disk is full."


def test_what_one_worker_does_without_is_told() -> None:
    snapshots = [
        WorkerSnapshot(in_flight=3),
        WorkerSnapshot(notice="no Redis"),
        WorkerSnapshot(notice="no Redis either"),
    ]
    assert measure(*snapshots).notice == "no Redis"
    assert measure(WorkerSnapshot()).notice is None


def test_who_holds_a_domain_knows_best_what_it_waits_for() -> None:
    looks_on = WorkerSnapshot(waiting_for="another process is crawling a.test", overview=OVERVIEW)
    holds = WorkerSnapshot(waiting_for="a.test asked for a pause")
    assert measure(looks_on, holds).waiting_for == "a.test asked for a pause"
    assert measure(looks_on, WorkerSnapshot()).waiting_for == "another process is crawling a.test"


def test_a_transaction_of_another_program_is_shown_and_measured() -> None:
    foreign = ForeignTransaction(session="process 7 (joe, psql)", is_blocking=False, age_s=600.0)
    progress = measure(WorkerSnapshot(overview=replace(OVERVIEW, foreign_transaction=foreign)))
    assert "notice: a transaction of process 7 (joe, psql), open for 10 min," in format_line(progress)
    assert "crawler_foreign_transaction_seconds 600.0" in measure_crawl(WorkerTally(), progress).format()


def test_a_stall_of_one_worker_is_shown_before_anything_else() -> None:
    stall = Stall(cause=StallCause.DNS, sentence="No name server answers.", began_at=START)
    progress = measure(WorkerSnapshot(trouble="busy"), WorkerSnapshot(stall=stall, in_flight=3))
    assert progress.waiting_for == "Stall detected (dns): No name server answers."
    assert "crawler_stalled_workers 1.0" in measure_crawl(WorkerTally(), progress).format()


def test_workers_that_died_are_counted_by_how() -> None:
    progress = replace(measure(), deaths={"SIGKILL": 2})
    assert 'crawler_worker_deaths_total{how="SIGKILL"} 2.0' in measure_crawl(WorkerTally(), progress).format()
