"""The contract of parsers: what makes items of pages, in Python or without code."""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import xxhash
from pydantic import BaseModel

from tenax.errors import ConfigError
from tenax.items.page import Follow, Page
from tenax.items.patterns import check_pattern
from tenax.record import record
from tenax.records.items import MAX_KIND_CHARS, FollowUp
from tenax.web.url_patterns import matches

MAX_PATTERNS: Final = 100
MAX_VERSION_CHARS: Final = 100
_DIGEST_CHARS: Final = 12
_match_name = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}").fullmatch


@dataclass(frozen=True, slots=True)
class Item:
    """A record that a parser yields, where a plain dict does not say enough."""

    data: Mapping[str, Any] | BaseModel
    kind: str | None = None  # None: that of its parser
    key: str | None = None  # unique within its source and kind, such as a sku; None: that of the url
    confidence: float | Mapping[str, float] | None = None  # from 0 to 1, of the item or of each field


Yielded: TypeAlias = Mapping[str, Any] | BaseModel | Item | Follow
Output: TypeAlias = Iterable[Yielded] | Yielded | None  # a dict is an item, not an iterable


class Parser:
    """The base class of parsers. Only reader processes call `parse`."""

    name: str = ""
    version: str = "1"  # another version makes the next visit of each page unconditional
    # The paths of its pages, or whole urls if they contain "://"; `*` stands for anything. Empty: every page;
    # None: only pages that a follow-up asks it for.
    patterns: tuple[str, ...] | None = ()
    kind: str = ""  # of its items, if they name none; empty: its name
    schema: Any = None  # None, a JSON Schema as a dict, or a Pydantic model
    is_last_resort: bool = False  # it runs behind all others, on pages of which they made no item

    def parse(self, page: Page) -> Output:
        raise NotImplementedError


class FunctionParser(Parser):
    """A function as a parser."""

    def __init__(
        self,
        function: Callable[[Page], Output],
        *,
        patterns: tuple[str, ...] | None = (),
        name: str | None = None,
        version: str | None = None,
        kind: str | None = None,
        schema: Any = None,
    ) -> None:
        """`version` None: derived from the source text of the function, so that an edit makes a new one. What
        it calls is not seen: give a version if that changes. Raises TypeError for a coroutine."""
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__name__} must be a plain function: pages are parsed in processes of their own."
            )
        self.function = function
        self.patterns = patterns
        self.name = name or function.__name__
        self.version = version or find_version(function)
        self.kind = kind or self.name
        self.schema = schema

    def parse(self, page: Page) -> Output:
        return self.function(page)


def find_version(function: Callable[..., object]) -> str:
    """A version of a function that is the same for the same source text on every machine."""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = _describe_code(getattr(function, "__code__", None))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST_CHARS]


def _describe_code(code: CodeType | None) -> str:
    """What a function without source text does, as far as that can be said."""
    if code is None:
        return ""
    constants = [each for each in code.co_consts if not isinstance(each, CodeType)]
    return repr((code.co_code, code.co_names, constants))


@record
class ParserCard:
    """What a worker knows of a parser: it never has the parser itself."""

    name: str
    version: str
    patterns: tuple[str, ...] | None = ()  # see Parser
    kind: str = ""
    trial_of: str | None = None  # the parser that it is a candidate for
    share: float = 0.0  # of pages that a candidate sees
    is_last_resort: bool = False

    @classmethod
    def build(cls, parser: Parser) -> "ParserCard":
        return cls(
            trial_of=getattr(parser, "trial_of", None),
            share=getattr(parser, "share", 0.0),
            is_last_resort=parser.is_last_resort,
            name=parser.name,
            version=parser.version,
            patterns=parser.patterns,
            kind=parser.kind or parser.name,
        )


class _Chosen(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def patterns(self) -> tuple[str, ...] | None: ...

    @property
    def is_last_resort(self) -> bool: ...


P = TypeVar("P", bound=_Chosen)  # a parser or its card


def choose_parsers(parsers: Sequence[P], url: str, asked: Iterable[str] = ()) -> list[P]:
    """The parsers that are to see the page of a url. `asked`: those that follow-ups name."""
    names = frozenset(asked)
    chosen = [parser for parser in parsers if parser.name in names or matches(parser.patterns, url)]
    return sorted(chosen, key=lambda parser: parser.is_last_resort)


def hash_parsers(parsers: Iterable[_Chosen], follow_ups: Iterable[FollowUp] = ()) -> int:
    """What tells the items of other parsers, of other versions, or with other data apart: 64 bits, signed."""
    data = {follow_up.parser: follow_up.data for follow_up in follow_ups}
    said = "\n".join(sorted(f"{each.name}\t{each.version}\t{data.get(each.name, '')}" for each in parsers))
    digest = xxhash.xxh3_64_intdigest(said.encode())
    return digest - (1 << 64) if digest >> 63 else digest


def check_parsers(parsers: Sequence[Parser]) -> None:
    """Raises ConfigError with one sentence about the first fault."""
    names = set[str]()
    for parser in parsers:
        if not isinstance(parser, Parser):
            raise ConfigError(f"{parser!r} is no parser: it must be an object of a subclass of Parser.")
        _check(parser)
        if parser.name in names:
            raise ConfigError(f"Two parsers are called {parser.name}: give one of them another name.")
        names.add(parser.name)


def _check(parser: Parser) -> None:
    name = parser.name
    if not isinstance(name, str) or _match_name(name) is None:
        raise ConfigError(
            f"{name!r} cannot be the name of a parser ({type(parser).__name__}): use letters, digits and _.-"
        )
    if not isinstance(parser.version, str) or not 0 < len(parser.version) <= MAX_VERSION_CHARS:
        raise ConfigError(f"The version of the parser {name} must be a text, such as '1'.")
    if not isinstance(parser.kind, str) or len(parser.kind) > MAX_KIND_CHARS:
        raise ConfigError(
            f"The kind of the parser {name} must be a text of at most {MAX_KIND_CHARS} characters."
        )
    _check_patterns(parser)


def _check_patterns(parser: Parser) -> None:
    patterns = parser.patterns
    if patterns is None:
        return
    if not isinstance(patterns, tuple | list) or len(patterns) > MAX_PATTERNS:
        raise ConfigError(
            f"The patterns of the parser {parser.name} must be a tuple of at most {MAX_PATTERNS} texts."
        )
    for pattern in patterns:
        if (fault := check_pattern(pattern)) is not None:
            raise ConfigError(f"The parser {parser.name}: {fault}")
