from hypothesis import given
from hypothesis import strategies as st

from tenax.extract.page import extract_page
from tenax.records.pages import PageContent
from tenax.web.documents import parse_document


def extract(html: str, robots_tag: str | None = None) -> PageContent:
    document = parse_document(html.encode(), url="http://a.example/dir/page", content_type=None)
    return extract_page(document, robots_tag=robots_tag)


@given(st.text(alphabet="abc", max_size=9))
def test_content_hash_fits_a_signed_column(text: str) -> None:
    assert -(2**63) <= extract(f"<p>{text}").content_hash < 2**63


PIECES = (
    *("<html lang=en>", "<head>", "<title>", "</title>", "<meta name=robots content=noindex>"),
    *("<body>", "<div>", "</div>", "<p>", "<p hidden>", "</p>", "<a href=/x>", "</a>", "<ul>", "<li>"),
    *("<table>", "<tr>", "<td>", "</table>", "<script>", "</script>", "<style>", "<!--", "-->"),
    *("<svg>", "</svg>", "<math>", "<template>", "</template>", "<select>", "<option>", "<b>"),
    *("</b>", "<base href=/y>", "<link rel=canonical href=//[>", "<noscript>", "</noscript>"),
    *("<textarea>", "<frameset>", "text", "&amp;", "&#0;", "\x00", "\ud7ff", "\x01", "<", ">", "="),
)


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_tag_soup_never_raises(pieces: list[str]) -> None:
    assert "\x00" not in extract("".join(pieces)).text
