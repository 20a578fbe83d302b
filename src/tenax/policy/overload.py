"""How a worker limits itself while its machine lacks resources: fewer concurrent requests, then gradually
more."""

from typing import Final

REST_S: Final = 1.0  # pause of a domain whose request could not be made
STEP_S: Final = 1.0
STEPS: Final = 20  # from zero to the full limit
FIRST_PAUSE_S: Final = 0.1
# Shorter than the time for which an unused domain is held, and short enough to notice when resources are
# back.
LONGEST_PAUSE_S: Final = 4.0


def lower_limit(limit: int, in_flight: int) -> int:
    """Half of the requests that were active when resources ran out."""
    return max(min(limit, in_flight + 1) // 2, 1)


def raise_limit(limit: int, full: int) -> int:
    """The limit after a step in which resources sufficed."""
    return min(limit + max(full // STEPS, 1), full)


def plan_pause(last_s: float) -> float:
    """The pause of all requests when resources do not suffice for even a single one."""
    return min(max(2 * last_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
