"""Products: the list with filters and orders, one of them, and how its price and stock changed."""

from collections.abc import Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.records.products import Availability
from tenax.stores.hot.items.product_facts import LEVELS_JOINED, fold, fold_category
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, load_slice, scan_slice
from tenax.stores.queries.filters import Facet, Facets, Filter, find_domain_id, find_names, list_span
from tenax.stores.queries.items import ItemState
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import item_changes, observations, product_changes, products
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

MOST_CURRENCIES: Final = 200
MOST_WORDS: Final = 10
# Up to so many rows are sorted; of more, those in the order of the list are examined.
MOST_SORTED: Final = 5_000
_LAST: Final = "\U0010ffff"

PRICE, DROP, RATING, UPDATED = "price", "drop", "rating", "updated_at"
ORDER: Final = SortOrder(
    keys={
        "id": products.c.item_id,
        "name": products.c.name_key,
        PRICE: products.c.price,
        RATING: products.c.rating,
        DROP: products.c.reduced_by,
        UPDATED: products.c.updated_at,
        "created_at": products.c.created_at,
    },
    number=products.c.item_id,
)
HISTORY_ORDER: Final = SortOrder(keys={"id": product_changes.c.id}, number=product_changes.c.id)
PRODUCT_FACETS: Final[Facets] = {Facet.DATE: products.c.updated_at}


@record
class ProductFilter(Filter):
    """`since` and `until` are about the last change of the item."""

    currency: str | None = None
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    availability: Availability | None = None
    brand: str | None = None  # ignoring case
    category: str | None = None  # its first levels, ignoring case
    rating_min: float | None = None
    text: str | None = None  # all of its words are in the name
    sku: str | None = None
    gtin: str | None = None
    state: ItemState | None = None
    reduced_since: Instant | None = None  # the last change of the price lowered it, since then
    drop_min: float | None = None  # by at least this share


@record
class Product:
    id: int  # of its item
    source_id: int
    source: str | None  # its name; None: it was removed
    url_id: int
    url: str
    domain: str
    name: str | None
    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    availability: str | None
    rating: float | None
    review_count: int | None
    brand: str | None
    category: str | None
    sku: str | None
    gtin: str | None
    price_changed_at: Instant | None  # None: never
    previous_price: Decimal | None
    reduced_by: float | None  # None: the last change of the price did not lower it
    lowest_price: Decimal | None
    lowest_at: Instant | None
    highest_price: Decimal | None
    highest_at: Instant | None
    created_at: Instant
    updated_at: Instant
    gone_at: Instant | None

    @property
    def state(self) -> ItemState:
        return ItemState.PRESENT if self.gone_at is None else ItemState.GONE


@record
class ProductPoint:
    """ExactPrice and stock from an instant on."""

    id: int
    at: Instant
    kind: ItemChangeKind
    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    availability: str | None
    url: str | None  # that showed it; None: the url was deleted


@record
class CurrencyCount:
    currency: str
    products: int  # those that are gone included


def slice_products(connection: Connection, wanted: SliceRequest, only: ProductFilter) -> ListSlice[Product]:
    """Products without the value that the list is sorted by are left out. Raises UsageError if the filter
    names something unknown, or compares prices without a currency."""
    _check_prices(connection, wanted, only)
    names = find_names(connection, Filter(run_id=only.run_id, source=only.source))
    domain_id = None if only.domain is None else find_domain_id(connection, only.domain)
    if only.domain is not None and domain_id is None:
        return EMPTY
    chosen = _list_chosen(only, domain_id)
    within = _list_sorted(wanted, only) + _find_narrow(connection, wanted, chosen)
    statement = _select().where(*chosen, *_list_others(only, names.source_id))
    return scan_slice(connection, statement, ORDER, wanted, _read, within)


def _check_prices(connection: Connection, wanted: SliceRequest, only: ProductFilter) -> None:
    if only.price_min is not None and only.price_max is not None and only.price_min > only.price_max:
        raise UsageError("The lowest price must not be higher than the highest price.")
    compares = wanted.key == PRICE or only.price_min is not None or only.price_max is not None
    if compares and only.currency is None:
        known = ", ".join(each.currency for each in list_currencies(connection)[:10])
        raise UsageError(
            "Prices are only compared in one currency: choose "
            + (f"one of {known}." if known else "one, such as EUR.")
        )


def _list_chosen(only: ProductFilter, domain_id: int | None) -> list[ColumnElement[bool]]:
    """Conditions that an index answers, the most selective ones first."""
    row = products.c
    equal: list[tuple[ColumnElement[Any], Any]] = [
        (row.gtin, only.gtin),
        (row.sku, only.sku),
        (row.brand_key, None if only.brand is None else fold(only.brand)),
        (row.domain_id, domain_id),
        (row.availability, only.availability),
    ]
    conditions: list[ColumnElement[bool]] = [column == value for column, value in equal if value is not None]
    return conditions if only.category is None else [*conditions, _is_below(only.category)]


def _is_below(category: str) -> ColumnElement[bool]:
    """Whether a category is this one or one of its parts."""
    key, path = products.c.category_key, fold_category(category)
    below = path + LEVELS_JOINED
    # The first two are implied by the others, and answered by the index.
    return and_(key >= path, key < path + _LAST, or_(key == path, and_(key >= below, key < below + _LAST)))


def _list_sorted(wanted: SliceRequest, only: ProductFilter) -> list[ColumnElement[bool]]:
    """Conditions that the index of the sort order answers."""
    row = products.c
    match wanted.key:
        case "price":
            return [row.currency == only.currency, row.price.is_not(None), *_list_price_range(only)]
        case "rating":
            return [row.rating.is_not(None), *_at_least(row.rating, only.rating_min)]
        case "drop":
            return [row.reduced_by.is_not(None), *_at_least(row.reduced_by, only.drop_min)]
        case "updated_at":
            return list_span(PRODUCT_FACETS, only)
    return []


def _find_narrow(
    connection: Connection, wanted: SliceRequest, chosen: Sequence[ColumnElement[bool]]
) -> list[ColumnElement[bool]]:
    """The condition to look for rows by, rather than to examine them in the order of the list."""
    for condition in chosen:
        some = select(products.c.item_id).where(condition).limit(MOST_SORTED + 1).subquery()
        if (connection.scalar(select(func.count()).select_from(some)) or 0) <= MOST_SORTED:
            return [condition]
    return []


def _list_others(only: ProductFilter, source_id: int | None) -> list[ColumnElement[bool]]:
    row = products.c
    conditions = [
        *_list_price_range(only),
        *_at_least(row.rating, only.rating_min),
        *_at_least(row.reduced_by, only.drop_min),
        *list_span(PRODUCT_FACETS, only),
    ]
    if source_id is not None:
        conditions.append(row.source_id == source_id)
    if only.currency is not None:
        conditions.append(row.currency == only.currency)
    if only.state is not None:
        conditions.append(row.gone_at.is_not(None) if only.state is ItemState.GONE else row.gone_at.is_(None))
    if only.reduced_since is not None:
        conditions += [row.reduced_by.is_not(None), row.price_changed_at >= only.reduced_since]
    words = fold(only.text or "").split()[:MOST_WORDS]
    return conditions + [row.name_key.contains(word, autoescape=True) for word in words]


def _list_price_range(only: ProductFilter) -> list[ColumnElement[bool]]:
    most = [] if only.price_max is None else [products.c.price <= only.price_max]
    return [*_at_least(products.c.price, only.price_min), *most]


def _at_least(column: ColumnElement[Any], value: Any) -> list[ColumnElement[bool]]:
    return [] if value is None else [column >= value]


def find_product(connection: Connection, product_id: int) -> Product | None:
    row = connection.execute(_select().where(products.c.item_id == product_id)).one_or_none()
    return None if row is None else _read(row)


def find_shown_products(connection: Connection, url: str) -> list[Product]:
    """Those that a url shows, or showed last."""
    url_id = select(urls.c.id).where(urls.c.url == url).scalar_subquery()
    shown = select(observations.c.item_id).where(observations.c.url_id == url_id)
    statement = _select().where(or_(products.c.item_id.in_(shown), products.c.url_id == url_id))
    return [_read(row) for row in connection.execute(statement.order_by(products.c.item_id).limit(20))]


def slice_product_history(
    connection: Connection, wanted: SliceRequest, product_id: int
) -> ListSlice[ProductPoint]:
    """ExactPrice and stock, from the first observation on or, descending, from the last change back."""
    statement = (
        select(product_changes, urls.c.url)
        .join(item_changes, item_changes.c.id == product_changes.c.id)
        .outerjoin(urls, urls.c.id == item_changes.c.url_id)
        .where(product_changes.c.item_id == product_id)
    )
    return load_slice(connection, statement, HISTORY_ORDER, wanted, _read_point)


def list_currencies(connection: Connection) -> list[CurrencyCount]:
    """By the index alone."""
    currency = products.c.currency
    found: list[CurrencyCount] = []
    after = connection.scalar(select(func.min(currency)))
    while after is not None and len(found) < MOST_CURRENCIES:
        counted = select(func.count()).select_from(products).where(currency == after)
        found.append(CurrencyCount(currency=after, products=connection.scalar(counted) or 0))
        after = connection.scalar(select(func.min(currency)).where(currency > after))
    return found


def _select() -> Select[Any]:
    return (
        select(
            products,
            products.c.item_id.label("id"),
            urls.c.url,
            domains.c.name.label("domain"),
            sources.c.name.label("source"),
        )
        .join(urls, urls.c.id == products.c.url_id)
        .join(domains, domains.c.id == products.c.domain_id)
        .outerjoin(sources, sources.c.id == products.c.source_id)
    )


_FIELDS: Final = tuple(field.name for field in fields(Product))


def _read(row: Row[*tuple[Any, ...]]) -> Product:
    return Product(**{name: getattr(row, name) for name in _FIELDS})


def _read_point(row: Row[*tuple[Any, ...]]) -> ProductPoint:
    return ProductPoint(
        id=row.id,
        at=row.at,
        kind=ItemChangeKind(row.kind),
        price=row.price,
        currency=row.currency,
        list_price=row.list_price,
        availability=row.availability,
        url=row.url,
    )
