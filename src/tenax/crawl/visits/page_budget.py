"""The pages of a run's budget that one worker may still settle, where the run has a limit (`--max-pages`)."""

from tenax.clock import Instant


class PageBudget:
    """Mutable: StoreSync updates it from the store's answers."""

    def __init__(self, max_pages: int | None, run_pages: int) -> None:
        self.max_pages = max_pages  # of the run; None: no limit
        self.run_pages = run_pages  # of all workers, as the store last said
        self.granted = 0  # set aside for this worker and not settled yet
        self.is_dry = False  # the last request was granted nothing
        self.next_grant_at: Instant = 0.0
        self.has_spare = False  # a page was set aside for a request that a silent domain never answered

    def count_left(self, possible_pages: int) -> int:
        """Pages that may still be started. `possible_pages`: fetched, or in flight, and not settled."""
        return 1 if self.max_pages is None else self.granted - possible_pages

    def count_run_left(self, possible_pages: int) -> int:
        """Of the whole run; only where it has a limit."""
        return (self.max_pages or 0) - self.run_pages - possible_pages

    @property
    def is_used_up(self) -> bool:
        """The run has reached its limit."""
        return self.max_pages is not None and self.run_pages >= self.max_pages
