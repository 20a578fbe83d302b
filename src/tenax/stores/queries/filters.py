"""What is wanted of a list or an export: by run, source, domain, date and fate. Each means the same for every
noun; docs/filters.md says which nouns have which of them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, exists, func, select

from tenax.clock import Instant
from tenax.config import DAY_S
from tenax.errors import UsageError
from tenax.record import record, replace
from tenax.records import Fate
from tenax.stores.contracts.crawls import fold_crawl
from tenax.stores.queries.changes import find_domain_id
from tenax.stores.schema.crawl import domains, pages, runs, urls, visits
from tenax.stores.schema.jobs import sources
from tenax.visible import clean


class Facet(StrEnum):
    RUN = "run"  # that visited it last, or, of what happens once, in which it happened
    SOURCE = "source"  # that its domain serves; of a visit, that of its run
    DOMAIN = "domain"
    DATE = "date"
    FATE = "fate"  # of its url


Facets = Mapping[Facet, ColumnElement[Any]]  # what each of them is about, in the tables of a noun

_owned = domains.alias("owned")


def source_of(domain_id: ColumnElement[int]) -> ColumnElement[int]:
    """That this domain serves, looked up for each row: joined, a database may begin with all domains of the
    source, and sort all that they have."""
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
    """None: whatever it is."""

    run_id: int | None = None
    source: str | None = None  # its name
    domain: str | None = None
    site: str | None = None  # all domains of it
    fate: Fate | None = None
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
        }
        return [facet for facet, value in given.items() if value is not None]


EVERYTHING: Final = Filter()


@record
class FilterNames:
    """What a filter names, as the store knows it; None: it names none."""

    source_id: int | None
    domain_id: int | None


def find_names(connection: Connection, only: Filter) -> FilterNames:
    """Raises UsageError where something is not known, and where nothing could ever be found."""
    check_span(only.since, only.until)
    if only.run_id is not None:
        require_run(connection, only.run_id)
    return FilterNames(
        source_id=None if only.source is None else get_source_id(connection, only.source),
        domain_id=None if only.domain is None else _get_domain_id(connection, only.domain),
    )


def find_conditions(connection: Connection, facets: Facets, only: Filter) -> list[ColumnElement[bool]]:
    """Of a list, which shows nothing where a domain is not known. Raises UsageError as find_names does."""
    names = find_names(connection, replace(only, domain=None))
    return list_conditions(facets, only, names.source_id)


def list_conditions(facets: Facets, only: Filter, source_id: int | None) -> list[ColumnElement[bool]]:
    """All but the domain, which every list has its own way to find."""
    equal = {Facet.RUN: only.run_id, Facet.SOURCE: source_id, Facet.FATE: only.fate}
    conditions: list[ColumnElement[bool]] = [
        facets[facet] == value for facet, value in equal.items() if value is not None
    ]
    if only.site is not None:
        conditions.append(facets[Facet.DOMAIN].in_(select(_owned.c.id).where(_owned.c.site == only.site)))
    return conditions + list_span(facets, only) if Facet.DATE in facets else conditions


def list_span(facets: Facets, only: Filter) -> list[ColumnElement[bool]]:
    """Of the dates alone."""
    at = facets[Facet.DATE]
    since = [] if only.since is None else [at >= only.since]
    return since if only.until is None else [*since, at < only.until]


def find_first_visit(connection: Connection, only: Filter) -> int:
    """The id before those of the visits that can be wanted: what was written before a run was opened is not
    of that run, and was made before. A day is left to clocks that are set."""
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
    """Of a source or a crawl."""
    found: int | None = connection.scalar(select(sources.c.id).where(sources.c.key == fold_crawl(name)))
    if found is None:
        raise UsageError(f"No source or crawl in this store is called {clean(name)!r}: see 'tenax runs'.")
    return found


def check_span(since: Instant | None, until: Instant | None) -> None:
    if since is not None and until is not None and since >= until:
        raise UsageError("Nothing is found in this span of time: it ends before it begins.")


def _get_domain_id(connection: Connection, name: str) -> int:
    domain_id = find_domain_id(connection, name)
    if domain_id is None:
        raise UsageError(f"The domain {clean(name)!r} is not known in this store.")
    return domain_id
