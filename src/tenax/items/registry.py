"""Finds parsers: definitions of a run, those of files, installed ones by entry points, and those built in.
Among parsers of one name, the first of this order is meant.

Loading a file or an entry point runs the code of users: only processes that parse pages do it, and commands
that a user calls on their own machine.
"""

import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from tenax.config.parsers import ParserSettings
from tenax.config.yaml_values import LARGEST_BYTES
from tenax.errors import ConfigError
from tenax.items.builtin import BUILTIN_PARSERS
from tenax.items.declarative.files import parse_definitions, read_definition
from tenax.items.declarative.parser import DeclarativeParser
from tenax.items.loading import loading
from tenax.items.parser import Parser, check_parsers
from tenax.items.trials import CandidateParser, StandIn
from tenax.record import record
from tenax.wording import as_sentence

GROUP: Final = "tenax.parsers"
BUILT_IN: Final = "built in"  # the origin of parsers that come with Tenax
_YAML: Final = (".yaml", ".yml", ".json")
_REASON_CHARS: Final = 300


@record
class KnownParser:
    parser: Parser
    origin: str  # where it comes from, such as the name of a file


def load_parsers(settings: ParserSettings) -> list[Parser]:
    """The parsers of a run: those that it names, and its definitions. Raises ConfigError."""
    found = [DeclarativeParser(read_definition(value)) for value in settings.definitions]
    defined = {parser.name for parser in found}
    names = [name for name in settings.use if name not in defined]
    plain = [name for name in names if name not in settings.uses]
    stand_ins = [
        StandIn(name, _find_one(settings.uses[name], settings.files))
        for name in names
        if name in settings.uses
    ]
    parsers: list[Parser] = [*found, *_find_named(plain, settings.files), *stand_ins]
    unique = list({id(parser): parser for parser in parsers}.values())
    check_parsers(unique)
    return unique


def check_names(settings: ParserSettings) -> None:
    """Check what can be checked without running the code of users: files, and names unless a file of code may
    have them. Raises ConfigError."""
    files = [Path(file) for file in settings.files]
    for path in files:
        if not path.is_file():
            raise ConfigError(f"There is no file {path}, which parsers.files names.")
    if any(path.suffix.lower() not in _YAML for path in files):
        return
    of_files = [parser.name for path in files for parser in load_file(path)] if settings.use else []
    defined = {read_definition(value).name for value in settings.definitions}
    known = {*of_files, *BUILTIN_PARSERS}
    for name in settings.use:
        wanted = settings.uses.get(name, name)
        if name not in defined and wanted not in known and not entry_points(group=GROUP, name=wanted):
            raise ConfigError(_describe_missing(wanted, of_files))


def load_candidates(settings: ParserSettings, names: Collection[str]) -> list[Parser]:
    """The candidates of a run. `names`: of its parsers. Raises ConfigError."""
    candidates: list[Parser] = []
    for each in settings.candidates:
        if each.parser not in names:
            raise ConfigError(f"There is a candidate for the parser {each.parser!r}, but no such parser.")
        if each.definition is not None:
            parser: Parser = DeclarativeParser(read_definition({**each.definition, "name": each.parser}))
        else:
            parser = _find_one(each.uses or "", settings.files)
        candidates.append(CandidateParser(each.parser, parser, each.share))
    check_parsers(candidates)
    return candidates


def list_parsers(
    settings: ParserSettings, note: Callable[[ConfigError], None] | None = None
) -> list[KnownParser]:
    """All parsers that this machine has: those of its files, the installed ones and those built in. `note`:
    is told which installed ones cannot be loaded. Raises ConfigError about a file."""
    of_files = [
        KnownParser(parser=parser, origin=file) for file in settings.files for parser in load_file(file)
    ]
    installed = [
        KnownParser(parser=parser, origin=_name_distribution(point))
        for point in entry_points(group=GROUP)
        for parser in _try_point(point, note)
    ]
    return add_built_in([*of_files, *installed])


def add_built_in(known: Sequence[KnownParser]) -> list[KnownParser]:
    """Add the parsers that come with Tenax, except those whose names are taken."""
    taken = {each.parser.name for each in known}
    return [
        *known,
        *(
            KnownParser(parser=parser(), origin=BUILT_IN)
            for name, parser in BUILTIN_PARSERS.items()
            if name not in taken
        ),
    ]


def load_file(path: str | Path) -> list[Parser]:
    """All parsers of a file: YAML or JSON with definitions, or Python. Raises ConfigError."""
    path = Path(path)
    try:
        parsers = _load_yaml(path) if path.suffix.lower() in _YAML else _load_python(path)
    except OSError as error:
        raise ConfigError(f"The file {path} cannot be read: {error.strerror}.") from error
    if not parsers:
        raise ConfigError(
            f"The file {path} holds no parser: no subclass of Parser, no object of one, no crawler."
        )
    check_parsers(parsers)
    return parsers


def _find_named(names: Sequence[str], files: Sequence[str]) -> Iterator[Parser]:
    of_files = [parser for file in files for parser in load_file(file)] if names else []
    for name in names:
        found = (
            [parser for parser in of_files if parser.name == name]
            or _find_installed(name)
            or _make_built_in(name)
        )
        if not found:
            raise ConfigError(_describe_missing(name, [parser.name for parser in of_files]))
        yield from found


def _find_one(name: str, files: Sequence[str]) -> Parser:
    return next(iter(_find_named([name], files)))


def _find_installed(name: str) -> list[Parser]:
    """An entry point names one parser, or a set of them."""
    for point in entry_points(group=GROUP, name=name):
        loaded = _load_point(point)
        return [parser for parser in loaded if parser.name == name] or loaded
    return []


def _make_built_in(name: str) -> list[Parser]:
    parser = BUILTIN_PARSERS.get(name)
    return [] if parser is None else [parser()]


def _describe_missing(name: str, others: Iterable[str]) -> str:
    known = sorted({*others, *(point.name for point in entry_points(group=GROUP)), *BUILTIN_PARSERS})
    close = get_close_matches(name, known, 1)
    hint = (
        f" Did you mean {close[0]}?" if close else f" Known here: {', '.join(known[:20])}." if known else ""
    )
    return (
        f"The parser {name!r} is not installed here; install the package that has it, or name its file in"
        f" parsers.files.{hint}"
    )


def _try_point(point: EntryPoint, note: Callable[[ConfigError], None] | None) -> list[Parser]:
    try:
        return _load_point(point)
    except ConfigError as error:
        if note is not None:
            note(error)
        return []


def _load_point(point: EntryPoint) -> list[Parser]:
    try:
        return list(_list_in(point.load(), is_module=False))
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"The installed parser {point.name} cannot be loaded: {_describe(error)}"
        ) from error


def _name_distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _load_yaml(path: Path) -> list[Parser]:
    with path.open("rb") as file:
        body = file.read(LARGEST_BYTES + 1)
    definitions = parse_definitions(body.decode("utf-8", "replace"), name=str(path))
    return [DeclarativeParser(each) for each in definitions]


def _load_python(path: Path) -> list[Parser]:
    path = path.resolve(strict=True)
    # A name of its own, so that two files called shop.py stay apart.
    name = f"tenax_parsers_{sha256(str(path).encode()).hexdigest()[:8]}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"The file {path} is neither Python (.py) nor YAML (.yaml).")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # what stands beside it can be imported, and shadows nothing
    try:
        with loading():
            spec.loader.exec_module(module)
        return list(_list_in(module, is_module=True))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ConfigError(f"The file {path} cannot be loaded: {_describe(error)}") from error


def _list_in(value: Any, *, is_module: bool) -> Iterator[Parser]:
    """The parsers that a module or an object holds, each once."""
    values = list(vars(value).values()) if is_module else [value]
    seen = set[int]()
    for each in values:
        for parser in _read_object(each, value if is_module else None):
            if id(parser) not in seen:
                seen.add(id(parser))
                yield parser


def _read_object(value: Any, module: ModuleType | None) -> Iterator[Parser]:
    if isinstance(value, Parser):
        yield value
    elif isinstance(value, type):
        is_own = module is None or value.__module__ == module.__name__  # what it imports is of others
        if issubclass(value, Parser) and is_own and value.parse is not Parser.parse:
            yield value()
    elif isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Parser))
    else:
        held = getattr(value, "parsers", None)
        if isinstance(held, list | tuple):
            yield from (each for each in held if isinstance(each, Parser))


def _describe(error: BaseException) -> str:
    return as_sentence(" ".join(f"{type(error).__name__}: {error}".split())[:_REASON_CHARS])
