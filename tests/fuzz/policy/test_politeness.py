"""Politeness: the effective delay, the next fetch, backoffs and when they are forgotten."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.crawl import PolitenessSettings
from tenax.policy.politeness import (
    after_pushback,
    after_start,
    clamp,
    delay_in_force,
    plan_next_fetch,
)
from tenax.records.domains import Pace

instants = st.floats(min_value=0, max_value=4e9)


seconds = st.floats(min_value=0, max_value=1e6)


rolls = st.floats(min_value=0, max_value=1, exclude_max=True)


all_settings = st.builds(
    PolitenessSettings,
    delay_s=st.floats(min_value=0, max_value=600),
    max_crawl_delay_s=st.floats(min_value=0, max_value=600),
    jitter=st.floats(min_value=0, max_value=1),
    backoff_s=st.floats(min_value=0.001, max_value=1e5),
    max_backoff_s=st.floats(min_value=0.001, max_value=1e6),
    forgive_s=st.floats(min_value=0.001, max_value=1e5),
)


paces = st.builds(
    Pace,
    robots_delay_s=st.none() | seconds,
    last_start_at=st.none() | instants,
    last_answer_at=st.none() | instants,
    last_response_s=seconds,
    backoff_level=st.integers(min_value=0, max_value=2000),
    backoff_until=st.none() | instants,
    last_backoff_at=st.none() | instants,
    forbidden_streak=st.integers(min_value=0, max_value=20),
)


statuses = st.sampled_from([401, 403, 429, 503])


retry_afters = st.none() | st.floats()


@given(paces, all_settings, rolls)
def test_the_next_fetch_never_comes_before_the_delay_or_the_rest(
    pace: Pace, settings: PolitenessSettings, roll: float
) -> None:
    next_at = plan_next_fetch(pace, settings, roll)
    delay_s, _ = delay_in_force(pace, settings)
    assert delay_s >= settings.delay_s
    assert next_at >= (pace.last_start_at or 0.0) + (0 if pace.last_start_at is None else delay_s)
    assert next_at >= (pace.last_answer_at or 0.0) + (0 if pace.last_answer_at is None else delay_s)
    assert next_at >= (pace.backoff_until or 0.0)


@given(paces, seconds, all_settings, rolls)
def test_a_longer_rest_never_brings_the_next_fetch_forward(
    pace: Pace, more_s: float, settings: PolitenessSettings, roll: float
) -> None:
    longer = replace(pace, backoff_until=(pace.backoff_until or 0.0) + more_s)
    assert plan_next_fetch(longer, settings, roll) >= plan_next_fetch(pace, settings, roll)


@given(paces, statuses, retry_afters, all_settings, rolls)
def test_no_push_back_asks_for_more_than_the_longest_rest_and_a_delay(
    pace: Pace, status: int, retry_after_s: float | None, settings: PolitenessSettings, roll: float
) -> None:
    now = 4e9
    pace = after_pushback(
        after_start(pace, now),
        status=status,
        answered_at=now,
        retry_after_s=retry_after_s,
        settings=settings,
        roll=roll,
    )
    delay_s = delay_in_force(pace, settings)[0] * (1 + settings.jitter)
    assert plan_next_fetch(pace, settings, roll) <= now + settings.max_backoff_s + delay_s + 1e-3


@given(paces, instants, all_settings, rolls)
def test_after_a_clamp_only_a_rest_waits_longer_than_the_delay(
    pace: Pace, now: float, settings: PolitenessSettings, roll: float
) -> None:
    pace = clamp(replace(pace, backoff_until=None), now)
    delay_s = delay_in_force(pace, settings)[0] * (1 + settings.jitter)
    assert plan_next_fetch(pace, settings, roll) <= now + delay_s + 1e-3


@given(paces, instants)
def test_a_clamp_is_final(pace: Pace, now: float) -> None:
    clamped = clamp(pace, now)
    assert clamp(clamped, now) == clamped
