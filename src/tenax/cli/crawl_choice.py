"""Which crawl of a store a command is about, and what else waits there."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from tenax.errors import UsageError
from tenax.runtime.crawls import Prepared, list_crawls, prepare_crawl
from tenax.stores.contracts.crawls import CrawlSummary, check_name, list_waiting, name_crawl
from tenax.stores.hot.takeover import describe_taken
from tenax.stores.place import Place
from tenax.visible import clean

NAMED_AT_ONCE = 5

NameOption = Annotated[
    str | None,
    typer.Option(
        "--name", help="Name of the crawl; the same name goes on with it.", show_default="its first URL"
    ),
]
KnownNameOption = Annotated[
    str | None, typer.Option("--name", help="Name of the crawl.", show_default="the only one")
]


def open_crawl(place: Place, name: str | None, seeds: Sequence[str]) -> Prepared:
    """The crawl that a person names, by its name or by its first seed; without either, the one that waits.
    Raises UsageError, SourceExists and DomainsBusy."""
    if name is not None:
        check_name(name)
    if not seeds:
        crawls = asyncio.run(list_crawls(place))
        name = find_named(crawls, name, place) if name is not None else find_waiting(crawls, place)
    first = seeds[0] if seeds and name is None else None
    return asyncio.run(prepare_crawl(place, name or name_crawl(seeds[0]), seeds, first_seed=first))


def find_waiting(crawls: Sequence[CrawlSummary], place: Place) -> str:
    """The only one with something to do, or the only one at all."""
    chosen = list_waiting(crawls)
    if not chosen:
        raise UsageError("Nothing to crawl: give a URL, as in 'tenax crawl https://example.com/'.")
    if len(chosen) > 1:
        raise UsageError(
            f"There are several crawls in {place}: {format_names(chosen)}."
            " Say which one goes on with --name, or give a URL."
        )
    return chosen[0].name


def find_named(crawls: Sequence[CrawlSummary], name: str, place: Place) -> str:
    if any(each.is_named(name) for each in crawls):
        return name
    there = f"; there are {format_names(crawls)}" if crawls else ""
    raise UsageError(f"There is no crawl {clean(name)} in {place}{there}. Give it a URL to start it.")


def find_only(crawls: Sequence[CrawlSummary], name: str | None, place: Place) -> str:
    """For what is done to a crawl, whether it has something to do or not. There is one at least."""
    if name is not None:
        return find_named(crawls, check_name(name), place)
    if len(crawls) > 1:
        raise UsageError(
            f"There are several crawls in {place}: {format_names(crawls)}. Say which with --name."
        )
    return crawls[0].name


def describe_company(prepared: Prepared) -> list[str]:
    """What a person has to know who starts a crawl beside others."""
    told = [clean(sentence) for sentence in describe_taken(prepared.taking.taken)]
    if others := prepared.others:
        wait = "crawl waits" if len(others) == 1 else "crawls wait"
        told.append(f"{len(others)} other {wait} here, untouched: {format_names(others)}.")
    return told


def format_names(crawls: Sequence[CrawlSummary]) -> str:
    names = [clean(each.name) for each in crawls[:NAMED_AT_ONCE]]
    more = len(crawls) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])
