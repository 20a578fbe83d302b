"""The text of a page that an extraction profile selects."""

import pytest

from tenax.config.fetch import ExtractSettings
from tenax.discover.links import find_links
from tenax.errors import ConfigError
from tenax.extract.page import extract_page
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.text import has_wanted, read_text
from tenax.records.pages import PageContent
from tenax.web.documents import Document, parse_document
from tenax.web.hrefs import Hrefs

SHOP = """<!doctype html><title>Shop</title><meta name=description content=Boats><body class=cookie-open>
    <div class="cookie bar">We like cookies. <a href=/ok>Fine</a></div>
    <main><h1>A boat</h1><p>It costs <b class=price>9</b> or <b class=price>10</b> today.</p>
    <div class=clock>12:00</div><table><tr><td>Length</td><td class=price>5 m</td></tr></table></main>
    <footer><p>The <span class=clock>12:00</span> end.</p></footer>"""


def parse(html: str) -> Document:
    return parse_document(html.encode(), url="http://a.example/", content_type=None)


def build(only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> ExtractionProfile:
    return ExtractionProfile.build(ExtractSettings(only=only, without=without))


def extract(html: str, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> PageContent:
    return extract_page(parse(html), profile=build(only, without))


def read(html: str, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> str:
    return read_text(parse(html).tree, build(only, without))


@pytest.mark.parametrize(
    ("only", "text"),
    [
        pytest.param(("h1",), "A boat", id="one element"),
        pytest.param(("main > p",), "It costs 9 or 10 today.", id="inline elements stay in their line"),
        pytest.param(("b.price",), "9\n10", id="a line each"),
        pytest.param((".price", "h1"), "A boat\n9\n10\n5 m", id="in the order of the document"),
        pytest.param(("main p", "b", "td.price"), "It costs 9 or 10 today.\n5 m", id="nested count once"),
        pytest.param(("table",), "Length 5 m", id="a table"),
        pytest.param(("tr", "td"), "Length 5 m", id="a row and its cells"),
        pytest.param(("body", "h1"), read(SHOP), id="the body is the whole page"),
    ],
)  # fmt: skip
def test_only_what_matches_is_text(only: tuple[str, ...], text: str) -> None:
    assert read(SHOP, only) == text


@pytest.mark.parametrize(
    ("without", "text"),
    [
        pytest.param(("main", ".cookie"), "The 12:00 end.", id="blocks"),
        pytest.param(("main", ".cookie", "p .clock"), "The end.", id="an inline element"),
        pytest.param((".bar", "main", "footer"), "", id="everything"),
        pytest.param(("[class*=cookie]", "main"), "The 12:00 end.", id="the body is never left out"),
    ],
)
def test_what_is_left_out_is_no_text(without: tuple[str, ...], text: str) -> None:
    assert read(SHOP, (), without) == text


def test_what_is_left_out_is_so_within_what_is_wanted() -> None:
    assert read(SHOP, ("main",), (".clock", "table")) == "A boat\nIt costs 9 or 10 today."


def test_what_is_wanted_within_what_is_left_out_is_no_match() -> None:
    assert read(SHOP, (".clock",), ("main",)) == "12:00"
    assert read(SHOP, ("h1",), ("main", ".cookie")) == "The 12:00 end."


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden><p class=x>No</p></div>",
        "<p class=x hidden>No</p>",
        "<noscript><p class=x>No</p></noscript>",
        "<template><p class=x>No</p></template>",
        "<textarea class=x>No</textarea>",
    ],
)
def test_invisible_elements_do_not_match(hidden: str) -> None:
    assert read(f"<p>Other</p>{hidden}<p class=x>Yes</p>{hidden}<p>More", (".x",)) == "Yes"
    assert read(f"<p>Other</p>{hidden}", (".x",)) == "Other"


@pytest.mark.parametrize(
    ("only", "without", "text"),
    [("svg", (), "a b c"), ("svg text", (), "b\nc"), ("svg", (".c",), "a b"), ("p", (), "d")],
)
def test_drawings_and_their_labels_can_be_wanted(only: str, without: tuple[str, ...], text: str) -> None:
    html = "<svg><title>a</title><style>x</style><text>b</text><text class=c>c</text></svg><p>d</p>"
    assert read(html, (only,), without) == text


def test_a_page_on_which_nothing_matches_keeps_its_whole_text() -> None:
    assert read(SHOP, (".gone", "title", "meta")) == read(SHOP)
    assert read(SHOP, (".gone",), ("main", ".cookie")) == "The 12:00 end."


def test_an_element_that_is_there_and_empty_is_a_match() -> None:
    assert read("<p>Other<p class=x></p>", (".x",)) == ""


def test_a_page_without_a_body_has_no_text() -> None:
    assert read("<frameset><frame src=/x></frameset>", ("p",), ("b",)) == ""


def test_all_but_the_text_stays_as_it_is() -> None:
    whole, part = extract(SHOP), extract(SHOP, ("h1",), ("[name=description]", "title", ".cookie"))
    assert part.text == "A boat"
    assert part.content_hash != whole.content_hash
    assert (part.title, part.description, part.language) == (whole.title, whole.description, whole.language)
    document = parse(SHOP)
    extract_page(document, profile=build(("h1",), (".cookie",)))
    assert len(find_links(document, 10, Hrefs())) == 1


def test_a_change_outside_the_selection_does_not_change_the_hash() -> None:
    later = SHOP.replace("12:00", "12:01")
    assert extract(SHOP).content_hash != extract(later).content_hash
    assert extract(SHOP, (), (".clock",)).content_hash == extract(later, (), (".clock",)).content_hash
    assert extract(SHOP, ("h1",)).content_hash == extract(later, ("h1",)).content_hash


def test_a_page_has_what_is_wanted_where_it_is_seen() -> None:
    tree = parse(SHOP).tree
    assert has_wanted(tree, build(("h1",)))
    assert not has_wanted(tree, build(("h1",), ("main",)))
    assert not has_wanted(tree, build((".gone",)))
    assert not has_wanted(tree, WHOLE_PAGE)


@pytest.mark.parametrize("settings", [{"only": ["p:hover"]}, {"without": ["p", "a, b"]}])
def test_a_bad_selector_is_a_fault_of_the_settings(settings: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        ExtractionProfile.build(ExtractSettings.model_validate(settings))
