# ruff: noqa: E501
"""How shops draw what they sell, one habit per test."""

from typing import Any

import pytest

from tenax.items.page import parse_page

BUY = "<button>Add to cart</button>"
LD_WITHOUT_PRICE = '<script type="application/ld+json">{"@type": "Product", "name": "Oak lamp", "offers": {"@type": "Offer", "availability": "OutOfStock"}}</script>'
SPLIT = [
    ("<b>$</b><b>1</b><b>,</b><b>299</b><b>.</b><b>90</b>", 1299.9),
    ("<b>R$</b> <b>1</b><b>.</b><b>299</b><b>,</b><b>90</b>", 1299.9),
    ("<b>US</b><b> $</b><b>5</b><b>.</b><b>4</b><b>7</b>", 5.47),
    ("<b>149<sup>€99</sup></b>", 149.99),
    ("<b>449€<span>99</span></b>", 449.99),
    ("<b>1.799<sup>99</sup> Lei</b>", 1799.99),
    ("<b>CHF 1'129.<sup>90</sup></b>", 1129.9),
]
NOT_FOR_ALL = [
    "<p>$9.00 with Member Card</p><p>$12.00</p>",
    "<p>Members pay $9.00</p><p>$12.00</p>",
    "<p>$12.00</p><p><b>$9.00</b> with pix</p>",
    "<p>Subscribe &amp; save: $9.00</p><p>$12.00</p>",
    "<p class=price>$12.00</p><p class=price-unit><b>$9.00</b> / <i>kg</i></p>",
]


def read(
    body: str, url: str = "https://shop.example/p/oak-lamp", title: str = "Oak lamp | Shop"
) -> dict[str, Any]:
    page = parse_page(f'<html lang="en"><title>{title}</title><body>{body}'.encode(), url=url)
    return page.product() or {}


@pytest.mark.parametrize(("drawn", "price"), SPLIT)
def test_a_price_in_several_elements_is_one(drawn: str, price: float) -> None:
    assert read(f"<h1>Oak lamp</h1><div class=price>{drawn}</div>{BUY}")["price"] == price


@pytest.mark.parametrize(
    "area", ["<i>$15</i> <i>$12</i>", "<i>$12</i> <i>$15</i>", "<p><i>$12</i></p><p><i>$15</i></p>"]
)
def test_the_higher_of_two_amounts_side_by_side_is_the_price_before(area: str) -> None:
    found = read(f"<h1>Oak lamp</h1><div>{area}</div>{BUY}")
    assert (found["price"], found["list_price"]) == (12, 15)


def test_amounts_with_a_word_between_are_no_pair() -> None:
    assert "list_price" not in read(
        f"<h1>Oak lamp</h1><div class=price><i>$12</i> small <i>$15</i></div>{BUY}"
    )


@pytest.mark.parametrize("area", NOT_FOR_ALL)
def test_a_price_that_not_everybody_pays_is_not_the_price(area: str) -> None:
    assert read(f"<h1>Oak lamp</h1><div>{area}</div>{BUY}")["price"] == 12


@pytest.mark.parametrize("currency", ["RM", "Rs.", "AED ", "NT$", "R$"])
def test_the_words_before_a_currency_tell_what_an_amount_is(currency: str) -> None:
    assert (
        read(f"<h1>Oak lamp</h1><p>{currency}12.50</p><p>Shipping {currency}4.90</p>{BUY}")["price"] == 12.5
    )


def test_classes_of_layouts_call_no_price_old() -> None:
    found = read(f'<h1>Oak lamp</h1><ul class="list-unstyled font-normal full-width"><li>$12</li></ul>{BUY}')
    assert found["price"] == 12


def test_what_stands_behind_a_title_of_other_products_does_not_count() -> None:
    others = "".join(
        f"<div><a href=/{n}>Lamp {n}</a><b class=price>${n}5</b>{BUY}</div>" for n in range(1, 9)
    )
    found = read(f"<h1>Oak lamp</h1><p>$12</p>{BUY}<h2>You may also like</h2>{others}<p>Sold out</p>")
    assert (found["price"], found["availability"]) == (12, "in_stock")


def test_a_price_that_is_told_three_times_is_no_list() -> None:
    bars = "".join(
        f"<div><div><div><p><b>$12</b>{BUY}</p></div></div></div>" + "<i></i>" * 40 for _ in range(3)
    )
    assert read(f"<h1>Oak lamp</h1>{bars}")["price"] == 12


@pytest.mark.parametrize(
    ("button", "state"),
    [("<button>Add to cart</button>", "in_stock"), ("<button disabled>Add to cart</button>", "out_of_stock")],
)
def test_a_badge_says_that_a_product_is_sold_out_only_if_it_cannot_be_bought(button: str, state: str) -> None:
    body = f'<h1>Oak lamp</h1><p class=price>$12 <span class="badge">Sold out</span></p>{button}'
    assert read(body)["availability"] == state


def test_a_page_that_is_sold_out_has_its_name_without_a_price() -> None:
    body = '<p>Free shipping over $50</p><h1 class="product-title">Oak lamp</h1><p>Currently unavailable.</p>'
    assert read(body) == {"name": "Oak lamp", "availability": "out_of_stock"}


def test_a_page_that_is_sold_out_takes_no_price_from_a_link_to_another_page() -> None:
    body = f"{LD_WITHOUT_PRICE}<h1>Oak lamp</h1><div><p><a href=/p/2>Ash lamp</a> <b class=price>$12</b></p></div>"
    assert "price" not in read(body)


def test_a_single_card_with_a_title_that_links_to_a_page_is_a_list() -> None:
    card = f"<li><a href=/p/1><h2>Oak lamp</h2></a><b class=price>$12</b>{BUY}</li>"
    assert read(f"<h1>Lamps</h1><ul>{card}</ul>", title="Lamps | Shop") == {}


@pytest.mark.parametrize("heading", ["My wishlist", "Shopping cart", "Compare products", "Warenkorb"])
def test_pages_with_these_headings_sell_no_single_product(heading: str) -> None:
    assert read(f"<h1>{heading}</h1><p class=price>$12</p>{BUY}", title=heading) == {}


def test_the_first_page_may_be_that_of_a_product_by_its_query() -> None:
    body = f"<h1>Oak lamp</h1><p class=price>$12</p>{BUY}"
    assert read(body, url="https://shop.example/") == {}
    assert read(body, url="https://shop.example/index.php?product_id=4")["price"] == 12


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("<h1><b>Sanna</b><span>Oak lamp</span></h1>", "Sanna Oak lamp"),
        ("<h1>H<sub>2</sub>O lamp</h1>", "H2O lamp"),
        ('<h1><span class="sr-only">Details about</span> Oak lamp</h1>', "Oak lamp"),
        ("<h1><a href=/>Shop</a></h1><h2 class=product-title>Oak lamp</h2>", "Oak lamp"),
        ("<div>Oak lamp</div>", "Oak lamp"),
    ],
)
def test_a_name_is_read_as_the_eye_reads_it(heading: str, name: str) -> None:
    assert read(f"{heading}<p class=price>$12</p>{BUY}")["name"] == name


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ('<i class="stars" aria-label="4.5 of 5 stars"></i>', "rating", 4.5),
        ('<div class="rating-result" title="90%"></div><span class="rating">90%</span>', "rating", 4.5),
        ('<span class="review-score">4.5</span>', "rating", 4.5),
        ('<span class="number-reviews">(6)</span>', "review_count", 6),
        ('<a href="/b" class="brand">Sanna</a>', "brand", "Sanna"),
        ("<a href='/b'>Visit the Sanna Store</a>", "brand", "Sanna"),
        ('<span class="product-code">OL-7</span>', "sku", "OL-7"),
        ("<p>Condition: <b>Used</b></p>", "condition", "used"),
        ("<p>Zustand: gebraucht</p>", "condition", "used"),
    ],
)
def test_a_field_is_known_by_its_label_or_the_name_of_its_element(
    said: str, field: str, value: object
) -> None:
    assert read(f"<h1>Oak lamp</h1>{said}<p class=price>$12</p>{BUY}")[field] == value


def test_a_number_before_a_rating_counts_no_reviews() -> None:
    found = read(
        f"<h1>Oak lamp</h1><b>6437741</b><p>Rating 4.5 out of 5 stars with 31 reviews</p><p>$12</p>{BUY}"
    )
    assert (found["rating"], found["review_count"]) == (4.5, 31)


def test_a_label_of_a_twitter_card_says_the_currency_that_its_writer_means() -> None:
    head = '<meta name="twitter:label1" content="Price"><meta name="twitter:data1" content="$12"><meta property="og:type" content="product">'
    page = parse_page(
        f'<html lang="en-au"><head>{head}</head><h1>Oak lamp</h1>'.encode(), url="https://shop.example/p/1"
    )
    found = page.product()
    assert found is not None
    assert (found["price"], found["currency"]) == (12, "AUD")
