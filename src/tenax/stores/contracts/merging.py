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
    class_key: int | None  # None: its own key is the key of its class
    is_led_back: bool = False  # it redirects to a url of its class, and so stands for nothing


class MergeStore(Protocol):
    """The merged urls of one source, or of none."""

    async def find_standing(self, classes: Sequence[ClassName]) -> dict[ClassName, Representative]:
        """The oldest url that stands for each of these classes; classes without one are left out. The caller
        holds the domains."""
        ...

    async def forget_classes(self) -> int:
        """Queue merged urls again and clear all classes, as the rules have changed or domains have come from
        other sources; returns how many urls are due. Where others have crawled, too, none is due until it is
        found again. Repeating is safe."""
        ...

    async def list_members(self, after_id: int, limit: int) -> list[MergeCandidate]:
        """The urls that may stand for a class, in the order of their ids."""
        ...

    async def list_domain_members(
        self, domain_id: int, after_key: int | None, limit: int
    ) -> list[MergeCandidate]:
        """The same for one domain, in the order of their keys; `after_key` None: from the first one."""
        ...

    async def list_learned(self) -> list[tuple[str, str]]:
        """Merge rules that were learned: (domain, name of the rule)"""
        ...

    async def save_classes(self, classified: Sequence[Classified]) -> None: ...
