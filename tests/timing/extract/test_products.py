"""No document makes the search for a product slow."""

import time

import pytest

from tenax.errors import ContentError
from tenax.extract.products.reading import find_product
from tenax.web.documents import parse_document

LD = '<script type="application/ld+json">'
HEAD = "<title>Lamp</title><h1>Lamp</h1><button>Add to cart</button>"
PAGES = {
    "a price a million times": HEAD + "<b class=price>$12.00</b>" * 300_000,
    "a price a million times in one text": HEAD + "$12.00 " * 1_000_000,
    "digits": HEAD + "1" * 3_000_000,
    "digits in texts": HEAD + "<i>1 2 3 4 5 6 7 8 9</i>" * 100_000,
    "separators": HEAD + "1,1.1,1.1 " * 300_000,
    "signs": HEAD + "$ € £ kr " * 300_000,
    "decimals in elements": HEAD + "<b>1</b><sup>99</sup>" * 150_000,
    "buttons": HEAD + "<button>Add to cart</button>" * 150_000,
    "buttons in one text": HEAD + "add to cart " * 300_000,
    "headings": "<h1>Lamp</h1>" * 200_000 + "$12",
    "headings in headings": HEAD + "<div class=product-name>" * 900 + "x" * 5_000_000,
    "sold out": HEAD + "$12 " + "<option>sold out</option>" * 100_000,
    "labels": HEAD + "$12 " + "SKU: " * 500_000,
    "ratings": HEAD + "$12 " + "(1,234 " * 300_000,
    "marks in elements": HEAD + "<b>1</b><b>.</b>" * 150_000,
    "digits in elements": HEAD + "<b>$</b><b>1</b><b>.</b><b>9</b><b>9</b>" * 60_000,
    "titles of others": HEAD + "$12" + "<i>you may also like</i>" * 100_000,
    "stars": HEAD + "$12" + "<i class=rating title='4 of 5 stars'>4</i>" * 60_000,
    "twins": HEAD + "<b class=price>$12</b><i class=old>$15</i>" * 60_000,
    "cards of two": "<h1>Lamp</h1>"
    + "<li><a href=/a>a</a><button>b</button><b class=price>$12</b></li>" * 30_000,
    "deep": HEAD + "<div class='related price'>" * 900 + "<b>$12</b>" * 100_000,
    "long names": HEAD + f"<div class='{'price old related ' * 300_000}'><b>$12</b></div>",
    "many names": HEAD + "".join(f"<i class='price-{n} was-{n}'>$1</i>" for n in range(60_000)),
    "pictures": HEAD + "$12" + "<img src=/a.jpg>" * 200_000,
    "crumbs": HEAD + "$12" + "<div class=breadcrumb><a>x</a>" * 900 + "<a>x</a>" * 100_000,
    "scripts": HEAD + "$12<script>" + "var a = {price: 12};" * 500_000,
    "pushes": HEAD + "$12<script>" + "dataLayer.push({" * 60_000,
    "deep pushes": HEAD + "$12<script>" + ("dataLayer.push(" + "[" * 50_000) * 19,
    "state": HEAD
    + '$12<script type="application/json">['
    + '{"name":"x","sku":1,"price":2},' * 30_000
    + "1]",
    "products": HEAD + LD + "[" + '{"@type":"Product","name":"x","offers":{"price":1}},' * 30_000 + "1]",
    "offers": HEAD + LD + '{"@type":"Product","name":"x","offers":[' + '{"price":1},' * 60_000 + "1]}",
    "references": HEAD
    + LD
    + '{"@type":"Product","@id":"#a","name":"x","offers":{"@id":"#b"}}</script>'
    + LD
    + '{"@type":"AggregateOffer","@id":"#b","offers":{"@id":"#b"}}',
    "RDFa in RDFa": HEAD + "<div typeof=Product property=offers>" * 900 + "<i property=price>1</i>" * 50_000,
    "attributes": HEAD + ("<b class=price " + " ".join(f"a{n}" for n in range(500)) + ">$1</b>") * 1_000,
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_no_page_makes_the_search_for_a_product_slow(name: str) -> None:
    try:
        document = parse_document(
            PAGES[name].encode(), url="http://a.example/p/lamp", content_type="text/html; charset=utf-8"
        )
    except ContentError:
        return  # it is refused before anything searches it
    started_s = time.process_time()
    find_product(document, language="en")
    assert time.process_time() - started_s < 5
