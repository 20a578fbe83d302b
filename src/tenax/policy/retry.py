"""What an HTTP status means for a url, and when a failed url is tried again."""

from enum import StrEnum
from typing import Final

from tenax.clock import Instant
from tenax.config.crawl import RetrySettings

# With many retries, doubling would otherwise exceed the duration of any run.
_LONGEST_S: Final = 3600.0
_MAX_DOUBLINGS: Final = 64


class StatusClass(StrEnum):
    OK = "ok"  # 2xx
    NOT_MODIFIED = "not_modified"  # 304
    REDIRECT = "redirect"  # the response points to another url
    GONE = "gone"  # the server says that there is permanently nothing here for us
    PUSHBACK = "pushback"  # the domain wants requests later
    FORBIDDEN = "forbidden"  # the url is not for us; several in a row are a pushback
    TRANSIENT = "transient"  # the same request may succeed later
    PERMANENT = "permanent"  # anything else: a retry will not help


_CLASSES: Final = {
    **dict.fromkeys(range(200, 300), StatusClass.OK),
    304: StatusClass.NOT_MODIFIED,
    **dict.fromkeys((301, 302, 303, 307, 308), StatusClass.REDIRECT),
    **dict.fromkeys((404, 410, 451), StatusClass.GONE),
    **dict.fromkeys((429, 503), StatusClass.PUSHBACK),
    **dict.fromkeys((401, 403), StatusClass.FORBIDDEN),
    # 520-529 are used by a reverse proxy for errors of the server behind it.
    **dict.fromkeys((408, 425, 500, 502, 504, 507, *range(520, 530)), StatusClass.TRANSIENT),
}


_OTHERS: Final = StatusClass.PERMANENT


def classify_status(status: int) -> StatusClass:
    return _CLASSES.get(status, _OTHERS)


def plan_retry(*, attempts: int, now: Instant, settings: RetrySettings, roll: float) -> Instant | None:
    """Plan the next try after `attempts` attempts, including the failed one; None: never."""
    if attempts > settings.attempts:
        return None
    pause_s = settings.base_s * 2.0 ** min(max(attempts - 1, 0), _MAX_DOUBLINGS)
    return now + min(pause_s, _LONGEST_S) + settings.jitter_s * roll
