"""What `tenax parse` and `tenax parsers` share: they get a page, choose parsers, and run them here.

Parsers run in processes of their own, with the limits of time and memory that they have in a crawl.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from tenax.cli.inspection import PRIVATE_HINT, parse_address, run_inspector
from tenax.config.fetch import PDF
from tenax.config.settings import Settings
from tenax.crawl.insight.inspection import Inspection, Inspector
from tenax.crawl.reading.isolation import describe_no_process
from tenax.crawl.reading.parse_once import parse_once
from tenax.errors import ConfigError, ContentError, UsageError
from tenax.items.declarative.files import read_definition
from tenax.items.declarative.parser import DeclarativeParser
from tenax.items.page import Page, parse_page
from tenax.items.parser import Parser, choose_parsers
from tenax.items.registry import BUILT_IN, KnownParser, add_built_in, list_parsers, load_file
from tenax.items.running import ParsedPage, prepare_parsers
from tenax.record import record
from tenax.records.requests import Response
from tenax.visible import clean
from tenax.web.headers import parse_content_type
from tenax.web.urls import parse_url
from tenax.wording import as_sentence

TargetArgument = Annotated[
    str, typer.Argument(metavar="URL|FILE", help="URL of a page, or a file with a saved page.")
]
FilesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parsers",
        metavar="FILE",
        help="File with parsers: .py or .yaml. May be repeated.",
        show_default="those of this machine",
    ),
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parser",
        metavar="NAME",
        help="Run this parser, whatever its patterns are. May be repeated.",
        show_default="those whose patterns match",
    ),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="With a FILE: the URL that it was saved from.",
        show_default="the canonical URL in it",
    ),
]


PageDataOption = Annotated[
    str | None,
    typer.Option(
        "--page-data",
        metavar="JSON",
        help="What a follow-up gives the parser as `page.data`.",
        show_default="none",
    ),
]


PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".xml", ".json")


@record
class GivenPage:
    page: Page
    body: bytes
    has_url: bool  # False: nobody said where the file comes from, so no pattern can choose


def open_page(target: str, url: str | None, data: str | None, settings: Settings) -> GivenPage:
    """Read a saved page, or fetch one as a crawl would. Raises TenaxError."""
    path = Path(target)
    given_data = _parse_data(data)
    if "://" not in target and path.is_file():
        found = _read_page(path, url, settings.fetch.max_bytes)
    elif url is not None:
        raise UsageError(f"There is no file {clean(target)}; --url is only for files.")
    elif _is_file_like(target):
        raise UsageError(f"There is no file {clean(target)}; a URL begins with https:// or http://.")
    else:
        found = _fetch_page(parse_address(target), settings)
    found.page.data = given_data
    return found


def _is_file_like(target: str) -> bool:
    """Whether a text that is neither a file nor a URL was meant as a file."""
    if "://" in target:
        return False
    path = Path(target)
    is_beside_others = len(path.parts) > 1 and path.parent.is_dir()
    return target.startswith((".", "~")) or is_beside_others or path.suffix.lower() in PAGE_ENDINGS


def _parse_data(data: str | None) -> Any:
    try:
        return None if data is None else orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UsageError(as_sentence(f"--page-data is not JSON: {error}")) from error


def _read_page(path: Path, url: str | None, max_bytes: int) -> GivenPage:
    try:
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)
    except OSError as error:
        raise UsageError(f"The file {path} cannot be read: {error.strerror}.") from error
    if len(body) > max_bytes:
        raise UsageError(f"The file {path} is larger than fetch.max_bytes, {max_bytes:,} bytes.")
    if url is not None:
        return GivenPage(page=parse_page(body, url=parse_address(url)), body=body, has_url=True)
    stand_in = parse_url(path.name, "https://example.com/") or "https://example.com/"
    page = parse_page(body, url=stand_in)
    if page.canonical is None:
        return GivenPage(page=page, body=body, has_url=False)
    return GivenPage(page=parse_page(body, url=page.canonical), body=body, has_url=True)


def _fetch_page(address: str, settings: Settings) -> GivenPage:
    async def inspect(inspector: Inspector) -> Inspection:
        return await inspector.inspect(address)

    found = run_inspector(settings, inspect)
    last = found.hops[-1]
    answer = None if last.exchange is None else last.exchange.answer
    if found.trouble is not None or not isinstance(answer, Response):
        hint = f"; {PRIVATE_HINT}" if found.met_forbidden_address else ""
        raise ContentError(as_sentence(f"No page: {clean(found.trouble or 'there was no answer')}{hint}"))
    if found.reading is None or found.reading.is_pdf:
        mime = PDF if found.reading else parse_content_type(answer.headers.get("content-type"))[0]
        raise ContentError(f"No page: parsers are for HTML, and this is {clean(mime or 'something else')}.")
    page = parse_page(answer.body, url=last.url, status=answer.status, headers=answer.headers)
    return GivenPage(page=page, body=answer.body, has_url=True)


def list_known(files: Sequence[str], settings: Settings) -> list[KnownParser]:
    """All parsers of the given files; without any, all that this machine and the settings have. Those built
    in are always known."""
    if files:
        given = [KnownParser(parser=parser, origin=file) for file in files for parser in load_file(file)]
        return add_built_in(given)
    defined = [
        KnownParser(parser=DeclarativeParser(read_definition(value)), origin="settings")
        for value in settings.parsers.definitions
    ]
    names = {each.parser.name for each in defined}
    others = [each for each in list_parsers(settings.parsers, _warn) if each.parser.name not in names]
    return [*defined, *others]


def _warn(error: ConfigError) -> None:
    typer.echo(clean(str(error)), err=True)


def choose(known: Sequence[KnownParser], names: Sequence[str], given: GivenPage) -> list[Parser]:
    """The parsers to run on a page: those that are named, or else those that are for its url. Those built in
    are for every page, so they are run unnamed only where there are no others."""
    if names:
        return [_find(name, [each.parser for each in known]) for name in names]
    parsers = [each.parser for each in known if each.origin != BUILT_IN] or [each.parser for each in known]
    chosen = choose_parsers(parsers, given.page.url) if given.has_url else parsers
    if not chosen:
        others = ", ".join(parser.name for parser in parsers)
        raise ConfigError(f"No parser matches {given.page.url}; choose one with --parser: {others}.")
    return chosen


def _find(name: str, parsers: Sequence[Parser]) -> Parser:
    for parser in parsers:
        if parser.name == name:
            return parser
    others = ", ".join(parser.name for parser in parsers) or "none"
    raise ConfigError(f"The parser {name!r} is not installed here; known: {others}.")


def run(page: Page, parsers: Sequence[Parser], settings: Settings) -> list[ParsedPage]:
    """Raises TenaxError: no process can be started."""
    try:
        return [parse_once(page, prepared, settings) for prepared in prepare_parsers(parsers)]
    except OSError as error:
        raise ConfigError(as_sentence(describe_no_process(error))) from error
