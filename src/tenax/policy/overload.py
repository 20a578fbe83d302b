"""How a worker goes on while its machine is short of something: fewer requests at a time, and more later."""

from typing import Final

REST_S: Final = 1.0  # of a domain whose request could not be made
STEP_S: Final = 1.0
STEPS: Final = 20  # from nothing to all
FIRST_PAUSE_S: Final = 0.1
# Shorter than what a domain is held for without being asked, and soon enough to notice that it is over.
LONGEST_PAUSE_S: Final = 4.0
# A domain without a route is tried so often while others answer; then it is its address that cannot be
# reached from here.
NO_ROUTE_TRIES: Final = 3


def lower_limit(limit: int, in_flight: int) -> int:
    """Half of what was under way when it did not fit."""
    return max(min(limit, in_flight + 1) // 2, 1)


def raise_limit(limit: int, full: int) -> int:
    """The limit after a step without shortage."""
    return min(limit + max(full // STEPS, 1), full)


def plan_pause(last_s: float) -> float:
    """Of all requests, when even a single one is too many."""
    return min(max(2 * last_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
