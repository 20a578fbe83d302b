"""The contract for classes of urls, which merge rules make.

One url of a class stands for the others, which are merged: `duplicate`, never visited. As long as anything is
merged into a class, one of its urls stands for it or waits for its visit.
"""

from collections.abc import Sequence
from typing import Protocol

from tenax.record import record

ClassName = tuple[int, int]  # id of its domain, and its key


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
