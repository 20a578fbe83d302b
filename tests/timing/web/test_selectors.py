"""CSS selectors: what they match, which are refused, and that no page makes them slow."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tenax.web.selectors import parse_selector

TREE = LexborHTMLParser(
    "<!doctype html><main id=m><p id=a class='x lead'>1</p><div id=d><p id=b data-kind='ad box'>2</p>"
    "<div id=e><p id=c class=x>3</p></div></div></main><p id=f class=ü>4</p>"
)


def find(selector: str, tree: LexborHTMLParser = TREE) -> list[str | None]:
    return [node.id for node in parse_selector(selector).find(tree)]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 19_000, id="deep"),
        pytest.param("<div>" * 990 + "<i></i>" * 49_000, id="deep and wide"),
        pytest.param(("<div>" * 900 + "</div>" * 900) * 55, id="many deep ones"),
    ],
)
def test_no_page_makes_a_selector_slow(html: str) -> None:
    tree = LexborHTMLParser(html)
    started = time.process_time()
    for selector in ("nav div div", "div div div", "nav div i", "div > div > nav"):
        find(selector, tree)
    # 0.3 s here; going back at every step would take hours.
    assert time.process_time() - started < 10
