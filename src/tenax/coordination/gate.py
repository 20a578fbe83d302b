"""What API processes share at the gate: how often somebody came, and how often somebody failed to come in.

Memory counts for one process, Redis for all. Redis may say None, that is nothing; then memory counts.
"""

from tenax.record import record

FIRST_WAIT_S = 30.0
LONGEST_WAIT_S = 900.0
REMEMBERED_S = 900.0  # after the last wait is over


@record
class RateHit:
    """One request, counted in a window that slides: no span of its length lets in more than the limit. Those
    that are not let in do not count."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int  # until all are free again, rounded up
    retry_after_s: int  # until the next one is let in, rounded up; 0: this one was


@record
class LoginSubject:
    """Whose failures are counted: a name, or an address."""

    who: str
    free: int  # failures after which it has to wait
