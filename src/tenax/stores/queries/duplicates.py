"""Clusters of pages that repeat each other: an original, pages with the same text, and near-duplicates."""

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, func, or_, select

from tenax.clock import Instant
from tenax.extract.similarity import distance
from tenax.record import record, replace
from tenax.records.urls import Fate
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, scan_slice
from tenax.stores.queries.filters import PAGE_FACETS, Filter, find_conditions
from tenax.stores.queries.urls import slice_domain
from tenax.stores.schema.domains import domains
from tenax.stores.schema.pages import pages
from tenax.stores.schema.urls import urls

MOST_MEMBERS: Final = 20  # of a cluster that are listed
ORDER: Final = SortOrder(keys={"id": pages.c.url_id}, number=pages.c.url_id)


class Likeness(StrEnum):
    EXACT = "exact"  # the same text
    NEAR = "near"  # nearly the same text


@record
class ClusterMember:
    """A page that repeats the original."""

    id: int  # of its url
    url: str
    likeness: Likeness
    bits: int | None  # in how many of 64 they differ; None: one of them is not compared
    fetched_at: Instant


@record
class DuplicateCluster:
    id: int  # of the url of its original
    url: str
    domain: str
    title: str | None
    exact: int  # pages with its text
    near: int  # pages that nearly repeat it
    members: tuple[ClusterMember, ...]  # the first ones; near-duplicates first

    @property
    def size(self) -> int:
        """With the original."""
        return 1 + self.exact + self.near


@record
class ClusterFilter(Filter):
    likeness: Likeness | None = None  # only clusters with such a page


_copies, _copy_urls = pages.alias("copies"), urls.alias("copy_urls")
_IS_NEAR = _copies.c.near_url_id == pages.c.url_id
_IS_EXACT = and_(
    _copies.c.domain_id == pages.c.domain_id,
    _copies.c.content_hash == pages.c.content_hash,
    _copies.c.url_id != pages.c.url_id,
    _copy_urls.c.id == _copies.c.url_id,
    _copy_urls.c.fate == Fate.DUPLICATE,
    _copy_urls.c.reason == "content",
)
_CONDITIONS: Final[dict[Likeness, ColumnElement[bool]]] = {
    Likeness.NEAR: exists().where(_IS_NEAR),
    Likeness.EXACT: exists().where(_IS_EXACT),
}


def slice_clusters(
    connection: Connection, wanted: SliceRequest, only: ClusterFilter
) -> ListSlice[DuplicateCluster]:
    """In the order in which the originals were discovered. Pages are scanned for clusters."""
    wanted_kinds = tuple(Likeness) if only.likeness is None else (only.likeness,)
    statement = _select().where(
        urls.c.fate == Fate.FETCHED,
        or_(*(_CONDITIONS[each] for each in wanted_kinds)),
        *find_conditions(connection, PAGE_FACETS, only),
    )
    if only.domain is None:
        found = scan_slice(connection, statement, ORDER, wanted, _read)
    else:
        found = slice_domain(connection, only.domain, pages.c.domain_id, statement, ORDER, wanted, _read)
    return replace(found, items=[_complete(connection, each) for each in found.items])


def list_near(connection: Connection, url_id: int) -> list[ClusterMember]:
    """The first pages that nearly repeat this one."""
    statement = _select_members().join(pages, _IS_NEAR).where(pages.c.url_id == url_id)
    return _load_members(connection, statement, Likeness.NEAR)


def find_original(connection: Connection, url_id: int) -> ClusterMember | None:
    """The page that this one nearly repeats; None: it stands for itself, or that page was deleted."""
    statement = (
        select(pages.c.url_id, urls.c.url, pages.c.fetched_at, pages.c.simhash)
        .add_columns(_copies.c.simhash.label("other_simhash"))
        .select_from(_copies)
        .join(pages, _IS_NEAR)
        .join(urls, urls.c.id == pages.c.url_id)
        .where(_copies.c.url_id == url_id)
    )
    return next(iter(_load_members(connection, statement, Likeness.NEAR)), None)


def _select() -> Select[Any]:
    near = select(func.count()).select_from(_copies).where(_IS_NEAR)
    exact = select(func.count()).select_from(_copies, _copy_urls).where(_IS_EXACT)
    return (
        select(pages.c.url_id, pages.c.title, urls.c.url, domains.c.name.label("domain"))
        .add_columns(near.scalar_subquery().label("near"), exact.scalar_subquery().label("exact"))
        .select_from(pages)
        .join(urls, urls.c.id == pages.c.url_id)
        .join(domains, domains.c.id == pages.c.domain_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> DuplicateCluster:
    return DuplicateCluster(
        id=row.url_id,
        url=row.url,
        domain=row.domain,
        title=row.title,
        exact=row.exact,
        near=row.near,
        members=(),
    )


def _complete(connection: Connection, cluster: DuplicateCluster) -> DuplicateCluster:
    members = list_near(connection, cluster.id) if cluster.near else []
    if cluster.exact and len(members) < MOST_MEMBERS:
        statement = _select_members().join(pages, _IS_EXACT).where(pages.c.url_id == cluster.id)
        members += _load_members(connection, statement, Likeness.EXACT)
    return replace(cluster, members=tuple(members[:MOST_MEMBERS]))


def _select_members() -> Select[Any]:
    return (
        select(_copies.c.url_id, _copy_urls.c.url, _copies.c.fetched_at, _copies.c.simhash)
        .add_columns(pages.c.simhash.label("other_simhash"))
        .select_from(_copies)
        .join(_copy_urls, _copy_urls.c.id == _copies.c.url_id)
        .order_by(_copies.c.url_id)
        .limit(MOST_MEMBERS)
    )


def _load_members(connection: Connection, statement: Select[Any], likeness: Likeness) -> list[ClusterMember]:
    return [
        ClusterMember(
            id=row.url_id,
            url=row.url,
            likeness=likeness,
            bits=find_bits(row.simhash, row.other_simhash),
            fetched_at=row.fetched_at,
        )
        for row in connection.execute(statement)
    ]


def find_bits(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else distance(one, other)
