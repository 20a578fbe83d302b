"""The text of a page that an extraction profile selects."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.fetch import ExtractSettings
from tenax.extract.profile import ExtractionProfile
from tenax.extract.text import read_text
from tenax.web.documents import Document, parse_document


def parse(html: str) -> Document:
    return parse_document(html.encode(), url="http://a.example/", content_type=None)


def build(only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> ExtractionProfile:
    return ExtractionProfile.build(ExtractSettings(only=only, without=without))


def read(html: str, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> str:
    return read_text(parse(html).tree, build(only, without))


_PIECES = st.sampled_from(
    ["<p>", "<div>", "</div>", "<b>", "</b>", "<td>", "<table>", "</table>", "<i hidden>", "</i>", "x", " ",
     "y z", "<script>", "</script>", "<br>", "<!-- -->", "<body class=q>"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=20).map("".join))
def test_what_matches_nothing_changes_nothing(html: str) -> None:
    text = read(html)
    assert read(html, (".none",)) == read(html, (), (".none",)) == read(html, ("body",)) == text


@given(st.lists(_PIECES, max_size=20).map("".join), st.sampled_from(["p", "div", "b", "td", "div b"]))
def test_a_part_says_nothing_that_the_whole_does_not(html: str, selector: str) -> None:
    def count(text: str) -> int:
        return len("".join(text.split()))

    whole = count(read(html))
    assert count(read(html, (selector,))) <= whole
    assert count(read(html, (), (selector,))) <= whole
