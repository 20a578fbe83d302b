"""Parsers without code: where fields are found, and what becomes of them."""

from typing import Any

import pytest

from tenax.items.declarative.definition import ParserDefinition
from tenax.items.declarative.parser import DeclarativeParser
from tenax.items.found_fields import FoundField
from tenax.items.page import Page, parse_page
from tenax.items.parser import Item
from tenax.items.running import ParserLimits, prepare_parsers, run_parser

LAMP = """<!doctype html><html lang="de"><head><title>Lamp</title>
<meta property="og:title" content="Lamp (meta)">
<meta property="product:price:amount" content="30.00"><meta property="product:price:currency" content="EUR">
<script type="application/ld+json">{"@graph": [{"@type": "WebPage", "name": "a page"},
 {"@type": "https://schema.org/Product", "name": "Lamp (JSON-LD)", "sku": 4711,
  "brand": {"@type": "Brand", "name": "Lumen"}, "image": [{"@type": "ImageObject", "url": "/1.png"},
  "/2.png"],
  "offers": {"@type": "Offer", "price": "29.90", "priceCurrency": "EUR", "availability":
  "https://schema.org/OutOfStock"}}]}</script></head>
<body><div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp (microdata)</b></div>
<h1>Lamp <small>new</small></h1><p class="price">1.299,00 €</p><p class="old">ask us</p>
<ul><li>red</li><li>blue</li></ul><a class="more" href="../more?x=1">More</a>
<p>Weight: 1,5 kg. Since 3. März 2026.</p></body></html>"""


def read(html: str, url: str = "https://shop.example/p/4711/lamp") -> Page:
    return parse_page(html.encode(), url=url, headers={"content-type": "text/html; charset=utf-8"})


def build(fields: dict[str, Any], **others: Any) -> DeclarativeParser:
    return DeclarativeParser(ParserDefinition.model_validate({"name": "shop", "fields": fields, **others}))


def find(html: str = LAMP, /, **field: Any) -> FoundField:
    (item,) = build({"value": field, "always": "body"}).find_items(read(html))
    return item.fields[0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"css": "h1"}, "Lamp new"),
        ({"css": "title"}, "Lamp"),
        ({"css": [".none", "h1"]}, "Lamp new"),
        ({"jsonld": "Product.name"}, "Lamp (JSON-LD)"),
        ({"jsonld": "name"}, "a page"),
        ({"jsonld": "Product.sku"}, "4711"),
        ({"jsonld": "Product.sku", "type": "number"}, 4711),
        ({"jsonld": "Product.brand"}, "Lumen"),
        ({"jsonld": "Brand.name"}, "Lumen"),
        ({"jsonld": "Product.image", "type": "url"}, "https://shop.example/1.png"),
        ({"jsonld": "Product.image", "type": "url", "many": True},
         ["https://shop.example/1.png", "https://shop.example/2.png"]),
        ({"jsonld": "Product.offers", "type": "price"}, {"amount": 29.9, "currency": "EUR"}),
        ({"jsonld": "Product.offers.price", "type": "price"}, {"amount": 29.9, "currency": "EUR"}),
        ({"jsonld": "Product.offers.availability", "type": "bool"}, False),
        ({"microdata": "Product.name"}, "Lamp (microdata)"),
        ({"meta": "og:title"}, "Lamp (meta)"),
        ({"meta": "product:price:amount", "type": "price"}, {"amount": 30, "currency": "EUR"}),
        ({"css": ".price", "type": "price"}, {"amount": 1299, "currency": "EUR"}),
        ({"css": [".old", ".price"], "type": "price"}, {"amount": 1299, "currency": "EUR"}),
        ({"css": "li", "type": "list"}, ["red", "blue"]),
        ({"css": "li:last-child"}, "blue"),
        ({"css": "a.more", "type": "url"}, "https://shop.example/p/more?x=1"),
        ({"css": "a.more", "attribute": "HREF"}, "../more?x=1"),
        ({"css": "a.more", "type": "bool"}, True),
        ({"url": "/p/([0-9]+)"}, "4711"),
        ({"url": ".+", "type": "url"}, "https://shop.example/p/4711/lamp"),
        ({"regex": "Weight: ([0-9,]+)", "type": "number"}, 1.5),
        ({"css": "p:last-child", "match": "Since (.+)", "type": "date"}, "2026-03-03"),
        ({"css": ".none", "default": "nothing"}, "nothing"),
        ({"css": ".none"}, None),
    ],
)  # fmt: skip
def test_where_a_field_is_found(field: dict[str, Any], value: Any) -> None:
    assert find(**field).value == value


def test_structured_data_comes_before_what_people_see_whatever_the_order() -> None:
    found = find(css="h1", meta="og:title", jsonld="Product.name")
    assert (found.place, found.confidence) == ("jsonld Product.name", 0.95)
    found = find(css="h1", meta=["og:none", "og:title"], jsonld="Book.name")
    assert (found.place, found.confidence) == ("meta og:title", 0.85)


def test_what_is_not_of_its_type_is_remembered() -> None:
    assert find(css=".old", type="price", default="?").unread == ("css .old: ask us",)


def test_an_item_has_its_key_kind_and_confidences() -> None:
    parser = build({"sku": {"url": "/p/([0-9]+)"}, "name": "h1", "size": ".size"}, key="sku", kind="product")
    assert parser.kind == "product"
    assert list(parser.parse(read(LAMP))) == [
        Item({"sku": "4711", "name": "Lamp new"}, key="4711", confidence={"sku": 0.8, "name": 0.8})
    ]


def test_each_element_is_an_item_with_the_fields_inside() -> None:
    parser = build({"name": "b", "price": {"css": "i", "type": "number"}, "site": "h1"}, each="li.product")
    html = (
        "<h1>S</h1><ul><li class=product><b>x</b><i>1</i><li class=product><b>y</b><li class=ad><b>z</b></ul>"
    )
    assert [item.data for item in parser.parse(read(html))] == [{"name": "x", "price": 1}, {"name": "y"}]


def test_patterns_search_the_text_of_each_element() -> None:
    parser = build({"id": {"regex": "#([0-9]+)"}}, each="li")
    items = list(parser.parse(read("<ul><li>#1<li>none<li>#3</ul>")))
    assert [item.data for item in items] == [{"id": "1"}, {"id": "3"}]


def test_a_page_that_shows_nothing_of_an_item_has_none() -> None:
    parser = build({"name": {"css": ".none", "required": True}, "id": {"url": ".+"}, "x": {"default": 1}})
    assert list(parser.parse(read(LAMP))) == []


def test_an_item_without_a_required_field_has_a_fault_and_less_confidence() -> None:
    parser = build(
        {"name": "h1", "size": {"css": ".size", "required": True}},
        schema={"properties": {"name": {"maxLength": 3}}},
    )
    (prepared,) = prepare_parsers([parser])
    (item,) = run_parser(read(LAMP), prepared, ParserLimits()).parsing.items
    assert item.faults == (
        "The field size is missing.",
        "The field name has 8 characters, but must have at most 3.",
    )
    assert item.confidence == 0.4


def test_the_version_follows_the_definition() -> None:
    one, same, other = (build({"name": css}).version for css in ("h1", "h1", "h2"))
    assert one == same != other
    assert build({"name": "h1"}, version=3).version == "3"
