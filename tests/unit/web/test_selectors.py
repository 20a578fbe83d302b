"""CSS selectors: what they match, which are refused, and that no page makes them slow."""

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from tenax.errors import ConfigError, ContentError
from tenax.web.selectors import MAX_MATCHES, group_by_ancestor, limit_nesting, parse_selector

TREE = LexborHTMLParser(
    "<!doctype html><main id=m><p id=a class='x lead'>1</p><div id=d><p id=b data-kind='ad box'>2</p>"
    "<div id=e><p id=c class=x>3</p></div></div></main><p id=f class=ü>4</p>"
)


def find(selector: str, tree: LexborHTMLParser = TREE) -> list[str | None]:
    return [node.id for node in parse_selector(selector).find(tree)]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("p", ["a", "b", "c", "f"]),
        ("P", ["a", "b", "c", "f"]),
        ("#d", ["d"]),
        (".x", ["a", "c"]),
        ("p.x.lead", ["a"]),
        (".ü", ["f"]),
        ("[data-kind]", ["b"]),
        ("[data-kind~=ad]", ["b"]),
        ("p[data-kind ^= 'ad b']", ["b"]),
        ('[data-kind*="d b"]', ["b"]),
        ("main p", ["a", "b", "c"]),
        (" main   p ", ["a", "b", "c"]),
        ("main > p", ["a"]),
        ("main>p", ["a"]),
        ("div div", ["e"]),
        ("main div p", ["b", "c"]),
        ("main > div p", ["b", "c"]),
        ("div div > p", ["c"]),
        ("div > div > .x", ["c"]),
        ("nav p", []),
        ("p main", []),
        ("p + div", ["d", "e"]),
        ("p+div > p", ["b", "c"]),
        ("div + p", []),
        ("main + p", ["f"]),
        ("p:first-child", ["a", "b", "c"]),
        ("div:last-child", ["d", "e"]),
        ("p:only-child", ["c"]),
        ("p:not(.x)", ["b", "f"]),
        ("main :not(p)", ["d", "e"]),
        ("p:not([data-kind]):not( .x )", ["f"]),
    ],
)
def test_what_a_selector_finds(selector: str, found: list[str]) -> None:
    assert find(selector) == found


@pytest.mark.parametrize(
    "selector",
    ["", " ", ">", "> p", "p >", "p,", "p[", "p[a=", "[a='x]", "p:hover", "p::before", ":not(.x, .y)",
     ":not(:not(p))", ":not(a b)", "p:has(b)",
     "p:nth-child(2)", "a ~ b", "+ b", "a + + b", "a > + b", "p:empty",
     "*", "a|b", "a\\:b", ".1", "[a=1]", "[a=b i]", "a /* x */ b", "p{",
     "a\nb", "a\0", ".\xb5", ".\u2200", "[a='\0']", "\ud800", "[a='\ud800']", "a\xa0b"],
)  # fmt: skip
def test_what_is_not_understood_or_could_be_slow_is_refused(selector: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_selector(selector)
    sentence = str(caught.value)
    assert sentence.startswith(f"The selector {selector!r} cannot be used")
    assert sentence.isprintable()


def test_the_sentence_says_from_where_it_is_not_understood() -> None:
    with pytest.raises(ConfigError, match=re.escape("'p.x:hover' cannot be used from ':hover' on. Use tags")):
        parse_selector("p.x:hover")


def test_a_list_of_selectors_is_to_be_given_one_by_one() -> None:
    with pytest.raises(ConfigError, match=r"because of its comma\. Give each selector separately"):
        parse_selector("h1, .price")


def test_long_selectors_are_refused() -> None:
    assert parse_selector("a" * 100)
    with pytest.raises(ConfigError, match="longer than 100 characters"):
        parse_selector("a" * 101)


def test_selectors_of_many_steps_are_refused() -> None:
    assert parse_selector("a b > c")
    with pytest.raises(ConfigError, match="more than 3 steps"):
        parse_selector("a b > c d")


def test_elements_are_grouped_by_the_nearest_that_contains_them() -> None:
    inner, outer = parse_selector("#e").find(TREE)[0], parse_selector("main").find(TREE)[0]
    groups = group_by_ancestor(parse_selector("p").find(TREE), {inner.mem_id, outer.mem_id})
    assert [[node.id for node in groups[each.mem_id]] for each in (outer, inner)] == [["a", "b"], ["c"]]


def test_elements_in_too_many_others_are_left_out() -> None:
    tree = LexborHTMLParser("<div id=a><p><div id=b><div id=c></div></div></div><div id=d></div>")
    nodes = parse_selector("div").find(tree)
    assert [node.id for node in limit_nesting(nodes, 2)] == ["a", "b", "d"]


def test_an_element_can_be_its_own_group() -> None:
    nodes = parse_selector("div").find(TREE)
    groups = group_by_ancestor(nodes, {node.mem_id for node in nodes})
    assert [[node.id for node in group] for group in groups.values()] == [["d"], ["e"]]


def test_a_page_on_which_too_much_matches_cannot_be_read() -> None:
    tree = LexborHTMLParser("<i></i>" * (MAX_MATCHES + 1))
    with pytest.raises(ContentError, match="More than 50,000 elements of the document match i"):
        find("i", tree)
