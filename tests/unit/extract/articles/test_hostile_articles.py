"""Whatever a page holds, finding its article ends, soon enough, and keeps the process alive."""

import time

import pytest

from tenax.errors import ConfigError
from tenax.extract.articles import main_text
from tenax.extract.articles.blocks import MAX_CHARS
from tenax.extract.articles.main_text import MAX_TAGS, find_main
from tenax.extract.articles.reading import find_article
from tenax.web.documents import parse_document

WORDS = b"some words and more of them, " * 20
PAGES = {
    "deep": b"<article>" + b"<div>" * 900 + WORDS,
    "deep lists": b"<article>" + b"<ul><li>a b c" * 400 + WORDS,
    "links": b"<article>" + b"<p><a href=/x>aaaa aaa aaaa</a> bb" * 3_000,
    "bylines": b"<p class=byline>By " + b"A, and " * 2_000 + b"</p><article>" + WORDS * 10,
    "emphasis": b"<article><p>" + (b"<b><a href=/x>" * 60 + b"a" + b"</a></b>" * 60) * 100 + WORDS,
    "divs": b"<div><div>a<br>" * 6_000 + WORDS,  # nothing is found, so it is looked for twice
    "one link in divs": b"<div><a href=/x>a b c d</a></div>" * 9_000,
    "parts": b"<div class=body><p>" + WORDS[:100] + b"</p></div>" * 3_000,
    "nested parts": (b"<div class=body><p>" + WORDS[:100]) * 200 + b"<div class=body>" * 100,
    "teasers": (b"<div><h2><a href=/x>a b</a></h2><p>" + WORDS[:90] + b"</p></div>") * 3_000,
    "json": b'<script type="application/ld+json">{"@type":"Article","articleBody":"'
    + b"<p" * 200_000
    + b'"}</script>',
    "one word": b"<article><p>" + b"a" * 1_000_000,
    "headings": b"<title>" + b"a - " * 5_000 + b"</title>" + b"<h1>a b c</h1>" * 2_000 + WORDS,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_takes_little_time(name: str) -> None:
    started_s = time.process_time()
    body = b"<!doctype html><html><body>" + PAGES[name]
    document = parse_document(body, url="https://news.test/a", content_type="text/html; charset=utf-8")
    found = find_article(document, body, None)
    assert time.process_time() - started_s < 8
    assert found is None or len(found.main.text) < 8 * MAX_CHARS


def test_nesting_that_no_document_survives_is_no_article() -> None:
    """The tree of the page refuses it first; this is what happens if it would not."""
    assert find_main(b"<html><body>" + b"<div>" * 200_000 + WORDS) is None
    find_main(b"<html><body>" + b"<div>" * (MAX_TAGS - 10) + WORDS)


def test_without_the_packages_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_text, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'pip install "tenax\[articles\]"'):
        find_main(b"<html><body><p>" + WORDS)
