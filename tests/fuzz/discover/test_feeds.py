"""Parsing of feeds, and that every broken or hostile feed is refused with a reason."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenax.discover.feeds import (
    BadFeed,
    ParsedFeed,
    parse_feed,
)

URL = "https://news.example/feed"


PIECES = [
    *(
        "<rss>",
        "<channel>",
        "<item>",
        "</item>",
        "<link>",
        "/a",
        "<feed>",
        "<entry xml:base='x'>",
        "</entry>",
    ),
    *(
        "<title type='xhtml'>",
        "<title mode='base64'>",
        "</title>",
        "<pubDate>",
        "1 May 2012",
        "<dc:date>",
        "<b>",
    ),
    *(
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "<!ENTITY",
        "&",
        "&amp;",
        "&nbsp;",
        "&foo;",
        "<link href='b'/>",
    ),
    *("<guid isPermaLink='true'>", "<a:b>", "xmlns:a='x'", "<x xmlns='http://purl.org/rss/1.0/'>", "<", ">"),
]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30), st.sampled_from(["<rss>", "<feed>"])
)
@example(pieces=["<!--", "&nbsp;", "<item>", "<![CDATA[", "&foo;"], root="<rss>")
def test_nothing_is_raised_whatever_comes(pieces: list[str], root: str) -> None:
    body = (root + "".join(pieces)).encode("utf-8", "surrogatepass")
    assert isinstance(parse_feed(body, url=URL, content_type="text/xml"), ParsedFeed | BadFeed)
