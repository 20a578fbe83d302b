"""Items that parsers made of pages: the list, one with where it was seen and how it changed, the feed of all
changes, and invalid items.
"""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import invalid, not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import LARGEST, CursorQuery, LimitQuery, Part, format_cursor, format_part, parse_slice
from tenax.api.parameters import (
    LARGEST_ID,
    DomainQuery,
    ItemKindQuery,
    RunIdQuery,
    SinceQuery,
    SourceQuery,
    Text,
    UntilQuery,
    Word,
    find_domain,
    find_instant,
)
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.errors import UsageError
from tenax.record import replace
from tenax.records.items import MAX_KEY_CHARS, ItemChangeKind
from tenax.stores.change_log import START, find_end, parse_position
from tenax.stores.connection import Connection
from tenax.stores.paging import ListSlice
from tenax.stores.queries import item_changes
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.invalid_items import InvalidFilter, slice_invalid
from tenax.stores.queries.item_changes import ChangeFeed, LoggedChange, read_feed, slice_history
from tenax.stores.queries.item_fields import MAX_CHARS, MOST_COMPARISONS, FieldComparison, parse_comparison
from tenax.stores.queries.items import (
    MOST_OBSERVATIONS,
    ItemFilter,
    ItemState,
    ItemSummary,
    count_observations,
    find_item,
    list_kinds,
    list_observations,
    slice_items,
)

router = new_router("items")

Sort = Literal["id", "-id", "-changed_at"]
HISTORY_SORT, INVALID_SORT = "-id", "-id"
LATEST = "latest"

IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the item.", examples=[42])]
ParserQuery = Annotated[
    Word | None, Query(description="Only entries of the parser with this name.", examples=["shop"])
]
Comparison = Annotated[str, Field(max_length=MAX_CHARS)]
FieldName = Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
MOST_NAMED = 50


class Item(Schema):
    id: int
    kind: str = Field(examples=["product"])
    key: str = Field(description="Unique within its source and kind.", examples=["https://example.com/boat"])
    source_id: int
    source: str | None = Field(description="The source or crawl that it belongs to; null: it was removed.")
    state: ItemState
    url_id: int
    url: str = Field(description="The URL that showed it last.", examples=["https://example.com/boat"])
    domain: str = Field(examples=["example.com"])
    run_id: int = Field(description="The run in which it was seen last.")
    parser: str = Field(examples=["shop"])
    parser_version: str = Field(examples=["2"])
    data: dict[str, Any] = Field(examples=[{"name": "Boat", "price": 12.5}])
    confidence: float | None = Field(description="From 0 to 1; null: the parser does not say.")
    first_seen_at: datetime
    last_seen_at: datetime
    changed_at: datetime = Field(description="When it last changed, went or came back.")
    gone_at: datetime | None = Field(description="Since when no URL shows it; null: one does.")
    changes: int = Field(description="How often it has changed, its first appearance included.")


class Observation(Schema):
    """That a URL shows the item."""

    url_id: int
    url: str
    parser: str
    parser_version: str
    at: datetime = Field(description="When the URL was last seen to show it.")
    confidence: float | None
    data: dict[str, Any] | None = Field(description="null: the same as that of the item.")


class ItemDetail(Item):
    field_confidence: dict[str, float] | None = Field(
        description="The confidence of single fields.", examples=[{"price": 0.8}]
    )
    observations: list[Observation] = Field(
        description=f"URLs that show it, newest first; at most {MOST_OBSERVATIONS}."
    )
    observations_count: int


class ItemChange(Schema):
    id: int
    at: datetime
    change: ItemChangeKind = Field(description="`back`: it was gone, and is shown again.")
    fields: dict[str, list[Any]] | None = Field(
        description="The fields that changed, each with its old and its new value; null: it is gone.",
        examples=[{"price": [10, 12.5]}],
    )
    url_id: int
    url: str | None
    run_id: int
    parser: str
    parser_version: str


class FeedEntry(ItemChange):
    """A change, with the item as it is now."""

    cursor: str = Field(description="Its place in the feed.", examples=["734-12"])
    item_id: int
    kind: str = Field(description="The kind of the item.", examples=["product"])
    key: str
    source_id: int
    source: str | None
    data: dict[str, Any]


class Feed(Schema):
    items: list[FeedEntry] = Field(description="Changes, in the order of the feed.")
    next: str = Field(description="Pass it as `after` to continue, at once or later.", examples=["734-12"])
    is_end: bool = Field(description="true: there is nothing after `next` now.")


class ItemKind(Schema):
    kind: str = Field(examples=["product"])
    items: int = Field(description="The number of items, including those that are gone.")


class ItemKinds(Schema):
    kinds: list[ItemKind]


class InvalidItem(Schema):
    """An item that breaks the schema of its parser."""

    id: int
    at: datetime
    kind: str
    key: str
    source_id: int
    source: str | None
    url_id: int
    url: str
    domain: str
    run_id: int
    parser: str
    parser_version: str
    data: dict[str, Any] | None = Field(description="null: it is too large for this list.")
    faults: list[str] = Field(examples=[["price: is not a number."]])


@router.get("/items", summary="List items", response_model=Part[Item], **allow(Role.USER))
async def list_items(
    service: ServiceDep,
    kind: ItemKindQuery = None,
    key: Annotated[
        str | None, Query(min_length=1, max_length=MAX_KEY_CHARS, description="Only items with this key.")
    ] = None,
    state: Annotated[ItemState | None, Query(description="Only items in this state.")] = None,
    parser: ParserQuery = None,
    url_id: Annotated[
        int | None, Query(ge=1, le=LARGEST_ID, description="Only items that this URL shows.")
    ] = None,
    q: Annotated[
        Text | None, Query(description="Only items whose key or data contains this text.", examples=["boat"])
    ] = None,
    where: Annotated[
        list[Comparison] | None,
        Query(
            max_length=MOST_COMPARISONS,
            description="Only items whose field compares so, with `=`, `!=`, `<`, `<=`, `>` or `>=`; may be "
            'repeated. Numbers are compared with numbers, texts with texts; `sku="10"` is a text. '
            "`price.amount` is a field of an object.",
            examples=[["price.amount>10"]],
        ),
    ] = None,
    field: Annotated[
        list[FieldName] | None,
        Query(
            max_length=MOST_NAMED,
            description="Only this field in `data`, which may be large; may be repeated.",
            examples=[["title"]],
        ),
    ] = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    run: RunIdQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts newest first.")] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Item]:
    """Returns items as they were seen last; `since` and `until` apply to their last change. Filters scan the
    list: a part may have few entries although more follow. A part is shorter if its items are large."""
    only = ItemFilter(
        item_kind=kind,
        key=key,
        state=state,
        parser=parser,
        url_id=url_id,
        text=q,
        fields=_parse_comparisons(where or []),
        source=source,
        domain=find_domain(domain),
        run_id=run,
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_items, wanted=wanted, only=only))
    if field is not None:
        found = ListSlice(items=[_pick_fields(item, field) for item in found.items], next=found.next)
    return format_part(found, Item, sort)


def _pick_fields(item: ItemSummary, names: list[str]) -> ItemSummary:
    return replace(item, data={name: item.data[name] for name in names if name in item.data})


def _parse_comparisons(written: list[str]) -> list[FieldComparison]:
    try:
        return [parse_comparison(each) for each in written]
    except UsageError as error:
        raise invalid(str(error), "query.where") from error


@router.get("/items/kinds", summary="List kinds of items", response_model=ItemKinds, **allow(Role.USER))
async def list_item_kinds(service: ServiceDep, source: SourceQuery = None) -> ItemKinds:
    """Returns how many items there are of each kind."""
    found = await service.access.read(partial(list_kinds, source=source))
    return ItemKinds(kinds=[ItemKind.model_validate(each) for each in found])


@router.get("/items/changes", summary="Follow changes of items", response_model=Feed, **allow(Role.USER))
async def follow_items(
    service: ServiceDep,
    after: Annotated[
        str | None,
        Query(
            max_length=40,
            description="`next` of an earlier response; omit it to start with the oldest change that is "
            "kept, or give `latest` to start now.",
            examples=["734-12"],
        ),
    ] = None,
    kind: ItemKindQuery = None,
    source: SourceQuery = None,
    limit: Annotated[int, Query(ge=1, le=LARGEST, description="Maximum number of changes.")] = 100,
) -> Feed:
    """Returns new, changed, gone and returned items, each once and in the order in which they were committed:
    a client that continues with `next` misses none. Changes stay in the feed for 30 days."""
    only = Filter(source=source, item_kind=kind)
    if after == LATEST:
        end = await service.access.read(find_end)
        return Feed(items=[], next=str(end), is_end=True)
    try:
        position = START if after is None else parse_position(after)
    except UsageError as error:
        raise invalid(str(error), "query.after") from error
    found = await service.access.read(partial(read_feed, after=position, limit=limit, only=only))
    return _format_feed(found, is_end=found.end == position)


def _format_feed(found: ChangeFeed, *, is_end: bool) -> Feed:
    return Feed(items=[format_logged(each) for each in found.changes], next=str(found.end), is_end=is_end)


def format_logged(logged: LoggedChange) -> FeedEntry:
    return FeedEntry(
        **_format_change(logged.change).model_dump(),
        cursor=str(logged.position),
        item_id=logged.item_id,
        kind=logged.item_kind,
        key=logged.key,
        source_id=logged.source_id,
        source=logged.source,
        data=logged.data,
    )


@router.get(
    "/items/{id}",
    summary="Get an item",
    response_model=ItemDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_item(service: ServiceDep, id: IdPath) -> ItemDetail:
    """Returns the item with the URLs that show it."""

    def load(connection: Connection) -> ItemDetail | None:
        item = find_item(connection, id)
        return None if item is None else _format_detail(connection, item)

    found = await service.access.read(load)
    if found is None:
        raise not_found(f"Item {id}")
    return found


def _format_detail(connection: Connection, item: ItemSummary) -> ItemDetail:
    seen = list_observations(connection, item.id)
    return ItemDetail(
        **Item.model_validate(item).model_dump(),
        field_confidence=item.field_confidence,
        observations=[Observation.model_validate(each) for each in seen],
        observations_count=count_observations(connection, item.id),
    )


@router.get(
    "/items/{id}/history",
    summary="List the changes of an item",
    response_model=Part[ItemChange],
    **allow(Role.USER, responses=(404,)),
)
async def list_item_changes(
    service: ServiceDep, id: IdPath, limit: LimitQuery = 50, cursor: CursorQuery = None
) -> Part[ItemChange]:
    """Returns the changes of its fields, newest first."""
    wanted = parse_slice(HISTORY_SORT, limit, cursor)
    found = await service.access.read(partial(slice_history, wanted=wanted, item_id=id))
    if (
        not found.items
        and cursor is None
        and await service.access.read(partial(find_item, item_id=id)) is None
    ):
        raise not_found(f"Item {id}")
    return Part(
        items=[_format_change(each) for each in found.items], next=format_cursor(found.next, HISTORY_SORT)
    )


def _format_change(change: item_changes.ItemChange) -> ItemChange:
    names = [name for name in ItemChange.model_fields if name != "change"]
    return ItemChange(**{name: getattr(change, name) for name in names}, change=change.kind)


@router.get(
    "/invalid-items", summary="List invalid items", response_model=Part[InvalidItem], **allow(Role.USER)
)
async def list_invalid_items(
    service: ServiceDep,
    kind: ItemKindQuery = None,
    parser: ParserQuery = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    run: RunIdQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[InvalidItem]:
    """Returns items that broke the schema of their parser when their URL was last parsed, with what is wrong;
    newest first. Filters scan the list: a part may have few entries although more follow."""
    only = InvalidFilter(
        item_kind=kind,
        parser=parser,
        source=source,
        domain=find_domain(domain),
        run_id=run,
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(INVALID_SORT, limit, cursor)
    found = await service.access.read(partial(slice_invalid, wanted=wanted, only=only))
    return format_part(found, InvalidItem, INVALID_SORT)
