"""Classes of urls, which merge rules make, in the store: the contract, and what every database shares.

Of a class one url stands for the others, which are merged: `duplicate`, never visited. As long as anything is
merged into a class, one of its urls stands for it or waits for its visit.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from tenax.policy.merging import is_served
from tenax.record import record
from tenax.records import Merged, Redirected
from tenax.stores.contracts.frontier import DomainWork
from tenax.web.identity import url_key

ClassName = tuple[int, int]  # id of its domain, and its key

# What stands for its class: a page or another answer, or one that is tried again. See policy/merging.py.
STANDS = """
    merged_key IS NULL
    AND (
        fate IN ('fetched', 'duplicate', 'skipped', 'retrying')
        OR fate = 'redirected' AND coalesce(reason, '') <> 'merged'
    )
"""
# What a merged url is again when its class needs it, or its rule is gone.
QUEUED_AGAIN = "fate = 'queued', reason = NULL, detail = NULL, to_url = NULL, merged_key = NULL"


@record
class Representative:
    """The url that stands for a class."""

    key: int
    url: str


@record
class MergeCandidate:
    """A url that may stand for a class."""

    id: int
    url: str
    key: int
    domain: str
    to_url: str | None  # where it redirects


@record
class Classified:
    id: int
    class_key: int | None  # None: its own key is that of its class
    is_led_back: bool = False  # it redirects to a url of its class, and so stands for nothing


class MergeStore(Protocol):
    """Of one source, or of none."""

    async def find_standing(self, classes: Sequence[ClassName]) -> dict[ClassName, Representative]:
        """The urls that stand for these classes, the oldest of each; without classes that have none. The
        caller holds the domains."""
        ...

    async def forget_classes(self) -> int:
        """The rules have changed, or domains have come from others: what was merged is queued again, and no
        url has a class; returns how many are due. Where others have crawled, too, none is due until it is
        found again. Repeating is safe."""
        ...

    async def list_members(self, after_id: int, limit: int) -> list[MergeCandidate]:
        """The urls that may stand for a class, in the order of their ids."""
        ...

    async def save_classes(self, classified: Sequence[Classified]) -> None: ...


def list_visited(works: Sequence[DomainWork]) -> list[tuple[int | None, int | None, int]]:
    """(class, where it was merged into, id) of all urls that were taken where rules hold"""
    rows: list[tuple[int | None, int | None, int]] = []
    for work in works:
        if work.has_classes:
            for visit in work.visits:
                target = visit.target
                if isinstance(visit.outcome, Merged):
                    rows.append((None, target.class_key, target.id))
                else:
                    other = None if target.class_key == target.key else target.class_key
                    rows.append((other, None, target.id))
    return rows


def iter_failed(works: Sequence[DomainWork]) -> Iterator[tuple[int, int, int]]:
    """Classes that may have lost what stood for them: (domain, class, key of the url that is wanted next)"""
    for work in works:
        if work.has_classes:
            for visit in work.visits:
                outcome, class_key = visit.outcome, visit.target.class_key
                if class_key is not None and not isinstance(outcome, Merged) and not is_served(visit):
                    wanted = outcome.to_url if isinstance(outcome, Redirected) else visit.target.url
                    yield work.lease.domain_id, class_key, url_key(wanted)
