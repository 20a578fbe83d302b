"""Lists of items, their changes and errors, on every store."""

from collections.abc import Callable
from typing import Any

import pytest

from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.records.items import ErrorCategory, ItemChangeKind
from tenax.records.jobs import NO_SOURCE
from tenax.stores.access import Access
from tenax.stores.change_log import START, LogPosition
from tenax.stores.paging import SliceRequest
from tenax.stores.queries import item_changes, items
from tenax.stores.queries.errors import ErrorFilter, find_error, slice_errors, slice_groups
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.invalid_items import InvalidFilter, slice_invalid
from tenax.stores.queries.item_changes import read_feed, slice_history
from tenax.stores.queries.item_fields import parse_comparison
from tenax.stores.queries.items import (
    ItemFilter,
    ItemState,
    KindCount,
    find_by_key,
    find_item,
    list_kinds,
    list_observations,
    slice_items,
)
from tenax.web.identity import url_key
from tests.support.item_rows import BROKEN, REFUSED, STACK, ItemRows, add_shop
from tests.support.store import StoreUnderTest, StoreWorker

NESTED = {"offer": {"price": 12, "sold": True, "by": {"name": "Ola"}, "tags": ["a"]}, "per.kilo": 2}
BOAT, CAR, OTHER = "https://a.example/boat", "https://a.example/car", "https://b.example/"


class Shop:
    """The items of `add_shop`, and one of another kind and domain."""

    def __init__(self, access: Access) -> None:
        self.access = access

    async def fill(self, worker: StoreWorker) -> None:
        await worker.add(BOAT, CAR, OTHER)
        self.boat, self.car, self.news = await self.access.write(
            lambda connection: self._insert(connection, worker.run_id)
        )

    def _insert(self, connection: Any, run_id: int) -> tuple[int, int, int]:
        rows = ItemRows(connection, NO_SOURCE, run_id)
        boat, car = add_shop(rows, BOAT, CAR)
        data = {"name": 'say "hi"', "price": "12", "tags": ["a"]}
        news = rows.add_item(OTHER, "news", data, kind="article", parser="press", at=1800.0)
        rows.show(OTHER, news)
        return boat, car, news

    async def add(self, worker: StoreWorker, key: str, data: dict[str, Any]) -> None:
        await self.access.write(
            lambda connection: ItemRows(connection, NO_SOURCE, worker.run_id).add_item(CAR, key, data)
        )

    async def list_keys(self, only: ItemFilter, sort: str = "id") -> list[str]:
        return [item.key for item in (await self.slice(only, sort)).items]

    async def slice(self, only: ItemFilter, sort: str = "id", limit: int = 10, after: Any = None) -> Any:
        wanted = SliceRequest(key=sort.lstrip("-"), is_descending=sort[0] == "-", after=after, limit=limit)
        return await self.access.read(lambda connection: slice_items(connection, wanted, only))

    async def errors(self, only: ErrorFilter) -> list[Any]:
        sort = only.sort
        wanted = SliceRequest(key=sort.lstrip("-"), is_descending=True, after=None, limit=10)
        found = await self.access.read(lambda connection: slice_errors(connection, wanted, only))
        return list(found.items)

    async def ask(self, question: Callable[..., Any], *values: Any) -> Any:
        return await self.access.read(lambda connection: question(connection, *values))


@pytest.fixture
def shop(access: Access, worker: StoreWorker, runner: Any) -> Shop:
    shop = Shop(access)
    runner.run(shop.fill(worker))
    return shop


@pytest.mark.parametrize(
    ("only", "keys"),
    [
        (ItemFilter(), ["boat", "car", "news"]),
        (ItemFilter(item_kind="product"), ["boat", "car"]),
        (ItemFilter(item_kind="product", key="car"), ["car"]),
        (ItemFilter(item_kind="other"), []),
        (ItemFilter(domain="b.example"), ["news"]),
        (ItemFilter(domain="b.example", item_kind="product"), []),
        (ItemFilter(domain="unknown.example"), []),
        (ItemFilter(parser="press"), ["news"]),
        (ItemFilter(state=ItemState.GONE), ["car"]),
        (ItemFilter(state=ItemState.PRESENT), ["boat", "news"]),
        (ItemFilter(since=1600.0), ["boat", "news"]),
        (ItemFilter(since=1600.0, until=1900.0), ["news"]),
        (ItemFilter(text="boAT"), ["boat"]),
        (ItemFilter(text='"tags"'), ["news"]),
    ],
)
async def test_items_are_filtered(shop: Shop, only: ItemFilter, keys: list[str]) -> None:
    assert await shop.list_keys(only) == keys


@pytest.mark.parametrize(
    ("comparison", "keys"),
    [
        ("price>10", ["boat"]),
        ("price>=9", ["boat", "car"]),
        ("price<12.5", ["car"]),
        ("price<=12.5", ["boat", "car"]),
        ("price=9", ["car"]),
        ("price!=9", ["boat"]),
        ('price="12"', ["news"]),
        ("name=Car", ["car"]),
        ("name>Bo", ["boat", "car", "news"]),
        ("sku=10", []),
        ("sold=false", ["boat"]),
        ("sold!=false", []),
        ("tags=a", []),
        ("no' field\"=1", []),
        ("offer.price>10", ["nested"]),
        ("offer.price>20", []),
        ("offer.by.name=Ola", ["nested"]),
        ("offer.by.name.x=Ola", []),
        ("offer.by=Ola", []),
        ("offer.tags.0=a", []),  # no places in lists
        ("per.kilo<3", ["nested"]),  # a name with a dot
        ("offer.sold=true", ["nested"]),
        ("name.x=Boat", []),
        ("offer..price>10", []),
    ],
)
async def test_items_are_compared_by_field(
    shop: Shop, worker: StoreWorker, comparison: str, keys: list[str]
) -> None:
    await shop.add(worker, "nested", NESTED)
    assert await shop.list_keys(ItemFilter(fields=[parse_comparison(comparison)])) == keys


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("sku", ["boat"]),
        ("offer", ["nested"]),
        ("offer.by.name", ["nested"]),
        ("per.kilo", ["nested"]),
        ("gone", ["nested"]),
        ("offer.tags.0", []),
        ("name.first", []),
    ],
)
async def test_items_are_found_by_a_field_that_they_have(
    shop: Shop, worker: StoreWorker, field: str, keys: list[str]
) -> None:
    await shop.add(worker, "nested", NESTED | {"gone": None})
    assert await shop.list_keys(ItemFilter(having=field)) == keys


async def test_an_item_that_a_database_cannot_look_into_never_matches(
    shop: Shop, worker: StoreWorker
) -> None:
    await shop.add(worker, "odd", {"name": "\0", "price": 99})
    assert await shop.list_keys(ItemFilter(fields=[parse_comparison("price>10")])) == ["boat"]
    assert "odd" in await shop.list_keys(ItemFilter())


async def test_items_that_a_url_shows_are_listed(shop: Shop) -> None:
    boat = await shop.ask(find_item, shop.boat)
    assert await shop.list_keys(ItemFilter(url_id=boat.url_id)) == ["boat"]
    car = await shop.ask(find_item, shop.car)
    assert await shop.list_keys(ItemFilter(url_id=car.url_id)) == ["boat"]  # the car is gone


async def test_items_are_sorted_by_their_last_change(shop: Shop) -> None:
    assert await shop.list_keys(ItemFilter(), "-changed_at") == ["boat", "news", "car"]


async def test_items_come_in_parts(shop: Shop) -> None:
    first = await shop.slice(ItemFilter(), "-changed_at", limit=2)
    second = await shop.slice(ItemFilter(), "-changed_at", limit=2, after=first.next)
    assert [[item.key for item in part.items] for part in (first, second)] == [["boat", "news"], ["car"]]
    assert second.next is None


async def test_a_part_of_large_items_is_short(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MOST_CHARS", 1)
    found = await shop.slice(ItemFilter())
    rest = await shop.slice(ItemFilter(), after=found.next)
    assert ([item.key for item in found.items], [item.key for item in rest.items]) == (["boat"], ["car"])


async def test_an_item_has_its_data_and_where_it_was_seen(shop: Shop) -> None:
    item = await shop.ask(find_item, shop.boat)
    assert (item.kind, item.key, item.url, item.domain) == ("product", "boat", BOAT, "a.example")
    assert item.data == {"name": "Boat", "price": 12.5, "sku": "10", "sold": False}
    assert (item.confidence, item.field_confidence, item.state) == (0.9, {"price": 0.8}, ItemState.PRESENT)
    seen = await shop.ask(list_observations, shop.boat)
    assert [(each.url, each.data) for each in seen] == [(BOAT, None), (CAR, {"name": "Boat", "price": 10})]


async def test_an_item_is_found_by_its_key(shop: Shop) -> None:
    assert [item.id for item in await shop.ask(find_by_key, "product", "car", None)] == [shop.car]
    assert await shop.ask(find_by_key, "article", "car", None) == []
    with pytest.raises(UsageError, match="no source or crawl 'typo'"):
        await shop.ask(find_by_key, "product", "car", "typo")


async def test_an_unknown_item_is_none(shop: Shop) -> None:
    assert await shop.ask(find_item, 999) is None


async def test_kinds_are_counted(shop: Shop) -> None:
    assert await shop.ask(list_kinds) == [
        KindCount(kind="article", items=1),
        KindCount(kind="product", items=2),
    ]


async def test_the_history_says_how_fields_changed(shop: Shop) -> None:
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=10)
    history = await shop.ask(slice_history, wanted, shop.boat)
    assert [(each.kind, each.fields) for each in history.items] == [
        (ItemChangeKind.CHANGED, {"price": [10, 12.5]}),
        (ItemChangeKind.NEW, {"price": [None, 10]}),
    ]


async def test_the_feed_goes_on_where_a_reader_stopped(shop: Shop) -> None:
    first = await shop.ask(read_feed, START, 3)
    second = await shop.ask(read_feed, first.end, 3)
    third = await shop.ask(read_feed, second.end, 3)
    assert [(each.key, each.change.kind) for each in (*first.changes, *second.changes)] == [
        ("boat", "new"),
        ("boat", "changed"),
        ("car", "new"),
        ("car", "gone"),
    ]
    assert (third.changes, third.end) == ([], second.end)
    assert first.changes[0].data["price"] == 12.5  # as it is now


async def test_the_feed_of_a_kind_moves_on_over_others(shop: Shop) -> None:
    found = await shop.ask(read_feed, START, 10, Filter(item_kind="article"))
    assert found.changes == []
    assert found.end > START


async def test_a_feed_of_large_items_is_short(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_changes, "MOST_CHARS", 1)
    found = await shop.ask(read_feed, START, 10)
    assert len(found.changes) == 1
    assert found.end == found.changes[0].position != LogPosition()


@pytest.mark.parametrize(
    ("only", "number"),
    [
        (InvalidFilter(), 1),
        (InvalidFilter(item_kind="product", parser="shop", domain="a.example"), 1),
        (InvalidFilter(item_kind="article"), 0),
        (InvalidFilter(parser="press"), 0),
        (InvalidFilter(domain="b.example"), 0),
    ],
)
async def test_invalid_items_have_their_faults(shop: Shop, only: InvalidFilter, number: int) -> None:
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=10)
    found = (await shop.ask(slice_invalid, wanted, only)).items
    assert [(each.key, each.faults, each.data) for each in found] == [
        ("bike", ["price: is not a number."], {"name": "Bike", "price": "free"})
    ] * number


@pytest.mark.parametrize(
    ("only", "instants"),
    [
        (ErrorFilter(), [1200.0, 1100.0, 1000.0]),
        (ErrorFilter(category=ErrorCategory.HANDLER), [1100.0, 1000.0]),
        (ErrorFilter(type="timeout"), [1200.0]),
        (ErrorFilter(parser="shop"), [1100.0, 1000.0]),
        (ErrorFilter(domain="a.example", since=1100.0), [1200.0, 1100.0]),
        (ErrorFilter(domain="unknown.example"), []),
        (ErrorFilter(since=1050.0, until=1150.0), [1100.0]),
        (ErrorFilter(fingerprint=BROKEN), [1100.0, 1000.0]),
        (ErrorFilter(fingerprint=REFUSED), [1200.0]),
        (ErrorFilter(fingerprint=1), []),
    ],
)
async def test_errors_are_filtered_newest_first(
    shop: Shop, only: ErrorFilter, instants: list[Instant]
) -> None:
    assert [error.at for error in await shop.errors(only)] == instants


async def test_an_error_has_its_stack_and_its_group(shop: Shop) -> None:
    newest = (await shop.errors(ErrorFilter(parser="shop")))[0]
    found = await shop.ask(find_error, newest.id)
    assert (found.error.url, found.error.message, found.stack) == (BOAT, "'price'", STACK)
    assert (found.group.count, found.group.first_at, found.group.last_at) == (2, 1000.0, 1100.0)
    assert await shop.ask(find_error, 999) is None


async def test_groups_are_counted_with_an_example(shop: Shop) -> None:
    wanted = SliceRequest(key="count", is_descending=True, after=None, limit=10)
    found = (await shop.ask(slice_groups, wanted, ErrorFilter())).items
    assert [(group.type, group.count, group.example_url) for group in found] == [
        ("KeyError", 2, BOAT),
        ("timeout", 1, BOAT),
    ]
    only = ErrorFilter(category=ErrorCategory.NETWORK, since=1150.0)
    assert [group.type for group in (await shop.ask(slice_groups, wanted, only)).items] == ["timeout"]


async def test_explanations_name_items_follow_ups_and_failures(shop: Shop, store: StoreUnderTest) -> None:
    lookup = store.of_source(NO_SOURCE).lookup
    found = await lookup.find_history(domain="a.example", key=url_key(BOAT), origin="https://a.example")
    parsed = found.parsed
    assert (parsed.items, parsed.items_count, parsed.invalid_count) == ((("product", "boat"),), 1, 0)
    assert parsed.follow_ups == (("reviews", CAR),)
    assert parsed.failure is not None
    assert (parsed.failure.parser, parsed.failure.type, parsed.failure.at) == ("shop", "KeyError", 1100.0)
