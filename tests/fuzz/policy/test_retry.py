"""Retry: what a status means and when a failed url is tried again."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.crawl import RetrySettings
from tenax.policy.retry import plan_retry

T = 1_000_000.0


@given(
    st.integers(min_value=0, max_value=10**6),
    st.floats(min_value=0, max_value=1, exclude_max=True),
)
def test_a_pause_is_at_least_the_base_and_at_most_an_hour(attempts: int, roll: float) -> None:
    settings = RetrySettings(attempts=10**6)
    retry_at = plan_retry(attempts=attempts, now=T, settings=settings, roll=roll)
    assert retry_at is not None
    assert T + 1 <= retry_at <= T + 3600.5
