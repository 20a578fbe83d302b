"""What one worker has done, counted as it happens: the source of progress, metrics and summaries."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tenax.records import Fetched, RefusalReason, Refused, Response, Unchanged, Visit


@dataclass(slots=True)
class Tally:
    """Mutable, owned by one worker; readers take copies of what they need."""

    requests: int = 0
    pages: int = 0
    wire_bytes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    robots_denials: int = 0

    def count_visit(self, visit: Visit) -> None:
        outcome = visit.outcome
        self.outcomes[type(outcome).__name__.lower()] += 1
        if isinstance(outcome, Fetched):
            self.pages += 1
        elif isinstance(outcome, Refused) and outcome.reason is RefusalReason.ROBOTS:
            self.robots_denials += 1
        if visit.made_request:
            self.requests += 1
            self.wire_bytes += visit.wire_bytes
            status = 304 if isinstance(outcome, Unchanged) else getattr(outcome, "status", None)
            if status is not None:
                self.statuses[status] += 1

    @classmethod
    def sum(cls, tallies: Iterable["Tally"]) -> "Tally":
        total = cls()
        for tally in tallies:
            total.requests += tally.requests
            total.pages += tally.pages
            total.wire_bytes += tally.wire_bytes
            total.outcomes += tally.outcomes
            total.statuses += tally.statuses
            total.robots_denials += tally.robots_denials
        return total

    def count_robots(self, answer: object) -> None:
        self.requests += 1
        if isinstance(answer, Response):
            self.wire_bytes += answer.wire_bytes
            self.statuses[answer.status] += 1
