"""Domains that move from one source or crawl to another: what both databases share.

A domain is owned by one at a time. What waits there for the former owner is set aside: it is no longer due,
so that the new owner crawls what it was asked for, and it is due again when the domain returns. A url that
several want is one row of `urls`, and a row of `set_aside` for each source that does not own the domain.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tenax.errors import DomainsBusy
from tenax.record import record
from tenax.records.jobs import NO_SOURCE, SourceKind
from tenax.stores.contracts.takeover import DomainOwner, TakenDomain
from tenax.wording import count_of

# A url without a visit that decided its fate. If it is not due, it waits for another source.
UNVISITED: Final = "fate IN ('queued', 'retrying')"
IS_ASIDE: Final = f"due_at IS NULL AND {UNVISITED}"
# A source that finds such a url on its own domain wants it although it is known: it was never fetched, or the
# rules of another source forbade it.
IS_OPEN: Final = f"""
    due_at IS NULL
    AND (
        {UNVISITED}
        OR fate = 'refused'
            AND reason IN ('out_of_scope', 'excluded', 'not_included', 'too_deep', 'url_too_long')
    )
"""
# Values of `mixed` of a domain.
SET_ASIDE, CRAWLED_BY_OTHERS = 1, 2

# A url `u` that is set aside as `s` is still wanted: it was not visited meanwhile.
STILL_WANTED: Final = """
    (
        u.fate IN ('queued', 'retrying')
        OR s.revisit_since IS NOT NULL
            AND coalesce(u.fetched_at, 0) < s.revisit_since
            AND u.fate IN ('fetched', 'read', 'duplicate', 'gone', 'redirected', 'skipped', 'rejected')
    )
"""
GONE_DETAIL: Final = "another crawl has it now; what waited there is set aside"

_NAMED_AT_ONCE = 3


@record
class ForeignDomain:
    """A domain of another source or crawl, and its owner."""

    id: int
    name: str
    source_id: int
    source_name: str | None  # None: it was removed
    kind: str | None
    queued: int
    run_id: int | None  # running, of that source; None: none is
    is_held: bool  # a worker holds it

    @property
    def is_busy(self) -> bool:
        return self.run_id is not None or self.is_held

    @property
    def owner(self) -> str:
        return str(read_owner(self.source_name or str(self.source_id), self.kind))


def read_owner(name: str, kind: str | None) -> DomainOwner:
    return DomainOwner(name=name, is_source=kind != SourceKind.CRAWL)


class ForeignColumns(NamedTuple):
    """A domain `d` of another source `s`."""

    id: int
    name: str
    source_id: int
    source_name: str | None
    kind: str | None
    queued: int
    is_held: int


def read_foreign_domain(row: Sequence[Any], runs: dict[int, int]) -> ForeignDomain:
    """From ForeignColumns. `runs`: the active ones, by source."""
    found = ForeignColumns._make(row)
    return ForeignDomain(
        id=found.id,
        name=found.name,
        source_id=found.source_id,
        source_name=found.source_name,
        kind=found.kind,
        queued=found.queued,
        run_id=runs.get(found.source_id),
        is_held=bool(found.is_held),
    )


def choose_free(domains: Iterable[ForeignDomain], needed: frozenset[str]) -> list[ForeignDomain]:
    """Those that can be taken. Raises DomainsBusy if one of the needed domains cannot."""
    free: list[ForeignDomain] = []
    busy: list[ForeignDomain] = []
    for domain in domains:
        (busy if domain.is_busy else free).append(domain)
    blocking = sorted((domain for domain in busy if domain.name in needed), key=lambda domain: domain.name)
    if blocking:
        raise DomainsBusy(_describe_busy(blocking))
    return free


def list_taken(domains: Iterable[ForeignDomain]) -> tuple[TakenDomain, ...]:
    """Without those that had no owner."""
    return tuple(
        TakenDomain(domain=domain.name, owner=domain.owner, urls=domain.queued)
        for domain in sorted(domains, key=lambda domain: domain.name)
        if domain.source_id != NO_SOURCE
    )


def _describe_busy(busy: Sequence[ForeignDomain]) -> str:
    first = busy[0]
    more = f" (and {count_of(len(busy) - 1, 'domain')} more)" if len(busy) > 1 else ""
    if first.run_id is None:
        return f"{first.name}{more} is still held by {first.owner}: try again in a moment."
    return (
        f"{first.name}{more} is being crawled by run {first.run_id} of {first.owner}:"
        " wait for its end, or cancel it first."
    )


def describe_taken(taken: Sequence[TakenDomain]) -> list[str]:
    """Sentences for the user who took the domains."""
    sentences = [_describe_one(each) for each in taken[:_NAMED_AT_ONCE]]
    if more := taken[_NAMED_AT_ONCE:]:
        sentences.append(
            f"{count_of(len(more), 'more domain')} belonged to others until now; what waited there,"
            f" {count_of(sum(each.urls for each in more), 'url')}, waits until they continue."
        )
    return sentences


def _describe_one(taken: TakenDomain) -> str:
    was = f"{taken.domain} belonged to {taken.owner} until now"
    return (
        f"{was}; {count_of(taken.urls, 'url')} of it will wait until that continues."
        if taken.urls
        else f"{was}."
    )
