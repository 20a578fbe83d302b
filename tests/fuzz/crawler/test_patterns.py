"""Patterns of links mean what patterns of pages mean, whatever they contain."""

import re2
from hypothesis import given
from hypothesis import strategies as st

from tenax.crawler.patterns import format_patterns
from tenax.items.patterns import check_pattern
from tenax.web.url_patterns import matches

PARTS = st.text(alphabet="ab/*?.+()[]{}|^$\\&=-_~%:", max_size=8)


@given(pattern=PARTS.map(lambda part: f"/{part}"), path=PARTS.map(lambda part: part.replace("*", "x")))
def test_links_and_pages_agree(pattern: str, path: str) -> None:
    url = f"https://a.example/{path}"
    if check_pattern(pattern) is None and "://" not in pattern:
        (expression,) = format_patterns([pattern])
        assert bool(re2.search(expression, url)) == matches([pattern], url), expression
