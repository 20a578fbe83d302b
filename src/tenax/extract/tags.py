"""Kinds of elements, by lexbor's numbers for tags, which are cheaper to compare than names."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

_BLOCK_NAMES: Final = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup"
    " option p pre search section select summary table tbody tfoot thead tr ul"
)
_HIDDEN_NAMES: Final = (
    "audio canvas datalist head iframe noembed noframes noscript object script style svg template"
    " textarea title video"
)


def find_ids(names: str) -> frozenset[int]:
    return frozenset(find_id(name) for name in names.split())


def find_id(name: str) -> int:
    return int(_parser.create_node(name).tag_id)


_parser = LexborHTMLParser("")
BLOCKS: Final = find_ids(_BLOCK_NAMES)
WORDS: Final = find_ids("button td th")  # a row of a table is one line
ROOTS: Final = find_ids("html body")
HIDDEN: Final = find_ids(_HIDDEN_NAMES)
SVG: Final = find_id("svg")  # hidden, except for its text
TEXT: Final = 2  # nodes that are not elements
COMMENT: Final = 4
