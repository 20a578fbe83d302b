"""Shares the pages of a run with a limit among its domains: no domain gets a second page while others wait
for their first, and then all get about the same number.
"""

from collections.abc import Collection
from enum import StrEnum

from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness

AHEAD = 2  # how many equal shares a domain may have while others have not started


class UnclaimedDomains(StrEnum):
    """Domains that no worker holds."""

    NONE = "none"  # there are none
    COMING = "coming"  # the next claim can lease more
    OUTSIDE = "outside"  # there is no room for them


class Turn(StrEnum):
    GO = "go"
    WAIT = "wait"  # other domains are about to have their turn
    LEAVE = "leave"  # other domains can only have a turn when this one is given back


class FairShare:
    """`max_pages`: of the run; None: no limit."""

    def __init__(self, max_pages: int | None) -> None:
        self._max_pages = max_pages
        self._crowd = UnclaimedDomains.NONE

    @property
    def is_limited(self) -> bool:
        return self._max_pages is not None

    def note_claim(self, *, claimed: int, limit: int, can_claim: bool) -> None:
        """A claim for `limit` domains leased `claimed`; can more be claimed?"""
        if claimed:
            self._crowd = UnclaimedDomains.COMING if claimed >= limit else UnclaimedDomains.NONE
        else:
            self._crowd = UnclaimedDomains.OUTSIDE if can_claim else UnclaimedDomains.NONE

    def find_turn(self, domain: LeasedDomain, pool: Collection[LeasedDomain], pages_left: int) -> Turn:
        """Whether the domain may have its next page. `pages_left`: of the run, without those in flight."""
        if self._max_pages is None or not domain.ended_visits:
            return Turn.GO
        if self._crowd is not UnclaimedDomains.NONE and domain.has_had_its_turn:
            return Turn.LEAVE if self._crowd is UnclaimedDomains.OUTSIDE else Turn.WAIT
        equal_part = max(self._max_pages // len(pool), 1)
        is_ahead = domain.state.run_pages + domain.in_flight >= AHEAD * equal_part
        if pages_left > len(pool) and not is_ahead:
            return Turn.GO
        # Some leased domains have not had their first page: the last pages are theirs, unless they are slow.
        newcomers = sum(
            not each.ended_visits and not each.state.run_pages and each.manner is not Responsiveness.SLOW
            for each in pool
        )
        return Turn.WAIT if newcomers and (is_ahead or pages_left <= newcomers) else Turn.GO
