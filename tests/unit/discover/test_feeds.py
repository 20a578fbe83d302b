"""Parsing of feeds, and that every broken or hostile feed is refused with a reason."""

import pytest

from tenax.discover.feeds import (
    MAX_BYTES,
    MAX_ENTRIES,
    USUAL_PATHS,
    BadFeed,
    ParsedFeed,
    find_feeds,
    list_usual_feeds,
    parse_feed,
)
from tenax.records.feeds import FeedKind
from tenax.web.documents import parse_document

URL = "https://news.example/feed"
NEW_YEAR = 1735689600.0

RSS = b"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title> The  News </title><link>https://news.example/</link>
<item><title>One &amp; only</title><link>https://news.example/1?utm_source=rss</link><guid>g1</guid>
<pubDate>Wed, 01 Jan 2025 00:00:00 GMT</pubDate></item>
<item><title><![CDATA[Two <b>bold</b>]]></title><link>/2</link></item>
<item><title>no link</title></item>
<item><guid>https://news.example/3</guid></item>
</channel></rss>"""

ATOM = b"""<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><!-- made by hand -->
<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><link rel="self" href="/feed"/>
<entry><id>urn:1</id><title type="html">A</title><link rel="alternate" href="a"/>
<updated>2025-01-01T00:00:00Z</updated></entry></feed>"""

RDF = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://news.example/"><title>Old</title><link>https://news.example/</link></channel>
<item rdf:about="https://news.example/1"><title>one</title><link>https://news.example/1</link>
<dc:date>2025-01-01</dc:date></item></rdf:RDF>"""

RSS_091 = b"""<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
 "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>Caf\xe9</title><item><title>x</title><link>/x</link></item>
</channel></rss>"""

JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [
 {"id": "1", "url": "https://news.example/1", "title": "x", "date_published": "2025-01-01T00:00:00Z"},
 {"id": 2, "external_url": "/2"}, {"id": "3"}, 4, {"url": ["no"]}]}"""


def parse(body: bytes, content_type: str | None = None) -> ParsedFeed:
    found = parse_feed(body, url=URL, content_type=content_type)
    assert isinstance(found, ParsedFeed), found
    return found


def refuse(body: bytes, content_type: str | None = None) -> BadFeed:
    found = parse_feed(body, url=URL, content_type=content_type)
    assert isinstance(found, BadFeed), found
    assert found.reason.isprintable()
    return found


def make_rss(inside: str | bytes) -> bytes:
    content = inside.encode() if isinstance(inside, str) else inside
    return b"<rss version='2.0'><channel>" + content + b"</channel></rss>"


def urls_of(feed: ParsedFeed) -> list[str]:
    return [entry.url.removeprefix("https://news.example") for entry in feed.entries]


@pytest.mark.parametrize(
    ("body", "kind", "title", "urls"),
    [
        (RSS, FeedKind.RSS, "The News", ["/1?utm_source=rss", "/2", "/3"]),
        (ATOM, FeedKind.ATOM, "Atoms", ["/a"]),
        (RDF, FeedKind.RSS, "Old", ["/1"]),
        (RSS_091, FeedKind.RSS, "Café", ["/x"]),
        (JSON, FeedKind.JSON, "J", ["/1", "/2"]),
    ],
)
def test_every_kind_of_feed_is_read(body: bytes, kind: FeedKind, title: str, urls: list[str]) -> None:
    feed = parse(body)
    assert (feed.kind, feed.title, urls_of(feed)) == (kind, title, urls)


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON])
def test_an_entry_says_when_it_was_published(body: bytes) -> None:
    assert parse(body).entries[0].published_at == NEW_YEAR


def test_an_entry_that_is_named_twice_counts_once() -> None:
    body = make_rss("<item><link>/a</link></item>" * 3)
    assert urls_of(parse(body)) == ["/a"]


LATIN = (
    "<?xml version='1.0' encoding='utf-8'?>"
    + make_rss("<title>Café für alle, déjà vu à Genève</title><item><link>/a</link></item>").decode()
)
MALFORMED = {
    "latin that says utf-8": (LATIN.encode("latin-1"), ["/a"]),
    "utf-16": (("\ufeff" + LATIN).encode("utf-16-le"), ["/a"]),
    "utf-8 that says utf-16": (LATIN.replace("'utf-8'", "'utf-16'").encode(), ["/a"]),
    "utf-16 without a mark": (LATIN.encode("utf-16-be"), ["/a"]),
    "a declaration inside": (
        make_rss("<title>é<![CDATA[<meta charset=big5>]]></title><item><link>/é"),
        ["/%C3%A9"],
    ),
    "missing close tags": (
        make_rss("<title>x<item><link>/a</link><item><link>/b</link></item>"),
        ["/a", "/b"],
    ),
    "truncated": (RSS[:330], ["/1?utm_source=rss"]),
    "bare ampersand": (make_rss("<title>a & b</title><item><link>/?a=1&b=2</link></item>"), ["/?a=1&b=2"]),
    "unknown entity": (make_rss("<title>a&nbsp;b&foo;</title><item><link>/a</link></item>"), ["/a"]),
    "an entity that looks like a comment's": (
        make_rss(
            "<x a='<!--'/>&foo;<item>&foo;<title>&foo;x<b>&foo;y</b></title><link>/a&foo;</link></item>"
        ),
        ["/a"],
    ),
    "wrong dates": (
        make_rss("<item><link>/a</link><pubDate>Mon, 99 Foo 2025 26:00:00 XYZ</pubDate></item>"),
        ["/a"],
    ),
    "year 30000": (make_rss("<item><link>/a</link><pubDate>1 Jan 30000</pubDate></item>"), ["/a"]),
    "relative links": (make_rss("<item><link>../b?x=1#f</link></item>"), ["/b?x=1"]),
    "links in CDATA": (make_rss("<item><link> <![CDATA[https://news.example/c]]> </link></item>"), ["/c"]),
    "control characters": (make_rss("<title>a\x0b\x00b</title><item><link>/a\x08</link></item>"), ["/a"]),
    "space before it": (b"\r\n\t " + RSS, ["/1?utm_source=rss", "/2", "/3"]),
    "byte order mark": (b"\xef\xbb\xbf" + RSS, ["/1?utm_source=rss", "/2", "/3"]),
    "other schemes": (
        make_rss("<item><link>javascript:alert(1)</link></item><item><link>mailto:a@b</link></item>"),
        [],
    ),
    "no entries": (make_rss("<title>x</title>"), []),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_can_be_read_of_a_malformed_feed_is_read(name: str) -> None:
    body, urls = MALFORMED[name]
    assert sorted(urls_of(parse(body))) == urls


LAUGHS = b"<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
REFUSED = {
    "empty": (b"", "it is empty"),
    "HTML": (b"<!DOCTYPE html><html><body>hi</body></html>", "it is HTML"),
    "HTML without a type": (b"<html><head></head></html>", "it is HTML"),
    "another XML": (b"<urlset><url/></urlset>", "it is neither RSS nor Atom nor JSON Feed"),
    "text": (b"Not Found", "it is neither XML nor JSON"),
    "bytes": (bytes(range(256)) * 40, "it is neither XML nor JSON"),
    "entities": (b"<!DOCTYPE rss [" + LAUGHS + b"]>" + RSS[40:], "it declares its own entities or types"),
    "entities behind a comment": (
        b"<!-- <rss> <![CDATA[ --><!DOCTYPE rss [" + LAUGHS + b"]><rss/>",
        "it declares its own entities or types",
    ),
    "an external entity": (
        b"<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + make_rss("<title>&x;</title>"),
        "it declares its own entities or types",
    ),
    "a declaration alone": (b"<!ENTITY a 'b'><rss/>", "it is neither XML nor JSON"),
    "a comment without end": (b"<!-- <rss>", "it ends before its first element"),
    "JSON that is no feed": (b'{"items": []}', "it is JSON, but not a JSON Feed"),
    "JSON of another shape": (
        b'{"version": "https://jsonfeed.org/version/1", "items": 3}',
        "it is JSON, but not a JSON Feed",
    ),
    "half of a JSON": (JSON[:100], "it is not JSON"),
    "too long": (make_rss(b"x" * MAX_BYTES), "it is longer than 5,000,000 bytes"),
    "too many elements": (make_rss(b"<item/>" * 200_000), "it has more than 150,000 elements"),
    "elements behind a comment": (
        make_rss(b"<!-- <![CDATA[ -->" + b"<item/>" * 200_000),
        "it has more than 150,000 elements",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_document_that_is_not_a_feed_is_refused_with_a_reason(name: str) -> None:
    body, reason = REFUSED[name]
    assert refuse(body).reason.startswith(reason)


def test_entities_in_another_charset_are_refused_too() -> None:
    body = "<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>".encode("utf-16")
    assert refuse(body).reason == "it declares its own entities or types"


def test_markup_in_cdata_is_content() -> None:
    body = make_rss(
        "<item><link>/a</link><description><![CDATA[<!DOCTYPE x [<!ENTITY a 'b'>]>]]></description></item>"
    )
    assert urls_of(parse(body)) == ["/a"]


def test_no_more_entries_are_taken_than_allowed() -> None:
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(MAX_ENTRIES + 50))
    assert len(parse(make_rss(items)).entries) == MAX_ENTRIES


def test_a_page_names_its_feeds() -> None:
    html = b"""<base href="https://cdn.example/x/">
    <link rel="alternate" type="application/rss+xml" href="rss">
    <link rel="ALTERNATE home" type="application/atom+xml; charset=utf-8" href="https://news.example/atom">
    <link rel=alternate type="application/feed+json" href="/feed.json">
    <link rel=alternate type="application/rss+xml" href="rss">
    <link rel=alternate type="text/html" hreflang=de href="/de"><link rel=stylesheet type="text/css" href="a">
    <link rel=alternate type="application/rss+xml" href="javascript:x">"""
    document = parse_document(html, url="https://news.example/", content_type="text/html")
    assert find_feeds(document) == [
        "https://cdn.example/x/rss",
        "https://news.example/atom",
        "https://cdn.example/feed.json",
    ]


def test_usual_places_are_those_of_the_origin() -> None:
    guesses = list_usual_feeds("https://news.example:8443/world/?x=1")
    assert guesses == [f"https://news.example:8443{path}" for path in USUAL_PATHS]
