"""What a crawl prints without a terminal."""

import io
from dataclasses import replace
from typing import Any

import pytest

from tenax.cli.show.live import SAME_LINE_EVERY_S, LineView
from tenax.crawl.insight.progress import Progress
from tenax.stores.contracts.overview import ForeignTransaction

PROGRESS = Progress(
    elapsed_s=0.0,
    workers=1,
    requests=0,
    pages=0,
    pages_per_s=0.0,
    wire_bytes=0,
    in_flight=0,
    queued=0,
    outcomes={},
    domains_active=0,
    domains_silent=0,
    domains_resting=0,
    domains_blocked=0,
    forecast_s=None,
    slowest_domain=None,
    waiting_for=None,
    notice=None,
)


def show_all(*shown: Progress) -> list[str]:
    stream = io.StringIO()
    view = LineView(stream)
    for progress in shown:
        view.show(progress)
    return stream.getvalue().splitlines()


def at(elapsed_s: float, **fields: Any) -> Progress:
    return replace(PROGRESS, elapsed_s=elapsed_s, **fields)


def test_a_line_comes_every_five_seconds_while_something_happens() -> None:
    lines = show_all(*(at(second / 2, pages=second) for second in range(1, 41)))
    assert [line.split()[0] for line in lines] == ["5", "10", "15", "20"]


def test_a_line_that_says_the_same_is_not_repeated() -> None:
    waits = [at(5.0 * step, pages_per_s=1 / step, waiting_for=f"rest; in {step} s") for step in range(1, 50)]
    assert len(show_all(*waits)) == 1


def test_a_crawl_that_only_waits_gives_a_sign_of_life() -> None:
    assert len(show_all(at(5.0), at(4.0 + SAME_LINE_EVERY_S), at(5.0 + SAME_LINE_EVERY_S))) == 2


@pytest.mark.parametrize(
    "news",
    [
        {"pages": 1},
        {"queued": 1},
        {"outcomes": {"failed": 1}},
        {"waiting_for": "another process is crawling a.test"},
        {"notice": "the disk is full"},
        {"foreign_transaction": ForeignTransaction(session="process 1", is_blocking=True, age_s=3.0)},
    ],
)
def test_changed_numbers_are_shown(news: dict[str, Any]) -> None:
    assert len(show_all(at(5.0), at(10.0, **news))) == 2
