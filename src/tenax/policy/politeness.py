"""When the next request to a domain may start, and how responses change that.

A `Pace` is what is remembered about a domain; the functions here compute its changes. The caller holds the
domain's lease, so nothing else changes it concurrently.
"""

from typing import Final

from tenax.clock import Instant
from tenax.config.crawl import PolitenessSettings
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import replace
from tenax.records.domains import Pace

FROM_SETTING: Final = "setting"
FROM_ROBOTS: Final = "robots.txt Crawl-delay"
FROM_RESPONSE: Final = "response time"

# Sites link to pages that are forbidden to everyone. Only several in a row show that the crawler is unwanted.
FORBIDDEN_STREAK: Final = 3

# Far beyond every limit, and small enough that the power stays a finite float.
_MAX_DOUBLINGS: Final = 64


def delay_in_force(pace: Pace, settings: PolitenessSettings) -> tuple[float, str]:
    """Find the minimum time between two requests, in seconds, and where it comes from."""
    delay_s, source = settings.delay_s, FROM_SETTING
    # The limit is applied again: a stored pace may be older than the setting.
    robots_s = min(pace.robots_delay_s or 0.0, settings.max_crawl_delay_s)
    if robots_s > delay_s:
        delay_s, source = robots_s, FROM_ROBOTS
    # Users who set no delay own the server and do not want its response time to cause one either.
    if settings.delay_s > 0:
        response_s = min(pace.last_response_s, settings.max_crawl_delay_s)
        if response_s > delay_s:
            delay_s, source = response_s, FROM_RESPONSE
    return delay_s, source


def plan_next_fetch(pace: Pace, settings: PolitenessSettings, roll: float) -> Instant:
    """Plan the earliest instant at which the next request may start; 0.0: there was no request yet.

    The delay also counts from the response: only then is it certain that the server has received the last
    request. Otherwise a request that was delayed on its way could arrive together with the next one.
    """
    delay_s, _ = delay_in_force(pace, settings)
    delay_s *= 1 + settings.jitter * roll
    after_start_at = 0.0 if pace.last_start_at is None else pace.last_start_at + delay_s
    after_answer_at = 0.0 if pace.last_answer_at is None else pace.last_answer_at + delay_s
    return max(after_start_at, after_answer_at, pace.backoff_until or 0.0)


def after_start(pace: Pace, at: Instant) -> Pace:
    """The pace after a request has started."""
    return replace(pace, last_start_at=at)


def after_answer(
    pace: Pace, *, answered_at: Instant, response_s: float, settings: PolitenessSettings
) -> Pace:
    """The pace after a good response: a page, a redirect or 304."""
    if pace.backoff_level and _is_forgiven(pace, answered_at, settings):
        pace = replace(pace, backoff_level=0, backoff_until=None)
    return replace(
        pace,
        last_answer_at=_later(pace.last_answer_at, answered_at),
        last_response_s=response_s,
        pushback_streak=0,
        forbidden_streak=0,
    )


def after_error(pace: Pace, *, status: int | None, answered_at: Instant, response_s: float) -> Pace:
    """The pace after an error that is not a pushback, or after no response at all (status None).

    Error pages are fast: they may lengthen the delay but never shorten it. Any response other than 401 and
    403 ends a streak of those; no response says nothing about it. Any response below 500 shows that the
    server works, so it ends a streak of backoffs as well.
    """
    is_served = status is not None and status < 500
    return replace(
        pace,
        last_answer_at=_later(pace.last_answer_at, answered_at),
        last_response_s=max(pace.last_response_s, response_s),
        pushback_streak=0 if is_served else pace.pushback_streak,
        forbidden_streak=pace.forbidden_streak if status is None else 0,
    )


def after_pushback(
    pace: Pace,
    *,
    status: int,
    answered_at: Instant,
    retry_after_s: float | None,
    settings: PolitenessSettings,
    roll: float,
    is_retry: bool = False,
) -> Pace:
    """The pace after the server turned a request away: 429 or 503 (back off), 401 or 403 (back off from the
    third on).

    Responses to requests that were active when the backoff began belong to it: they may lengthen it but do
    not double it. `is_retry`: the url has failed before, so this says more about the url than about its
    server. It causes a backoff but does not count towards a streak.
    """
    is_forbidden = classify_status(status) is StatusClass.FORBIDDEN
    streak = pace.forbidden_streak + (not is_retry) if is_forbidden else 0
    answered = replace(
        pace,
        last_answer_at=_later(pace.last_answer_at, answered_at),
        forbidden_streak=streak,
    )
    # A 403 with a Retry-After is a rate limit.
    if is_forbidden and streak < FORBIDDEN_STREAK and retry_after_s is None:
        return answered
    if is_retry:
        return _repeat_backoff(answered, answered_at, retry_after_s, settings, roll)
    return _begin_backoff(answered, status, answered_at, retry_after_s, settings, roll)


def count_from(pace: Pace, since: Instant) -> Pace:
    """The pace as if earlier requests had been made at `since`, for when their real times are uncertain."""
    started_at, answered_at = pace.last_start_at, pace.last_answer_at
    return replace(
        pace,
        last_start_at=None if started_at is None else max(started_at, since),
        last_answer_at=None if answered_at is None else max(answered_at, since),
    )


def clamp(pace: Pace, now: Instant) -> Pace:
    """The pace without instants in the future, which remain after a clock was set back.

    A backoff keeps its length and begins now.
    """
    started_at, answered_at = pace.last_start_at, pace.last_answer_at
    rested_at = pace.last_backoff_at
    if max(started_at or 0.0, answered_at or 0.0, rested_at or 0.0) <= now:
        return pace
    until = pace.backoff_until
    if until is not None and rested_at is not None and rested_at > now:
        until = now + max(until - rested_at, 0.0)
    return replace(
        pace,
        last_start_at=_not_after(started_at, now),
        last_answer_at=_not_after(answered_at, now),
        last_backoff_at=_not_after(rested_at, now),
        backoff_until=until,
    )


def _begin_backoff(
    pace: Pace,
    status: int,
    at: Instant,
    retry_after_s: float | None,
    settings: PolitenessSettings,
    roll: float,
) -> Pace:
    if _belongs_to_last_backoff(pace):
        is_repeated = pace.pushback_streak > 1
        wait_s = _backoff_s(pace.backoff_level, retry_after_s, pace, settings, roll, is_repeated=is_repeated)
        return replace(pace, backoff_until=_later(pace.backoff_until, at + wait_s))
    is_repeated = pace.pushback_streak > 0
    level = _plan_level(pace, status, at, retry_after_s, settings, is_repeated=is_repeated)
    wait_s = _backoff_s(level, retry_after_s, pace, settings, roll, is_repeated=is_repeated)
    return replace(
        pace,
        backoff_level=level,
        backoff_until=at + wait_s,
        last_backoff_at=at,
        pushback_streak=pace.pushback_streak + 1,
    )


def _repeat_backoff(
    pace: Pace, at: Instant, retry_after_s: float | None, settings: PolitenessSettings, roll: float
) -> Pace:
    level = max(pace.backoff_level, 1)
    wait_s = _backoff_s(1, retry_after_s, pace, settings, roll, is_repeated=False)
    until = _later(pace.backoff_until, at + wait_s)
    return replace(pace, backoff_level=level, backoff_until=until, last_backoff_at=at)


def _plan_level(
    pace: Pace,
    status: int,
    at: Instant,
    retry_after_s: float | None,
    settings: PolitenessSettings,
    *,
    is_repeated: bool,
) -> int:
    """The backoff doubles if the server does not say how long to wait, and if the last backoff did not help.

    A 503 between good responses is a problem of one page: it causes a backoff, but not longer and longer
    ones.
    """
    if not pace.backoff_level or _is_forgiven(pace, at, settings):
        return 1
    is_doubling = is_repeated or (retry_after_s is None and status != 503)
    return pace.backoff_level + is_doubling


def _backoff_s(
    level: int,
    retry_after_s: float | None,
    pace: Pace,
    settings: PolitenessSettings,
    roll: float,
    *,
    is_repeated: bool,
) -> float:
    """The length of the backoff. Retry-After is honored, unless waiting for it did not help the last time."""
    doubled_s = settings.backoff_s * 2.0 ** min(level - 1, _MAX_DOUBLINGS)
    doubled_s *= 1 + settings.jitter * roll
    if retry_after_s is None:
        return min(doubled_s, settings.max_backoff_s)
    least_s = doubled_s if is_repeated else delay_in_force(pace, settings)[0]
    return min(max(least_s, retry_after_s), settings.max_backoff_s)


def _belongs_to_last_backoff(pace: Pace) -> bool:
    """Whether no request has started since the last pushback."""
    if pace.last_backoff_at is None or pace.last_start_at is None or not pace.backoff_level:
        return False
    return pace.last_start_at <= pace.last_backoff_at


def _is_forgiven(pace: Pace, at: Instant, settings: PolitenessSettings) -> bool:
    ended_at = pace.backoff_until or pace.last_backoff_at
    return ended_at is not None and at >= ended_at + settings.forgive_s


def _later(known: Instant | None, instant: Instant) -> Instant:
    return instant if known is None else max(known, instant)


def _not_after(instant: Instant | None, now: Instant) -> Instant | None:
    return instant if instant is None else min(instant, now)
