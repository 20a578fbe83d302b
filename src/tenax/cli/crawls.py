"""Which crawl of a store a command works on, and how it is run and reported."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.show.live import open_view
from tenax.cli.show.outcome import build_json, choose_exit, format_report, format_start
from tenax.cli.show.profile import format_profile, save_profile
from tenax.cli.show.render import show, show_json
from tenax.config.settings import Settings
from tenax.crawl.insight.explain import Explanation
from tenax.crawler.definition import CrawlPlan
from tenax.errors import UsageError
from tenax.exits import Exit
from tenax.items.parser import Parser
from tenax.records.jobs import Recrawl
from tenax.runtime.crawls import Prepared, explain_url, list_crawls, prepare_crawl
from tenax.stores.contracts.crawls import CrawlSummary, check_name, list_waiting, name_crawl
from tenax.stores.hot.takeover import describe_taken
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.workers.child import WorkerTask
from tenax.workers.session import CrawlResult, find_outdated, run_crawl

NAMED_AT_ONCE = 5

NameOption = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="Name of the crawl; an existing crawl of this name is resumed.",
        show_default="its first URL",
    ),
]
KnownNameOption = Annotated[
    str | None, typer.Option("--name", help="Name of the crawl.", show_default="the only one")
]


def open_crawl(place: Place, name: str | None, seeds: Sequence[str]) -> Prepared:
    """Open the crawl of this name or, without a name, of the first seed; without either, the one that waits.
    Raises UsageError, SourceExists and DomainsBusy."""
    if name is not None:
        check_name(name)
    if not seeds:
        crawls = asyncio.run(list_crawls(place))
        name = find_named(crawls, name, place) if name is not None else find_waiting(crawls, place)
    first = seeds[0] if seeds and name is None else None
    return asyncio.run(prepare_crawl(place, name or name_crawl(seeds[0]), seeds, first_seed=first))


def find_waiting(crawls: Sequence[CrawlSummary], place: Place) -> str:
    """The only crawl with work left, or the only crawl."""
    chosen = list_waiting(crawls)
    if not chosen:
        raise UsageError("Nothing to crawl: give a URL, as in 'tenax crawl https://example.com/'.")
    if len(chosen) > 1:
        raise UsageError(
            f"There are several crawls in {place}: {format_names(chosen)}."
            " Choose one with --name, or give a URL."
        )
    return chosen[0].name


def find_named(crawls: Sequence[CrawlSummary], name: str, place: Place) -> str:
    if any(each.is_named(name) for each in crawls):
        return name
    existing = f"; it has {format_names(crawls)}" if crawls else ""
    raise UsageError(f"There is no crawl {clean(name)} in {place}{existing}. Give a URL to start it.")


def find_only(crawls: Sequence[CrawlSummary], name: str | None, place: Place) -> str:
    """The crawl of this name, or the only one, whether it has work left or not. There is at least one."""
    if name is not None:
        return find_named(crawls, check_name(name), place)
    if len(crawls) > 1:
        raise UsageError(
            f"There are several crawls in {place}: {format_names(crawls)}. Choose one with --name."
        )
    return crawls[0].name


def describe_others(prepared: Prepared) -> list[str]:
    """What a user should know who starts a crawl in a store with others."""
    lines = [clean(sentence) for sentence in describe_taken(prepared.taking.taken)]
    if others := prepared.others:
        wait = "crawl with work left stays" if len(others) == 1 else "crawls with work left stay"
        lines.append(f"{len(others)} other {wait} untouched: {format_names(others)}.")
    return lines


def format_names(crawls: Sequence[CrawlSummary]) -> str:
    names = [clean(each.name) for each in crawls[:NAMED_AT_ONCE]]
    more = len(crawls) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])


def build_task(
    place: Place,
    settings: Settings,
    prepared: Prepared,
    *,
    seeds: Sequence[str] = (),
    recrawl: Recrawl = Recrawl.NEW,
    is_profiled: bool = False,
    parsers: Sequence[Parser] = (),
) -> WorkerTask:
    crawl = prepared.crawl
    return WorkerTask(
        place=place,
        settings=settings,
        seeds=seeds,
        recrawl=recrawl,
        source_id=crawl.id,
        name=crawl.name,
        is_profiled=is_profiled,
        parsers=tuple(parsers),
    )


def build_app_task(
    plan: CrawlPlan,
    *,
    name: str | None = None,
    recrawl: Recrawl = Recrawl.NEW,
    is_profiled: bool = False,
) -> tuple[WorkerTask, list[str]]:
    """The task of a script's crawler, and what its user should know. `name`: of the command line."""
    prepared = open_crawl(plan.place, name or (plan.name if plan.is_named else None), plan.seeds)
    task = build_task(
        plan.place,
        plan.settings,
        prepared,
        seeds=plan.seeds,
        recrawl=recrawl,
        is_profiled=is_profiled,
        parsers=plan.parsers,
    )
    return task, describe_others(prepared)


def crawl_and_report(
    task: WorkerTask,
    notices: Sequence[str] = (),
    *,
    as_json: bool,
    is_quiet: bool,
    profile: Path | None = None,
) -> Exit:
    """`notices`: about other crawls in the same store. `profile`: the file to write one to."""
    view = open_view(sys.stderr if as_json else sys.stdout, is_quiet=is_quiet)
    try:
        for notice in (format_start(task), *notices):
            view.notify(notice)
        result = run_crawl(task, view)
    finally:
        view.close()
    if as_json:
        show_json(build_json(result, task), is_line=True)
    elif not is_quiet:
        print(format_report(result, task, find_trouble(result, task), find_outdated(result, task)))
    if profile is not None:
        save_profile(profile, result)
        if not (as_json or is_quiet):
            show(format_profile(profile, result))
    return choose_exit(result)


def find_trouble(result: CrawlResult, task: WorkerTask) -> Explanation | None:
    """Explain why the first seed was not fetched, if the report would not say so."""
    if not result.fetched_nothing or result.summary.troubled or not task.seeds:
        return None
    return asyncio.run(explain_url(task.place, task.seeds[0], task.settings))
