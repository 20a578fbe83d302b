"""What a run leaves."""

from tenax.clock import Instant
from tenax.record import record


@record
class Leftover:
    due: int = 0  # nothing holds them back
    held: int = 0  # workers have their domains in hand
    later: int = 0  # they have failed and are tried again later than a run waits
    resting: int = 0  # their site: it is blocked or unreachable, or at rest by its own word
    capped: int = 0  # their domains have had their pages of this run: limits.pages_per_domain, or a rule
    inactive: int = 0  # a person wants nothing requested of their domains
    next_at: Instant | None = None  # when the first of those that are tried later is wanted
    aside: int = 0  # their domains serve another crawl, or a source, at the moment

    @property
    def urls(self) -> int:
        waiting = self.due + self.held + self.later + self.resting
        return waiting + self.capped + self.inactive + self.aside

    @property
    def is_unfinished(self) -> bool:
        """Something is left that no site and no person holds back."""
        return self.urls > self.resting + self.inactive
