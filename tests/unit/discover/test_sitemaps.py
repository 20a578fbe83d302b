"""Sitemaps of every kind, in pieces, and whatever is wrong with them."""

import gzip
import random
from functools import partial

import pytest

from tenax.discover.sitemaps import SitemapParser, is_sitemap, parse_lastmod
from tenax.records.sitemaps import SitemapKind

URL = "https://a.example/sitemap.xml"
NOW = 1_800_000_000.0
pack = partial(gzip.compress, mtime=0)

Entries = list[tuple[str, object]]


def parse(
    body: bytes, *, max_bytes: int = 10_000_000, max_entries: int = 50_000
) -> tuple[Entries, SitemapParser]:
    parser = SitemapParser(url=URL, max_bytes=max_bytes, max_entries=max_entries)
    return [entry for entries in parser.iter_entries(body) for entry in entries], parser


def urlset(items: str) -> bytes:
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/x">{items}</urlset>'.encode()


def locs(number: int) -> str:
    return "".join(f"<url><loc>https://a.example/{each}</loc></url>" for each in range(number))


def test_entries_have_addresses_and_dates() -> None:
    found, parser = parse(
        urlset(
            "<url><loc> https://a.example/1 </loc><lastmod>2026-01-02</lastmod></url><url><loc>/2</loc></url>"
        )
    )
    assert found == [("https://a.example/1", "2026-01-02"), ("/2", None)]
    assert (parser.kind, parser.error) == (SitemapKind.URLS, None)


def test_an_index_names_sitemaps() -> None:
    found, parser = parse(b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>")
    assert (found, parser.kind) == ([("/1.xml", None)], SitemapKind.INDEX)


def test_alternates_in_other_languages_are_entries_too() -> None:
    found, _ = parse(
        urlset(
            '<url><loc>/en</loc><xhtml:link xmlns:xhtml="x" rel="alternate" hreflang="de" href="/de"/>'
            '<xhtml:link xmlns:xhtml="x" rel="alternate" hreflang="en" href="/en"/></url>'
        )
    )
    assert found == [("/en", None), ("/de", None)]


def test_images_are_counted_but_are_no_entries() -> None:
    found, parser = parse(
        urlset('<url><loc>/1</loc><i:image xmlns:i="x"><i:loc>/1.jpg</i:loc></i:image></url>')
    )
    assert (found, parser.images) == ([("/1", None)], 1)


def test_news_are_dated_by_their_publication() -> None:
    found, _ = parse(
        urlset(
            '<url><loc>/1</loc><n:news xmlns:n="x">'
            "<n:publication_date>2026-02-03</n:publication_date></n:news></url>"
        )
    )
    assert found == [("/1", "2026-02-03")]


def test_a_date_of_modification_comes_before_that_of_publication() -> None:
    found, _ = parse(
        urlset(
            '<url><loc>/1</loc><lastmod>2026-03-04</lastmod><n:news xmlns:n="x">'
            "<n:publication_date>2026-02-03</n:publication_date></n:news></url>"
        )
    )
    assert found == [("/1", "2026-03-04")]


@pytest.mark.parametrize(
    "body",
    [
        b"<urlset><url><loc>/1</loc></url></urlset>",
        b"<!-- <html> --><urlset><url><loc>/1</loc></url></urlset>",
        b"<s:urlset xmlns:s='urn:wrong'><s:url><s:loc>/1</s:loc></s:url></s:urlset>",
        b"<URLSET><URL><LOC>/1</LOC></URL></URLSET>",
        b"<urlset><url><loc><![CDATA[/1]]></loc></url></urlset>",
        b"\xef\xbb\xbf<urlset><url><loc>/1</loc></url></urlset>",
        '<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>/1</loc></url></urlset>'.encode("utf-16"),
        '<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>/1</loc></url></urlset>'.encode(
            "latin-1"
        ),
        pack(b"<urlset><url><loc>/1</loc></url></urlset>"),
        pack(pack(b"<urlset><url><loc>/1</loc></url></urlset>")),
        pack(b"<urlset><url>") + pack(b"<loc>/1</loc></url></urlset>"),
        pack(b"<urlset><url><loc>/1</loc></url></urlset>") + b"\0" * 100,
    ],
)
def test_odd_forms_are_read(body: bytes) -> None:
    found, parser = parse(body)
    assert (found, parser.error) == ([("/1", None)], None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_has_an_address_per_line(encoding: str) -> None:
    found, parser = parse(
        "https://a.example/ä\r\n\n https://a.example/2 \nhttps://a.example/3".encode(encoding)
    )
    assert [address for address, _ in found] == [
        "https://a.example/ä",
        "https://a.example/2",
        "https://a.example/3",
    ]
    assert parser.kind is SitemapKind.TEXT


def test_a_long_text_is_read_in_pieces() -> None:
    lines = [f"https://a.example/{number:06}" for number in range(20_000)]
    for encoding in ("utf-8", "utf-16-le"):
        mark = "\ufeff" if encoding == "utf-16-le" else ""
        found, parser = parse((mark + "\n".join(lines)).encode(encoding))
        assert ([address for address, _ in found], parser.error) == (lines, None)


def test_a_feed_is_a_sitemap() -> None:
    found, parser = parse(
        b"<rss><channel><item><link>/1</link><pubDate>Tue, 06 Jan 2026 00:00:00 GMT</pubDate></item>"
        b"</channel></rss>"
    )
    assert found == [("https://a.example/1", 1_767_657_600.0)]
    assert parser.kind is SitemapKind.FEED


# --- what is wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "it is empty"),
        (b" \n ", "it is empty"),
        (b"<!doctype html><html><p>hi", "it is HTML, not a sitemap"),
        (b"hello", "it is no sitemap"),
        (b"\x89PNG\r\n" + bytes(range(256)) * 40, "it is no sitemap"),
        (b"<svg></svg>", "it is no sitemap"),
        (b"<!DOCTYPE urlset><urlset/>", "it has a DOCTYPE, which may hide entities"),
        (b"<urlset>" + b"<a>" * 100_000, "its elements are nested more than 50 deep"),
        (b"<urlset><url><loc>" + b"x" * 100_000, "an address in it is too long"),
        (b"<urlset><url a='" + b"x" * 2_000_000, "a tag in it is too long"),
        (b"https://a.example/" + b"x" * 100_000, "a line in it is too long"),
        (b"\x1f\x8b garbage", "its compressed data is broken"),
        (pack(urlset(locs(5)))[:-9], "its compressed data ends too early"),
        (pack(pack(pack(b"x"))), "it is compressed more than 2 times"),
        (b"<?xml version='1.0' encoding='klingon'?><urlset/>", "its character encoding is unknown or broken"),
    ],
)
def test_a_fault_is_said(body: bytes, error: str) -> None:
    assert parse(body)[1].error == error


def test_entities_are_never_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<!DOCTYPE l [<!ENTITY l0 "ha">{laughs}]><urlset><url><loc>&l9;</loc></url></urlset>'
    found, parser = parse(body.encode())
    assert (found, parser.error) == ([], "it has a DOCTYPE, which may hide entities")


def test_a_broken_document_is_read_as_far_as_it_goes() -> None:
    found, parser = parse(urlset(locs(3) + "<url><loc>/a?b&c</loc></url>" + locs(3)))
    assert len(found) == 3
    assert parser.error == "broken XML in line 1: not well-formed (invalid token)"


def test_a_truncated_document_is_read_as_far_as_it_goes() -> None:
    found, parser = parse(urlset(locs(5000))[:-2000])
    assert 4900 < len(found) < 5000
    assert parser.error == "broken XML in line 1: unclosed token"


def test_a_truncated_archive_is_read_as_far_as_it_goes() -> None:
    packed = pack(urlset(locs(5000)))
    found, parser = parse(packed[: len(packed) // 2])
    assert 1000 < len(found) < 5000
    assert parser.error == "its compressed data ends too early"


def test_entries_are_limited() -> None:
    found, parser = parse(urlset(locs(50_001)))
    assert len(found) == 50_000
    assert parser.error == "it lists more than 50,000 addresses; the rest was not read"


def test_exactly_as_many_entries_as_allowed_are_no_fault() -> None:
    found, parser = parse(urlset(locs(100)), max_entries=100)
    assert (len(found), parser.error) == (100, None)


def test_bytes_are_limited() -> None:
    found, parser = parse(urlset(locs(5000)), max_bytes=100_000)
    assert 1000 < len(found) < 5000
    assert parser.read_bytes == 100_000
    assert parser.error == "it is longer than 100,000 bytes; the rest was not read"


def test_a_bomb_is_defused_piece_by_piece() -> None:
    bomb = pack(pack(b"<urlset>" + b" " * 200_000_000))
    assert len(bomb) < 10_000
    parser = SitemapParser(url=URL, max_bytes=1_000_000, max_entries=10)
    assert not any(parser.iter_entries(bomb))
    assert parser.read_bytes == 1_000_000
    assert parser.error == "it is longer than 1,000,000 bytes; the rest was not read"


def test_nothing_raises() -> None:
    dice = random.Random(7)
    whole = [urlset(locs(20)), pack(urlset(locs(20))), b"https://a.example/1\n" * 9, b"<rss><item>"]
    for _ in range(2000):
        body = bytearray(dice.choice(whole))
        for _ in range(dice.randrange(5)):
            body[dice.randrange(len(body))] = dice.randrange(256)
        parse(bytes(body[: dice.randrange(len(body) + 1)]))


# --- small things -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-02", 1_767_312_000.0),
        ("2026-01-02T03:04:05Z", 1_767_323_045.0),
        ("2026-01-02T03:04:05+01:00", 1_767_319_445.0),
        ("2026-01-02T03:04:05.678Z", 1_767_323_045.678),
        ("2026-01-02T03:04Z", 1_767_323_040.0),
        ("Fri, 02 Jan 2026 00:00:00 GMT", 1_767_312_000.0),
        (1_767_312_000.0, 1_767_312_000.0),
        (None, None),
        ("", None),
        ("yesterday", None),
        ("0001-01-01", None),
        ("2999-01-01", None),
        ("9" * 100_000, None),
        ("2026-99-99", None),
    ],
)
def test_dates_are_parsed_or_ignored(text: str | float | None, at: float | None) -> None:
    assert parse_lastmod(text, NOW) == at


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (urlset(""), True),
        (pack(b"x"), True),
        (b"<rss></rss>", True),
        (b"<!doctype html><p>", False),
        (b"https://a.example/ is a fine site", False),
        (b"", False),
    ],
)
def test_what_claims_to_be_a_page_may_be_a_sitemap(body: bytes, expected: bool) -> None:
    assert is_sitemap(body, may_be_text=False) is expected


def test_without_a_type_a_list_of_addresses_is_a_sitemap() -> None:
    assert is_sitemap(b"https://a.example/1", may_be_text=True)
