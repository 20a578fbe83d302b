"""Documents built to exhaust a parser, and a process that parses them all.

As a module it prints one line per document, so that a crash shows as missing lines.
"""

import random
import sys
from collections.abc import Callable

from tenax.discover.links import find_links
from tenax.errors import ContentError
from tenax.extract.page import extract_page
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs

_SIZE = 10_000_000  # the default cap on bodies


def _filled(unit: bytes, start: bytes = b"") -> bytes:
    return start + unit * ((_SIZE - len(start)) // len(unit))


def _numbered(template: bytes, count: int) -> bytes:
    return b"".join(template % number for number in range(count))


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "nested divs": lambda: b"<div>" * 200_000,
    "nested divs below every threshold": lambda: b"<div>" * 19_000,
    "nested list items": lambda: b"<ul><li>" * 100_000,
    "nested svg groups": lambda: b"<svg>" + b"<g>" * 100_000 + b"</x>" * 100_000,
    "end tags of elements that are not open": lambda: b"<span>" * 100_000 + b"</x>" * 100_000,
    "a million links": lambda: _filled(b"<a href=/x>y</a>"),
    "many links": lambda: _numbered(b"<a href=/%d>y</a>", 100_000),
    "links inside links": lambda: _numbered(b"<a href=/%d><table><tr><td>", 200) + b"x" * 1_000_000,
    "one long line": lambda: b"x" * _SIZE,
    "white space": lambda: b"<p>a" + b" \n" * (_SIZE // 2),
    "NUL bytes": lambda: bytes(_SIZE),
    "random bytes": lambda: random.Random(1).randbytes(1_000_000),
    "opening brackets": lambda: b"<" * _SIZE,
    "unfinished tags": lambda: _filled(b"<a "),
    "unfinished attribute": lambda: _filled(b"x", b"<p>a<a href='"),
    "unfinished comment": lambda: _filled(b"-", b"<!--"),
    "unfinished script": lambda: _filled(b"x ", b"<script>"),
    "unfinished comments in scripts": lambda: _filled(b"<script><!--<script>"),
    "entities": lambda: _filled(b"&notit;"),
    "attributes": lambda: b"<a href=/x " + _numbered(b"a%d=1 ", 100_000) + b">x</a>",
    "attributes with brackets in them": lambda: b"<a " + _numbered(b"a%d='>' ", 100_000) + b">",
    "attributes of the body": lambda: _numbered(b"<body a%d=1>", 100_000),
    "formatting elements": lambda: (
        _numbered(b"<b %d>", 4_000) + _numbered(b"<i %d>", 4_000) + b"x</b>" * 4_000
    ),
    "formatting elements in paragraphs": lambda: (
        b"<p>" + _numbered(b"<font a=%d>", 2_000) + b"<p>x" * 100_000
    ),
    "options": lambda: b"<select>" + b"<option>x" * 100_000,
    "nested tables": lambda: b"<table><tr><td>" * 60_000,
    "meta elements": lambda: b"<meta name=robots content=noindex>" * 100_000,
}


def read(body: bytes) -> str:
    """Do what a visit does with a body, and return the result in one line."""
    try:
        document = parse_document(body, url="http://a.example/", content_type=None)
    except ContentError as error:
        return f"refused: {error}"
    links = find_links(document, 1000, Hrefs())
    page = extract_page(document)
    return f"read: {len(links)} links, {len(page.text)} characters"


if __name__ == "__main__":
    for name, make in DOCUMENTS.items():
        print(f"{name}\t{read(make())}", flush=True)
    sys.exit(0)
