"""Runs parsers on a page and makes records of what they yield. Whatever the code of a user does short of
ending the process becomes a value. A limit of memory, and the end of a process that does not listen, are for
the caller (`crawl/reading/`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Self

import orjson
from pydantic import BaseModel

from tenax.config.parsers import ParserSettings
from tenax.errors import ConfigError
from tenax.items.faults import build_fault, describe_exception
from tenax.items.models import Coercion, find_coercion
from tenax.items.normal import AskedFollow, Nonsense, Normaliser, make_key
from tenax.items.page import Follow, Page
from tenax.items.parser import Item, Parser, choose_parsers
from tenax.items.schema import Check, build_check
from tenax.record import record
from tenax.records.items import FollowUp, FoundItem, LoggedError, Parsing

PAGE_ITEMS = 16  # of the largest size on one page
Deadline = Callable[[float], AbstractContextManager[None]]


def no_deadline(seconds: float) -> AbstractContextManager[None]:
    return nullcontext()


class TookTooLong(BaseException):
    """Raised in the code of a parser whose time is over. `except Exception` does not catch it."""


@record
class ParserLimits:
    timeout_s: float = 10.0
    items_per_page: int = 1_000
    item_bytes: int = 262_144
    follows_per_page: int = 1_000

    @property
    def page_chars(self) -> int:
        """All items and follow-ups of a page together: a worker holds them until they are settled."""
        return PAGE_ITEMS * self.item_bytes

    @classmethod
    def build(cls, settings: ParserSettings) -> Self:
        return cls(
            timeout_s=settings.timeout_s,
            items_per_page=settings.items_per_page,
            item_bytes=settings.item_bytes,
            follows_per_page=settings.follows_per_page,
        )


@record
class PreparedParser:
    """A parser whose schema is ready to check items."""

    parser: Parser
    check: Check | None  # None: it has no schema
    coercion: Coercion | None = None

    @property
    def name(self) -> str:
        return self.parser.name

    @property
    def version(self) -> str:
        return self.parser.version

    @property
    def patterns(self) -> tuple[str, ...] | None:
        return self.parser.patterns

    @property
    def is_last_resort(self) -> bool:
        return self.parser.is_last_resort


@record
class ParsedPage:
    """What became of a page in one parser."""

    parsing: Parsing
    follows: tuple[AskedFollow, ...] = ()
    is_sound: bool = True  # False: the process should read nothing else, as it is short of memory
    duration_s: float = 0.0


def prepare_parsers(parsers: Iterable[Parser]) -> list[PreparedParser]:
    """Raises ConfigError: a schema cannot be used."""
    return [_prepare(parser) for parser in parsers]


def _prepare(parser: Parser) -> PreparedParser:
    try:
        check = None if parser.schema is None else build_check(parser.schema)
        return PreparedParser(parser=parser, check=check, coercion=find_coercion(parser.schema))
    except ConfigError as error:
        raise ConfigError(f"The parser {parser.name}: {error}") from error


def run_parsers(
    page: Page,
    parsers: Sequence[PreparedParser],
    follow_ups: Sequence[FollowUp],
    limits: ParserLimits,
    deadline: Deadline = no_deadline,
) -> Iterator[ParsedPage]:
    """Run the parsers that a page is for, one after the other. `parsers`: all that there are; `deadline`:
    raises TookTooLong in what runs inside it after so many seconds."""
    asked = {follow_up.parser: follow_up.data for follow_up in follow_ups}
    has_items = False
    for parser in choose_parsers(parsers, page.url, asked):
        page.data = orjson.loads(asked[parser.name]) if parser.name in asked else None
        is_left_out = has_items and parser.is_last_resort
        parsed = skip_parser(parser) if is_left_out else run_parser(page, parser, limits, deadline)
        has_items = has_items or bool(parsed.parsing.items)
        yield parsed


def run_parser(
    page: Page, prepared: PreparedParser, limits: ParserLimits, deadline: Deadline = no_deadline
) -> ParsedPage:
    parser = prepared.parser
    gathered = _Gathered()
    started_s = perf_counter()
    error = _run(page, prepared, limits, deadline, gathered)
    is_sound = error is None or error.type != MemoryError.__name__
    if error is not None:
        gathered = _Gathered()
    parsing = Parsing(
        parser=parser.name, version=parser.version, items=tuple(gathered.items.values()), error=error
    )
    return ParsedPage(
        parsing=parsing,
        follows=tuple(gathered.follows),
        is_sound=is_sound,
        duration_s=perf_counter() - started_s,
    )


def skip_parser(prepared: PreparedParser) -> ParsedPage:
    """A last resort makes nothing of a page of which others made items."""
    return ParsedPage(parsing=Parsing(parser=prepared.name, version=prepared.version))


def describe_timeout(limits: ParserLimits, parser: str) -> LoggedError:
    message = f"It took longer than {limits.timeout_s:g} s: do less, or raise parsers.timeout_s."
    return build_fault("Timeout", message, parser)


def _run(
    page: Page, prepared: PreparedParser, limits: ParserLimits, deadline: Deadline, gathered: "_Gathered"
) -> LoggedError | None:
    """Never raises: not even what ends other programs, such as a call of `exit`."""
    name = prepared.name
    try:
        with deadline(limits.timeout_s):
            _gather(page, prepared, limits, gathered)
    except TookTooLong:
        return describe_timeout(limits, name)
    except Nonsense as nonsense:
        return build_fault("Nonsense", str(nonsense), name)
    except MemoryError:
        message = "It needs more memory than parsers.memory_mb allows: keep less of the page, or raise that."
        return build_fault(MemoryError.__name__, message, name)
    except BaseException as error:
        return describe_exception(error, name)
    return None


@dataclass(slots=True)
class _Gathered:
    items: dict[tuple[str, str], FoundItem] = field(default_factory=dict)  # the last of each kind and key
    follows: list[AskedFollow] = field(default_factory=list)


def _gather(page: Page, prepared: PreparedParser, limits: ParserLimits, gathered: _Gathered) -> None:
    parser = prepared.parser
    normaliser = Normaliser(
        kind=parser.kind or parser.name,
        url_key=make_key(page.url),
        item_bytes=limits.item_bytes,
        check=prepared.check,
        coercion=prepared.coercion,
    )
    counts: dict[str, int] = {}
    items = follows = size = 0
    for yielded in _iterate(parser.parse(page)):
        if isinstance(yielded, Follow):
            follows += 1
            _check_number(follows, limits.follows_per_page, "follow-ups", "parsers.follows_per_page")
            follow = normaliser.read_follow(yielded)
            size += len(follow.url) + len(follow.follow_up.data)
            gathered.follows.append(follow)
        elif yielded is not None:
            items += 1
            _check_number(items, limits.items_per_page, "items", "parsers.items_per_page")
            item = normaliser.read_item(yielded, counts)
            size += len(item.data)
            gathered.items[item.kind, item.key] = item
        if size > limits.page_chars:
            raise Nonsense(
                f"Its items of one page have more than {limits.page_chars:,} characters: keep less of the"
                " page, or raise parsers.item_bytes."
            )


def _check_number(number: int, limit: int, what: str, setting: str) -> None:
    if number > limit:
        raise Nonsense(f"It makes more than {limit:,} {what} of one page: make fewer, or raise {setting}.")


def _iterate(output: Any) -> Iterable[Any]:
    """One item, several, or none."""
    if output is None:
        return ()
    if isinstance(output, Mapping | Item | Follow | BaseModel):
        return (output,)
    if isinstance(output, str | bytes) or not isinstance(output, Iterable):
        raise Nonsense(
            "A parser returns a dict, an Item, several of them, or None, but not an object of the type"
            f" {type(output).__name__[:100]}."
        )
    return output
