"""The Markdown of any document is read by a CommonMark parser as the same words, without HTML."""

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser

from tenax.extract.markdown.convert import html_to_markdown
from tenax.extract.text import read_text
from tenax.web.documents import parse_document

URL = "https://a.example/"
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

TEXTS = (
    *("a", "b ", "word", " ", "\n", "*", "**", "_", "__", "`", "``", "```", "~~", "~~~", "[x]", "](u)"),
    *("[a](b)", "![", "!", "#", "# ", "1. ", "2)", "- ", "+ ", "---", "===", "***", "> ", "|", "| a | b |"),
    *(
        "|---|",
        "\\",
        "\\\\",
        "&lt;b>",
        "&lt;",
        "&amp;lt;",
        "&amp;",
        "&lt;!--",
        "&lt;script>x",
        "http://e.com/",
    ),
    *("    ", "\t", "é", "“q”", "€", "日本", "。", ":", "[1]: /x", "[^1]:", "&nbsp;", "$", "(", ")", "x_y"),
    *("&#35;", ";", "lt;", "\x01", "\x03", "\x07", "&#x2028;"),
)
NAMES = (
    "p div b strong i em code kbd del ul ol li blockquote pre table tr td th h1 h2 h6 dl dt dd sub sup span"
    " section details summary q button figure figcaption u header nav"
)
TAGS = (
    *("<a href='/a(b'>", "</a>", "<br>", "<hr>", "<img src=/i.png alt='*a]'>", "<td colspan=2>"),
    *(f"<{name}>" for name in NAMES.split()),
    *(f"</{name}>" for name in NAMES.split()),
)


def words(text: str) -> str:
    """Superscript digits are digits, and a caption stays out: it may stand behind its table."""
    visible = re.sub(r"[\x00-\x08\x0b\x0e-\x1f\x7f\s]", "", unicodedata.normalize("NFKC", text))
    return visible.replace("−", "-")


def list_html(tokens: list[Token]) -> list[str]:
    inside = [child for token in tokens for child in token.children or []]
    return [token.content for token in (*tokens, *inside) if token.type in ("html_block", "html_inline")]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(TEXTS) | st.sampled_from(TAGS), max_size=40))
def test_markdown_renders_as_the_same_words_without_html(pieces: list[str]) -> None:
    html = "".join(pieces)
    document = parse_document(html.encode(), url=URL, content_type="text/html; charset=utf-8")
    markdown = html_to_markdown(html, URL)
    rendered = LexborHTMLParser(PARSER.render(markdown))
    assert list_html(PARSER.parse(markdown)) == []
    assert words(rendered.body.text() if rendered.body else "") == words(read_text(document.tree))


@given(st.text(max_size=80))
def test_any_text_stays_text(text: str) -> None:
    escaped = "".join(f"&#{ord(char)};" for char in text)
    markdown = html_to_markdown(f"<p>{escaped}</p>", URL)
    rendered = LexborHTMLParser(PARSER.render(markdown))
    document = parse_document(f"<p>{escaped}".encode(), url=URL, content_type="text/html")
    tags = {node.tag for node in rendered.body.traverse()} if rendered.body else set()
    assert tags <= {"body", "p"}
    assert words(rendered.body.text() if rendered.body else "") == words(read_text(document.tree))
