"""The crawl log: every request that was sent."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import (
    DomainQuery,
    RunIdQuery,
    SinceQuery,
    SourceQuery,
    StatusQuery,
    UntilQuery,
    Word,
    find_domain,
    find_instant,
)
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.queries.visits import VisitFilter, VisitKind, VisitOutcome, slice_visits

router = new_router("visits")


class Visit(Schema):
    id: int
    run_id: int
    worker_id: int
    kind: VisitKind
    url_id: int | None = Field(description="null: a visit of robots.txt.")
    url: str | None = Field(description="null: a visit of robots.txt.")
    domain: str
    at: datetime = Field(description="When the request started.")
    duration_s: float
    outcome: VisitOutcome
    status: int | None = Field(description="null: there was no response.")
    wire_bytes: int = Field(description="Body bytes as transferred.")
    error_kind: str | None = Field(description="Why it failed, as a code.", examples=["timeout"])
    error_detail: str | None = Field(description="Why it failed, in words.")


@router.get("/visits", summary="List visits", response_model=Part[Visit], **allow(Role.USER))
async def list_visits(
    service: ServiceDep,
    run: RunIdQuery = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    kind: Annotated[
        VisitKind | None, Query(description="Only visits of URLs, or only visits of robots.txt files.")
    ] = None,
    outcome: Annotated[VisitOutcome | None, Query(description="Only visits with this outcome.")] = None,
    status: StatusQuery = None,
    error_kind: Annotated[
        Word | None, Query(description="Only visits that failed for this reason.", examples=["timeout"])
    ] = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[
        Literal["-at", "at"],
        Query(
            description="A leading minus sorts newest first. Without a domain, in the order in which they "
            "were written."
        ),
    ] = "-at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Visit]:
    """Returns every request that was sent. Filters scan the list: a part may have few entries although more
    follow."""
    # No index covers the times of all domains; later rows are newer by and large.
    key = sort if domain is not None else sort.replace("at", "id")
    wanted = parse_slice(key, limit, cursor)
    only = VisitFilter(
        domain=find_domain(domain),
        run_id=run,
        source=source,
        kind=kind,
        outcome=outcome,
        status=status,
        error_kind=error_kind,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_visits(connection, wanted, only))
    return format_part(found, Visit, key)
