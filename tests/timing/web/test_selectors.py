"""CSS selectors: what they match, which are refused, and that no page makes them slow."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tenax.web.selectors import group_by_ancestor, parse_selector

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


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p>x</p><!--c-->" * 49_000, id="siblings"),
        pytest.param("<p></p>" * 40_000 + "<!--c-->" * 200_000 + "<b></b>", id="comments behind"),
        pytest.param("<!--c-->" * 200_000 + "<p></p>" * 40_000, id="comments before"),
        pytest.param("x<p></p>" * 49_000 + "y", id="texts between"),
    ],
)
def test_no_page_makes_siblings_slow(html: str) -> None:
    tree = LexborHTMLParser(f"<div>{html}</div>")
    started = time.process_time()
    for selector in ("p + p", "p + b", "p:first-child", "p:last-child", "p:not(.x):only-child", "div p + p"):
        find(selector, tree)
    # 0.2 s here; asking each about all of its siblings would take minutes.
    assert time.process_time() - started < 10


def test_no_page_makes_grouping_slow() -> None:
    tree = LexborHTMLParser("<div>" * 990 + "<i></i>" * 49_000)
    nodes = parse_selector("i").find(tree)
    started = time.process_time()
    for _ in range(5):
        group_by_ancestor(nodes, {node.mem_id for node in parse_selector("div").find(tree)})
        group_by_ancestor(nodes, set())
    assert time.process_time() - started < 10
