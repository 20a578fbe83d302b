"""What API processes share for rate limits: counts of requests and of failed logins.

Memory counts for one process, Redis for all. When Redis returns None, it did not answer; then memory counts.
"""

from tenax.record import record

FIRST_WAIT_S = 30.0
LONGEST_WAIT_S = 900.0
REMEMBERED_S = 900.0  # after the end of the last wait


@record
class RateHit:
    """One request, counted in a sliding window: no span of its length admits more than the limit. Rejected
    requests do not count."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int  # until the full limit is available again, rounded up
    retry_after_s: int  # until the next request is admitted, rounded up; 0: this one was


@record
class LoginSubject:
    """What failures are counted for: a name or an address."""

    key: str
    free: int  # failures before it has to wait
