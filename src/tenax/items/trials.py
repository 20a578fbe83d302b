"""Candidates: parsers that run beside current ones on a share of pages. What they make is compared field by
field and never kept.
"""

from collections.abc import Iterator
from typing import Final

import orjson

from tenax.items.page import Page
from tenax.items.parser import Output, Parser
from tenax.records.items import FoundItem, Parsing, Trial

SUFFIX: Final = ".candidate"  # of its name while it is one
MOST_FIELDS: Final = 200  # of a page, alike or not
MAX_VALUE_CHARS: Final = 2_000


class StandIn(Parser):
    """An installed parser that makes the items of another: under its name, with a version that tells them
    apart."""

    def __init__(self, name: str, parser: Parser) -> None:
        self.parser = parser
        self.name = name
        self.version = f"{parser.name} {parser.version}" if parser.name != name else parser.version
        self.patterns = parser.patterns
        self.kind = name if parser.kind in ("", parser.name) else parser.kind
        self.schema = parser.schema

    def parse(self, page: Page) -> Output:
        return self.parser.parse(page)


class CandidateParser(StandIn):
    """No url is for it: it sees what its current parser sees, on a share of pages."""

    def __init__(self, name: str, parser: Parser, share: float) -> None:
        super().__init__(name, parser)
        self.trial_of = name
        self.share = share
        self.name = name + SUFFIX
        self.patterns = None


def is_in_share(key: int, share: float) -> bool:
    """Whether a page is one of those that a candidate sees; the same pages at every visit. `key`: of its
    url."""
    # Other bits than those that spread revisits.
    return (key >> 16 & 0xFFFF) < share * 0x10000


def compare_parsings(current: Parsing, candidate: Parsing, parser: str) -> Trial | None:
    """None: the current parser failed, so that nothing can be compared."""
    if current.error is not None:
        return None
    if candidate.error is not None:
        return Trial(
            parser=parser, version=current.version, candidate=candidate.version, error=candidate.error
        )
    equal: list[str] = []
    different: list[tuple[str, str | None, str | None]] = []
    for field, old, new in _iter_fields(current, candidate):
        if old == new:
            equal.append(field)
        else:
            different.append((field, _cut(old), _cut(new)))
    return Trial(
        parser=parser,
        version=current.version,
        candidate=candidate.version,
        differences=tuple(different[:MOST_FIELDS]),
        equal_fields=tuple(equal[:MOST_FIELDS]),
    )


def _iter_fields(current: Parsing, candidate: Parsing) -> Iterator[tuple[str, str | None, str | None]]:
    """Field, old value and new value as JSON, of the items that either has."""
    old_items, new_items = _by_name(current), _by_name(candidate)
    for name in dict.fromkeys((*old_items, *new_items)):
        old, new = _read(old_items.get(name)), _read(new_items.get(name))
        for field in dict.fromkeys((*old, *new)):
            yield field, old.get(field), new.get(field)


def _by_name(parsing: Parsing) -> dict[tuple[str, str], FoundItem]:
    return {(item.kind, item.key): item for item in parsing.items}


def _read(item: FoundItem | None) -> dict[str, str]:
    """Null says as little as no field."""
    data = {} if item is None else orjson.loads(item.data)
    return {
        field: orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        for field, value in data.items()
        if value is not None
    }


def _cut(value: str | None) -> str | None:
    return value if value is None or len(value) <= MAX_VALUE_CHARS else value[:MAX_VALUE_CHARS]
