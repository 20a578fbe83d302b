"""Filters of lists and exports: by run, source, domain, date, fate and kind of item. Each means the same for
every noun; docs/filters.md says which nouns support which of them.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, exists, func, select

from tenax.clock import Instant
from tenax.config.crawl import DAY_S
from tenax.errors import UsageError
from tenax.record import record, replace
from tenax.records.urls import Fate
from tenax.stores.contracts.crawls import fold_crawl
from tenax.stores.schema.domains import domains
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import pages
from tenax.stores.schema.runs import runs
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits
from tenax.visible import clean


class Facet(StrEnum):
    RUN = "run"  # the one that visited it last; for an event, the one in which it happened
    SOURCE = "source"  # the one that its domain belongs to; for a visit, that of its run
    DOMAIN = "domain"
    DATE = "date"
    FATE = "fate"  # of its url
    KIND = "kind"  # of an item


Facets = Mapping[Facet, ColumnElement[Any]]  # the column of each, in the tables of a noun
_owned = domains.alias("owned")


def source_of(domain_id: ColumnElement[int]) -> ColumnElement[int]:
    """The source that a domain belongs to, as a subquery for each row: with a join, a database may start
    with all domains of the source and sort all of their rows."""
    return select(_owned.c.source_id).where(_owned.c.id == domain_id).scalar_subquery()


URL_FACETS: Final[Facets] = {
    Facet.RUN: urls.c.run_id,
    Facet.SOURCE: source_of(urls.c.domain_id),
    Facet.DOMAIN: urls.c.domain_id,
    Facet.DATE: urls.c.discovered_at,
    Facet.FATE: urls.c.fate,
}

PAGE_FACETS: Final[Facets] = {
    **URL_FACETS,
    Facet.DOMAIN: pages.c.domain_id,
    Facet.DATE: pages.c.fetched_at,
}

DOMAIN_FACETS: Final[Facets] = {
    Facet.RUN: domains.c.last_run_id,
    Facet.SOURCE: domains.c.source_id,
    Facet.DOMAIN: domains.c.id,
    Facet.DATE: domains.c.first_seen_at,
}

VISIT_FACETS: Final[Facets] = {
    Facet.RUN: visits.c.run_id,
    Facet.SOURCE: select(runs.c.source_id).where(runs.c.id == visits.c.run_id).scalar_subquery(),
    Facet.DOMAIN: visits.c.domain_id,
    Facet.DATE: visits.c.at,
}


@record
class Filter:
    """None in a field: no restriction."""

    run_id: int | None = None
    source: str | None = None  # its name
    domain: str | None = None
    site: str | None = None  # all of its domains
    fate: Fate | None = None
    item_kind: str | None = None
    since: Instant | None = None
    until: Instant | None = None  # before this

    @property
    def facets(self) -> list[Facet]:
        given = {
            Facet.RUN: self.run_id,
            Facet.SOURCE: self.source,
            Facet.DOMAIN: self.domain,
            Facet.DATE: self.until if self.since is None else self.since,
            Facet.FATE: self.fate,
            Facet.KIND: self.item_kind,
        }
        return [facet for facet, value in given.items() if value is not None]


EVERYTHING: Final = Filter()


@record
class FilterNames:
    """The ids of what a filter names; None: it names none."""

    source_id: int | None
    domain_id: int | None


def find_names(connection: Connection, only: Filter) -> FilterNames:
    """Raises UsageError if something is unknown, or if the filter can never match."""
    check_span(only.since, only.until)
    if only.run_id is not None:
        require_run(connection, only.run_id)
    return FilterNames(
        source_id=None if only.source is None else get_source_id(connection, only.source),
        domain_id=None if only.domain is None else _get_domain_id(connection, only.domain),
    )


def find_conditions(connection: Connection, facets: Facets, only: Filter) -> list[ColumnElement[bool]]:
    """The conditions of a list, which is empty if the domain is unknown. Raises UsageError as find_names
    does."""
    names = find_names(connection, replace(only, domain=None))
    return list_conditions(facets, only, names.source_id)


def list_conditions(facets: Facets, only: Filter, source_id: int | None) -> list[ColumnElement[bool]]:
    """All conditions except the one on the domain, which every list looks up in its own way."""
    equal = {
        Facet.RUN: only.run_id,
        Facet.SOURCE: source_id,
        Facet.FATE: only.fate,
        Facet.KIND: only.item_kind,
    }
    conditions: list[ColumnElement[bool]] = [
        facets[facet] == value for facet, value in equal.items() if value is not None
    ]
    if only.site is not None:
        conditions.append(facets[Facet.DOMAIN].in_(select(_owned.c.id).where(_owned.c.site == only.site)))
    return conditions + list_span(facets, only) if Facet.DATE in facets else conditions


def list_span(facets: Facets, only: Filter) -> list[ColumnElement[bool]]:
    """The conditions on the date alone."""
    at = facets[Facet.DATE]
    since = [] if only.since is None else [at >= only.since]
    return since if only.until is None else [*since, at < only.until]


def find_first_visit(connection: Connection, only: Filter) -> int:
    """A visit id below all those that can match: visits written before a run was opened do not belong to it
    and were made earlier. Leaves a day for clocks that are adjusted."""
    opened = select(func.max(runs.c.first_visit_id))
    found = 0
    if only.run_id is not None:
        found = connection.scalar(opened.where(runs.c.id == only.run_id)) or 0
    if only.since is not None:
        found = max(found, connection.scalar(opened.where(runs.c.started_at < only.since - DAY_S)) or 0)
    return found


def require_run(connection: Connection, run_id: int) -> None:
    if not connection.scalar(select(exists().where(runs.c.id == run_id))):
        raise UsageError(f"There is no run {run_id} in this store.")


def get_source_id(connection: Connection, name: str) -> int:
    """The id of a source or a crawl. Raises UsageError if there is none."""
    found: int | None = connection.scalar(select(sources.c.id).where(sources.c.key == fold_crawl(name)))
    if found is None:
        raise UsageError(f"There is no source or crawl {clean(name)!r} in this store: see 'tenax runs'.")
    return found


def find_domain_id(connection: Connection, name: str) -> int | None:
    return connection.scalar(select(domains.c.id).where(domains.c.name == name))


def check_span(since: Instant | None, until: Instant | None) -> None:
    if since is not None and until is not None and since >= until:
        raise UsageError("This time span is empty: its end must be later than its start.")


def _get_domain_id(connection: Connection, name: str) -> int:
    domain_id = find_domain_id(connection, name)
    if domain_id is None:
        raise UsageError(f"There is no domain {clean(name)!r} in this store.")
    return domain_id
