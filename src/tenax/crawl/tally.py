"""Counts what one worker does as it happens: the source of progress, metrics and summaries."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.quality.parser_results import count_parsing, describe_error
from tenax.policy.revisit import find_change
from tenax.records.items import Parsing
from tenax.records.pages import ChangeKind
from tenax.records.requests import Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Fetched, Refused, Rejected, Unchanged, Visit

NEW = ChangeKind.NEW.value
UNCHANGED = "unchanged"


@dataclass(slots=True)
class WorkerTally:
    """Mutable, owned by one worker; readers copy what they need."""

    requests: int = 0
    pages: int = 0
    wire_bytes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    robots_denials: int = 0
    local_failures: int = 0  # requests that this machine could not make
    read_apart: int = 0  # documents that were read in another process
    parsers: dict[str, ParserCounts] = field(default_factory=dict)  # what they made of pages, by name
    versions: dict[str, str] = field(default_factory=dict)  # of the parsers of the run
    last_errors: dict[str, str] = field(default_factory=dict)  # of parsers that failed
    parse_s: float = 0.0  # in which parsers ran
    rejections: Counter[str] = field(default_factory=Counter)  # by reason
    changes: Counter[str] = field(default_factory=Counter)  # of pages: new, changed, gone, unchanged

    def count_visit(self, visit: Visit) -> None:
        outcome = visit.outcome
        self.outcomes[type(outcome).__name__.lower()] += 1
        if isinstance(outcome, Fetched):
            self.pages += 1
            if visit.target.content_hash is None:
                self.changes[NEW] += 1
        elif isinstance(outcome, Refused) and outcome.reason is RefusalReason.ROBOTS:
            self.robots_denials += 1
        elif isinstance(outcome, Rejected):
            self.rejections[outcome.reason.value] += 1
        for parsing in visit.parsings:
            self._count_parsing(parsing)
        if visit.target.content_hash is not None:
            self._count_revisit(visit)
        if visit.made_request:
            self.requests += 1
            self.wire_bytes += visit.wire_bytes
            status = 304 if isinstance(outcome, Unchanged) else getattr(outcome, "status", None)
            if status is not None:
                self.statuses[status] += 1

    def _count_parsing(self, parsing: Parsing) -> None:
        self._add(parsing.parser, count_parsing(parsing))
        if parsing.error is not None:
            self.last_errors[parsing.parser] = describe_error(parsing.error)

    def _add(self, parser: str, counts: ParserCounts) -> None:
        self.parsers[parser] = self.parsers.get(parser, ParserCounts()).plus(counts)

    @property
    def items(self) -> int:
        """Those that parsers made, without those that break their schema."""
        return sum(counts.items for counts in self.parsers.values())

    @property
    def invalid_items(self) -> int:
        return sum(counts.invalid for counts in self.parsers.values())

    @property
    def parser_errors(self) -> int:
        return sum(counts.errors for counts in self.parsers.values())

    def _count_revisit(self, visit: Visit) -> None:
        kind = find_change(visit)
        if kind is not None:
            self.changes[kind.value] += 1
        elif isinstance(visit.outcome, Fetched | Unchanged):
            self.changes[UNCHANGED] += 1

    @classmethod
    def sum(cls, tallies: Iterable["WorkerTally"]) -> "WorkerTally":
        total = cls()
        for tally in tallies:
            total.requests += tally.requests
            total.pages += tally.pages
            total.wire_bytes += tally.wire_bytes
            total.outcomes += tally.outcomes
            total.statuses += tally.statuses
            total.robots_denials += tally.robots_denials
            total.local_failures += tally.local_failures
            total.read_apart += tally.read_apart
            for parser, counts in tally.parsers.items():
                total._add(parser, counts)
            total.versions |= tally.versions
            total.last_errors |= tally.last_errors
            total.parse_s += tally.parse_s
            total.rejections += tally.rejections
            total.changes += tally.changes
        return total

    def count_robots(self, answer: object) -> None:
        self.requests += 1
        if isinstance(answer, Response):
            self.wire_bytes += answer.wire_bytes
            self.statuses[answer.status] += 1
