import random

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.errors import ContentError
from tenax.web.markup import MAX_DEPTH, make_safe
from tenax.web.open_elements import OpenElements

PADDING = b"<p>text</p>" * 12_000  # enough for every check


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(b"<div>", id="plain"),
        pytest.param(b"<div><!--</div>-->", id="end tag in a comment"),
        pytest.param(b"<div><? </div>", id="end tag in a bogus comment"),
        pytest.param(b"<div><script></div></script>", id="end tag in a script"),
        pytest.param(b"<div><br a='</div>'>", id="end tag in an attribute"),
        pytest.param(b"<div></span>", id="end tag of something else"),
        pytest.param(b"<div><table><td></div></td></table>", id="end tag out of scope"),
        pytest.param(b"<form><div></form>", id="form that ends early"),
        pytest.param(b"<svg><foreignObject><p></p>", id="foreign objects"),
        pytest.param(b"<svg><g><![CDATA[</g>]]>", id="end tag in CDATA"),
    ],
)
def test_deep_nesting_is_refused(unit: bytes) -> None:
    with pytest.raises(ContentError, match="nests"):
        make_safe(PADDING + unit * (MAX_DEPTH * 3))


def test_deep_drawings_are_refused_in_documents_with_few_tags() -> None:
    deep = b"<svg>" + b"<g>" * (MAX_DEPTH + 1) + b"</g>" * (MAX_DEPTH + 1) + b"</svg>"
    with pytest.raises(ContentError, match="nests"):
        make_safe(b"x" * 200_000 + deep)


def test_many_drawings_are_not_deep() -> None:
    html = b"x" * 200_000 + b"<svg><g><path d=x></g></svg>" * (2 * MAX_DEPTH)
    assert make_safe(html) is html


def test_small_documents_pass_unseen() -> None:
    html = b"<div>" * 2_000
    assert make_safe(html) is html


def test_formatting_elements_lose_their_meaning_where_they_would_explode() -> None:
    html = b"<B class=x>1</b><u>2</u><base>" * 3_000
    assert make_safe(html) == b"<wbr class=x>1</wbr><wbr>2</wbr><base>" * 3_000


def test_few_formatting_elements_stay() -> None:
    html = b"<b>1</b>" + b"<p>text</p>" * 3_000
    assert make_safe(html) is html


def test_an_element_with_too_many_attributes_is_refused() -> None:
    attributes = b" ".join(b"a%d='>'" % number for number in range(1_000))
    with pytest.raises(ContentError, match="attributes"):
        make_safe(b"x" * 200_000 + b"<a " + attributes + b">")


def test_a_script_full_of_pairs_is_no_element_with_attributes() -> None:
    script = b" ".join(b"a%d=1" % number for number in range(1_000))
    assert make_safe(b"x" * 200_000 + b"<script>i <b " + script + b"</script>")


def test_too_many_tags_are_refused() -> None:
    with pytest.raises(ContentError, match="tags"):
        make_safe(b"<br>" * 300_000)


NAMES = (
    *("a", "body", "br", "button", "dd", "div", "dl", "form", "g", "h1", "li", "math", "mi", "optgroup"),
    *("option", "p", "span", "svg", "table", "td", "tr", "ul", "x"),
)


def deepest(tree: LexborHTMLParser) -> int:
    depth = 0
    level: list[LexborNode] = [tree.root] if tree.root else []
    while level:
        depth += 1
        level = [child for node in level for child in node.iter()]
    return depth


@pytest.mark.parametrize("seed", range(300))
def test_the_stack_grows_when_the_tree_does(seed: int) -> None:
    """A pattern that nests when repeated must not look flat, or it would pass the limit."""
    choose = random.Random(seed)
    tags = [(choose.choice(NAMES), choose.random() < 0.55) for _ in range(choose.randint(1, 6))]
    elements, seen = OpenElements(), 0
    for name, is_start in tags * 100:
        if is_start:
            elements.start(name.encode(), b"")
        else:
            elements.end(name.encode())
        seen = max(seen, elements.depth)
    markup = "".join(f"<{name}>" if is_start else f"</{name}>" for name, is_start in tags)
    assert deepest(LexborHTMLParser(markup * 100)) <= 5 * seen + 50


# --- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(b"<br a b c d e f g h i j>" * 20_000, id="attributes"),
        pytest.param(b"<br>a" * 60_000, id="tags"),
        pytest.param(b"x" * 6_000_000, id="text"),
        pytest.param(bytes(2_000_000), id="NUL bytes"),
        pytest.param("x\N{GRINNING FACE}".encode() + b"x" * 2_500_000, id="astral text"),
        pytest.param(b"&#128512;" + b"x" * 2_500_000, id="astral text by reference"),
    ],
)
def test_a_document_that_takes_more_memory_than_there_is_is_refused(html: bytes) -> None:
    with pytest.raises(
        ContentError, match=r"would take \d+ MB of memory, but a worker has only 20 MB for it"
    ):
        make_safe(html, memory_bytes=20_000_000)
    assert make_safe(html, memory_bytes=80_000_000)


def test_spaces_and_quotes_in_a_text_are_not_taken_for_attributes() -> None:
    html = b"<p>" + b'a "b" c ' * 100_000
    assert make_safe(html, memory_bytes=20_000_000) == html


def test_a_small_document_needs_no_check() -> None:
    html = b"<br a b c d e f g h i j>" * 5_000
    assert make_safe(html, memory_bytes=16_000_000) == html
