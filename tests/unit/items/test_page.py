from typing import Any

import pytest

from tenax.items.page import Follow, Link, Page, parse_page
from tenax.items.parser import FunctionParser

SHOP = """<!doctype html><html lang=en><head><title> The  shop </title>
<meta name=description content="Things."><link rel=canonical href=/p/1>
<script type="application/ld+json">{"@type": "Product", "name": "Kettle"}</script></head>
<body><div class=product id=a><h1>Kettle</h1><p class=price data-cents=1999 hidden>€ 19.<b>99</b></p>
<a href="/p/2" rel=nofollow>Next <i>one</i></a></div><div class=product>Mug</div></body></html>"""


def shop(html: str = SHOP, url: str = "https://shop.example/p/1") -> Page:
    return parse_page(html.encode(), url=url, headers={"content-type": "text/html; charset=utf-8"})


def test_a_page_has_what_a_crawl_stores_of_it() -> None:
    page = shop()
    assert (page.url, page.status, page.title) == ("https://shop.example/p/1", 200, "The shop")
    assert (page.language, page.description) == ("en", "Things.")
    assert page.text == "Kettle\nNext one\nMug"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.html == SHOP


def test_links_have_texts_and_addresses() -> None:
    assert shop().links == (
        Link(url="https://shop.example/p/1", text="", rel="canonical", tag="link"),
        Link(url="https://shop.example/p/2", text="Next one", rel="nofollow", tag="a"),
    )


def test_css_finds_elements_in_document_order() -> None:
    page = shop()
    assert [element.text() for element in page.css(".product")] == ["Kettle€ 19.99 Next one", "Mug"]
    assert page.css(".none") == []
    assert page.css_first(".none") is None


def test_an_element_has_text_attributes_and_elements_inside() -> None:
    price = shop().css_first(".product .price")
    assert price is not None
    assert price.tag == "p"
    assert price.text() == "€ 19.99"
    assert price.text(separator="|") == "€ 19.|99"
    assert price.get("data-cents") == "1999"
    assert price.get("missing", "no") == "no"
    assert price.attributes["hidden"] is None
    assert price.html.startswith("<p class=")
    assert [child.tag for child in price.children] == ["b"]
    assert price.parent is not None
    assert price.parent.get("id") == "a"


def test_an_element_is_not_inside_itself() -> None:
    product = shop().css_first("#a")
    assert product is not None
    assert product.css(".product") == []
    assert [element.tag for element in product.css("h1, b")] == ["h1", "b"]


def test_selectors_beyond_the_safe_grammar_are_matched_by_the_parser() -> None:
    assert [element.text() for element in shop().css("div.product:not(#a), b")] == ["99", "Mug"]


@pytest.mark.parametrize("selector", ["", "p[", "::::"])
def test_no_selector(selector: str) -> None:
    with pytest.raises(ValueError, match="is not a CSS selector"):
        shop().css(selector)


def test_json_ld_is_read() -> None:
    assert shop().json_ld == [{"@type": "Product", "name": "Kettle"}]


def test_a_reference_is_resolved_by_the_base_of_the_page() -> None:
    page = shop("<base href=/deep/><a href=x>x</a>")
    assert page.resolve(" x#part ") == "https://shop.example/deep/x"
    assert page.resolve("mailto:a@b.example") is None


def test_a_follow_up_names_a_parser_by_name_function_or_object() -> None:
    def detail(page: Page) -> None: ...

    page = shop()
    expected = Follow(url="https://shop.example/p/2", parser="detail", data={"rank": 1})
    assert page.follow("2", "detail", {"rank": 1}) == expected
    assert page.follow("2", detail, {"rank": 1}) == expected
    assert page.follow("2", FunctionParser(detail), {"rank": 1}) == expected
    with pytest.raises(TypeError, match="is no parser"):
        page.follow("2", 7)  # type: ignore[arg-type]


def test_a_follow_up_to_what_is_no_address_keeps_it_as_it_is() -> None:
    assert shop().follow("javascript:go()", "detail").url == "javascript:go()"


@pytest.mark.parametrize("url", [None, 7, ["/a"]])
def test_a_follow_up_to_what_is_no_text_says_so(url: Any) -> None:
    with pytest.raises(TypeError, match=r"page.follow needs a url as a text, but got "):
        shop().follow(url, "detail")


def test_markdown_is_that_of_the_page_without_its_frame() -> None:
    page = parse_page(b"<nav>menu</nav><h1>T</h1><p><a href=x>y</a>", url="http://a.example/d/")
    assert page.markdown() == "# T\n\n[y](http://a.example/d/x)\n"


def test_markdown_of_elements_contains_each_once_with_all_that_is_in_it() -> None:
    body = b"<p>no<div class=a><nav>menu</nav><div class=a>in</div></div><p class=a>last"
    assert parse_page(body, url="http://a.example/").markdown(".a") == "menu\n\nin\n\nlast\n"


def test_markdown_of_what_is_no_selector_is_an_error() -> None:
    with pytest.raises(ValueError, match="is not a CSS selector"):
        parse_page(b"<p>x", url="http://a.example/").markdown("..a")
