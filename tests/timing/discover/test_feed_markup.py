"""Parsing of feeds in all their variations."""

import time

import pytest

from tenax.discover.feeds import parse_feed

URL = "https://news.example/blog/feed"


HOSTILE = {
    "entries in entries": "<item><title><b>" * 80 + "<x/>" * 140_000,
    "entries in each other's titles": "<item><link>/a</link><title>x" * 30_000,
    "links": "<item>" + "<link href='/a' rel='self'/>" * 100_000,
    "fields": "<item>" + "<title>x</title><pubDate>x</pubDate>" * 35_000,
    "entities": "<item><title>" + "&eacute;&foo;" * 300_000,
    "half tags": "<item><link>/a</link><title><![CDATA[" + "<b <" * 500_000 + "]]></title></item>",
    "half comments": "<item><link>/a</link><title><![CDATA[</b>"
    + "<!--<script " * 300_000
    + "]]></title></item>",
    "bases": "<item xml:base='" + "a/" * 900_000 + "'><link>x</link></item>",
    "namespaces": "".join(f"<x:item xmlns:x='urn:{number}'/>" for number in range(100_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_markup_takes_long(name: str) -> None:
    body = f"<rss><channel>{HOSTILE[name]}</channel></rss>".encode()
    started = time.process_time()
    parse_feed(body, url=URL, content_type=None)
    assert time.process_time() - started < 5
