"""Starts the parser host of a worker, if its run has parsers."""

import contextlib
import socket
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from tenax.config.fetch import ArticleUse
from tenax.config.settings import Settings
from tenax.crawl.reading.parser_host import ParserHost
from tenax.extract.articles.main_text import check_installed
from tenax.items.builtin.article import ArticleParser
from tenax.items.parser import Parser
from tenax.items.registry import load_candidates, load_parsers


@contextlib.contextmanager
def open_parser_host(
    settings: Settings, live: Sequence[Parser] = (), inherited: Iterable[socket.socket] = ()
) -> Iterator[ParserHost | None]:
    """Yields None if the run has no parsers. `live`: parsers that this process holds, which are inherited;
    all others are loaded by their names. Enter this before there is an event loop or a thread. Raises
    ConfigError: a parser is missing or cannot be used."""
    if not (live or settings.uses_parsers):
        yield None
        return
    host = ParserHost.start(partial(_load, settings, live), settings, inherited)
    try:
        yield host
    finally:
        host.close()


def _load(settings: Settings, live: Sequence[Parser]) -> list[Parser]:
    used = settings.parsers
    names = {parser.name for parser in live}
    others = tuple(name for name in used.use if name not in names)
    parsers = [*live, *load_parsers(used.model_copy(update={"use": others}))]
    parsers += _list_article_parsers(settings.extract.article, parsers)
    return [*parsers, *load_candidates(used, {parser.name for parser in parsers})]


def _list_article_parsers(use: ArticleUse, others: Sequence[Parser]) -> Iterator[Parser]:
    """The built-in one, unless the run names a parser of articles itself. Raises ConfigError: its packages
    are missing."""
    if use is ArticleUse.NEVER or any(parser.name == ArticleParser.name for parser in others):
        return
    check_installed()
    yield ArticleParser(use)
