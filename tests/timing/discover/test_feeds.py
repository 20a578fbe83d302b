"""Parsing of feeds, and that every broken or hostile feed is refused with a reason."""

import time

import pytest

from tenax.discover.feeds import (
    parse_feed,
)

URL = "https://news.example/feed"


def make_rss(inside: str | bytes) -> bytes:
    content = inside.encode() if isinstance(inside, str) else inside
    return b"<rss version='2.0'><channel>" + content + b"</channel></rss>"


SLOW = {
    "nesting": make_rss(b"<a>" * 140_000),
    "attributes": make_rss(b"<item " + b" ".join(b"a%d='1'" % number for number in range(300_000)) + b"/>"),
    "empty entries": make_rss(b"<item/>" * 140_000),
    "open comments": make_rss(b"<!--" * 1_000_000),
    "bare ampersands": make_rss(b"&" * 4_900_000),
    "open CDATA": make_rss(b"<![CDATA[" * 500_000),
    "a comment that hides entries": make_rss(b"<!--" + b"<item/>" * 700_000),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_feed_takes_long(name: str) -> None:
    started = time.process_time()
    parse_feed(SLOW[name], url=URL, content_type=None)
    assert time.process_time() - started < 5
