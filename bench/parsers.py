"""The parser of the benchmark: two fields of each page, as small as parsers get."""

from collections.abc import Iterator
from typing import Any

import tenax


class Heading(tenax.Parser):
    name = "heading"

    def parse(self, page: tenax.Page) -> Iterator[dict[str, Any]]:
        heading = page.css_first("h1")
        yield {"title": page.title, "heading": heading.text() if heading is not None else None}
