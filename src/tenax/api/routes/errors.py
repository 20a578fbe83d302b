"""Errors of requests and parsers: each with its stack trace, and groups of errors that are alike."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import invalid, not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.parameters import (
    LARGEST_ID,
    DomainQuery,
    RunIdQuery,
    SinceQuery,
    SourceQuery,
    UntilQuery,
    Word,
    find_domain,
    find_instant,
)
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.errors import UsageError
from tenax.records.items import ErrorCategory
from tenax.stores.queries import errors
from tenax.stores.queries.errors import ErrorFilter, find_error, slice_errors, slice_groups
from tenax.stores.queries.export.fields import format_hash, parse_hash

router = new_router("errors")

GroupSort = Literal["-last_at", "-count"]

IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the error.", examples=[42])]
CategoryQuery = Annotated[ErrorCategory | None, Query(description="Only errors of this category.")]
TypeQuery = Annotated[Word | None, Query(description="Only errors of this type.", examples=["KeyError"])]
ParserQuery = Annotated[
    Word | None, Query(description="Only errors of the parser with this name.", examples=["shop"])
]
FingerprintQuery = Annotated[
    str | None,
    Query(max_length=40, description="Only errors of this group.", examples=["0f3a5c7e9b1d2f46"]),
]
FINGERPRINT = Field(description="The same for errors that are alike.", examples=["0f3a5c7e9b1d2f46"])


class CrawlError(Schema):
    id: int
    at: datetime
    category: ErrorCategory = Field(
        description="`network`: no answer, or one that is an error. `parse`: the document cannot be read. "
        "`validation`: items break their schema. `handler`: the code of a parser failed."
    )
    type: str = Field(description="An exception, or a kind of failure.", examples=["KeyError", "timeout"])
    message: str
    fingerprint: str = FINGERPRINT
    parser: str | None = Field(description="null: it is not the error of a parser.")
    parser_version: str | None
    source_id: int
    source: str | None = Field(description="The source or crawl; null: it was removed.")
    domain: str = Field(examples=["example.com"])
    url_id: int
    url: str | None
    run_id: int
    has_stack: bool = Field(description="Whether there is a stack trace.")


class ErrorGroup(Schema):
    fingerprint: str = FINGERPRINT
    source_id: int
    source: str | None
    category: ErrorCategory
    type: str
    message: str = Field(description="Of the newest error.")
    parser: str | None
    count: int
    first_at: datetime
    last_at: datetime
    last_error_id: int = Field(description="The newest error, as an example.")
    example_url: str | None = Field(description="The URL of the newest error.")


class CrawlErrorDetail(CrawlError):
    stack: str | None = Field(description="The stack trace, where the code of a parser failed.")
    group: ErrorGroup | None = Field(description="All errors like it.")


@router.get("/errors", summary="List errors", response_model=Part[CrawlError], **allow(Role.USER))
async def list_errors(
    service: ServiceDep,
    category: CategoryQuery = None,
    type: TypeQuery = None,
    parser: ParserQuery = None,
    fingerprint: FingerprintQuery = None,
    url_id: Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="Only errors of this URL.")] = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    run: RunIdQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[CrawlError]:
    """Returns errors, newest first. Filters scan the list: a part may have few entries although more
    follow."""
    only = ErrorFilter(
        category=category,
        type=type,
        parser=parser,
        fingerprint=_parse_fingerprint(fingerprint),
        url_id=url_id,
        source=source,
        domain=find_domain(domain),
        run_id=run,
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(only.sort, limit, cursor)
    found = await service.access.read(partial(slice_errors, wanted=wanted, only=only))
    return Part(items=[_format(each) for each in found.items], next=format_cursor(found.next, only.sort))


@router.get(
    "/errors/groups", summary="List groups of errors", response_model=Part[ErrorGroup], **allow(Role.USER)
)
async def list_error_groups(
    service: ServiceDep,
    category: CategoryQuery = None,
    type: TypeQuery = None,
    parser: ParserQuery = None,
    fingerprint: FingerprintQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[GroupSort, Query(description="A leading minus sorts in descending order.")] = "-last_at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[ErrorGroup]:
    """Returns how often errors that are alike occurred, and when; `since` and `until` apply to the newest of
    each group."""
    only = ErrorFilter(
        category=category,
        type=type,
        parser=parser,
        fingerprint=_parse_fingerprint(fingerprint),
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_groups, wanted=wanted, only=only))
    return Part(items=[_format_group(each) for each in found.items], next=format_cursor(found.next, sort))


@router.get(
    "/errors/{id}",
    summary="Get an error",
    response_model=CrawlErrorDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_error(service: ServiceDep, id: IdPath) -> CrawlErrorDetail:
    """Returns the error with its stack trace and its group."""
    found = await service.access.read(partial(find_error, error_id=id))
    if found is None:
        raise not_found(f"Error {id}")
    return CrawlErrorDetail(
        **_format(found.error).model_dump(),
        stack=found.stack,
        group=None if found.group is None else _format_group(found.group),
    )


def _parse_fingerprint(written: str | None) -> int | None:
    try:
        return None if written is None else parse_hash(written)
    except UsageError as error:
        raise invalid(str(error), "query.fingerprint") from error


def _format(error: errors.LoggedErrorSummary) -> CrawlError:
    names = [name for name in CrawlError.model_fields if name != "fingerprint"]
    return CrawlError(
        **{name: getattr(error, name) for name in names}, fingerprint=format_hash(error.fingerprint)
    )


def _format_group(group: errors.ErrorGroup) -> ErrorGroup:
    names = [name for name in ErrorGroup.model_fields if name != "fingerprint"]
    return ErrorGroup(
        **{name: getattr(group, name) for name in names}, fingerprint=format_hash(group.fingerprint)
    )
