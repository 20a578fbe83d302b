"""No document makes its Markdown slow to write, or much larger than the document."""

import time

import pytest

from tenax.errors import ContentError
from tenax.extract.markdown.convert import to_markdown
from tenax.web.documents import parse_document

PAGES = {
    "nested quotes": "<blockquote>x" * 900 + "<p>y" * 50_000,
    "nested lists": "<ul><li>x" * 450 + "<li>y" * 50_000,
    "nested tables": "<table><tr><td>x" * 240 + "<table><tr><td>1<td>2<tr><td>3<td>4</table>" * 8_000,
    "wide cells": "<table><tr><td>a<td>b" + "<tr><td colspan=1000>x" * 50_000,
    "high cells": "<table><tr>" + "<td rowspan=1000>x" * 20_000 + "<tr>" * 50_000,
    "long addresses": f"<base href='http://a.example/{'x' * 2000}/'>" + "<a href=y>z</a> " * 50_000,
    "a link around blocks": f"<a href='/{'x' * 10_000}'>" + "<div>y</div>" * 50_000,
    "emphasis in words": "<p>" + "a<b>b</b>c<i>“</i>" * 20_000,
    "empty emphasis": "<p>" + "<b></b><i></i>" * 50_000,
    "nested superscripts": "<sup>" * 900 + "2" * 1_000_000,
    "code spans": "<p>" + "<code>a</code>" * 80_000,
    "code spans and emphasis": "<p>" + "<code>`a</code><b></b>" * 40_000,
    "backticks": "<code>" + "".join("`" * (n % 900) + " " for n in range(9_000)),
    "lines": "<p>a" + "<br>" * 100_000,
    "definitions": "<dl>" + "<dt>a<dd>b" * 40_000,
    "brackets": "<p>" + "[" * 1_000_000,
    "spaces": "<p><b>" + " &nbsp;" * 500_000 + "</b>",
    "ampersands": "<p>" + "&amp;a" * 500_000,
    "underscores": "<p>" + "_" * 1_000_000,
    "numbers signs": "<h1>x" + "#" * 1_000_000,
    "exclamations": "<p>" + "<i></i><a href=/x>!</a>" * 30_000,
}


@pytest.mark.parametrize("name", PAGES)
def test_hostile_pages_take_bounded_time_and_space(name: str) -> None:
    body = PAGES[name].encode()
    try:
        document = parse_document(body, url="http://a.example/", content_type=None, memory_bytes=None)
    except ContentError:
        pytest.skip("is refused before")
    started = time.process_time()
    markdown = to_markdown(document)
    assert time.process_time() - started < 10
    assert len(markdown) < 12 * len(body) + 3_000_000
