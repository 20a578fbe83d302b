"""The products in the structured data of a page, and which of them is the main one."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tenax.extract.structured import list_values, shorten_type
from tenax.record import record
from tenax.web.white_space import collapse

MAX_VISITED: Final = 100_000  # values
MAX_PRODUCTS: Final = 500

Object = Mapping[str, Any]

_PRODUCTS: Final = frozenset(
    [
        "Product",
        "IndividualProduct",
        "ProductModel",
        "ProductGroup",
        "SomeProducts",
        "Vehicle",
        "Car",
        "Motorcycle",
        "BusOrCoach",
        "MotorizedBicycle",
    ]
)
# Products only if something sells them.
_SOLD: Final = frozenset(
    [
        "Book",
        "Audiobook",
        "SoftwareApplication",
        "MobileApplication",
        "WebApplication",
        "VideoGame",
        "Movie",
        "MusicAlbum",
        "MusicRelease",
        "CreativeWork",
        "Drug",
        "Course",
        "Accommodation",
        "Apartment",
        "House",
    ]
)
_OFFERS: Final = frozenset(("Offer", "AggregateOffer"))
_OTHERS: Final = frozenset(
    [
        "isRelatedTo",
        "isSimilarTo",
        "isAccessoryOrSparePartFor",
        "isConsumableFor",
        "hasVariant",
        "itemListElement",
        "isVariantOf",
        "relatedProducts",
        "recommendations",
        "significantLink",
        "relatedLink",
        "workExample",
        "hasPart",
        "additionalProperty",
        "addOn",
    ]
)
_PAGES: Final = frozenset(["mainEntity", "mainEntityOfPage", "about", "itemReviewed", "item"])


@record
class FoundObject:
    data: Object
    types: frozenset[str]
    source: str  # jsonld, microdata or rdfa
    is_listed: bool = False  # in a list, or as something beside another product

    @property
    def place(self) -> str:
        return f"{self.source} {next(iter(sorted(self.types)), 'Product')}"


@record
class Structured:
    products: list[FoundObject]
    offers: list[FoundObject]  # that stand alone
    crumbs: list[FoundObject]
    pages: list[FoundObject]
    by_id: Mapping[str, Object]

    def resolve(self, value: Any) -> Any:
        """What a reference by `@id` refers to; other values as they are."""
        if isinstance(value, Mapping) and len(value) <= 2 and isinstance(identity := value.get("@id"), str):
            return self.by_id.get(identity, value)
        return value


def find_objects(sources: Iterable[tuple[str, list[dict[str, Any]]]]) -> Structured:
    """Visits every value once."""
    found = Structured(products=[], offers=[], crumbs=[], pages=[], by_id={})
    by_id: dict[str, Object] = {}
    for source, objects in sources:
        waiting: deque[tuple[Any, bool, bool]] = deque((each, False, True) for each in objects)
        visited = 0
        while waiting and visited < MAX_VISITED:
            value, is_listed, is_top = waiting.popleft()
            visited += 1
            if isinstance(value, Mapping):
                _note(value, source, is_listed, is_top, found)
                _index(value, by_id)
                is_in_list = is_listed or _has_type(value, "ItemList", "OfferCatalog", "SearchResultsPage")
                waiting.extend(
                    (inner, is_in_list or name in _OTHERS, False)
                    for name, inner in value.items()
                    if isinstance(inner, dict | list)
                )
            elif isinstance(value, list):
                waiting.extend(
                    (inner, is_listed, is_top)
                    for inner in list_values(value)
                    if isinstance(inner, dict | list)
                )
    found.by_id = by_id  # type: ignore[misc]
    return found


def _index(value: Object, by_id: dict[str, Object]) -> None:
    identity = value.get("@id")
    if isinstance(identity, str) and len(value) > len(by_id.get(identity, ())):
        by_id[identity] = value


def read_types(value: Object) -> frozenset[str]:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return frozenset(shorten_type(name.strip()) for name in names[:20] if isinstance(name, str))


def _has_type(value: Object, *names: str) -> bool:
    return not read_types(value).isdisjoint(names)


def _note(value: Object, source: str, is_listed: bool, is_top: bool, found: Structured) -> None:
    types = read_types(value)
    if not types or len(found.products) >= MAX_PRODUCTS:
        return
    entry = FoundObject(data=value, types=types, source=source, is_listed=is_listed)
    if types & _PRODUCTS or (types & _SOLD and ("offers" in value or "offerDetails" in value)):
        found.products.append(entry)
    elif types & _OFFERS and (is_top or "itemOffered" in value):
        found.offers.append(entry)
    elif "BreadcrumbList" in types or "Breadcrumb" in types:
        found.crumbs.append(entry)
    elif types & {"WebPage", "ItemPage", "ProductPage"}:
        found.pages.append(entry)


_FIRST_PAGE: Final = re.compile(r"[^/]+(?:/[a-z]{2}(?:[-_][a-z]{2})?)?(?:/(?:index|home|default)\.\w{2,5})?")
_PRODUCT_QUERY: Final = re.compile(r"[?&](?:route|p|id|pid|sku|item\w*|prod\w*|art\w*)=", re.IGNORECASE)
_WORDS: Final = re.compile(r"\w+")


def split_words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.lower()))


def is_alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common words, of the shorter text; 0: they have nothing in common."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 0.0


def read_name(value: Object) -> str:
    return read_text(value.get("name")) or read_text(value.get("title")) or read_text(value.get("headline"))


def read_text(value: Any, limit: int = 10_000) -> str:
    """The text of a value; of several the first, of an object its name."""
    for _ in range(4):
        if isinstance(value, list):
            value = next((each for each in value if each not in (None, "", {}, [])), None)
        elif isinstance(value, Mapping):
            value = next((value[name] for name in ("name", "@value", "value") if value.get(name)), None)
        else:
            break
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return collapse(str(value)[: 2 * limit], limit)


@record
class PageTitles:
    """What the page is called by itself, to recognise its product."""

    titles: tuple[frozenset[str], ...]  # h1, og:title, title: the words of each
    url: str = ""
    addresses: frozenset[str]  # of the page, without scheme and query

    @property
    def is_first_page(self) -> bool:
        """Whether it is the first page of its site, which shows products of many kinds."""
        if _PRODUCT_QUERY.search(self.url):
            return False
        return any(_FIRST_PAGE.fullmatch(address) is not None for address in self.addresses)


def trim_address(url: str) -> str:
    return re.sub(r"^[a-z]+://(?:www\.)?|[?#].*$", "", url.strip()[:2_000].lower()).rstrip("/")


def choose_product(found: Structured, titles: PageTitles) -> FoundObject | None:
    """The main product of a page. None: there is none, or a list of equals."""
    products = found.products
    if not products:
        return None
    best = max(products, key=lambda each: _judge(each, titles))
    likeness = _compare(best, titles)
    names = {read_name(each.data).lower() for each in products} - {""}
    own = {read_name(each.data).lower() for each in products if not each.is_listed} - {""}
    is_named = likeness >= 0.5 or _has_address(best, titles)
    if best.is_listed:
        return best if is_named and len(names) == 1 else None
    if len(own) > 1 and (not is_named or titles.is_first_page):
        return None
    return best if is_named or likeness or not titles.is_first_page else None


def _judge(found: FoundObject, titles: PageTitles) -> float:
    data = found.data
    score = (-6.0 if found.is_listed else 0.0) + 4.0 * _compare(found, titles)
    score += 3.0 if _has_address(found, titles) else 0.0
    score += 1.0 if data.get("offers") or data.get("hasVariant") or data.get("offerDetails") else 0.0
    score += min(1.0, len(data) / 12)
    return score + {"jsonld": 0.3, "microdata": 0.1}.get(found.source, 0.0)


def _compare(found: FoundObject, titles: PageTitles) -> float:
    """How like a title of the page its name is."""
    words = split_words(read_name(found.data)[:300])
    return max((is_alike(words, title) for title in titles.titles if title and words), default=0.0)


def _has_address(found: FoundObject, titles: PageTitles) -> bool:
    addresses = (found.data.get("url"), found.data.get("@id"))
    return any(
        isinstance(each, str) and "/" in each and trim_address(each) in titles.addresses for each in addresses
    )


def list_same(found: Structured, main: FoundObject) -> list[FoundObject]:
    """The main product first, then other objects that tell of it, in the order of trust."""
    words, sku = split_words(read_name(main.data)[:300]), read_text(main.data.get("sku"))
    others = [
        each
        for each in found.products
        if each is not main
        and not each.is_listed
        and (
            (sku and read_text(each.data.get("sku")) == sku)
            or (words and split_words(read_name(each.data)[:300]) == words)
            or (not read_name(each.data) and each.data.get("offers"))
        )
    ]
    return [main, *others]
