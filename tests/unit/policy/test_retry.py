"""Retry: what a status means and when a failed url is tried again."""

import pytest

from tenax.config.crawl import RetrySettings
from tenax.policy.retry import StatusClass, classify_status, plan_retry

T = 1_000_000.0
SETTINGS = RetrySettings(attempts=3, base_s=1.0, jitter_s=0.5)

CLASSES = {
    StatusClass.OK: [200, 201, 204, 206, 299],
    StatusClass.NOT_MODIFIED: [304],
    StatusClass.REDIRECT: [301, 302, 303, 307, 308],
    StatusClass.GONE: [404, 410, 451],
    StatusClass.PUSHBACK: [429, 503],
    StatusClass.FORBIDDEN: [401, 403],
    StatusClass.TRANSIENT: [408, 425, 500, 502, 504, 507, 520, 529],
    StatusClass.PERMANENT: [-1, 0, 100, 199, 300, 305, 306, 400, 405, 418, 501, 505, 530, 999],
}


@pytest.mark.parametrize(
    ("status", "expected"),
    [(status, expected) for expected, statuses in CLASSES.items() for status in statuses],
)
def test_a_status_has_its_class(status: int, expected: StatusClass) -> None:
    assert classify_status(status) is expected


@pytest.mark.parametrize(("attempts", "pause_s"), [(1, 1.0), (2, 2.0), (3, 4.0)])
def test_pauses_double(attempts: int, pause_s: float) -> None:
    assert plan_retry(attempts=attempts, now=T, settings=SETTINGS, roll=0.0) == T + pause_s


def test_jitter_is_added_to_a_pause() -> None:
    assert plan_retry(attempts=1, now=T, settings=SETTINGS, roll=0.5) == T + 1.25


def test_the_attempt_after_the_last_retry_was_the_last() -> None:
    assert plan_retry(attempts=4, now=T, settings=SETTINGS, roll=0.0) is None


def test_without_retries_the_first_attempt_was_the_last() -> None:
    settings = RetrySettings(attempts=0)
    assert plan_retry(attempts=1, now=T, settings=settings, roll=0.0) is None
