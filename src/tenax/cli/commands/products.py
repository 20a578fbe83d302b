"""`tenax products`: products with filters and orders, one of them, its prices over time, drops, stock."""

import itertools
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import partial
from typing import Annotated, TypeVar

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.filters import (
    DomainOption,
    SinceOption,
    SourceOption,
    UntilOption,
    find_filter_domain,
    read_span,
)
from tenax.cli.inspection import parse_address
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.products import NAME_CHARS, Shown, build_json, format_line, show_product
from tenax.cli.show.render import NOTHING, format_count, show, show_json, tidy
from tenax.cli.show.slices import iter_slices
from tenax.errors import StoreError, UsageError
from tenax.records.products import PRODUCT, Availability, fit_price
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import ListSlice, SliceRequest
from tenax.stores.place import Place
from tenax.stores.queries.items import ItemState, find_by_key
from tenax.stores.queries.products import (
    DROP,
    UPDATED,
    Product,
    ProductFilter,
    find_product,
    find_shown_products,
    slice_product_history,
    slice_products,
)
from tenax.stores.queries.stock_changes import AT, StockFilter, slice_stock_changes
from tenax.visible import clean
from tenax.wording import count_of

T = TypeVar("T", bound=Shown)
SHOWN = 100
MAX_ID = (1 << 63) - 1
CURRENCY_CHARS = 3

app = new_app(
    "List products; 'show' shows one, 'history' its prices, 'drops' what became cheaper, 'stock' what sold "
    "out or came back."
)


class ProductSort(StrEnum):
    UPDATED = "updated"  # the last change first
    PRICE = "price"  # the cheapest first
    PRICE_DOWN = "-price"
    NAME = "name"
    RATING = "rating"  # the best first
    DROP = "drop"  # the largest first


_SORTS = {
    ProductSort.UPDATED: (UPDATED, True),
    ProductSort.PRICE: ("price", False),
    ProductSort.PRICE_DOWN: ("price", True),
    ProductSort.NAME: ("name", False),
    ProductSort.RATING: ("rating", True),
    ProductSort.DROP: (DROP, True),
}

CurrencyOption = Annotated[
    str | None, typer.Option("--currency", metavar="CODE", help="Only products with prices in it: EUR.")
]
LimitOption = Annotated[int, typer.Option(min=1, help="At most this many.")]
LinesOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]
ChangedSinceOption = Annotated[
    str, typer.Option("--since", metavar="T", help="From this time on: 1d, or a date.")
]
ShareOption = Annotated[
    float | None,
    typer.Option("--min-drop", min=0, max=1, metavar="SHARE", help="Only drops of at least this share: 0.1."),
]
ProductArgument = Annotated[
    str, typer.Argument(metavar="ID | KEY | URL", help="The number of the product, its key or its URL.")
]


@app.callback(invoke_without_command=True)
def products(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    matching: Annotated[
        str | None,
        typer.Option("--matching", metavar="WORDS", help="Products with these words in their name."),
    ] = None,
    currency: CurrencyOption = None,
    min_price: Annotated[
        str | None, typer.Option("--min-price", metavar="PRICE", help="Needs --currency.")
    ] = None,
    max_price: Annotated[
        str | None, typer.Option("--max-price", metavar="PRICE", help="Needs --currency.")
    ] = None,
    availability: Annotated[Availability | None, typer.Option(help="Only products so available.")] = None,
    brand: Annotated[str | None, typer.Option(help="Only this brand.")] = None,
    category: Annotated[
        str | None, typer.Option(help="Only this category and those below it: 'Home > Lamps'.")
    ] = None,
    min_rating: Annotated[
        float | None,
        typer.Option("--min-rating", min=0, max=5, help="Only products rated so or better, up to 5."),
    ] = None,
    sku: Annotated[str | None, typer.Option(help="Only this article number.")] = None,
    gtin: Annotated[str | None, typer.Option(help="Only this GTIN.")] = None,
    state: Annotated[ItemState | None, typer.Option(help="Only products in this state.")] = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    sort: Annotated[
        ProductSort, typer.Option(help="Sorting by price needs --currency.")
    ] = ProductSort.UPDATED,
    limit: LimitOption = SHOWN,
    json: LinesOption = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    begin, end = read_span(since, until)
    only = ProductFilter(
        text=matching or None,
        currency=read_currency(currency),
        price_min=read_price("--min-price", min_price),
        price_max=read_price("--max-price", max_price),
        availability=availability,
        brand=brand or None,
        category=category or None,
        rating_min=min_rating,
        sku=sku or None,
        gtin=gtin or None,
        state=state,
        source=source,
        domain=find_filter_domain(domain),
        since=begin,
        until=end,
    )
    key, is_descending = _SORTS[sort]
    wanted = SliceRequest(key=key, is_descending=is_descending, after=None, limit=limit)
    _list(locate(store, data), wanted, only, as_lines=json)


@app.command()
def drops(
    context: typer.Context,
    since: ChangedSinceOption = "1d",
    min_drop: ShareOption = None,
    currency: CurrencyOption = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    limit: LimitOption = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: LinesOption = False,
) -> None:
    """List products whose last change of price was a drop, the largest share first."""
    only = ProductFilter(
        reduced_since=read_span(since, None)[0],
        drop_min=min_drop,
        currency=read_currency(currency),
        state=ItemState.PRESENT,
        source=source,
        domain=find_filter_domain(domain),
    )
    wanted = SliceRequest(key=DROP, is_descending=True, after=None, limit=limit)
    _list(find_place(context, store, data), wanted, only, as_lines=json)


@app.command()
def stock(
    context: typer.Context,
    since: ChangedSinceOption = "1d",
    availability: Annotated[
        Availability | None, typer.Option(help="Only products that became so available.")
    ] = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    limit: LimitOption = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: LinesOption = False,
) -> None:
    """List changes of stock, such as products that are sold out or back in stock, the last change first."""
    only = StockFilter(
        since=read_span(since, None)[0],
        availability=availability,
        state=ItemState.PRESENT,
        source=source,
        domain=find_filter_domain(domain),
    )
    wanted = SliceRequest(key=AT, is_descending=True, after=None, limit=limit)
    load = partial(slice_stock_changes, only=only)
    _show_list(find_place(context, store, data), wanted, load, "stock change", as_lines=json)


@app.command("show")
def show_one(
    context: typer.Context,
    product: ProductArgument,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show one product, with its lowest and its highest price; 'items show' has all that was found."""
    place = find_place(context, store, data)
    found = read_store(place, lambda connection: get_product(connection, place, product))
    if json:
        show_json(build_json(found))
    else:
        show_product(found)


@app.command()
def history(
    context: typer.Context,
    product: ProductArgument,
    limit: LimitOption = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: LinesOption = False,
) -> None:
    """List price and stock over time, from the first time that the product was seen."""
    place = find_place(context, store, data)
    wanted = SliceRequest(key="id", is_descending=False, after=None, limit=limit)

    def show_found(connection: Connection) -> int:
        product_id = get_product(connection, place, product).id
        points = iter_slices(
            connection, wanted, lambda part: slice_product_history(connection, part, product_id)
        )
        return _show_each(itertools.islice(points, limit), as_lines=json)

    with open_output(None):
        shown = read_store(place, show_found)
        if not json and shown == limit:
            show(f"The first {format_count(shown)}; use --limit for more.")


def get_product(connection: Connection, place: Place, named: str) -> Product:
    """Raises UsageError or StoreError unless exactly one product is meant."""
    candidates = _find_candidates(connection, named)
    if not candidates:
        raise StoreError(
            f"There is no product {clean(named)} in {place}; 'tenax products {place.option}' lists them."
        )
    if len(candidates) > 1:
        numbers = ", ".join(f"{each.id} ({tidy(each.name or NOTHING, NAME_CHARS)})" for each in candidates)
        raise UsageError(f"There are several such products: choose one by its number: {numbers}.")
    return candidates[0]


def _find_candidates(connection: Connection, named: str) -> list[Product]:
    """Raises UsageError if it cannot be the number, the key or the URL of a product."""
    is_number = named.isascii() and named.isdigit()
    if is_number and int(named) <= MAX_ID and (one := find_product(connection, int(named))):
        return [one]
    keyed = [find_product(connection, item.id) for item in find_by_key(connection, PRODUCT, named, None)]
    if found := [each for each in keyed if each is not None]:
        return found
    return [] if is_number else find_shown_products(connection, parse_address(named))


def read_currency(text: str | None) -> str | None:
    """Raises UsageError."""
    if text is None:
        return None
    if len(text) != CURRENCY_CHARS or not (text.isascii() and text.isalpha()):
        raise UsageError(f"{clean(text)!r} is not a currency: write its three letters, such as EUR.")
    return text.upper()


def read_price(option: str, text: str | None) -> Decimal | None:
    """Raises UsageError."""
    if text is None:
        return None
    try:
        written = Decimal(text)
    except InvalidOperation:
        written = Decimal("NaN")
    price = Decimal(0) if written == 0 else fit_price(written)
    if price is None:
        raise UsageError(f"{option}: {clean(text)!r} is not a price: write a number such as 19.99.")
    return price


def _list(place: Place, wanted: SliceRequest, only: ProductFilter, *, as_lines: bool) -> None:
    _show_list(place, wanted, partial(slice_products, only=only), "product", as_lines=as_lines)


def _show_list(
    place: Place,
    wanted: SliceRequest,
    load: Callable[[Connection, SliceRequest], ListSlice[T]],
    noun: str,
    *,
    as_lines: bool,
) -> None:
    def show_found(connection: Connection) -> int:
        found = iter_slices(connection, wanted, lambda part: load(connection, part))
        return _show_each(itertools.islice(found, wanted.limit), as_lines=as_lines)

    with open_output(None):
        shown = read_store(place, show_found)
        if as_lines:
            return
        if shown == wanted.limit:
            show(f"The first {format_count(shown)}; use --limit for more.")
        else:
            show(f"{count_of(shown, noun)}." if shown else f"No {noun}s.")


def _show_each(found: Iterator[Shown], *, as_lines: bool) -> int:
    shown = 0
    for each in found:
        if as_lines:
            show_json(build_json(each), is_line=True)
        else:
            show(format_line(each))
        shown += 1
    return shown
