import random

import pytest
import xxhash

from tenax.discover.links import find_links
from tenax.errors import ContentError
from tenax.extract.page import extract_page
from tenax.records.pages import PageContent
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs


def extract(html: str, robots_tag: str | None = None) -> PageContent:
    document = parse_document(html.encode(), url="http://a.example/dir/page", content_type=None)
    return extract_page(document, robots_tag=robots_tag)


def test_a_whole_page() -> None:
    page = extract("""<!doctype html>
        <html lang=en-GB><head><meta charset=utf-8>
        <title>The  title</title>
        <meta name=description content="What it is about.">
        <link rel=canonical href=/page>
        <style>p { color: red }</style><script>var x = "<p>no</p>";</script></head>
        <body><h1>Heading</h1><p>First <b>bo</b>ld
        paragraph.</p><p>Second.</p></body></html>""")
    text = "Heading\nFirst bold paragraph.\nSecond."
    assert page == PageContent(
        title="The title",
        description="What it is about.",
        canonical="http://a.example/page",
        language="en-gb",
        charset="utf-8",
        text=text,
        content_hash=page.content_hash,
    )


def test_an_empty_page() -> None:
    page = extract("")
    assert (page.title, page.description, page.canonical, page.language) == (None,) * 4
    assert page.text == ""


def test_content_hash_is_of_the_text_alone() -> None:
    one = extract("<title>a</title><p>text")
    two = extract("<title>b</title><div>text</div>")
    assert one.content_hash == two.content_hash
    assert one.content_hash % 2**64 == xxhash.xxh3_64_intdigest(b"text")


# --- title and description -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> a \n b&amp;c </title>", "a b&c"),
        ("<title></title><meta property=og:title content=' og '>", "og"),
        ("<title>a</title><meta property=og:title content=og>", "a"),
        ("<body><h1>one <i>two</i></h1><h1>three</h1>", "one two"),
        ("<svg><title>icon</title></svg><h1>heading</h1>", "heading"),
        ("<svg><title>icon</title></svg>", None),
        ("<svg><g><title>icon</title></g></svg><h1>heading</h1>", "heading"),
        ("<title> </title>", None),
    ],
)
def test_title(html: str, title: str | None) -> None:
    assert extract(html).title == title


def test_title_is_cut() -> None:
    assert extract(f"<title>{'x' * 5000}</title>").title == "x" * 1000


@pytest.mark.parametrize(
    ("html", "description"),
    [
        ("<meta name=Description content=' a  b '>", "a b"),
        ("<meta property=og:description content=og>", "og"),
        ("<meta property=og:description content=og><meta name=description content=a>", "a"),
        ("<meta name=description content=' '><meta name=description content=b>", "b"),
        ("<meta name=description>", None),
    ],
)
def test_description(html: str, description: str | None) -> None:
    assert extract(html).description == description


def test_description_is_cut() -> None:
    assert extract(f"<meta name=description content={'x' * 5000}>").description == "x" * 2000


# --- canonical and language ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href=other>", "http://a.example/dir/other"),
        ("<base href=/b/><link rel=canonical href=other>", "http://a.example/b/other"),
        ("<link rel='x CANONICAL' href=' https://b.example '>", "https://b.example/"),
        ("<link rel=canonical href=/1><link rel=canonical href=/2>", "http://a.example/1"),
        ("<link rel=canonical href='javascript:x'>", None),
        ("<link rel=canonical>", None),
        ("<link rel=stylesheet href=/x>", None),
    ],
)
def test_canonical(html: str, canonical: str | None) -> None:
    assert extract(html).canonical == canonical


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=DE>", "de"),
        ("<html lang=pt_BR>", "pt-br"),
        ("<html lang=zh-Hant-TW>", "zh-hant-tw"),
        ("<html xml:lang=fr>", "fr"),
        ("<meta http-equiv=Content-Language content='en, de'>", "en"),
        ("<html lang=''><meta http-equiv=content-language content=it>", "it"),
        ("<html lang='<script>'>", None),
        (f"<html lang={'x-' * 30}x>", None),
        ("<html lang=e>", None),
    ],
)
def test_language(html: str, language: str | None) -> None:
    assert extract(html).language == language


# --- text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "text"),
    [
        pytest.param("<p>a</p><p>b</p>", "a\nb", id="blocks without white space between"),
        pytest.param("<div>a</div>b<div>c</div>", "a\nb\nc", id="text after a block"),
        pytest.param("a<b>b</b>c <i>d</i>", "abc d", id="inline elements"),
        pytest.param("a<br>b<hr>c", "a\nb\nc", id="breaks"),
        pytest.param("<ul><li>a<li>b</ul>c", "a\nb\nc", id="list items"),
        pytest.param("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc", id="cells"),
        pytest.param("<p> a \n\t b&nbsp; c </p>\n\n", "a b c", id="white space"),
        pytest.param("a<!-- x -->b", "ab", id="comments"),
        pytest.param("<div><div><p>a</p></div></div>", "a", id="no empty lines"),
        pytest.param("<pre>a\n  b</pre>", "a b", id="preformatted"),
        pytest.param("&lt;p&gt; &eacute;", "<p> é", id="entities"),
        pytest.param("<a href=x>a</a><button>b</button>", "a b", id="buttons"),
        pytest.param("a\x01b", "a\x01b", id="control characters"),
        pytest.param("<div>a</div><span>b</span>", "a\nb", id="an inline element after a block"),
        pytest.param("<h2>a</h2> <!-- x --> <i>b</i>c", "a\nbc", id="white space after a block"),
        pytest.param("a<script>x</script>b<style>y</style> c", "ab c", id="invisible elements inside"),
        pytest.param("<b>a</b> <i>b</i>", "a b", id="white space between inline elements"),
        pytest.param("<b><i>a</i> </b>b", "a b", id="white space at the end of an inline element"),
        pytest.param("a<b> <i>b</i></b>", "a b", id="white space at the start of an inline element"),
        pytest.param("a <!-- x --><script>y</script>\n<i>b</i>", "a b", id="white space among the invisible"),
        pytest.param(
            "<p>a<script>x</script>\n</p>\n<p>b", "a\nb", id="only white space behind the invisible"
        ),
        pytest.param("<b><p>a</p></b>b", "a\nb", id="text after a block in an inline element"),
        pytest.param("<p>a</p><img><img>b", "a\nb", id="images after a block"),
    ],
)
def test_text(html: str, text: str) -> None:
    assert extract(html).text == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<svg><text>x</text></svg>", "x"),
        ("a<svg><title>b</title><desc>c</desc><g><text>d</text></g></svg>e", "a b c d e"),
        ("<p>a</p><svg><text>b</text></svg>c<p>d</p>", "a\nb c\nd"),
        ("<svg><text>b</text></svg><svg><text>c</text></svg>", "b c"),
        ("<b>a<svg>\n<path/>\n</svg></b>.", "a."),
        ("<b>a<svg>\n<text>b</text>\n</svg></b>.", "a b ."),
        ("<svg><text>a<tspan>b</tspan><a>c</a></text></svg>", "abc"),
        ("<svg><text><tspan x=0 y=0>one</tspan><tspan x=0 dy=9>two</tspan></text></svg>", "one two"),
        ("<svg><a href=x><text>select</text></a><rect/><text>FROM</text></svg>", "select FROM"),
        ("<svg><foreignObject><div>a</div><div>b</div></foreignObject></svg>", "a b"),
        ("<svg><text>a<title>b</title></text></svg>", "a b"),
        ("<svg><svg><text>a</text></svg><text>b</text></svg>", "a b"),
        ("<svg><text>a</text><title>", "a"),
    ],
)
def test_words_of_a_drawing_are_text(html: str, text: str) -> None:
    assert extract(html).text == text


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<noscript><p>x</p></noscript>",
        "<template><p>x</p></template>",
        "<svg><path d=x /></svg>",
        "<svg>x<style>x</style><defs><text>x</text></defs><symbol><title>x</title></symbol></svg>",
        "<svg hidden><text>x</text></svg>",
        "<svg><text hidden>x</text></svg>",
        "<iframe>x</iframe>",
        "<object><p>x</p></object>",
        "<textarea>x</textarea>",
        "<p hidden>x</p>",
        "<p HIDDEN>x</p>",
        "<div hidden><svg hidden><text>x</text></svg><p>x</p></div>",
        "<title>x</title>",
        "<noscript><table><tr><td hidden>x</table></noscript>",
    ],
)
def test_invisible_elements_have_no_text(html: str) -> None:
    assert extract(f"<body>a{html}b").text.replace("\n", "") == "ab"


@pytest.mark.parametrize("root", ["<html hidden>", "<body hidden>"])
def test_a_page_that_a_script_would_show_has_its_text(root: str) -> None:
    assert extract(f"{root}<p>a").text == "a"


def test_a_frameset_has_no_text() -> None:
    assert extract("<frameset><frame src=x></frameset>").text == ""


# --- robots ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "header", "noindex", "nofollow"),
    [
        ("", None, False, False),
        ("<meta name=robots content='index, follow'>", None, False, False),
        ("<meta name=ROBOTS content='NoIndex'>", None, True, False),
        ("<meta name=robots content=noindex><meta name=robots content=nofollow>", None, True, True),
        ("<meta name=tenax content=nofollow>", None, False, True),
        ("<meta name=otherbot content=noindex>", None, False, False),
        ("<meta name=robots content=none>", None, True, True),
        ("", "noindex", True, False),
        ("<meta name=robots content=nofollow>", "noindex", True, True),
        ("", "otherbot: noindex", False, False),
    ],
)
def test_robots(html: str, header: str | None, noindex: bool, nofollow: bool) -> None:
    page = extract(html, header)
    assert (page.is_noindex, page.is_nofollow) == (noindex, nofollow)


# --- hostile input ---------------------------------------------------------------------------

PIECES = (
    *("<html lang=en>", "<head>", "<title>", "</title>", "<meta name=robots content=noindex>"),
    *("<body>", "<div>", "</div>", "<p>", "<p hidden>", "</p>", "<a href=/x>", "</a>", "<ul>", "<li>"),
    *("<table>", "<tr>", "<td>", "</table>", "<script>", "</script>", "<style>", "<!--", "-->"),
    *("<svg>", "</svg>", "<math>", "<template>", "</template>", "<select>", "<option>", "<b>"),
    *("</b>", "<base href=/y>", "<link rel=canonical href=//[>", "<noscript>", "</noscript>"),
    *("<textarea>", "<frameset>", "text", "&amp;", "&#0;", "\x00", "\ud7ff", "\x01", "<", ">", "="),
)


@pytest.mark.parametrize("seed", range(50))
def test_damaged_pages_never_raise(seed: int) -> None:
    damage = random.Random(seed)
    body = bytearray(" ".join(PIECES * 8).encode())
    for _ in range(60):
        body[damage.randrange(len(body))] = damage.randrange(256)
    try:
        document = parse_document(bytes(body), url="http://a.example/", content_type=None)
    except ContentError:
        return
    find_links(document, 1000, Hrefs())
    assert "\x00" not in extract_page(document).text
