"""What parsers made of pages, counted and said: items, invalid items, errors, or nothing at all. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from tenax.policy.quality.parser_health import ParserCounts
from tenax.records.items import LoggedError, Parsing
from tenax.wording import count_of

_NAMED: Final = 5  # parsers in one sentence
_ERROR_CHARS: Final = 200


def count_parsing(parsing: Parsing) -> ParserCounts:
    """Of one page."""
    if parsing.error is not None:
        return ParserCounts(pages=1, errors=1)
    valid = [item for item in parsing.items if not item.faults]
    rated = [item.confidence for item in valid if item.confidence is not None]
    return ParserCounts(
        pages=1,
        items=len(valid),
        invalid=len(parsing.items) - len(valid),
        empty=int(not parsing.items and not parsing.follows),
        confidence_sum=sum(rated),
        rated=len(rated),
    )


def describe_error(error: LoggedError) -> str:
    """Its type and message, in one short line."""
    return " ".join(f"{error.type}: {error.message}".split())[:_ERROR_CHARS]


def sum_counts(parsers: Mapping[str, ParserCounts]) -> ParserCounts:
    total = ParserCounts()
    for counts in parsers.values():
        total = total.plus(counts)
    return total


def is_barren(counts: ParserCounts) -> bool:
    """Whether a parser made no item, although it was there for that: pages from which it only asked for
    follow-ups are no sign of it, and those on which it failed are told as errors."""
    return bool(counts.empty) and not counts.items and not counts.invalid


def describe_barren(parsers: Mapping[str, ParserCounts], noun: str = "parser") -> list[str]:
    """A clause for each parser that made no item, those with most pages first."""
    found = {name: counts.pages for name, counts in parsers.items() if is_barren(counts)}
    named, more = name_first(found)
    said = [f"the {noun} {name} made no item of {count_of(found[name], 'page')}" for name in named]
    return [*said, *([f"{count_of(more, f'more {noun}')} made none"] if more else [])]


def describe_outdated(names: Sequence[str], noun: str = "parser") -> str:
    """A clause about parsers that the stored pages have not been parsed with."""
    named = [*names[:_NAMED], *(["others"] if len(names) > _NAMED else [])]
    listed = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
    are = f"{noun}s {listed} are" if len(names) > 1 else f"{noun} {listed} is"
    return f"the {are} new or changed since the stored pages were visited"


def name_first(numbers: Mapping[str, int]) -> tuple[list[str], int]:
    """The names that are worth a mention, the largest numbers first, and how many others there are."""
    names = sorted((name for name in numbers if numbers[name]), key=lambda name: (-numbers[name], name))
    return names[:_NAMED], len(names[_NAMED:])
