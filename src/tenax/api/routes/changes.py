"""Changes of pages that revisits have found."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.parameters import (
    DomainQuery,
    RunIdQuery,
    SinceQuery,
    SourceQuery,
    UntilQuery,
    find_domain,
    find_instant,
)
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.pages import ChangeKind
from tenax.stores.queries import changes
from tenax.stores.queries.changes import ChangeFilter, slice_changes
from tenax.stores.queries.export.fields import format_hash

router = new_router("changes")

SORT = "-at"


class Change(Schema):
    at: datetime
    kind: ChangeKind
    url: str = Field(examples=["https://example.com/about"])
    domain: str = Field(examples=["example.com"])
    title: str | None
    old_hash: str | None = Field(description="Hash of the previous text; null: the page is new.")
    new_hash: str | None = Field(description="Hash of the current text; null: the page is gone.")
    old_bytes: int | None
    new_bytes: int | None


@router.get("/changes", summary="List page changes", response_model=Part[Change], **allow(Role.USER))
async def list_changes(
    service: ServiceDep,
    kind: Annotated[
        list[ChangeKind] | None,
        Query(max_length=len(ChangeKind), description="Only changes of this kind; may be repeated."),
    ] = None,
    domain: DomainQuery = None,
    run: RunIdQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Change]:
    """Returns new, changed and gone pages, newest first. A new page is shown in its current version. Filters
    scan the list: a part may have few entries although more follow."""
    wanted = parse_slice(SORT, limit, cursor)
    only = ChangeFilter(
        domain=find_domain(domain),
        kinds=tuple(kind or ChangeKind),
        run_id=run,
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_changes(connection, wanted, only))
    return Part(items=[_format(each) for each in found.items], next=format_cursor(found.next, SORT))


def _format(change: changes.PageChange) -> Change:
    return Change(
        at=change.at,
        kind=change.kind,
        url=change.url,
        domain=change.domain,
        title=change.title,
        old_hash=None if change.old_hash is None else format_hash(change.old_hash),
        new_hash=None if change.new_hash is None else format_hash(change.new_hash),
        old_bytes=change.old_bytes,
        new_bytes=change.new_bytes,
    )
