"""What a crawler crawls: seeds and settings, parsers, and where it is kept. It is run by crawler.py."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from tenax.config.loading import load_settings
from tenax.config.settings import Settings, Values
from tenax.crawler.patterns import format_patterns
from tenax.errors import ConfigError, UsageError
from tenax.items.page import Page
from tenax.items.parser import FunctionParser, Output, Parser, check_parsers
from tenax.items.running import prepare_parsers
from tenax.policy.budget import lift_domain_cap
from tenax.record import record
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.crawls import check_name, name_crawl
from tenax.stores.place import DEFAULT_DATA, Place, find_place
from tenax.web.addresses import Mistake, parse_address

Sections = Mapping[str, Mapping[str, Any]]  # of settings: section → setting → value
Function = TypeVar("Function", bound=Callable[[Page], Output])


@record
class CrawlPlan:
    """A crawler as it is about to be run."""

    name: str
    is_named: bool  # by a user; otherwise by its first seed
    place: Place
    settings: Settings
    seeds: tuple[str, ...]  # addresses
    parsers: tuple[Parser, ...]


class CrawlDefinition:
    """The part of a crawler that says what to do."""

    def __new__(cls, *seeds: object, **options: object) -> Self:
        known = signature(cls.__init__).parameters
        for name in options:
            if name not in known:
                raise TypeError(f"{cls.__name__} has no option {name}{_suggest(name, known)}")
        return super().__new__(cls)

    def __init__(
        self,
        *seeds: str,
        data: str | Path | None = None,
        store: str | None = None,
        name: str | None = None,
        max_pages: int | None = None,
        max_depth: int | None = None,
        delay: float | None = None,
        scope: Literal["domain", "host", "site", "any"] | None = None,
        follow: Sequence[str] | None = None,
        skip: Sequence[str] | None = None,
        workers: int | None = None,
        user_agent: str | None = None,
        contact: str | None = None,
        parsers: Sequence[Parser] = (),
        settings: Sections | None = None,
    ) -> None:
        """`data`: its directory; None: the name of this script with the ending `.crawl`. `store`: a database
        instead, as postgresql://USER@HOST/DATABASE. `follow` and `skip`: patterns of the links that are
        followed, and of those that are not. `settings`: all others, by section. Raises UsageError and
        ConfigError, each with one sentence."""
        given: Sections = {
            "store": {"url": store},
            "limits": {"max_pages": max_pages, "max_depth": max_depth},
            "politeness": {"delay_s": delay},
            "scope": {"kind": scope, "include": _format_links(follow), "exclude": _format_links(skip)},
            "worker": {"processes": workers},
            "fetch": {"user_agent": user_agent, "contact": contact},
        }
        self._seeds = seeds
        self._name = None if name is None else check_name(name)
        self._data = None if data is None else Path(data)
        self._default_data = _name_data(sys._getframe(1).f_globals.get("__file__"))
        self._values = _join(_check_sections(settings), given)
        self._parsers: list[Parser] = []
        for parser in parsers:
            self._add(parser)
        self._load_settings({})

    @property
    def parsers(self) -> tuple[Parser, ...]:
        """The parsers that make its items, in the order in which they were added."""
        return tuple(self._parsers)

    def page(
        self,
        *patterns: str,
        name: str | None = None,
        version: str | None = None,
        kind: str | None = None,
        schema: Any = None,
    ) -> Callable[[Function], Function]:
        """Make a parser of a function: it sees the pages whose path matches a pattern, in which `*` stands
        for anything; a pattern with "://" is compared with whole urls. Without patterns it sees every page.
        `version` None: one of its source text, so that an edit makes a new version."""
        if any(callable(pattern) for pattern in patterns):
            raise TypeError("Write @crawler.page() with parentheses.")
        return self._decorate(patterns, name, version, kind, schema)

    def followed(
        self,
        *,
        name: str | None = None,
        version: str | None = None,
        kind: str | None = None,
        schema: Any = None,
    ) -> Callable[[Function], Function]:
        """The same for a function that sees only the pages for which `page.follow` asks it."""
        return self._decorate(None, name, version, kind, schema)

    def plan(self, overrides: Values, *, file: Path | None = None, data: Path | None = None) -> CrawlPlan:
        """What to run. `overrides`, `file` and `data` are those of a command line. Raises ConfigError."""
        settings = self._load_settings(overrides, file)
        # The names belong to the run: a worker that lacks one of these parsers does not join it.
        names = dict.fromkeys([*settings.parsers.use, *(parser.name for parser in self._parsers)])
        used = settings.parsers.model_copy(update={"use": tuple(names)})
        settings = settings.model_copy(update={"parsers": used})
        if not settings.uses_parsers:
            raise ConfigError("This crawler makes no items: give it a handler with @crawler.page().")
        seeds = self._parse_seeds(settings)
        return CrawlPlan(
            name=self._name or name_crawl(seeds[0]),
            is_named=self._name is not None,
            place=self._find_place(settings, data),
            settings=lift_domain_cap(settings, seeds),
            seeds=seeds,
            parsers=self.parsers,
        )

    def _load_settings(self, overrides: Values, file: Path | None = None) -> Settings:
        settings = load_settings(file=file, overrides=_join(self._values, overrides))
        check_settings(settings)
        self._parse_seeds(settings)
        self._find_place(settings)
        return settings

    def _find_place(self, settings: Settings, data: Path | None = None) -> Place:
        """With a database, a directory that is not given is that of this machine's files for it."""
        url = settings.store.url
        return find_place(url, data or self._data or (self._default_data if url is None else None))

    def _parse_seeds(self, settings: Settings) -> tuple[str, ...]:
        if not self._seeds:
            raise UsageError("A crawler needs a url to start from, as in Crawler('https://example.com/').")
        return tuple(dict.fromkeys(_parse_seed(seed, settings) for seed in self._seeds))

    def _decorate(
        self,
        patterns: tuple[str, ...] | None,
        name: str | None,
        version: str | None,
        kind: str | None,
        schema: Any,
    ) -> Callable[[Function], Function]:
        def add(function: Function) -> Function:
            own_name = getattr(function, "__name__", None)
            if name is None and own_name is None:
                raise TypeError(f"{function!r} has no name: give it one, as in page(name='product').")
            parser = FunctionParser(
                function, patterns=patterns, name=name, version=version, kind=kind, schema=schema
            )
            self._add(parser)
            if parser.name != own_name:
                # So that page.follow(url, function) means this parser.
                setattr(function, "name", parser.name)  # noqa: B010
            return function

        return add

    def _add(self, parser: Parser) -> None:
        """Raises ConfigError."""
        names = [each.name for each in self._parsers] if _is_interactive(parser) else []
        place = names.index(parser.name) if parser.name in names else len(self._parsers)
        others = [*self._parsers[:place], *self._parsers[place + 1 :]]
        check_parsers([*others, parser])
        prepare_parsers([parser])
        self._parsers[place : place + 1] = [parser]


def _is_interactive(parser: Parser) -> bool:
    """A cell of a notebook that is run again means its handler, and not a second one of the same name."""
    function = getattr(parser, "function", None)
    return "__file__" not in getattr(function, "__globals__", {"__file__": None})


def _suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown option."""
    if close := get_close_matches(name, known, 1):
        return f"; did you mean {close[0]}?"
    for section, field in Settings.model_fields.items():
        if field.annotation is not None and name in field.annotation.model_fields:
            return f": give settings={{'{section}': {{'{name}': …}}}}."
    return ": docs/extract-your-data.md lists its options, docs/settings.md all settings."


def _format_links(patterns: Sequence[str] | None) -> list[str] | None:
    return None if patterns is None else format_patterns(patterns)


def _name_data(file: str | None) -> Path:
    """Each script has a directory of its own, where it is run. `file` None: a notebook or a console."""
    if file is None:
        return DEFAULT_DATA
    script = Path(file).absolute()
    return Path(f"{script.parent.name if script.stem == '__main__' else script.stem}.crawl")


def _check_sections(settings: Any) -> Sections:
    sections = {} if settings is None else settings
    if not isinstance(sections, Mapping) or not all(isinstance(each, Mapping) for each in sections.values()):
        raise UsageError(
            "The settings must be a dict of sections, as in settings={'fetch': {'timeout_s': 9}}."
        )
    return sections


def _join(*layers: Sections) -> Values:
    """Later layers win; None says nothing."""
    joined: Values = {}
    for layer in layers:
        for section, values in layer.items():
            given = {name: value for name, value in values.items() if value is not None}
            if given:
                joined[section] = {**joined.get(section, {}), **given}
    return joined


def _parse_seed(seed: object, settings: Settings) -> str:
    if not isinstance(seed, str):
        raise UsageError(
            f"A crawler takes urls as texts, as in Crawler(*urls), but not {type(seed).__name__}."
        )
    try:
        return parse_address(seed, settings.scope.kept_names)
    except Mistake as mistake:
        raise UsageError(f"{seed!r} {mistake}.") from mistake
