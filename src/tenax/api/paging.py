"""Pagination: a cursor says where the next part starts, so that added and removed rows shift nothing."""

import base64
import binascii
from collections.abc import Collection
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import Query, Request
from pydantic import BaseModel, Field

from tenax.api.errors import invalid
from tenax.stores.paging import ListPosition, ListSlice, SliceRequest

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

LARGEST = 500
MAX_CURSOR_CHARS = 4000
FILTERS = frozenset(("run", "source", "domain", "fate", "since", "until"))

LimitQuery = Annotated[int, Query(ge=1, le=LARGEST, description="Maximum number of entries.")]
CursorQuery = Annotated[
    str | None,
    Query(
        max_length=MAX_CURSOR_CHARS,
        description="`next` from the previous response; omit it to start from the beginning.",
    ),
]


class Part(BaseModel, Generic[T]):
    """One part of a list."""

    items: list[T]
    next: str | None = Field(
        description="The cursor of the next part; null: this is the last part. A part may have few or no "
        "entries without being the last, because rare entries take longer to find."
    )


def find_unsupported_filters(parameters: Collection[str]) -> frozenset[str]:
    """Filters that other lists have and this one lacks; empty if the route is not a list."""
    return FILTERS.difference(parameters) if "cursor" in parameters else frozenset()


def check_filters(request: Request, unsupported: frozenset[str]) -> None:
    """Refuse unsupported filters: a caller would mistake an unfiltered list for the requested one."""
    for name in unsupported.intersection(request.query_params):
        raise invalid(f"This list cannot be filtered by {name}: omit it.", f"query.{name}")


def parse_slice(sort: str, limit: int, cursor: str | None) -> SliceRequest:
    """`sort`: a key, with a leading minus for descending order."""
    return SliceRequest(
        key=sort.removeprefix("-"),
        is_descending=sort.startswith("-"),
        after=parse_cursor(cursor, sort) if cursor else None,
        limit=limit,
    )


def format_part(found: ListSlice[Any], model: type[M], sort: str) -> Part[M]:
    """Format a slice of records from the store."""
    items = [model.model_validate(each) for each in found.items]
    return Part(items=items, next=format_cursor(found.next, sort))


def format_cursor(position: ListPosition | None, sort: str) -> str | None:
    if position is None:
        return None
    return base64.urlsafe_b64encode(orjson.dumps([sort, *position], default=str)).decode().rstrip("=")


def parse_cursor(cursor: str, sort: str) -> ListPosition:
    """Parse an untrusted cursor. Raises a Problem unless it is a position in this list."""
    try:
        named, value, number = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError) as error:
        raise _bad_cursor() from error
    if named != sort or not isinstance(number, int) or isinstance(number, bool) or not _is_plain(value):
        raise _bad_cursor()
    if abs(number) >= 1 << 63:
        raise _bad_cursor()
    return ListPosition(value, number)


def _is_plain(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return abs(value) < 1 << 63
    return isinstance(value, float | str)


def _bad_cursor() -> Exception:
    return invalid(
        "The cursor does not belong to this list and sort order: omit it to start over.", "query.cursor"
    )
