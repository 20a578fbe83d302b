"""Parsing of feeds in all their variations."""

from datetime import UTC, datetime

import pytest

from tenax.discover.feeds import FeedEntry, ParsedFeed, parse_feed

URL = "https://news.example/blog/feed"
ATOM = "http://www.w3.org/2005/Atom"
ATOM_03 = "http://purl.org/atom/ns#"


def parse(text: str) -> ParsedFeed:
    found = parse_feed(text.encode(), url=URL, content_type="text/xml")
    assert isinstance(found, ParsedFeed), found
    return found


def read_entry(text: str) -> FeedEntry:
    (entry,) = parse(text).entries
    return entry


def make_item(inside: str) -> str:
    return f"<rss><channel><item><link>/a</link>{inside}</item></channel></rss>"


def make_entry(inside: str, space: str = ATOM) -> str:
    return f"<feed xmlns='{space}'><entry><link href='/a'/>{inside}</entry></feed>"


# --- titles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("<title>A &amp; B</title>", "A & B"),
        ("<title>A &amp;amp; B</title>", "A & B"),
        ("<title>A&amp;nbsp;&amp;#8211; B</title>", "A – B"),
        ("<title>AT&amp;T &amp;copy= 1 &lt; 2</title>", "AT&T &copy= 1 < 2"),
        ("<title>Two &lt;b&gt;bold&lt;/b&gt; words</title>", "Two bold words"),
        ("<title><![CDATA[Two <b class='x'>bold</b> words]]></title>", "Two bold words"),
        ("<title><![CDATA[One<br>two<script>three</script><!-- four -->]]></title>", "One two"),
        ("<title>Two <b>bold</b> words</title>", "Two bold words"),
        ("<title><![CDATA[List<String> and <b>more</b>]]></title>", "List<String> and more"),
        ("<title><![CDATA[The <b> element]]></title>", "The <b> element"),
        ("<title><![CDATA[</foo> and <foo/>]]></title>", "</foo> and <foo/>"),
        ("<title>a&nbsp;b &eacute; &foo;</title>", "a b é &foo;"),
        ("<TITLE>loud</TITLE>", "loud"),
        ("<dc:title xmlns:dc='http://purl.org/dc/elements/1.1/'>core</dc:title>", "core"),
        ("<dc:title>undeclared</dc:title>", "undeclared"),
        ("<media:title xmlns:media='http://search.yahoo.com/mrss/'>of a photo</media:title>", None),
        ("<image><title>of an image</title></image>", None),
        ("<title>not closed<pubDate>1 May 2012</pubDate>", "not closed"),
        ("<title/>", None),
    ],
)
def test_titles_of_rss_are_plain_text(title: str, text: str | None) -> None:
    assert read_entry(make_item(title)).title == text


DIV = "<div xmlns='http://www.w3.org/1999/xhtml'>"


@pytest.mark.parametrize(
    ("title", "space", "text"),
    [
        ("<title>A &lt;b&gt; &amp;amp;</title>", ATOM, "A <b> &amp;"),
        ("<title type='text'>A &lt;b&gt;</title>", ATOM, "A <b>"),
        ("<title type='HTML'>A &lt;b&gt;bold&lt;/b&gt; &amp;amp; B</title>", ATOM, "A bold & B"),
        ("<title type='html'><![CDATA[<x-y>A</x-y>]]></title>", ATOM, "A"),
        (f"<title type='xhtml'>{DIV}A <b>bold</b> &lt;b&gt;</div></title>", ATOM, "A bold <b>"),
        (f"<title type='xhtml'>{DIV}A<script>x</script> b</div></title>", ATOM, "A b"),
        ("<title type='xhtml'><div>A <b>b</b></div></title>", ATOM, "A b"),
        ("<title type='text/html' mode='escaped'>&lt;i&gt;A&lt;/i&gt;</title>", ATOM_03, "A"),
        (f"<title type='application/xhtml+xml' mode='xml'>{DIV}A &lt;i></div></title>", ATOM_03, "A <i>"),
        ("<title type='text/html' mode='base64'>\n QSA8Yj5ib2xkPC9iPg==\n</title>", ATOM_03, "A bold"),
        ("<title mode='base64'>R3LDvMOfZQ==</title>", ATOM_03, "Grüße"),
        ("<title mode='base64'>no base64!</title>", ATOM_03, "no base64!"),
        ("<title type='application/octet-stream'>R3LDvMOfZQ==</title>", ATOM, "Grüße"),
    ],
)
def test_titles_of_atom_are_of_the_type_they_say(title: str, space: str, text: str) -> None:
    assert read_entry(make_entry(title, space)).title == text
    assert parse(f"<feed xmlns='{space}'>{title}</feed>").title == text


# --- links -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        ("<link>/b</link>", "/b"),
        ("<link href='/b'/>", "/b"),
        ("<LINK>/b</LINK>", "/b"),
        ("<link><![CDATA[ /b ]]></link>", "/b"),
        ("<link/><link>/b</link>", "/b"),
        (f"<a:link xmlns:a='{ATOM}' rel='self' href='/s'/><link>/b</link>", "/b"),
        (f"<a:link xmlns:a='{ATOM}' href='/b'/>", "/b"),
        ("<link rel='alternate' type='application/pdf' href='/p'/><link type='text/html' href='/b'/>", "/b"),
        ("<link rel='alternate' type='application/pdf' href='/p'/>", "/p"),
        ("<link rel='enclosure' href='/p'/><link rel='via' href='/b'/>", "/b"),
        ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/b'/>", "/b"),
        ("<guid>https://news.example/b</guid>", "/b"),
        ("<guid isPermaLink='true'>/b</guid>", "/b"),
        ("<guid>17</guid>", None),
        ("<id>https://news.example/b</id>", "/b"),
        ("<id>tag:news.example,2012:b</id>", None),
        ("<link rel='enclosure' href='/b'/><link rel='license' href='/c'/>", None),
        ("<image><link>/b</link></image>", None),
        ("<x:link xmlns:x='urn:x'>/b</x:link>", None),
    ],
)
@pytest.mark.parametrize(
    "shell", ["<rss><channel><item>%s</item></channel></rss>", "<feed><entry>%s</entry></feed>"]
)
def test_an_entry_leads_to_its_page(shell: str, inside: str, path: str | None) -> None:
    urls = [entry.url for entry in parse(shell % inside).entries]
    assert urls == ([f"https://news.example{path}"] if path else [])


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("<feed><entry><link href='x'/></entry></feed>", "https://news.example/blog/x"),
        ("<feed xml:base='/b/'><entry><link href='x'/></entry></feed>", "https://news.example/b/x"),
        (
            "<feed><entry xml:base='http://e.example/c/'><link href='x'/></entry></feed>",
            "http://e.example/c/x",
        ),
        (
            "<feed xml:base='http://e.example/b/'><entry xml:base='c/'><link xml:base='d/' href='x'/>",
            "http://e.example/b/c/d/x",
        ),
        (
            "<rss xml:base='/b/'><channel xml:base='c/'><item><link>x</link></item></channel></rss>",
            "https://news.example/b/c/x",
        ),
        ("<feed xml:base='mailto:x'><entry><link href='x'/></entry></feed>", "https://news.example/blog/x"),
    ],
)
def test_links_are_relative_to_the_bases_around_them(text: str, url: str) -> None:
    assert read_entry(text).url == url


# --- shapes ----------------------------------------------------------------------------------

ITEM = "<item><title>t</title><link>/a</link></item>"


@pytest.mark.parametrize(
    "text",
    [
        "<feed><entry><title>t</title><link href='/a'/></entry></feed>",
        "<feed xmlns='urn:mine'><entry><title>t</title><link href='/a'/></entry></feed>",
        f"<a:feed xmlns:a='{ATOM}'><a:entry><a:title>t</a:title><a:link href='/a'/></a:entry></a:feed>",
        "<atom:feed><atom:entry><atom:title>t</atom:title><atom:link href='/a'/></atom:entry></atom:feed>",
        f"<rss>{ITEM}</rss>",
        "<RSS><CHANNEL><ITEM><TITLE>t</TITLE><LINK>/a</LINK></ITEM></CHANNEL></RSS>",
        f"<rss xmlns='http://backend.userland.com/rss2'><channel>{ITEM}</channel></rss>",
        f"<rss><channel><items>{ITEM}</items></channel></rss>",
        f"<rss><channel/>{ITEM}</rss>",
        f"<rss><channel><title>x{ITEM}",
        "<rss><channel><item><title>t<link>/a</item></channel></rss>",
        f"<rdf:RDF xmlns:rdf='urn:x' xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel/>{ITEM}</rdf:RDF>",
        f"<!DOCTYPE html PUBLIC 'x' 'y'><rss><channel>{ITEM}</channel></rss>",
        f"<rss><channel>{ITEM}<item><title>cut <![CDATA[in the mid",
    ],
)
def test_a_feed_of_any_shape_is_read(text: str) -> None:
    assert [(entry.url, entry.title) for entry in parse(text).entries] == [("https://news.example/a", "t")]


@pytest.mark.parametrize(
    "inner", ["<entry><link href='/b'/></entry>", "<feed><entry><link href='/b'/></entry></feed>"]
)
def test_an_entry_in_the_content_of_another_is_not_the_feeds(inner: str) -> None:
    text = make_entry(f"<content type='application/atom+xml'>{inner}</content>")
    assert read_entry(text).url == "https://news.example/a"


@pytest.mark.parametrize("field", ["title", "description", "content", "source", "link", "pubDate"])
def test_a_field_that_is_not_closed_hides_no_entries(field: str) -> None:
    text = f"<rss><channel><item><link>/a</link><{field}>x</item><item><link>/b</link></item></channel></rss>"
    assert sorted(entry.url[-2:] for entry in parse(text).entries) == ["/a", "/b"]
    text = f"<rss><channel><{field}>x<item><link>/a</link></item><item><link>/b</link></item></channel></rss>"
    assert sorted(entry.url[-2:] for entry in parse(text).entries) == ["/a", "/b"]


# --- dates -----------------------------------------------------------------------------------

DC = "xmlns:d='http://purl.org/dc/elements/1.1/'"
TERMS = "xmlns:d='http://purl.org/dc/terms/'"


@pytest.mark.parametrize(
    ("inside", "year"),
    [
        ("<pubDate>Tue, 01 May 2012 10:40:00 GMT</pubDate>", 2012),
        ("<published>2012-05-01</published><updated>2013-05-01</updated>", 2012),
        ("<updated>2013-05-01</updated><published>2012-05-01</published>", 2012),
        ("<issued>2012-05-01</issued><modified>2013-05-01</modified>", 2012),
        ("<created>2012-05-01</created><updated>2013-05-01</updated>", 2012),
        (f"<d:created {TERMS}>2012-05-01</d:created>", 2012),
        (f"<d:issued {TERMS}>2012-05-01</d:issued>", 2012),
        (f"<d:modified {TERMS}>2012-05-01</d:modified>", 2012),
        (f"<d:date {DC}>2012-05-01</d:date>", 2012),
        ("<dcterms:created>2012-05-01</dcterms:created>", 2012),
        ("<updated>2012-05-01</updated>", 2012),
        ("<modified>2012-05-01</modified>", 2012),
        ("<pubDate>soon</pubDate><updated>2012-05-01</updated>", 2012),
        ("<pubDate>2012</pubDate>", None),
        ("<x:published xmlns:x='urn:x'>2012-05-01</x:published>", None),
        ("<source><updated>2012-05-01</updated></source>", None),
    ],
)
def test_when_an_entry_was_published(inside: str, year: int | None) -> None:
    for text in (make_item(inside), make_entry(inside)):
        found = read_entry(text).published_at
        assert (found and datetime.fromtimestamp(found, UTC).year) == year


def test_a_date_of_a_json_feed_without_zone_is_utc() -> None:
    text = '{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a", "date_published": "%s"}]}'
    assert read_entry(text % "1970-01-01T00:00:10").published_at == 10.0
    assert read_entry(text % "1970").published_at is None


# --- hostile feeds ---------------------------------------------------------------------------
