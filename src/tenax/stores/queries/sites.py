"""Sites: the totals of all domains of a site, in slices."""

from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Row, cast, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, contains, load_slice
from tenax.stores.schema.domains import domains


@record
class SiteSummary:
    """The totals of all domains of a site: its subdomains and ports."""

    name: str
    domains: int
    urls: int
    pages: int
    queued: int
    requests: int
    errors: int
    wire_bytes: int
    last_crawled_at: Instant | None


def _sum(column: Any) -> Any:
    return cast(func.sum(column), BigInteger)


# Every site has a domain, and no two sites share one: the smallest domain id identifies a site.
_GROUPED: Final = (
    select(
        domains.c.site.label("name"),
        func.min(domains.c.id).label("number"),
        func.count().label("domains"),
        _sum(domains.c.pages_discovered).label("urls"),
        _sum(domains.c.pages_crawled).label("pages"),
        _sum(domains.c.queued).label("queued"),
        _sum(domains.c.requests).label("requests"),
        _sum(domains.c.total_errors).label("errors"),
        _sum(domains.c.wire_bytes).label("wire_bytes"),
        func.max(domains.c.last_crawled_at).label("last_crawled_at"),
    )
    .group_by(domains.c.site)
    .subquery("sites")
)

ORDER: Final = SortOrder(
    keys={
        **{name: _GROUPED.c[name] for name in ("name", "domains", "urls", "pages", "queued", "requests")},
        "errors": _GROUPED.c.errors,
        "last_crawled_at": func.coalesce(_GROUPED.c.last_crawled_at, 0.0),
    },
    number=_GROUPED.c.number,
)


def slice_sites(
    connection: Connection, wanted: SliceRequest, text: str | None = None
) -> ListSlice[SiteSummary]:
    """`text`: contained in the name of the site."""
    statement = select(_GROUPED)
    if text is not None:
        statement = statement.where(contains(_GROUPED.c.name, text))
    return load_slice(connection, statement, ORDER, wanted, _read)


def count_sites(connection: Connection) -> int:
    return connection.scalar(select(func.count(func.distinct(domains.c.site)))) or 0


def _read(row: Row[*tuple[Any, ...]]) -> SiteSummary:
    return SiteSummary(
        name=row.name,
        domains=row.domains,
        urls=row.urls,
        pages=row.pages,
        queued=row.queued,
        requests=row.requests,
        errors=row.errors,
        wire_bytes=row.wire_bytes,
        last_crawled_at=row.last_crawled_at,
    )
