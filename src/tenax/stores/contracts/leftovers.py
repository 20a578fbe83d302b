"""What a run leaves."""

from tenax.clock import Instant
from tenax.record import record


@record
class Leftover:
    due: int = 0  # nothing blocks them
    held: int = 0  # workers hold their domains
    later: int = 0  # they failed and are retried later than a run waits
    resting: int = 0  # their site is blocked or unreachable, or rests as it asked to
    capped: int = 0  # their domains have used up their pages of this run: limits.pages_per_domain, or a rule
    inactive: int = 0  # a user made their domains inactive
    next_at: Instant | None = None  # when the first of those in `later` is due
    aside: int = 0  # their domains are currently owned by another crawl or source

    @property
    def urls(self) -> int:
        waiting = self.due + self.held + self.later + self.resting
        return waiting + self.capped + self.inactive + self.aside

    @property
    def is_unfinished(self) -> bool:
        """Whether something is left that neither a site nor a user blocks."""
        return self.urls > self.resting + self.inactive
