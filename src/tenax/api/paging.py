"""Lists in parts: a cursor says where the next one begins, so that rows which come and go move nothing."""

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

LimitQuery = Annotated[int, Query(ge=1, le=LARGEST, description="Entries of a part, at most.")]
CursorQuery = Annotated[
    str | None,
    Query(max_length=MAX_CURSOR_CHARS, description="`next` of the part before; none: from the beginning."),
]


class Part(BaseModel, Generic[T]):
    """Some entries of a list."""

    items: list[T]
    next: str | None = Field(
        description="The cursor of the next part; null: this was the last. A part may hold few entries, or"
        " none, and yet not be the last: what is rare takes its time to be found."
    )


def find_unsupported_filters(parameters: Collection[str]) -> frozenset[str]:
    """Filters that this list lacks and others have; none, where it is no list."""
    return FILTERS.difference(parameters) if "cursor" in parameters else frozenset()


def check_filters(request: Request, unsupported: frozenset[str]) -> None:
    """Who gets everything takes it for what was asked for."""
    for name in unsupported.intersection(request.query_params):
        raise invalid(f"This list cannot be filtered by {name}: leave it out.", f"query.{name}")


def parse_slice(sort: str, limit: int, cursor: str | None) -> SliceRequest:
    """`sort`: a key, with a minus before it when the greatest come first."""
    return SliceRequest(
        key=sort.removeprefix("-"),
        is_descending=sort.startswith("-"),
        after=parse_cursor(cursor, sort) if cursor else None,
        limit=limit,
    )


def format_part(found: ListSlice[Any], model: type[M], sort: str) -> Part[M]:
    """Of the records of a store."""
    items = [model.model_validate(each) for each in found.items]
    return Part(items=items, next=format_cursor(found.next, sort))


def format_cursor(position: ListPosition | None, sort: str) -> str | None:
    if position is None:
        return None
    return base64.urlsafe_b64encode(orjson.dumps([sort, *position])).decode().rstrip("=")


def parse_cursor(cursor: str, sort: str) -> ListPosition:
    """Anybody may have made it up: it is a position in the list that was asked for, or it is refused."""
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
        "The cursor does not belong to this list and order: leave it out to begin.", "query.cursor"
    )
