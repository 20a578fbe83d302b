"""What a worker counts, and the metrics that are moved to it."""

from tenax.crawl.insight.metrics import success_rate
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.outcome import build_visit, refuse
from tenax.policy.quality.parser_health import ParserCounts
from tenax.record import replace
from tenax.records.items import Parsing
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Failed, Gone, Outcome, Refused, Unchanged, Visit
from tests.support.clock import START
from tests.support.crawling import make_failure, make_response, make_target
from tests.support.items import failed_parsing, found_item, parsing

ROBOTS = Refused(reason=RefusalReason.ROBOTS, detail="line 2")
FAILED = Failed(kind=FailureKind.RESET, detail="", status=None, retry_at=None)


def count(*visits: Visit) -> WorkerTally:
    tally = WorkerTally()
    for visit in visits:
        tally.count_visit(visit)
    return tally


def ended(outcome: Outcome, status: int = 200) -> Visit:
    return build_visit(make_target(), make_response(status, b"12345"), outcome)


def test_a_visit_with_an_answer_counts_its_request_bytes_and_status() -> None:
    tally = count(ended(Gone(status=404)))
    assert (tally.requests, tally.wire_bytes, tally.statuses) == (1, 5, {404: 1})
    assert tally.outcomes == {"gone": 1}


def test_a_refusal_before_any_request_counts_no_request() -> None:
    tally = count(refuse(make_target(), ROBOTS, START))
    assert (tally.requests, tally.robots_denials, tally.outcomes) == (0, 1, {"refused": 1})


def test_an_unchanged_page_counts_as_304() -> None:
    assert count(ended(Unchanged())).statuses == {304: 1}


def test_a_request_for_robots_txt_counts_as_a_request() -> None:
    tally = WorkerTally()
    tally.count_robots(make_response(200, b"12345"))
    tally.count_robots(make_failure())
    assert (tally.requests, tally.wire_bytes, tally.statuses) == (2, 5, {200: 1})


def test_success_is_the_share_of_visits_that_did_not_fail() -> None:
    assert success_rate(WorkerTally()) == 1.0
    assert success_rate(count(ended(FAILED), ended(Unchanged()))) == 0.5


def test_tallies_are_added_up() -> None:
    total = WorkerTally.sum([count(ended(Gone(status=404))), count(ended(Unchanged())), WorkerTally(pages=3)])
    assert (total.requests, total.wire_bytes, total.pages) == (2, 10, 3)
    assert (total.outcomes, total.statuses) == ({"gone": 1, "unchanged": 1}, {404: 1, 304: 1})


def test_parsers_are_counted_and_added_up_by_name() -> None:
    broken = found_item("1", faults=("price is missing",))
    visit = replace(
        ended(Unchanged()),
        parsings=(
            parsing(found_item("1"), broken, parser="wood"),
            Parsing(parser="list", version="1", follows=2),
            failed_parsing(parser="tree"),
        ),
    )
    total = WorkerTally.sum([count(visit), count(visit)])
    assert total.parsers == {
        "wood": ParserCounts(pages=2, items=2, invalid=2),
        "list": ParserCounts(pages=2),
        "tree": ParserCounts(pages=2, errors=2),
    }
    assert (total.items, total.invalid_items, total.parser_errors) == (2, 2, 2)
    assert total.last_errors == {"tree": "ValueError: no price"}
