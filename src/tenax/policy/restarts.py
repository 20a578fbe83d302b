"""When a worker that died is replaced: at once after a single death, later the more often it happens."""

from typing import Final

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
# A worker that lived for so long did not die of what killed the ones before.
HEALTHY_S: Final = 60.0
# In a row, without a single page: the next one would not fetch any either.
MOST_BARREN_DEATHS: Final = 5
# From then on it is called a crash loop.
LOOPING_DEATHS: Final = 3


def plan_restart(deaths: int) -> float:
    """The pause before the next start. `deaths`: in a row, of workers that did not live for long.

    None after the first: kill -9 and a page that crashes its reader are nobody's fault.
    """
    if deaths <= 1:
        return 0.0
    return min(FIRST_PAUSE_S * 2.0 ** min(deaths - 2, 10), LONGEST_PAUSE_S)
