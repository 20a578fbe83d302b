"""Applies merge rules to the urls of leased domains: assigns their classes, and loads which url stands for
each. No two workers hold the same domain, so no other worker changes its classes.
"""

from collections import deque
from collections.abc import Sequence

from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.merge_classes import MergeClasses
from tenax.policy.merging import DomainMergeRules, MergeRules
from tenax.record import replace
from tenax.records.urls import Target
from tenax.stores.contracts.batches import QueueHead
from tenax.stores.contracts.merging import Classified, ClassName, MergeStore, Representative

MEMBERS_AT_ONCE = 2_000


class Merger:
    """Shared by the domains of one worker. Every method may be repeated after the store was unavailable."""

    def __init__(self, merging: MergeRules, store: MergeStore) -> None:
        self._merging = merging
        self._store = store

    async def begin(self, domains: Sequence[LeasedDomain]) -> None:
        """Assign classes in domains that were just leased."""
        for domain in domains:
            rules = self._find_rules(domain)
            if rules is not None:
                domain.classes = MergeClasses(rules)
                domain.queue = deque(domain.classes.mark(domain.queue))
        await self._learn([(domain, tuple(domain.queue)) for domain in domains if domain.classes is not None])

    def _find_rules(self, domain: LeasedDomain) -> DomainMergeRules | None:
        learned = () if domain.guard is None else domain.guard.list_merged()
        return self._merging.of_domain(domain.name, learned)

    async def classify(self, domain: LeasedDomain) -> None:
        """A rule was learned: the pages that are known stand for what it merges with them."""
        rules = self._find_rules(domain)
        after_key: int | None = None
        while rules is not None:
            members = await self._store.list_domain_members(
                domain.lease.domain_id, after_key, MEMBERS_AT_ONCE
            )
            classified = [(member.id, rules.find_class(member.url, member.key)) for member in members]
            await self._store.save_classes(
                [
                    Classified(id=url_id, class_key=class_key)
                    for (url_id, class_key), member in zip(classified, members, strict=True)
                    if class_key != member.key
                ]
            )
            if len(members) < MEMBERS_AT_ONCE:
                return
            after_key = members[-1].key

    async def mark(self, domains: Sequence[LeasedDomain], heads: Sequence[QueueHead]) -> list[QueueHead]:
        """The urls that are to fill the queues of these domains, with their classes."""
        marked = [
            head
            if domain.classes is None
            else replace(head, targets=tuple(domain.classes.mark(head.targets)))
            for domain, head in zip(domains, heads, strict=True)
        ]
        await self._learn(
            [
                (domain, head.targets)
                for domain, head in zip(domains, marked, strict=True)
                if domain.classes is not None
            ]
        )
        return marked

    async def _learn(self, coming: Sequence[tuple[LeasedDomain, Sequence[Target]]]) -> None:
        for domain, _ in coming:
            if domain.classes is not None:
                domain.classes.begin_lookup(domain.taken)
        names = {
            (domain.lease.domain_id, target.class_key)
            for domain, targets in coming
            for target in targets
            if target.class_key is not None
        }
        found = await self._store.find_standing(sorted(names)) if names else {}
        for domain, targets in coming:
            _apply_found(domain, targets, found)


def _apply_found(
    domain: LeasedDomain, targets: Sequence[Target], found: dict[ClassName, Representative]
) -> None:
    if domain.classes is None:
        return
    coming = {target.class_key for target in targets if target.class_key is not None}
    known = {
        key: standing for key in coming if (standing := found.get((domain.lease.domain_id, key))) is not None
    }
    waiting = coming | {target.class_key for target in domain.queue}
    domain.classes.learn(known, waiting, domain.taken)
