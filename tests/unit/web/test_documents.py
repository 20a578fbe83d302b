import pytest

from tenax.web.documents import Document, parse_document

URL = "http://a.example/dir/page"


def parse(body: str | bytes, content_type: str | None = None, url: str = URL) -> Document:
    data = body.encode() if isinstance(body, str) else body
    return parse_document(data, url=url, content_type=content_type)


def text_of(document: Document) -> str:
    body = document.tree.body
    assert body is not None
    return body.text()


RUSSIAN = "Это обычный русский текст о погоде, о природе и о городах."
JAPANESE = "これは日本語の文章です。今日はとても良い天気ですね。"
CHINESE = "这是一个中文网页，内容是关于天气和旅游的文章。"


# --- charset ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type", "charset", "text"),
    [
        pytest.param("größe".encode(), None, "utf-8", "größe", id="undeclared utf-8"),
        pytest.param(b"plain", None, "utf-8", "plain", id="ascii"),
        pytest.param(b"", None, "utf-8", "", id="empty"),
        pytest.param(b"gr\xf6\xdfe", "text/html; charset=ISO-8859-1", "windows-1252", "größe", id="header"),
        pytest.param(b"\x93quoted\x94", "text/html; charset=latin1", "windows-1252", "“quoted”", id="latin1"),
        pytest.param(
            b"<meta charset=shift_jis>" + JAPANESE.encode("shift_jis"),
            None,
            "shift_jis",
            JAPANESE,
            id="meta charset",
        ),
        pytest.param(
            b'<META HTTP-EQUIV=content-type CONTENT="text/html; charset=gb2312">' + CHINESE.encode("gb18030"),
            "text/html",
            "gb18030",
            CHINESE,
            id="meta http-equiv",
        ),
        pytest.param(RUSSIAN.encode("koi8-r"), "text/html; charset=KOI8-R", "koi8-r", RUSSIAN, id="koi8-r"),
        pytest.param(b"\xff\xfe" + "größe".encode("utf-16-le"), None, "utf-16le", "größe", id="utf-16le BOM"),
        pytest.param(b"\xfe\xff" + "größe".encode("utf-16-be"), None, "utf-16be", "größe", id="utf-16be BOM"),
        pytest.param("<p>größe".encode("utf-16-le"), None, "utf-16le", "größe", id="utf-16le without BOM"),
        pytest.param(RUSSIAN.encode("cp1251"), None, "windows-1251", RUSSIAN, id="undeclared windows-1251"),
        pytest.param(b"5 \xa3", None, "windows-1252", "5 £", id="too little to detect"),
        pytest.param("größe".encode()[:-2], None, "utf-8", "grö�", id="utf-8 cut in a character"),
    ],
)
def test_charset_is_found(body: bytes, content_type: str | None, charset: str, text: str) -> None:
    document = parse(body, content_type)
    assert (document.charset, text_of(document)) == (charset, text)


def test_a_byte_order_mark_beats_the_header() -> None:
    document = parse(b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe", "text/html; charset=iso-8859-1")
    assert (document.charset, text_of(document)) == ("utf-8", "größe")


def test_the_header_beats_the_meta_element() -> None:
    document = parse("<meta charset=shift_jis>größe", "text/html; charset=utf-8")
    assert (document.charset, text_of(document)) == ("utf-8", "größe")


def test_an_unknown_label_in_the_header_is_ignored() -> None:
    document = parse(b"<meta charset=windows-1252>gr\xf6\xdfe", "text/html; charset=base64")
    assert (document.charset, text_of(document)) == ("windows-1252", "größe")


def test_a_meta_element_in_a_comment_declares_nothing() -> None:
    assert parse("<!-- <meta charset=shift_jis> -->größe").charset == "utf-8"


def test_a_description_that_mentions_a_charset_declares_nothing() -> None:
    assert parse('<meta name=description content="charset=big5">größe').charset == "utf-8"


def test_a_readable_meta_element_cannot_declare_utf_16() -> None:
    assert parse("<meta charset=utf-16>größe").charset == "utf-8"


def test_invalid_utf_8_becomes_replacement_characters() -> None:
    assert text_of(parse(b"a\xff\xfe\xc3b", "text/html; charset=utf-8")) == "a���b"


def test_lone_surrogates_become_replacement_characters() -> None:
    document = parse(b"a\x00\xd8b\x00", "text/html; charset=utf-16le")
    assert text_of(document).isprintable()
    assert text_of(document).encode()


# --- base URL --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "base_url"),
    [
        pytest.param("", URL, id="none"),
        pytest.param("<base href=/other/>", "http://a.example/other/", id="relative"),
        pytest.param("<base href=sub/>", "http://a.example/dir/sub/", id="relative to the page"),
        pytest.param("<base href='https://b.example/x/'>", "https://b.example/x/", id="another host"),
        pytest.param("<base href=/a/><base href=/b/>", "http://a.example/a/", id="the first of two"),
        pytest.param("<base target=_top><base href=/b/>", "http://a.example/b/", id="target only"),
        pytest.param("<base href='data:text/plain,x'>", URL, id="not crawlable"),
        pytest.param("<base href='javascript:x()'><base href=/b/>", URL, id="useless first"),
        pytest.param("<base href='/a/#top'>", "http://a.example/a/", id="fragment"),
        pytest.param("<base href>", URL, id="no value"),
    ],
)
def test_base_url(head: str, base_url: str) -> None:
    assert parse(f"<head>{head}</head>").base_url == base_url
