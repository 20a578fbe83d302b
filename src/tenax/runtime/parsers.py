"""Starts the parser host of a worker, if its run has parsers."""

import contextlib
import socket
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from tenax.config.parsers import ParserSettings
from tenax.config.settings import Settings
from tenax.crawl.reading.parser_host import ParserHost
from tenax.items.parser import Parser
from tenax.items.registry import load_candidates, load_parsers


@contextlib.contextmanager
def open_parser_host(
    settings: Settings, live: Sequence[Parser] = (), inherited: Iterable[socket.socket] = ()
) -> Iterator[ParserHost | None]:
    """Yields None if the run has no parsers. `live`: parsers that this process holds, which are inherited;
    all others are loaded by their names. Enter this before there is an event loop or a thread. Raises
    ConfigError: a parser is missing or cannot be used."""
    if not (live or settings.parsers.is_used):
        yield None
        return
    host = ParserHost.start(partial(_load, settings.parsers, live), settings, inherited)
    try:
        yield host
    finally:
        host.close()


def _load(settings: ParserSettings, live: Sequence[Parser]) -> list[Parser]:
    names = {parser.name for parser in live}
    others = tuple(name for name in settings.use if name not in names)
    parsers = [*live, *load_parsers(settings.model_copy(update={"use": others}))]
    return [*parsers, *load_candidates(settings, {parser.name for parser in parsers})]
