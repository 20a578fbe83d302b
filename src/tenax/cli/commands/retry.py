"""`tenax retry`."""

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.domains.names import find_name, refuse_unknown
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.seeds.files import open_list
from tenax.cli.seeds.imports import ImportTally, cut, read_next
from tenax.cli.seeds.lines import SeedLines
from tenax.cli.seeds.seeds import format_skipped, read_url
from tenax.cli.show.render import as_json, show, show_json
from tenax.cli.show.steps import cancel_on_signals, open_steps
from tenax.clock import Clock
from tenax.errors import StoreError, UsageError
from tenax.exits import Exit
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.runtime.actions import write_in_steps
from tenax.stores.access import Access
from tenax.stores.commands.item_retries import ShownItems, count_shown, retry_shown
from tenax.stores.commands.retries import (
    NONE,
    Retried,
    count_given_up,
    count_urls,
    list_running,
    retry_given_up,
    retry_urls,
)
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.filters import find_domain_id
from tenax.stores.queries.given_up import GivenUp, RetryReason, has_run
from tenax.visible import clean
from tenax.web.parameters import ALL_NAMES
from tenax.wording import count_of

MAX_RUN = (1 << 31) - 1  # the largest that the store can hold
MAX_ID = (1 << 63) - 1

app = new_app()


@record
class RetrySelection:
    """What to revisit: urls that were given up, urls that show items, or urls by name."""

    only: GivenUp | None
    shown: ShownItems | None = None  # the urls that show these items
    urls: tuple[str, ...] = ()
    file: Path | None = None
    is_dry: bool


@record
class RetryResult:
    done: Retried
    runs: list[int]  # the active runs that will visit the urls
    tally: ImportTally  # of the file with urls


@app.command()
def retry(
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL...", help="URLs in the crawl, whatever their fate.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="File with one URL per line; - reads standard input. Bad lines are skipped.",
        ),
    ] = None,
    dead: Annotated[bool, typer.Option("--dead", help="All urls that were given up.")] = False,
    reason: Annotated[
        list[RetryReason] | None,
        typer.Option(
            "--reason",
            metavar="REASON",
            help="Urls given up for this reason, such as timeout or http_5xx; may be repeated.",
        ),
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(
            "--domain",
            help="Urls given up in this domain; with --items, --kind or --invalid: items of this domain.",
        ),
    ] = None,
    run: Annotated[
        int | None, typer.Option("--run", min=1, max=MAX_RUN, help="Urls that failed in this run.")
    ] = None,
    matching: Annotated[
        str | None, typer.Option("--matching", metavar="TEXT", help="Urls that contain this text.")
    ] = None,
    item: Annotated[
        int | None,
        typer.Option("--item", min=1, max=MAX_ID, help="Urls that show the item with this number."),
    ] = None,
    has_items: Annotated[
        bool, typer.Option("--items", help="Urls that show items; with --domain, of this domain.")
    ] = False,
    kind: Annotated[str | None, typer.Option("--kind", help="Urls that show items of this kind.")] = None,
    is_invalid: Annotated[
        bool,
        typer.Option(
            "--invalid", help="Urls whose items break the schema of their parser; with --kind, of this kind."
        ),
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="With --items, --kind or --invalid: only items of this source or crawl.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; change nothing.")] = False,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Queue urls for another visit: those that were given up, those that show items, or any by name.

    The active run visits them, or the next one. Repeating is safe: urls that wait are not queued again.
    Quarantined, rejected and trapped urls are left alone unless they are named or `--reason` selects them.
    Pages are requested conditionally and kept until the visit has ended.
    """
    place = locate(store, data)
    within = None if domain is None else find_name(domain)
    selects_items = has_items or kind is not None or is_invalid
    chosen = GivenUp(
        reasons=frozenset(reason or ()),
        domain=None if selects_items else within,
        run_id=run,
        text=matching or None,
    )
    is_chosen = dead or chosen != GivenUp()
    several = ShownItems(kind=kind, source=source, domain=within, is_invalid=is_invalid)
    shown = find_shown(item, source, several if selects_items else None)
    refuse_unclear(is_named=bool(urls or file), is_chosen=is_chosen, is_shown=shown is not None)
    wanted = RetrySelection(
        only=chosen if is_chosen else None,
        shown=shown,
        urls=tuple(read_url(url, ALL_NAMES) for url in urls or ()),
        file=file,
        is_dry=dry_run,
    )
    if wanted.only is not None:
        refuse_missing(place, wanted.only)
    tally = ImportTally()
    try:
        done, runs = asyncio.run(carry_out(place, wanted, tally))
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        typer.echo("Stopped. Run the same command to continue.", err=True)
        raise typer.Exit(Exit.STOPPED) from error
    report(place, wanted, RetryResult(done=done, runs=runs, tally=tally), is_json=json)


def find_shown(item: int | None, source: str | None, several: ShownItems | None) -> ShownItems | None:
    if source is not None and several is None:
        raise UsageError("--source needs --items, --kind or --invalid.")
    if item is not None and several is not None:
        raise UsageError("Give --item alone, without --items, --kind and --invalid.")
    return several if item is None else ShownItems(item_id=item)


def refuse_unclear(*, is_named: bool, is_chosen: bool, is_shown: bool) -> None:
    if is_named + is_chosen + is_shown > 1:
        raise UsageError(
            "Either name urls, or select dead ones with --dead, --reason, --domain, --run and --matching, or"
            " those that show items with --item, --items, --kind or --invalid."
        )
    if not (is_named or is_chosen or is_shown):
        raise UsageError(
            "Give urls or --from FILE, or select dead urls with --dead, --reason, --domain, --run or"
            " --matching, or those that show items with --item, --items, --kind or --invalid."
        )


def refuse_missing(place: Place, only: GivenUp) -> None:
    """A mistyped name would match nothing, which would look like success."""
    domain, run_id = only.domain, only.run_id
    if domain is not None and read_store(place, partial(find_domain_id, name=domain)) is None:
        refuse_unknown(domain, place)
    if run_id is not None and not read_store(place, partial(has_run, run_id=run_id)):
        raise StoreError(f"There is no run {run_id} in {place}; 'tenax runs {place.option}' lists them.")


async def carry_out(place: Place, wanted: RetrySelection, tally: ImportTally) -> tuple[Retried, list[int]]:
    """Return what was done, and the active runs that will visit the urls."""
    cancel_on_signals()
    with contextlib.closing(open_steps(sys.stderr)) as view, contextlib.ExitStack() as stack:
        step = "Counting" if wanted.is_dry else "Queueing"

        def report_step(done: Retried) -> None:
            view.show(step, "urls", done.urls, None)

        async def work(access: Access, clock: Clock) -> tuple[Retried, list[int]]:
            if wanted.only is not None and wanted.is_dry:
                done = await count_given_up(access, wanted.only, report=report_step)
            elif wanted.only is not None:
                done = await retry_given_up(access, clock, wanted.only, report=report_step)
            elif wanted.shown is not None and wanted.is_dry:
                done = await count_shown(access, wanted.shown, report=report_step)
            elif wanted.shown is not None:
                done = await retry_shown(access, clock, wanted.shown, report=report_step)
            elif wanted.is_dry:
                done = await count_urls(access, iter_named(wanted, tally, stack), report=report_step)
            else:
                done = await retry_urls(access, clock, iter_named(wanted, tally, stack), report=report_step)
            running = await access.read(partial(list_running, sources=done.sources))
            return done, running

        return await write_in_steps(place, work)


def iter_named(wanted: RetrySelection, tally: ImportTally, stack: contextlib.ExitStack) -> Iterator[str]:
    if wanted.file is None:
        return iter(wanted.urls)
    opened = stack.enter_context(open_list(wanted.file))
    chunks = cut(SeedLines(ALL_NAMES).read_all(opened.lines), tally)
    found = (seed.url for chunk in iter(lambda: read_next(chunks), None) for seed in chunk)
    return chain(wanted.urls, found)


# --- what is shown -------------------------------------------------------------------------------


def report(place: Place, wanted: RetrySelection, result: RetryResult, *, is_json: bool) -> None:
    done, tally = result.done, result.tally
    if wanted.file is not None:
        for line in format_skipped(tally, wanted.file):
            typer.echo(clean(line), err=True)
    if wanted.only is None and wanted.shown is None:
        refuse_nothing(place, wanted, tally, done)
    if is_json:
        fields = as_json(asdict(done)) | {
            "runs": result.runs,
            "bad_lines": tally.bad,
            "dry_run": wanted.is_dry,
        }
        del fields["sources"], fields["is_complete"]
        show_json(fields)
        return
    for line in format_done(place, done, wanted):
        show(clean(line))
    if done.urls > done.resting and not wanted.is_dry:
        show(format_next(place, done, result.runs))


def refuse_nothing(place: Place, wanted: RetrySelection, tally: ImportTally, done: Retried) -> None:
    if done.urls or done.waiting or done.trapped:
        return
    if not done.unknown:
        first = f"; {tally.first_bad[0]}" if tally.first_bad else ": it is empty"
        raise UsageError(f"{wanted.file} contains no urls{first}.")
    which = f"None of {count_of(done.unknown, 'url')} is in {place}: {format_unknown(done)}"
    if done.unknown == 1:
        which = f"{format_unknown(done)} is not in {place}"
    raise StoreError(f"{clean(which)}; 'tenax crawl URL {place.option}' crawls a new one.")


def format_done(place: Place, done: Retried, wanted: RetrySelection) -> Iterator[str]:
    number = count_of(done.urls, "url")
    if wanted.shown is not None and done == NONE:
        yield "No url shows such an item."
    elif not done.urls and not done.trapped:
        yield "Nothing to do: no dead urls match." if wanted.only else "Nothing to do."
    elif not done.urls:
        yield "No url can be queued."
    elif wanted.is_dry:
        yield f"{number} would be queued for another visit: {format_before(done)}."
    else:
        yield f"{number} queued for another visit: {format_before(done)}."
    if done.waiting:
        yield f"{count_of(done.waiting, 'url')} already queued."
    if done.unknown:
        yield f"{count_of(done.unknown, 'url')} {'is' if done.unknown == 1 else 'are'} not in this store:"
        yield from (f"  {url}" for url in done.first_unknown)
        if (more := done.unknown - len(done.first_unknown)) > 0:
            yield f"  and {more:,} more"
    if done.resting:
        yield format_resting(place, done, wanted)
    if done.trapped:
        yield format_trapped(place, done)


def format_before(done: Retried) -> str:
    """Their former fates, the most frequent first."""
    found = sorted(done.before.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{number:,} {what}" for what, number in found)


def format_resting(place: Place, done: Retried, wanted: RetrySelection) -> str:
    number = count_of(done.resting, "url")
    verb = "would wait" if wanted.is_dry else "waits" if done.resting == 1 else "wait"
    names = ", ".join(done.resting_domains)
    return (
        f"{number} {verb} for domains that are blocked or unreachable ({names}):"
        f" 'tenax domains unblock NAME {place.option}' unblocks one."
    )


def format_trapped(place: Place, done: Retried) -> str:
    number = count_of(done.trapped, "url")
    verb = "stays" if done.trapped == 1 else "stay"
    return (
        f"{number} {verb} trapped, as urls like {'it' if done.trapped == 1 else 'them'} are closed"
        f" ({', '.join(done.closed)}): 'tenax traps open NAME SHAPE {place.option}' opens and queues them."
    )


def format_unknown(done: Retried) -> str:
    shown = ", ".join(done.first_unknown)
    more = done.unknown - len(done.first_unknown)
    return f"{shown} and {more:,} more" if more > 0 else shown


def format_next(place: Place, done: Retried, running: list[int]) -> str:
    if running:
        numbers = ", ".join(map(str, running))
        return f"Run {numbers} will visit them." if len(running) == 1 else f"Runs {numbers} will visit them."
    if NO_SOURCE in done.sources:
        return (
            "No active run: run the same crawl command as before, or"
            f" 'tenax refresh {place.option}', to visit them."
        )
    return "No run is active: the next run will visit what is queued."
