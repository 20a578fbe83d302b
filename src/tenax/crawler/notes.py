"""What a program is told at the end of a run: handlers that failed, items that are invalid, and handlers that
made none. At most one line each, to the logger `tenax.crawler`: without another configuration, that is the
standard error.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tenax.crawl.tally import WorkerTally
from tenax.policy.quality.parser_results import describe_barren, describe_outdated, name_first
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.wording import count_of

_LOG: Final = logging.getLogger("tenax.crawler")
_NOUN: Final = "handler"
_AGAIN: Final = 'run(recrawl="all") visits them again'
NOTHING_NEW: Final = (
    f"All known pages were visited before, and none is new: {_AGAIN}, items() has their items"
)


def list_notes(tally: WorkerTally, place: Place, outdated: Sequence[str] = ()) -> list[str]:
    """`outdated`: handlers that the stored pages were not visited with."""
    errors = _join(_list_errors(tally))
    invalid = _join(_list_invalid(tally))
    notes = [
        f"{errors} (tenax errors {place.option})" if errors else "",
        f"{invalid} (tenax items invalid {place.option})" if invalid else "",
        _join(describe_barren(tally.parsers, _NOUN)),
        f"{_join([describe_outdated(outdated, _NOUN)])}: {_AGAIN}" if outdated else "",
    ]
    return [note for note in notes if note]


def tell(notes: Iterable[str]) -> None:
    for note in notes:
        _LOG.warning("%s", clean(note))


def _list_errors(tally: WorkerTally) -> Iterator[str]:
    named, more = name_first({name: counts.errors for name, counts in tally.parsers.items()})
    for name in named:
        counts = tally.parsers[name]
        failed = f"{counts.errors:,} of {count_of(counts.pages, 'page')} failed in the {_NOUN} {name}"
        yield f"{failed}; the last: {tally.last_errors[name]}"
    if more:
        yield f"{count_of(more, f'more {_NOUN}')} failed"


def _list_invalid(tally: WorkerTally) -> Iterator[str]:
    named, more = name_first({name: counts.invalid for name, counts in tally.parsers.items()})
    for name in named:
        counts = tally.parsers[name]
        made = counts.items + counts.invalid
        breaks = "breaks" if counts.invalid == 1 else "break"
        yield f"{counts.invalid:,} of {count_of(made, 'item')} of the {_NOUN} {name} {breaks} its schema"
    if more:
        yield f"{count_of(more, f'more {_NOUN}')} made invalid items"


def _join(clauses: Iterable[str]) -> str:
    said = "; ".join(clauses)
    return said[:1].upper() + said[1:]
