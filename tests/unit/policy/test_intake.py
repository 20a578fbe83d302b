"""When new urls are due if a source may only have so many per second."""

import pytest

from tenax.policy.intake import Intake, is_limited, plan_intake
from tenax.record import replace
from tenax.records.urls import FoundBy, NewUrl, Priority, SitemapNote, SitemapOrigin

NOW = 1000.0
FOUND = NewUrl(
    url="https://a.example/0",
    key=0,
    domain="a.example",
    depth=1,
    priority=Priority.MEDIUM,
    discovered_from=7,
)


def make_urls(count: int) -> list[NewUrl]:
    return [replace(FOUND, key=key) for key in range(count)]


def test_those_of_the_current_second_do_not_wait() -> None:
    plan = plan_intake(make_urls(3), (), Intake(per_s=3, next_at=0.0), NOW)
    assert plan.due == {}


def test_those_beyond_it_wait_for_their_second() -> None:
    plan = plan_intake(make_urls(7), (), Intake(per_s=3, next_at=0.0), NOW)
    assert [plan.due.get(("a.example", key)) for key in range(7)] == [
        *(None, None, None),
        *(1001.0, 1001.0, 1001.0),
        1002.0,
    ]


def test_they_wait_for_those_that_were_found_before() -> None:
    plan = plan_intake(make_urls(1), (), Intake(per_s=3, next_at=NOW + 60), NOW)
    assert plan.due == {("a.example", 0): NOW + 60}


def test_time_that_has_passed_is_no_credit() -> None:
    plan = plan_intake(make_urls(4), (), Intake(per_s=2, next_at=NOW - 3600), NOW)
    assert sorted(plan.due.values()) == [1001.0, 1001.0]


def test_each_url_is_counted_once() -> None:
    plan = plan_intake(make_urls(4) * 2, (), Intake(per_s=4, next_at=0.0), NOW)
    assert plan.taken_s == 1.0


def test_known_urls_leave_no_gap() -> None:
    known = {("a.example", key) for key in range(100)}
    plan = plan_intake(make_urls(101), known, Intake(per_s=1, next_at=0.0), NOW)
    assert (plan.due, plan.taken_s) == ({}, 1.0)


@pytest.mark.parametrize(
    "url",
    [
        replace(FOUND, is_seed=True),
        replace(FOUND, discovered_from=None),
        replace(FOUND, hops=1),
        replace(FOUND, sitemap=SitemapNote(origin=SitemapOrigin.ROBOTS)),
        replace(FOUND, found_by=FoundBy.ARCHIVE),
        replace(FOUND, found_by=FoundBy.PROBE),
    ],
    ids=["a seed", "named by a user", "a redirect", "a sitemap", "a guess", "a probe"],
)
def test_what_is_exempt_neither_waits_nor_counts(url: NewUrl) -> None:
    plan = plan_intake([url], (), Intake(per_s=1, next_at=NOW + 60), NOW)
    assert (plan.due, plan.taken_s) == ({}, 0.0)


def test_what_a_sitemap_lists_is_limited() -> None:
    assert is_limited(replace(FOUND, found_by=FoundBy.SITEMAP))
