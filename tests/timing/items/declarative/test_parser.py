"""No page makes a parser without code slow."""

import time

import pytest

from tenax.errors import ContentError
from tenax.items.declarative.definition import ParserDefinition
from tenax.items.declarative.parser import DeclarativeParser
from tenax.items.page import parse_page

FIELDS = {
    "name": {"jsonld": "Product.name", "microdata": "Product.name", "meta": "og:title", "css": "div p b"},
    "price": {"jsonld": "Product.offers.price", "css": [".price", "p"], "type": "price"},
    "date": {"css": "i", "match": "([0-9]+-){2}[0-9]+", "type": "date"},
    "size": {"regex": "(a+)+b", "type": "number", "many": True},
    "words": {"css": "i + i", "type": "list"},
}
HEAD = '<script type="application/ld+json">'
PAGES = {
    "deep": "<div>" * 900 + "<p><i>x</i><b>y</b>",
    "wide": "<div>" + "<p><i></i><b></b></p>" * 40_000,
    "deep and wide": "<div>" * 900 + "<i></i>" * 49_000,
    "long text": "<p>" + "a" * 5_000_000,
    "digits": "<p>" + "1.1," * 1_000_000,
    "currencies": "<p>" + "EUR" * 1_000_000,
    "many objects": HEAD + "[" + '{"@type":"Product","offers":[{},{}]},' * 20_000 + "1]</script>",
    "an object with many values": HEAD + '{"@type":"Product","name":[' + "{}," * 90_000 + "1]}</script>",
    "nested json": HEAD + "[" * 1_000_000,
    "items in items": '<div itemscope itemtype="/Product" itemprop="offers">' * 900 + "<i itemprop=price>x",
}


@pytest.mark.parametrize("each", [None, "div", "p"])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_makes_a_definition_slow(name: str, each: str | None) -> None:
    parser = DeclarativeParser(
        ParserDefinition.model_validate({"name": "a", "each": each, "fields": FIELDS, "key": "name"})
    )
    page = parse_page(PAGES[name].encode(), url="http://a.example/")
    started = time.process_time()
    try:
        for _ in zip(range(1_000), parser.parse(page), strict=False):  # as many items as a crawl takes
            pass
    except ContentError:
        pass
    # 2 s at most here; what is quadratic would take minutes.
    assert time.process_time() - started < 10
