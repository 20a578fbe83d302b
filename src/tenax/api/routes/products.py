"""Products: the list with filters and orders, one of them, and how its price and stock changed."""

from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field, StringConstraints

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import (
    LARGEST_ID,
    DomainQuery,
    Moment,
    SinceQuery,
    SourceQuery,
    Text,
    UntilQuery,
    find_domain,
    find_instant,
)
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.items import ItemChangeKind
from tenax.records.products import MOST_PRICE, Availability
from tenax.stores.connection import Connection
from tenax.stores.queries import products as store
from tenax.stores.queries.items import ItemState, find_item
from tenax.stores.queries.stock_changes import StockFilter, slice_stock_changes

router = new_router("products")

Sort = Literal[
    "id", "-id", "name", "-name", "price", "-price", "rating", "-rating", "drop", "-drop",
    "updated_at", "-updated_at", "created_at", "-created_at",
]  # fmt: skip
HistorySort = Literal["id", "-id"]
StockSort = Literal["at", "-at"]
IdPath = Annotated[
    int, Path(ge=1, le=LARGEST_ID, description="The id of the product, which is that of its item.")
]
Currency = Annotated[
    str, StringConstraints(min_length=3, max_length=3, pattern="^[A-Za-z]{3}$", to_upper=True)
]
PriceQuery = Annotated[Decimal | None, Field(ge=0, lt=int(MOST_PRICE), examples=[10])]
Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]
MoneyField = Annotated[float | None, Field(examples=[2879.2])]


class Product(Schema):
    id: int = Field(description="The id of its item.")
    source_id: int
    source: str | None = Field(description="The source or crawl that it belongs to; null: it was removed.")
    state: ItemState
    url_id: int
    url: str = Field(description="The URL that showed it last.", examples=["https://example.com/lamp"])
    domain: str = Field(examples=["example.com"])
    name: str | None = Field(examples=["Desk lamp"])
    price: MoneyField = Field(description="null: the page named none.")
    currency: str | None = Field(description="Of all its prices.", examples=["EUR"])
    list_price: MoneyField
    availability: Availability | None
    rating: float | None = Field(description="From 0 to 5.")
    review_count: int | None
    brand: str | None
    category: str | None = Field(examples=["Home > Lamps"])
    sku: str | None
    gtin: str | None
    price_changed_at: datetime | None = Field(description="When the price last changed; null: never.")
    previous_price: MoneyField = Field(description="The price before that, in the same currency.")
    reduced_by: float | None = Field(
        description="The share by which that change lowered the price; null: it did not.", examples=[0.25]
    )
    lowest_price: MoneyField = Field(description="The lowest price so far in its currency.")
    lowest_at: datetime | None
    highest_price: MoneyField
    highest_at: datetime | None
    created_at: datetime = Field(description="When it was first seen.")
    updated_at: datetime = Field(description="When it last changed, went or came back.")
    gone_at: datetime | None = Field(description="Since when no URL shows it; null: one does.")


class ProductDetail(Product):
    key: str = Field(description="The key of its item.")
    data: dict[str, Any] = Field(description="All that its parser found.")


class ProductPoint(Schema):
    """Price and stock from an instant on."""

    at: datetime
    change: ItemChangeKind = Field(validation_alias="kind")
    price: MoneyField = Field(description="null: not known, or gone.")
    currency: str | None
    list_price: MoneyField
    availability: Availability | None
    url: str | None = Field(description="The URL that showed it; null: it was deleted.")


class StockChange(Schema):
    """That a page named another availability than the last one that was known before."""

    product_id: int
    name: str | None = Field(examples=["Desk lamp"])
    at: datetime
    availability: Availability = Field(description="What it became.")
    old_availability: Availability
    price: MoneyField = Field(description="The price with the change; null: the page named none.")
    currency: str | None = Field(examples=["EUR"])
    state: ItemState = Field(description="The state of the product now.")
    url: str = Field(description="The URL that showed the product last.")
    domain: str = Field(examples=["example.com"])
    source_id: int
    source: str | None = Field(description="The source or crawl that it belongs to; null: it was removed.")


class CurrencyCount(Schema):
    currency: str = Field(examples=["EUR"])
    products: int = Field(description="The number of products, including those that are gone.")


class Currencies(Schema):
    currencies: list[CurrencyCount]


@router.get("/products", summary="List products", response_model=Part[Product], **allow(Role.USER))
async def list_products(
    service: ServiceDep,
    q: Annotated[
        Text | None, Query(description="Only products with all of these words in their name.")
    ] = None,
    currency: Annotated[Currency | None, Query(description="Only products with prices in it.")] = None,
    price_min: Annotated[PriceQuery, Query(description="Only products that cost so much or more.")] = None,
    price_max: Annotated[PriceQuery, Query(description="Only products that cost so much or less.")] = None,
    availability: Annotated[Availability | None, Query(description="Only products so available.")] = None,
    brand: Annotated[
        Name | None, Query(description="Only products of this brand, in any case of letters.")
    ] = None,
    category: Annotated[
        Name | None,
        Query(description="Only products of this category and those below it.", examples=["Home > Lamps"]),
    ] = None,
    rating_min: Annotated[
        float | None, Query(ge=0, le=5, description="Only products with at least this rating.")
    ] = None,
    sku: Annotated[Name | None, Query(description="Only products with this article number.")] = None,
    gtin: Annotated[Name | None, Query(description="Only products with this GTIN.")] = None,
    state: Annotated[ItemState | None, Query(description="Only products in this state.")] = None,
    reduced_since: Annotated[
        Moment | None,
        Query(description="Only products whose last change of price was a drop, from this time on."),
    ] = None,
    drop_min: Annotated[
        float | None,
        Query(ge=0, le=1, description="Only drops by at least this share of the price.", examples=[0.1]),
    ] = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts descending.")] = "-updated_at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Product]:
    """Returns the items of the kind `product`. `since` and `until` apply to their last change. Prices are
    compared in one currency: `price_min`, `price_max` and sorting by price need `currency`. Products without
    a price, rating or drop are left out when the list is sorted by it. Filters scan the list: a part may have
    few entries although more follow."""
    only = store.ProductFilter(
        text=q,
        currency=currency,
        price_min=price_min,
        price_max=price_max,
        availability=availability,
        brand=brand,
        category=category,
        rating_min=rating_min,
        sku=sku,
        gtin=gtin,
        state=state,
        reduced_since=find_instant(reduced_since),
        drop_min=drop_min,
        source=source,
        domain=find_domain(domain),
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(store.slice_products, wanted=wanted, only=only))
    return format_part(found, Product, sort)


@router.get(
    "/products/currencies",
    summary="List currencies of products",
    response_model=Currencies,
    **allow(Role.USER),
)
async def list_product_currencies(service: ServiceDep) -> Currencies:
    """Returns how many products have prices in each currency."""
    found = await service.access.read(store.list_currencies)
    return Currencies(currencies=[CurrencyCount.model_validate(each) for each in found])


@router.get(
    "/products/stock-changes",
    summary="List stock changes of products",
    response_model=Part[StockChange],
    **allow(Role.USER),
)
async def list_stock_changes(
    service: ServiceDep,
    availability: Annotated[
        Availability | None, Query(description="Only changes to this availability.")
    ] = None,
    state: Annotated[ItemState | None, Query(description="Only products that are in this state now.")] = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[StockSort, Query(description="A leading minus sorts newest first.")] = "-at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[StockChange]:
    """Returns when products were sold out, came back in stock, or otherwise changed their availability. A new
    product, one that goes, and a page that names no availability are no changes. `since` and `until` apply to
    the change. Filters scan the list: a part may have few entries although more follow."""
    only = StockFilter(
        availability=availability,
        state=state,
        source=source,
        domain=find_domain(domain),
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_stock_changes, wanted=wanted, only=only))
    return format_part(found, StockChange, sort)


@router.get(
    "/products/{id}",
    summary="Get a product",
    response_model=ProductDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_product(service: ServiceDep, id: IdPath) -> ProductDetail:
    """Returns the product with all that its parser found; `GET /api/v1/items/{id}` has the URLs that
    show it."""

    def load(connection: Connection) -> ProductDetail | None:
        product, item = store.find_product(connection, id), find_item(connection, id)
        if product is None or item is None:
            return None
        shown = Product.model_validate(product).model_dump()
        return ProductDetail(**shown, key=item.key, data=item.data)

    found = await service.access.read(load)
    if found is None:
        raise not_found(f"Product {id}")
    return found


@router.get(
    "/products/{id}/history",
    summary="List prices and stock of a product",
    response_model=Part[ProductPoint],
    **allow(Role.USER, responses=(404,)),
)
async def list_product_history(
    service: ServiceDep,
    id: IdPath,
    sort: Annotated[HistorySort, Query(description="A leading minus sorts newest first.")] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[ProductPoint]:
    """Returns price and stock from the first time that it was seen: an entry for each change of the price,
    its currency, the list price or the availability, and when the product went or came back."""
    wanted = parse_slice(sort, limit, cursor)

    def load(connection: Connection) -> Part[ProductPoint] | None:
        if store.find_product(connection, id) is None:
            return None
        found = store.slice_product_history(connection, wanted, id)
        return format_part(found, ProductPoint, sort)

    part = await service.access.read(load)
    if part is None:
        raise not_found(f"Product {id}")
    return part
