"""Classes of urls, which merge rules make: what both databases share. See contracts/merging.py."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tenax.policy.merging import is_served
from tenax.records.visits import Merged, Redirected
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.merging import MergeCandidate
from tenax.web.identity import url_key

LEAST_KEY = -(2**63)

# A url that stands for its class: it has a page or another answer, or is retried. See policy/merging.py.
STANDS = """
    merged_key IS NULL
    AND (
        fate IN ('fetched', 'duplicate', 'skipped', 'retrying')
        OR fate = 'redirected' AND coalesce(reason, '') <> 'merged'
    )
"""
# What a merged url becomes again if its class needs it or its rule is gone.
QUEUED_AGAIN = "fate = 'queued', reason = NULL, detail = NULL, to_url = NULL, merged_key = NULL"


def list_visited(works: Sequence[DomainWork]) -> list[tuple[int | None, int | None, int]]:
    """(class, class it was merged into, id) of all visited urls in domains with merge rules"""
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
    """Classes that may have lost the url that stood for them: (domain, class, key of the url to visit
    next)"""
    for work in works:
        if work.has_classes:
            for visit in work.visits:
                outcome, class_key = visit.outcome, visit.target.class_key
                if class_key is not None and not isinstance(outcome, Merged) and not is_served(visit):
                    wanted = outcome.to_url if isinstance(outcome, Redirected) else visit.target.url
                    yield work.lease.domain_id, class_key, url_key(wanted)


class MemberColumns(NamedTuple):
    """A url that may stand for a class, from LIST_MEMBERS."""

    id: int
    url: str
    key: int
    domain: str
    to_url: str | None


def read_member(row: Sequence[Any]) -> MergeCandidate:
    found = MemberColumns._make(row)
    return MergeCandidate(id=found.id, url=found.url, key=found.key, domain=found.domain, to_url=found.to_url)
