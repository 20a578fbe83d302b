import re

from hypothesis import given
from hypothesis import strategies as st

from tenax.errors import ContentError, DocumentTooLarge
from tenax.web import markup
from tenax.web.markup import make_safe
from tenax.web.tokens import ATTRIBUTES, TOKEN

PIECES = (
    *(b"<", b">", b"/", b"=", b'"', b"'", b" ", b"\n", b"-", b"!", b"a", b"b c", b"\0", b"\xc3\xa9"),
    *(b"<!--", b"-->", b"--!>", b"<!-->", b"<!--->", b"<![CDATA[", b"]]>", b"<?x", b"</", b"</>", b"< "),
    *(b"<a href=x>", b'<p class="x y">', b"<p class='x>'>", b'<div data-x="a>b" c>', b"<br />", b"</p x=y>"),
    *(b'<a="x>', b'<a b"c>', b'<a ="x>y">', b'<a b=c="x>y">', b'<a b= "x>" c>', b"<a b = 'x>'>"),
    *(b'<a b="x"="y>">', b'<a b="x"c="y>">', b'<a b/="x>">', b"<htmlx>", b"<s>", b"<h2 id=x>"),
    *(b"<script>", b"</script>", b"<SCRIPT src='x'>", b"</sCript >", b"<script", b"</scripty>"),
    *(b"<style>", b"</style>", b"<title>", b"</title>", b"<textarea>", b"</textarea>", b"<xmp>", b"</xmp>"),
    *(b"<html a b>", b"<body c=d>", b"<svg>", b"</svg>", b"<svg/>", b"<g>", b"</g>", b"<path d='x'/>"),
    *(b"<svg><path d='x'/><g></g></svg>", b"<svg><g a", b'<g=a="x>y">', b"<use>", b"</use>", b"<gx>"),
    *(b"<math>", b"</math>", b"<mi>", b"<foreignObject>", b"</foreignObject>", b"<desc>", b"<span>"),
    *(b"<x" + b" a" * 70 + b">", b"<x" + b' a=""' * 70 + b">", b"<i " + b"a='>'" * 70 + b">"),
    *(b"<p" + b" abcde" * 600 + b">", b"<p" + b"/a='>'" * 600 + b">"),
)
MARKUP = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
LOOKED_AT = frozenset(b"body html iframe math noembed noframes style textarea title xmp".split())


class Scan(markup._Scan):
    """Notes the tokens that matter; scripts and drawings may be passed as a whole."""

    def __init__(self, html: bytes) -> None:
        super().__init__(html, is_deep=False)
        self.noted: list[tuple[int, int]] = []

    def _next_token(self, position: int) -> re.Match[bytes] | None:
        token = self._search(position)
        if token is not None and _matters(token):
            self.noted.append(token.span())
        return token

    def _search(self, position: int) -> re.Match[bytes] | None:
        return super()._next_token(position)

    def outcome(self) -> str:
        try:
            self.run()
        except ContentError as error:
            return str(error)
        return ""


class ScanOfEveryToken(Scan):
    def _search(self, position: int) -> re.Match[bytes] | None:
        return TOKEN.search(self._html, position)


def _matters(token: re.Match[bytes]) -> bool:
    cdata, slash, name, attributes = token.groups()
    if name is None or slash:
        return bool(cdata)
    return name.lower() in LOOKED_AT or len(ATTRIBUTES.findall(attributes)) > 64


@given(MARKUP)
def test_no_token_that_matters_is_passed(html: bytes) -> None:
    quick, thorough = Scan(html), ScanOfEveryToken(html)
    assert quick.outcome() == thorough.outcome()
    assert quick.noted == thorough.noted


@given(MARKUP, st.integers(0, 4_000_000))
def test_memory_is_judged_by_the_estimate_whatever_is_looked_at_first(html: bytes, memory_bytes: int) -> None:
    try:
        markup._check_size(html, html.count(b"<"), memory_bytes)
    except DocumentTooLarge:
        assert markup.estimate_memory(html) > memory_bytes
    else:
        assert markup.estimate_memory(html) <= memory_bytes


@given(
    st.lists(st.sampled_from([*PIECES, b"<B>", b"</B/", b"<bIg ", b"<bi", b"<EM\t", b"</s>", b"<sTrong>"]))
)
def test_formatting_is_found_in_any_case(pieces: list[bytes]) -> None:
    names = rb"<(/?)(?:[bisu]|big|code|em|font|nobr|small|strike|strong|tt)(?=[\t\n\f\r />])"
    html = b"".join(pieces)
    assert markup._FORMATTING.sub(rb"<\1wbr", html) == re.sub(names, rb"<\1wbr", html, flags=re.IGNORECASE)


@given(MARKUP)
def test_a_hostile_tag_is_found_in_any_surroundings(html: bytes) -> None:
    hostile = b"<x " + b"abcde " * 600 + b">"
    large = html + b">" + b"x" * 200_000 + hostile
    is_seen = ScanOfEveryToken(large).outcome() != ""
    try:
        make_safe(large)
    except ContentError:
        assert is_seen
    else:
        assert not is_seen
