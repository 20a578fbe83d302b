"""What a worker does, counted: every action is a sign that it is not stalled."""

import itertools
from time import monotonic
from typing import NamedTuple

from tenax.policy.stalls import Stall


class VisitUnderWay(NamedTuple):
    url: str
    since_s: float  # monotonic


class Activity:
    """Mutable, of one worker. All its parts count their actions here: one addition each, and no clock."""

    def __init__(self) -> None:
        self.actions = 0  # requests started and ended, batches settled, domains claimed and released
        self.stall: Stall | None = None  # what the worker has found out about itself
        self._tickets = itertools.count()
        self._readings: dict[int, VisitUnderWay] = {}  # in another process, in the order of their start

    def begin_reading(self, url: str) -> int:
        """A document is read in another process, or waits for that; returns a ticket."""
        ticket = next(self._tickets)
        self._readings[ticket] = VisitUnderWay(url, monotonic())
        return ticket

    def end_reading(self, ticket: int) -> None:
        del self._readings[ticket]

    def find_longest_reading(self) -> VisitUnderWay | None:
        return next(iter(self._readings.values()), None)
