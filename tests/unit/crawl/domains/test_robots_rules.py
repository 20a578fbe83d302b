"""What a robots.txt answer means, and for how long."""

import pytest

from tenax.config.crawl import RobotsSettings
from tenax.crawl.domains.robots_rules import (
    RobotsRequest,
    build_record,
    build_rules,
    is_failure,
    refuse_address,
)
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tests.support.clock import START
from tests.support.crawling import make_failure, make_response

SETTINGS = RobotsSettings()
QUESTION = RobotsRequest(origin="http://a.test", url="http://a.test/robots.txt")
MOVED = RobotsRequest(origin="http://a.test", url="http://b.test/robots.txt", hops=1)
URL = "http://a.test/x"


@pytest.mark.parametrize(
    ("status", "is_failed"),
    [(200, False), (301, False), (404, False), (403, False), (429, True), (500, True), (503, True)],
)
def test_only_a_server_in_trouble_is_a_failure(status: int, is_failed: bool) -> None:
    assert is_failure(make_response(status)) is is_failed


def test_silence_is_a_failure() -> None:
    assert is_failure(make_failure())


@pytest.mark.parametrize(
    ("status", "body", "is_allowed"),
    [
        (200, b"User-agent: *\nDisallow: /x\n", False),
        (200, b"User-agent: *\nDisallow: /y\n", True),
        (404, b"User-agent: *\nDisallow: /x\n", True),
        (302, b"", True),
        (500, b"", False),
    ],
)
def test_the_status_decides_whether_the_body_counts(status: int, body: bytes, is_allowed: bool) -> None:
    record = build_record(QUESTION, make_response(status, body), START, SETTINGS)
    assert build_rules(record).rules.allowed(URL) is is_allowed


@pytest.mark.parametrize(
    ("cache_control", "cache_s"),
    [
        (None, 3600),
        ("max-age=60", 3600),
        ("max-age=7200", 7200),
        ("max-age=999999", 86400),
        ("no-store", 3600),
    ],
)
def test_a_file_is_used_for_an_hour_to_a_day(cache_control: str | None, cache_s: float) -> None:
    headers = {"cache-control": cache_control} if cache_control else {}
    record = build_record(QUESTION, make_response(200, headers=headers), START, SETTINGS)
    assert record.expires_at == START + cache_s


@pytest.mark.parametrize("answer", [make_response(500), make_failure()])
def test_a_failure_is_not_kept(answer: object) -> None:
    record = build_record(QUESTION, answer, START, SETTINGS)  # type: ignore[arg-type]
    assert record.expires_at == START
    assert not build_rules(record).is_usable


def test_a_forbidden_address_refuses_the_whole_origin() -> None:
    refusal = refuse_address(make_failure(FailureKind.FORBIDDEN_ADDRESS))
    assert refusal is not None
    assert refusal.reason is RefusalReason.PRIVATE_ADDRESS


def test_a_file_that_moved_to_a_forbidden_address_is_missing() -> None:
    record = build_record(MOVED, make_failure(FailureKind.FORBIDDEN_ADDRESS), START, SETTINGS)
    rules = build_rules(record)
    assert rules.is_usable
    assert rules.rules.allowed(URL)
    assert rules.expires_at == START + SETTINGS.cache_s
