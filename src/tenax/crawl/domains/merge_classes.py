"""The classes of a leased domain in memory: which url stands for which, where merge rules apply.

The store knows which url stands for a class once that is settled; what was taken since is known only here. A
class is held as long as one of its urls is queued in memory or not settled. So one look-up in the store when
urls are loaded, and one in here when they are taken, are enough.
"""

from collections.abc import Collection, Iterable, Mapping

from tenax.policy.merging import DomainMergeRules, is_served
from tenax.record import replace
from tenax.records.urls import Target
from tenax.records.visits import Merged, Visit
from tenax.stores.contracts.merging import Representative

_CLASS_BYTES = 400  # beside the characters of a url


class MergeClasses:
    """Mutable, like the domain that it belongs to."""

    def __init__(self, rules: DomainMergeRules) -> None:
        self._rules = rules
        self._standing: dict[int, Representative] = {}
        self._taken: dict[int, int] = {}  # id of a url that may not be settled → its class
        # Classes whose url failed, and its id: until that is settled, it still stands for them in the store.
        self._failed: dict[int, int] = {}

    def mark(self, targets: Iterable[Target]) -> list[Target]:
        """The same targets, with their classes."""
        find = self._rules.find_class
        return [replace(target, class_key=find(target.url, target.key)) for target in targets]

    def begin_lookup(self, unsettled: Collection[int]) -> None:
        """Prepare for a look-up in the store. `unsettled`: ids of urls that were taken."""
        self._failed = {key: url_id for key, url_id in self._failed.items() if url_id in unsettled}

    def learn(
        self, found: Mapping[int, Representative], waiting: Collection[int | None], unsettled: Collection[int]
    ) -> None:
        """Apply what the store found, and forget what is not needed. `waiting`: classes of urls in memory;
        `unsettled`: ids of urls that were taken."""
        self._taken = {url_id: key for url_id, key in self._taken.items() if url_id in unsettled}
        held = {*waiting, *self._taken.values()}
        standing = {key: each for key, each in self._standing.items() if key in held}
        # What is known here is newer than the store's answer.
        self._standing = {key: each for key, each in found.items() if key not in self._failed} | standing

    def take(self, target: Target) -> Merged | None:
        """Take a url for a visit: it stands for its class from now on. Merged: another url already does."""
        if target.class_key is None:
            return None
        self._taken[target.id] = target.class_key
        standing = self._standing.get(target.class_key)
        if standing is None or standing.key == target.key:
            self._standing[target.class_key] = Representative(key=target.key, url=target.url)
            return None
        return Merged(to_url=standing.url, rule=self._rules.name_rules(target.url, standing.url))

    def apply_outcome(self, visit: Visit) -> None:
        """Apply the outcome of a visit: whether its url still stands for its class."""
        target = visit.target
        if target.class_key is None or isinstance(visit.outcome, Merged) or is_served(visit):
            return
        standing = self._standing.get(target.class_key)
        if standing is not None and standing.key == target.key:
            del self._standing[target.class_key]
        self._failed[target.class_key] = target.id

    def is_one(self, target: Target, url: str) -> bool:
        """Whether an address belongs to the class of the target."""
        return target.class_key is not None and self._rules.is_in(url, target.class_key)

    @property
    def weight_bytes(self) -> int:
        return _CLASS_BYTES * len(self._standing)
