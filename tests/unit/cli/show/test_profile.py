"""A profile as a file and as a table."""

from pathlib import Path

from tenax.cli.show.profile import build_profile, format_profile
from tenax.crawl.engine import EngineResult
from tenax.crawl.tally import WorkerTally
from tenax.profiling import InFlight, Total, WorkerProfile
from tenax.records.runs import RunState
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.overview import Summary
from tenax.stores.contracts.runs import Run
from tenax.workers.session import CrawlResult
from tests.support.clock import START

RUN = Run(id=7, state=RunState.RUNNING, started_at=START, pages=0, is_resumed=False)
FILE = Path("profile.json")


def make_profile(pid: int = 1, *, is_whole: bool = True) -> WorkerProfile:
    return WorkerProfile(
        pid=pid,
        pages=100,
        start_s=0.5,
        crawl_s=10.0,
        cpu_s=9.0,
        loop_cpu_s=7.0,
        core_wait_s=1.0,
        stages={"pack": Total(100, 2.0), "fetch": Total(300, 4.0)},
        operations={"store.locked": Total(4, 1.0)},
        in_flight=InFlight(sampled_s=10.0, request_s=50.0, none_s=1.0),
        is_whole=is_whole,
    )


def make_result(*profiles: WorkerProfile, processes: int | None = None) -> CrawlResult:
    return CrawlResult(
        ended=EngineResult(run=RUN, state=RunState.DONE, is_run_over=True),
        tally=WorkerTally(pages=sum(each.pages for each in profiles)),
        summary=Summary(fates={}, pages=0, pages_there=0, leftover=Leftover(), troubled=()),
        duration_s=10.5,
        cpu_s=10.0,
        peak_rss_bytes=(),
        processes=len(profiles) if processes is None else processes,
        profiles=profiles,
    )


def test_stages_are_sorted_and_have_shares_and_costs_per_page() -> None:
    found = build_profile(make_result(make_profile()))
    assert list(found["stages"]) == ["fetch", "pack"]
    assert found["stages"]["fetch"] == {"count": 300, "busy_s": 4.0, "share": 0.4, "us_per_page": 40_000.0}
    assert (found["busy_s"], found["other_s"], found["idle_s"]) == (8.0, 2.0, 2.0)


def test_operations_have_shares_and_means() -> None:
    found = build_profile(make_result(make_profile()))
    assert found["operations"] == {
        "store.locked": {"count": 4, "wall_s": 1.0, "share": 0.1, "mean_ms": 250.0}
    }
    assert found["in_flight"] == {"mean": 5.0, "none_share": 0.1}


def test_workers_are_added_up_and_listed() -> None:
    found = build_profile(make_result(make_profile(1), make_profile(2)))
    assert (found["run"], found["seconds"], found["pages"], found["crawl_s"]) == (7, 10.5, 200, 20.0)
    assert found["stages"]["fetch"]["share"] == 0.4
    assert [(each["pid"], each["stages"]["fetch"]["count"]) for each in found["by_worker"]] == [
        (1, 300),
        (2, 300),
    ]


def test_the_file_says_how_many_workers_it_covers() -> None:
    result = make_result(make_profile(1), make_profile(2, is_whole=False), processes=3)
    assert build_profile(result)["workers"] == {"started": 3, "profiled": 2, "whole": 1}
    assert "\n  2 workers died, and what they did last is missing.\n" in format_profile(FILE, result)


def test_the_table_shows_what_takes_most_of_the_time() -> None:
    assert format_profile(FILE, make_result(make_profile())) == "\n".join(
        [
            "Where the time of 1 worker went; all figures are in profile.json.",
            "  stage   µs/page   share",
            "  fetch  40,000.0  40.0 %",
            "  pack   20,000.0  20.0 %",
            "  other  20,000.0  20.0 %",
            "  idle   20,000.0  20.0 %",
            "  operation     ms each   share",
            "  store.locked    250.0  10.0 %",
            "  requests in flight: 5.0 per worker on average, none for 10.0 %",
            "  no core was free for 10.0 %, which the stages include",
        ]
    )


def test_small_stages_are_shown_as_one() -> None:
    profile = make_profile()
    profile.stages.update({f"s{number:02}": Total(1, 0.1) for number in range(20)})
    shown = format_profile(FILE, make_result(profile)).splitlines()
    assert [line.split()[0] for line in shown[2:6]] == ["fetch", "pack", "s00", "s01"]
    assert "  other  12,000.0  12.0 %" in shown
    assert len(shown) < 20


def test_a_crawl_that_did_nothing_has_a_profile_too() -> None:
    nothing = WorkerProfile(
        pid=1,
        pages=0,
        start_s=0.1,
        crawl_s=0.0,
        cpu_s=0.0,
        loop_cpu_s=0.0,
        core_wait_s=0.0,
        operations={"store.wait": Total(1, 0.5)},
        is_whole=True,
    )
    found = build_profile(make_result(nothing))
    assert found["operations"]["store.wait"]["share"] is None
    assert found["in_flight"] == {"mean": None, "none_share": None}
    assert "idle         –      –" in format_profile(FILE, make_result(nothing))
