"""Reads the seeds that a user gives for a crawl, and reports what is wrong with them."""

from collections.abc import Iterable
from pathlib import Path

from tenax.cli.seeds.files import open_list
from tenax.cli.seeds.imports import ImportTally, cut, refuse_empty
from tenax.cli.seeds.lines import SeedLines
from tenax.errors import UsageError
from tenax.web.addresses import Mistake, parse_address
from tenax.web.parameters import NO_NAMES, Names
from tenax.wording import count_of


def read_seeds(
    urls: Iterable[str], file: Path | None, tally: ImportTally, keep: Names = NO_NAMES
) -> list[str]:
    """Return the addresses in the order given, without duplicates. Bad lines of the file are skipped and
    counted, as by `tenax seeds import`. Raises UsageError, also if all lines are bad."""
    seeds = [read_url(url, keep) for url in urls]
    if file is not None:
        with open_list(file) as opened:
            found = SeedLines(keep).read_all(opened.lines)
            seeds += [seed.url for chunk in cut(found, tally) for seed in chunk]
        if not seeds and tally.bad:
            refuse_empty(tally, str(file))
    return list(dict.fromkeys(seeds))


def format_skipped(tally: ImportTally, file: Path) -> list[str]:
    """Describe the lines that were skipped."""
    if not tally.bad:
        return []
    more = tally.bad - len(tally.first_bad)
    return [
        f"Skipped {count_of(tally.bad, 'bad line')} of {file}:",
        *(f"  {bad}" for bad in tally.first_bad),
        *([f"  and {more:,} more"] if more else []),
    ]


def read_url(text: str, keep: Names = NO_NAMES) -> str:
    """Parse a URL as users write it: without a scheme it is https. Raises UsageError."""
    try:
        return parse_address(text, keep)
    except Mistake as mistake:
        raise UsageError(f"{text!r} {mistake}.") from mistake
