"""Reads what a person gives as the start of a crawl, and says clearly what is wrong with it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tenax.cli.seed_files import open_list
from tenax.cli.seed_lines import NOT_UTF8, BadLine, Mistake, SeedLines, parse_address
from tenax.errors import UsageError


def read_seeds(urls: Iterable[str], file: Path | None) -> list[str]:
    """Normalised, each once, in the order given."""
    seeds = [read_url(url) for url in urls]
    if file is not None:
        seeds += iter_seed_file(file)
    return list(dict.fromkeys(seeds))


def iter_seed_file(file: Path) -> Iterator[str]:
    """The addresses in a list of any kind that `tenax seeds import` knows. One bad line is too many."""
    with open_list(file) as opened:
        for found in SeedLines().read_all(opened.lines):
            if isinstance(found, BadLine):
                raise UsageError(_describe(found, file))
            yield found.url


def _describe(bad: BadLine, file: Path) -> str:
    if bad.reason == NOT_UTF8:
        return f"The seeds file {file} {NOT_UTF8}."
    return f"{bad.text!r} ({file}, line {bad.number}) {bad.reason}."


def read_url(text: str) -> str:
    """A URL as people write it: without a scheme it is https."""
    try:
        return parse_address(text)
    except Mistake as mistake:
        raise UsageError(f"{text!r} {mistake}.") from mistake
