# ruff: noqa: E501
"""Pages of shops of many shapes and locales, each as small as its shape allows, and what is found on them."""

import json
from typing import Any

import pytest

from tenax.items.page import parse_page

BUY = "<button>Add to cart</button>"


def read(body: str, url: str = "https://shop.example/p/oak-lamp", lang: str = "en") -> dict[str, Any] | None:
    page = parse_page(f'<html lang="{lang}">{body}'.encode(), url=url)
    return page.product()


def script(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def product(**fields: object) -> str:
    return script({"@context": "https://schema.org", "@type": "Product", "name": "Oak lamp", **fields})


def offer(price: object, currency: str = "EUR", **fields: object) -> dict[str, object]:
    return {"@type": "Offer", "price": price, "priceCurrency": currency, **fields}


# What people see: (host, language, the price area, price, currency, list price).
VISIBLE = [
    ("shop.de", "de", '<div class="preis">€ 1.234,56</div>', 1234.56, "EUR", None),
    ("shop.de", "de", '<p class="price">12,99 €<small>inkl. MwSt. zzgl. Versand</small></p>', 12.99, "EUR", None),
    ("shop.de", "de", '<p class=price><del>19,99 €</del> <ins>14,99 €</ins></p>', 14.99, "EUR", 19.99),
    ("shop.de", "de", '<div>statt <span class="p1">49,95 €</span> <b class="price">39,95 €</b></div>', 39.95, "EUR", 49.95),
    ("shop.de", "de", '<div>UVP 99,00 €</div><div class="price">79,00 €</div>', 79, "EUR", 99),
    ("shop.de", "de", '<span class=price>4,99 €</span><span class=grundpreis>(9,98 € / kg)</span>', 4.99, "EUR", None),
    ("shop.de", "de", '<span class=price>4,99 €</span> <span>1 l = 3,33 €/l</span>', 4.99, "EUR", None),
    ("shop.ch", "de", "<div class=price>CHF 1'299.-</div>", 1299, "CHF", None),
    ("shop.ch", "fr", "<div class=prix>CHF 12.50</div>", 12.5, "CHF", None),
    ("shop.fr", "fr", '<div class="prix">12€<sup>99</sup></div>', 12.99, "EUR", None),
    ("shop.fr", "fr", '<div class="prix">1 299,00 €</div>', 1299, "EUR", None),
    ("shop.fr", "fr", '<div>au lieu de <i>59,90 €</i> <span class="prix">44,90 €</span></div>', 44.9, "EUR", 59.9),
    ("shop.fr", "fr", '<b class=prix>89,00 €</b><p>ou 4 fois 22,25 €</p><p>dont éco-part 0,20 €</p>', 89, "EUR", None),
    ("shop.pl", "pl", '<span class="cena">1 234,56 zł</span>', 1234.56, "PLN", None),
    ("shop.pl", "pl", '<span class=price>99,00 zł</span><p>Najniższa cena z 30 dni: 109,00 zł</p>', 99, "PLN", 109),
    ("shop.cz", "cs", '<strong class="price">2 990 Kč</strong><span>bez DPH 2 471 Kč</span>', 2990, "CZK", None),
    ("shop.hu", "hu", '<div class="ar price">12 990 Ft</div>', 12990, "HUF", None),
    ("shop.jp", "ja", '<span class="price">¥12,800</span>', 12800, "JPY", None),
    ("shop.jp", "ja", '<span class="kakaku">価格: 12,800円</span>', 12800, "JPY", None),
    ("shop.cn", "zh", '<span class="price">¥199.00</span>', 199, "CNY", None),
    ("shop.in", "en", '<span class=price>Rs. 1,29,999</span><span class=mrp>MRP <s>₹ 1,49,999</s></span>', 129999, "INR", 149999),
    ("shop.in", "en", "<span class=price>Rs.1,299</span>", 1299, "INR", None),
    ("shop.com", "en-us", "<p class=price>$1,299</p>", 1299, "USD", None),
    ("shop.com", "en", '<p>Was $100.00</p><p>Now $79.99</p>', 79.99, "USD", 100),
    ("shop.com", "en", '<p class="list-price">List price: $50.00</p><p class="our-price">Our price: $42.00</p><p>You save: $8.00</p>', 42, "USD", 50),
    ("shop.com", "en", '<span class="price"><span class="sym">$</span><span class="int">19</span><sup>99</sup></span>', 19.99, "USD", None),
    ("shop.com", "en", '<span class=a-price><span class="a-offscreen">$19.99</span><span aria-hidden="true"><span class="a-price-symbol">$</span><span class="a-price-whole">19<span class="a-price-decimal">.</span></span><span class="a-price-fraction">99</span></span></span>', 19.99, "USD", None),
    ("shop.com", "en", '<span class="price">$20.00 – $35.00</span>', 20, "USD", None),
    ("shop.com", "en", '<b class=price>$240.00</b><p>or 4 interest-free payments of $60.00</p>', 240, "USD", None),
    ("shop.com", "en", '<p class=price>$999.00</p><p>from $41.63/mo with 24 monthly payments</p>', 999, "USD", None),
    ("shop.com", "en", '<p>Shipping: $4.99</p><p class=price>$12.00</p><p>Free shipping on orders over $50</p>', 12, "USD", None),
    ("shop.com", "en", '<span>Current bid:</span> <span class=amt>US $45.00</span> <span>Shipping: $12.00</span>', 45, "USD", None),
    ("shop.com", "en", '<span class="price price--regular"><span class="price-item price-item--regular">$30.00</span></span>', 30, "USD", None),
    ("shop.com", "en", '<s class="price-item price-item--regular">$40.00</s><span class="price-item price-item--sale">$30.00</span>', 30, "USD", 40),
    ("shop.com", "en", '<div class="price">25.00</div><span class="currency">USD</span>', 25, "USD", None),
    ("shop.com", "en", '<div class=price>$12.50</div><table class="tier-prices"><tr><td class=tier>10+ <td class=tier>$11.00<tr><td class=tier>50+<td class=tier>$9.00</table>', 12.5, "USD", None),
    ("shop.co.uk", "en-gb", "<p class=price>£12</p>", 12, "GBP", None),
    ("shop.co.uk", "en-gb", "<p class=price>99p</p>", 0.99, "GBP", None),
    ("shop.co.uk", "en-gb", '<p class=price><span>£100.00</span> <small>ex. VAT</small> <span>£120.00</span> <small>inc. VAT</small></p>', 120, "GBP", None),
    ("shop.co.uk", "en-gb", '<p class=price>£15.00</p><p>RRP: £20.00</p><p>Save £5.00 (25%)</p>', 15, "GBP", 20),
    ("shop.ca", "en-ca", "<p class=price>$24.99</p>", 24.99, "CAD", None),
    ("shop.com.au", "en", "<p class=price>$24.99</p>", 24.99, "AUD", None),
    ("shop.com.br", "pt-br", '<p class=preco>R$ 1.299,00</p><p>em até 12x de R$ 108,25 sem juros</p>', 1299, "BRL", None),
    ("shop.se", "sv", '<span class="pris price">1 299:-</span>', 1299, "SEK", None),
    ("shop.no", "nb", '<span class="price">kr 1 299,-</span>', 1299, "NOK", None),
    ("shop.dk", "da", '<span class=price>249,00 kr.</span><span class=before>Før 349,00 kr.</span>', 249, "DKK", 349),
    ("shop.fi", "fi", '<span class="hinta">24,90 €</span><span>Ovh 29,90 €</span>', 24.9, "EUR", 29.9),
    ("shop.it", "it", '<span class="prezzo">29,90 €</span><span>Listino: 39,90 €</span>', 29.9, "EUR", 39.9),
    ("shop.es", "es", '<span class="precio">29,90 €</span><span>Antes: 39,90 €</span>', 29.9, "EUR", 39.9),
    ("shop.nl", "nl", '<span class="prijs">€ 29,-</span><span>Adviesprijs € 39,-</span>', 29, "EUR", 39),
    ("shop.com.tr", "tr", '<span class="fiyat">1.299,90 TL</span>', 1299.9, "TRY", None),
    ("shop.ru", "ru", '<span class="price">12 990 ₽</span><span class="old">15 990 ₽</span>', 12990, "RUB", 15990),
    ("shop.ru", "ru", '<span class="cost price">450 руб.</span>', 450, "RUB", None),
    ("shop.ua", "uk", '<span class="price">1 250 грн</span>', 1250, "UAH", None),
    ("shop.vn", "vi", '<span class="gia price">1.299.000₫</span>', 1299000, "VND", None),
    ("shop.kr", "ko", '<strong class="price">12,800원</strong>', 12800, "KRW", None),
    ("shop.ro", "ro", '<span class="price">129,99 Lei</span>', 129.99, "RON", None),
    ("shop.ae", "en", '<span class="price">AED 129.00</span>', 129, "AED", None),
    ("shop.kw", "en", '<span class="price">KWD 12.500</span>', 12.5, "KWD", None),
]  # fmt: skip


@pytest.mark.parametrize(("host", "lang", "area", "price", "currency", "list_price"), VISIBLE)
def test_prices_that_people_see(
    host: str, lang: str, area: str, price: float, currency: str, list_price: float | None
) -> None:
    body = f"<title>Oak lamp | Lantern</title><h1>Oak lamp</h1><div>{area}</div>{BUY}"
    found = read(body, f"https://www.{host}/p/oak-lamp", lang)
    assert found is not None
    assert (found["price"], found["currency"], found.get("list_price")) == (price, currency, list_price)


# What pages say for machines: (markup, fields that are found).
STRUCTURED: list[tuple[str, dict[str, Any]]] = [
    (product(offers=offer("12.50")), {"price": 12.5, "currency": "EUR"}),
    (product(offers=[offer(15), offer(12)]), {"price": 12, "price_max": 15}),
    (product(offers={"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "20", "priceCurrency": "USD"}), {"price": 10, "price_max": 20, "currency": "USD"}),
    (product(offers=offer("1.299,00")), {"price": 1299}),
    (product(offers=offer("$12.50", "")), {"price": 12.5, "currency": "USD"}),
    (product(offers=offer("0")), {"price": None}),
    (product(offers={"@type": "Offer", "priceSpecification": {"price": "8", "priceCurrency": "EUR"}}), {"price": 8, "currency": "EUR"}),
    (product(offers={"@type": "Offer", "priceSpecification": [{"priceType": "https://schema.org/ListPrice", "price": 20, "priceCurrency": "EUR"}, {"price": 15, "priceCurrency": "EUR"}]}), {"price": 15, "list_price": 20}),
    (product(offers={"@type": "Offer", "priceSpecification": [{"price": 30, "referenceQuantity": {"value": 1, "unitCode": "KGM"}}, {"price": 3, "priceCurrency": "EUR"}]}), {"price": 3}),
    (product(offers={"@type": "Offer", "price": 5, "priceCurrency": "EUR", "priceSpecification": {"priceType": "https://schema.org/StrikethroughPrice", "price": 9}}), {"price": 5, "list_price": 9}),
    (product(offers=offer(5, availability="https://schema.org/OutOfStock")), {"availability": "out_of_stock"}),
    (product(offers=offer(5, availability="InStock")), {"availability": "in_stock"}),
    (product(offers=offer(5, availability="http://schema.org/PreOrder", itemCondition="https://schema.org/UsedCondition")), {"availability": "preorder", "condition": "used"}),
    (product(offers=offer(5), aggregateRating={"ratingValue": "8.6", "bestRating": "10", "reviewCount": "1,234"}), {"rating": 4.3, "review_count": 1234}),
    (product(offers=offer(5), aggregateRating={"ratingValue": "4.5", "reviewCount": "1.234"}), {"rating": 4.5, "review_count": 1234}),
    (product(offers=offer(5), aggregateRating={"ratingValue": "4.5", "reviewCount": "1.5"}), {"review_count": None}),
    (product(offers=offer(5), aggregateRating={"ratingValue": 0, "reviewCount": 0}), {"rating": None, "review_count": 0}),
    (product(offers=offer(5), brand={"@type": "Brand", "name": "Lantern"}, sku="L-1", mpn="X9", gtin13="4006381333931"), {"brand": "Lantern", "sku": "L-1", "mpn": "X9", "gtin": "4006381333931"}),
    (product(offers=offer(5), gtin13="4006381333932"), {"gtin": None}),
    (product(offers=offer(5), isbn="0-306-40615-2"), {"gtin": "9780306406157"}),
    (product(offers=offer(5), image=["/1.jpg", {"@type": "ImageObject", "url": "//cdn.example/2.jpg"}]), {"images": ["https://shop.example/1.jpg", "https://cdn.example/2.jpg"]}),
    (script({"@graph": [{"@type": "WebPage", "mainEntity": {"@id": "#p"}}, {"@type": ["Product", "Thing"], "@id": "#p", "name": "Oak lamp", "offers": {"@id": "#o"}}, {"@type": "Offer", "@id": "#o", "price": 7, "priceCurrency": "EUR"}]}), {"price": 7}),
    (script({"@type": "http://schema.org/Product", "name": "Oak lamp", "offers": offer(9)}), {"price": 9}),
    (script({"@type": "ItemPage", "mainEntity": {"@type": "Product", "name": "Oak lamp", "offers": offer(9)}}), {"price": 9}),
    (script({"@type": "ProductGroup", "name": "Oak lamp", "hasVariant": [{"@type": "Product", "name": "Oak lamp, small", "sku": "S", "offers": offer(20)}, {"@type": "Product", "name": "Oak lamp, large", "sku": "L", "offers": offer(30)}]}), {"name": "Oak lamp", "price": 20, "price_max": 30, "variants": [{"name": "Oak lamp, small", "sku": "S", "price": 20}, {"name": "Oak lamp, large", "sku": "L", "price": 30}]}),
    (product(offers=offer(5), isRelatedTo={"@type": "Product", "name": "Pine lamp", "offers": offer(1)}), {"price": 5}),
    (script({"@type": "Product", "name": "Pine lamp", "offers": offer(1)}) + product(offers=offer(5)), {"name": "Oak lamp", "price": 5}),
    (product(offers=offer(5)) + script({"@type": "ItemList", "itemListElement": [{"@type": "Product", "name": "Pine lamp", "offers": offer(1)}]}), {"price": 5}),
    (script({"@type": "Car", "name": "Oak lamp", "offers": offer("12900")}), {"price": 12900}),
    (script({"@type": "Book", "name": "Oak lamp", "isbn": "9780306406157", "offers": offer("12.90")}), {"price": 12.9, "gtin": "9780306406157"}),
    (script({"@type": "Offer", "price": 6, "priceCurrency": "EUR", "itemOffered": {"@type": "Product", "name": "Oak lamp"}}), {"name": "Oak lamp", "price": 6}),
    ('<meta property="og:type" content="product"><meta property="product:price:amount" content="12.5"><meta property="product:price:currency" content="EUR"><meta property="product:availability" content="in stock">', {"price": 12.5, "currency": "EUR", "availability": "in_stock"}),
    ('<meta property="og:type" content="og:product"><meta property="og:price:amount" content="1,299.00"><meta property="og:price:currency" content="USD">', {"price": 1299, "currency": "USD"}),
    ('<meta property="og:type" content="product"><meta property="product:price:amount" content="20"><meta property="product:sale_price:amount" content="15">', {"price": 15, "list_price": 20}),
    ('<div itemscope itemtype="http://schema.org/Product"><span itemprop=name>Oak lamp</span><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><meta itemprop=priceCurrency content=EUR><span itemprop=price content="12.50">12,50</span><link itemprop=availability href="http://schema.org/InStock"></div></div>', {"price": 12.5, "currency": "EUR", "availability": "in_stock"}),
    ('<div itemscope itemtype="http://data-vocabulary.org/Product"><span itemprop=name>Oak lamp</span><div itemprop=offerDetails itemscope itemtype="http://data-vocabulary.org/Offer"><meta itemprop=currency content=USD><span itemprop=price>12.50</span><span itemprop=availability content="in_stock"></span></div></div>', {"price": 12.5, "currency": "USD", "availability": "in_stock"}),
    ('<div vocab="https://schema.org/" typeof="Product"><span property="name">Oak lamp</span><div property="offers" typeof="Offer"><span property="priceCurrency" content="EUR">€</span><span property="price">12.50</span></div></div>', {"price": 12.5, "currency": "EUR"}),
    ('<div xmlns:gr="http://purl.org/goodrelations/v1#" typeof="gr:Offering"><span property="gr:name">Oak lamp</span><div rel="gr:hasPriceSpecification"><div typeof="gr:UnitPriceSpecification"><span property="gr:hasCurrency" content="EUR"></span><span property="gr:hasCurrencyValue" content="12.50"></span></div></div></div>', {"price": 12.5, "currency": "EUR"}),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "fields"), STRUCTURED)
def test_what_pages_say_for_machines(markup: str, fields: dict[str, Any]) -> None:
    found = read(f"<title>Oak lamp | Lantern</title>{markup}<h1>Oak lamp</h1>{BUY}")
    assert found is not None
    assert {name: found.get(name) for name in fields} == fields


SHOPIFY = {
    "id": 1,
    "title": "Oak lamp",
    "vendor": "Lantern",
    "price": 129900,
    "compare_at_price": 149900,
    "available": True,
    "variants": [{"id": 2, "price": 129900}],
}
SCRIPTS: list[tuple[str, dict[str, Any]]] = [
    (f'<script type="application/json" data-product-json>{json.dumps(SHOPIFY)}</script>', {"price": 1299, "list_price": 1499, "brand": "Lantern", "availability": "in_stock"}),
    (f'<script id="__NEXT_DATA__" type="application/json">{json.dumps({"props": {"currency": "SEK", "related": [{"name": "Pine lamp", "sku": "P", "price": 5}], "page": {"product": {"name": "Oak lamp", "sku": "O-1", "price": 249.5}}}})}</script>', {"price": 249.5, "currency": "SEK", "sku": "O-1"}),
    (f'<script type="application/json">{json.dumps({"title": "Oak lamp", "id": "1", "priceRange": {"minVariantPrice": {"amount": "30.00", "currencyCode": "GBP"}}})}</script>', {"price": 30, "currency": "GBP"}),
    (f'<script>var a = 1; dataLayer.push({json.dumps({"event": "view_item", "ecommerce": {"currency": "EUR", "items": [{"item_name": "Oak lamp", "item_id": "O-1", "price": 19.9}]}})});</script>', {"price": 19.9, "currency": "EUR"}),
    (f'<script>window.dataLayer = {json.dumps([{"ecommerce": {"currencyCode": "EUR", "detail": {"products": [{"name": "Oak lamp", "id": "1", "price": "19.90"}]}}}])};</script>', {"price": 19.9, "currency": "EUR"}),
    ('<script type="application/json">{"name": "Pine lamp", "sku": "P", "price": 5}</script>', {"price": None}),
    ("<script>dataLayer.push({name: 'Oak lamp', sku: 'O', price: 5})</script>", {"price": None}),
    ('<script type="application/json">{"name": "Oak lamp", "sku": "O", "price": 5', {"price": None}),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "fields"), SCRIPTS)
def test_what_shops_tell_their_scripts(markup: str, fields: dict[str, Any]) -> None:
    head = '<meta property="og:type" content="product"><title>Oak lamp | Lantern</title>'
    found = read(f"{head}<h1>Oak lamp</h1>{BUY}{markup}")
    assert found is not None
    assert {name: found.get(name) for name in fields} == fields


def test_scripts_count_less_than_what_people_see() -> None:
    markup = '<script type="application/json">{"name": "Oak lamp", "sku": "O-1", "price": 5}</script>'
    found = read(f"<title>Oak lamp</title><h1>Oak lamp</h1><p class=price>€ 7.00</p>{BUY}{markup}", lang="de")
    assert found is not None
    assert (found["price"], found["sku"]) == (7, "O-1")


# Where both disagree: (markup, price area, price, list price).
CONFLICTS = [
    ("a list price for machines, a sale for people", product(offers=offer(40)), "<s>€40.00</s> <b class=price>€30.00</b>", 30, 40),
    ("cents", product(offers=offer(129900)), "<b class=price>€1,299.00</b>", 1299, None),
    ("a placeholder", product(offers=offer(1)), "<b class=price>€59.00</b>", 59, None),
    ("a point for thousands", product(offers=offer("1.299")), "<b class=price>€1,299</b>", 1299, None),
    ("agreement, and the price before", product(offers=offer(30)), "<s>€40.00</s> <b class=price>€30.00</b>", 30, 40),
    ("only a monthly rate is seen", product(offers=offer(500)), "<b>€20.83/month</b>", 500, None),
    ("nothing is seen", product(offers=offer(500)), "", 500, None),
]  # fmt: skip


@pytest.mark.parametrize(("_why", "markup", "area", "price", "list_price"), CONFLICTS)
def test_which_evidence_wins(
    _why: str, markup: str, area: str, price: float, list_price: float | None
) -> None:
    found = read(f"<title>Oak lamp</title>{markup}<h1>Oak lamp</h1><div>{area}</div>{BUY}")
    assert found is not None
    assert (found["price"], found.get("list_price")) == (price, list_price)


STOCK = [
    ("en", "Sold out", "out_of_stock"), ("en", "Notify me when available", "out_of_stock"),
    ("de", "Ausverkauft", "out_of_stock"), ("de", "Sofort lieferbar", "in_stock"),
    ("fr", "Rupture de stock", "out_of_stock"), ("fr", "En stock", "in_stock"),
    ("es", "Agotado", "out_of_stock"), ("it", "Esaurito", "out_of_stock"), ("it", "Disponibile", "in_stock"),
    ("nl", "Uitverkocht", "out_of_stock"), ("pl", "Produkt niedostępny", "out_of_stock"),
    ("cs", "Vyprodáno", "out_of_stock"), ("cs", "Skladem", "in_stock"), ("sv", "Slut i lager", "out_of_stock"),
    ("ru", "Нет в наличии", "out_of_stock"), ("ru", "В наличии", "in_stock"), ("tr", "Tükendi", "out_of_stock"),
    ("ja", "在庫切れ", "out_of_stock"), ("pt", "Esgotado", "out_of_stock"), ("en", "Only 3 left", "limited"),
    ("en", "Pre-order now", "preorder"), ("en", "In stock", "in_stock"), ("de", "Nur noch 2 Stück", "limited"),
    ("en", "Discontinued", "discontinued"), ("en", "", "in_stock"),
]  # fmt: skip


@pytest.mark.parametrize(("lang", "words", "availability"), STOCK)
def test_what_pages_tell_people_about_stock(lang: str, words: str, availability: str) -> None:
    body = f"<title>Oak lamp</title><h1>Oak lamp</h1><p class=price>€ 12.00</p><p>{words}</p>{BUY}"
    found = read(body, lang=lang)
    assert found is not None
    assert found["availability"] == availability


def test_the_price_of_another_product_is_never_that_of_one_that_is_sold_out() -> None:
    found = read(
        '<meta property="og:type" content="product"><title>Oak lamp</title><h1>Oak lamp</h1><p>Sold out</p>'
        '<section class="related-products"><h2>You may also like</h2>'
        '<a href="/p/2">Pine lamp <b class=price>€25.00</b></a></section>' + BUY
    )
    assert found is not None
    assert "price" not in found
    assert found["availability"] == "out_of_stock"


@pytest.mark.parametrize("zone", ["related", "recently-viewed", "upsell", "cross-sell", "product-carousel"])
def test_other_products_are_not_counted(zone: str) -> None:
    tiles = "".join(
        f'<li><a href="/p/{each}">Lamp {each}</a><span class=price>${each}.00</span>{BUY}'
        for each in range(5, 15)
    )
    found = read(
        f'<title>Oak lamp</title><h1>Oak lamp</h1><div class=price>$40.00</div>{BUY}<ul class="{zone}">{tiles}</ul>'
    )
    assert found is not None
    assert found["price"] == 40


TILES = "".join(
    f'<li class=tile><a href="/p/{n}">Lamp {n}</a><span class=price>${n}.00</span>{BUY}' for n in range(5, 30)
)
NO_PRODUCT = [
    ("a list", f"<title>Lamps</title><h1>Lamps</h1><ul>{TILES}</ul>", "https://shop.example/lamps"),
    ("a list of three", "<title>Jackets</title><h1>Jackets</h1>" + "".join(f'<div class=card><a href="/p/{n}">Jacket {n}</a><span class=price>${n}.00</span>{BUY}</div>' for n in (40, 50, 60)), "https://shop.example/jackets"),
    ("a list without buttons", "<title>Jackets</title><h1>Jackets</h1><ul>" + "".join(f'<li><a href="/p/{n}">Jacket {n}</a> <b class=price>${n}.00</b></li>' for n in (40, 50, 60)) + "</ul>", "https://shop.example/jackets"),
    ("a home page", f"<title>Lantern</title><h1>Lantern</h1>{TILES}", "https://shop.example/"),
    ("an article", "<title>News</title><h1>Lamps cost $40 now</h1><p>They cost $30.</p>" + "<p>words</p>" * 50, "https://shop.example/news/1"),
    ("a review", script({"@type": "Review", "itemReviewed": {"@type": "Product", "name": "Oak lamp"}}) + "<h1>Oak lamp</h1>", "https://shop.example/r"),
    ("an event", script({"@type": "Event", "name": "Fair", "offers": offer(5)}) + "<h1>Fair</h1>", "https://shop.example/e"),
    ("a list for machines", script({"@type": "ItemList", "itemListElement": [{"@type": "Product", "name": f"Lamp {n}", "offers": offer(n)} for n in range(1, 9)]}) + "<h1>Lamps</h1>", "https://shop.example/l"),
    ("equals", "".join(script({"@type": "Product", "name": f"Lamp {n}", "offers": offer(n)}) for n in range(1, 9)) + "<title>All</title><h1>Everything</h1>", "https://shop.example/l"),
    ("a cart", "<title>Cart</title><h1>Cart</h1><p>Subtotal: $40.00</p><p>Shipping: $4.00</p><button>Checkout</button>", "https://shop.example/cart"),
    ("nothing", "", "https://shop.example/x"),
]  # fmt: skip


@pytest.mark.parametrize(("_kind", "body", "url"), NO_PRODUCT)
def test_a_page_of_another_kind_has_no_product(_kind: str, body: str, url: str) -> None:
    assert read(body, url) is None


NAMES = [
    ("<title>Oak lamp – Lantern</title><h1>Lantern</h1><h1>Oak lamp</h1>", "Oak lamp"),
    ("<title>Lantern | Oak lamp</title><h2 class=product-title>Oak lamp</h2>", "Oak lamp"),
    ('<title>Buy Oak lamp at Lantern</title><meta property="og:title" content="Oak lamp | Lantern"><h1><a href="/"><img alt=Lantern></a></h1><div itemprop=name>Oak lamp</div>', "Oak lamp"),
    ("<title>Oak lamp | Lantern</title><p>Oak lamp</p>", "Oak lamp"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "name"), NAMES)
def test_a_product_is_never_called_like_its_shop(head: str, name: str) -> None:
    found = read(f'<meta property="og:type" content="product">{head}<p class=price>$12.00</p>{BUY}')
    assert found is not None
    assert found["name"] == name


CRUMBS = [
    (script({"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "position": 2, "name": "Lamps"}, {"@type": "ListItem", "position": 1, "item": {"@id": "/", "name": "Home"}}, {"@type": "ListItem", "position": 3, "item": {"name": "Oak lamp"}}]}), "Lamps"),
    ('<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop=itemListElement itemscope itemtype="https://schema.org/ListItem"><a itemprop=item href="/l"><span itemprop=name>Living</span></a><meta itemprop=position content=1></li><li itemprop=itemListElement itemscope itemtype="https://schema.org/ListItem"><span itemprop=name>Lamps</span><meta itemprop=position content=2></li></ol>', "Living > Lamps"),
    ('<nav class="breadcrumb"><a href="/">Startseite</a> » <a href="/w">Wohnen</a> » <a href="/l">Lampen</a> » Oak lamp</nav>', "Wohnen > Lampen"),
    ('<div id="breadcrumbs">Home / Living / Lamps / Oak lamp</div>', "Living > Lamps"),
]  # fmt: skip


@pytest.mark.parametrize(("crumbs", "category"), CRUMBS)
def test_a_category_is_what_leads_to_the_product(crumbs: str, category: str) -> None:
    found = read(f"<title>Oak lamp</title>{crumbs}<h1>Oak lamp</h1><p class=price>$12.00</p>{BUY}")
    assert found is not None
    assert found["category"] == category


def test_variants_beside_the_price_of_a_page_make_no_list() -> None:
    rows = "".join(f"<tr><td>{n} pieces<td>${n}.00<td>{BUY}" for n in (40, 50, 60))
    found = read(
        f"<title>Oak lamp</title><h1>Oak lamp</h1><p class=price>$12.00</p>{BUY}<table>{rows}</table>"
    )
    assert found is not None
    assert found["price"] == 12


def test_labels_name_numbers_and_brands() -> None:
    found = read(
        "<title>Oak lamp</title><h1>Oak lamp</h1><p class=price>€12.00</p>"
        + BUY
        + "<ul><li>Marke: Lantern</li>"
        "<li>Artikelnummer: <b>AB-1234</b></li><li>EAN: 4006381333931</li></ul><p>4,5 von 5 (37 Bewertungen)</p>",
        lang="de",
    )
    assert found is not None
    assert {name: found[name] for name in ("brand", "sku", "gtin", "rating", "review_count")} == {
        "brand": "Lantern", "sku": "AB-1234", "gtin": "4006381333931", "rating": 4.5, "review_count": 37,
    }  # fmt: skip


def test_pictures_are_those_of_the_gallery() -> None:
    found = read(
        '<title>Oak lamp</title><header><img src="/logo.png" width=300></header><div class=gallery>'
        '<img src="/oak-1.jpg"><img src="/oak-2.jpg"><img src="data:image/gif;base64,R0">'
        '<img src="/pixel.gif" width=1></div><h1>Oak lamp</h1><p class=price>€12.00</p>' + BUY +
        '<div class=related><a href="/2"><img src="/pine.jpg"></a></div>'
    )  # fmt: skip
    assert found is not None
    assert found["images"] == ["https://shop.example/oak-1.jpg", "https://shop.example/oak-2.jpg"]
