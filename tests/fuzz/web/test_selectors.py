"""CSS selectors: what they match, which are refused, and that no page makes them slow."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tenax.errors import ConfigError
from tenax.web.documents import select
from tenax.web.selectors import parse_selector

TREE = LexborHTMLParser(
    "<!doctype html><main id=m><p id=a class='x lead'>1</p><div id=d><p id=b data-kind='ad box'>2</p>"
    "<div id=e><p id=c class=x>3</p></div></div></main><p id=f class=ü>4</p>"
)


_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


_VALUES = st.text(st.characters(exclude_characters='"\\'), max_size=9).filter(str.isprintable)


_PARTS = st.one_of(
    _NAMES.map(".{}".format),
    _NAMES.map("#{}".format),
    st.builds('[{}{}="{}"]'.format, _NAMES, st.sampled_from(["", "~", "|", "^", "$", "*"]), _VALUES),
)


_COMPOUNDS = st.builds("".join, st.lists(_PARTS, min_size=1, max_size=2))


@given(st.lists(_COMPOUNDS | _NAMES, min_size=1, max_size=3).map(" > ".join))
def test_the_parser_understands_every_accepted_selector(selector: str) -> None:
    with contextlib.suppress(ConfigError):
        parsed = parse_selector(selector)
        assert len(parsed.find(TREE)) == len(select(TREE, selector))


_TREES = st.recursive(
    st.sampled_from(["<p>", "<i></i>"]),
    lambda inner: st.builds("<div>{}</div>".format, st.lists(inner, max_size=4).map("".join)),
)


@given(_TREES, st.sampled_from(["div p", "div > p", "div div i", "div > div p", "div div > div", "body i"]))
def test_steps_mean_what_they_mean_to_the_parser(html: str, selector: str) -> None:
    tree = LexborHTMLParser(html)
    found = [node.mem_id for node in parse_selector(selector).find(tree)]
    assert found == [node.mem_id for node in select(tree, selector)]
