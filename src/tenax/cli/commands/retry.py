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
from tenax.cli.exits import Exit
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.seeds.files import open_list
from tenax.cli.seeds.imports import ImportTally, cut, read_next
from tenax.cli.seeds.lines import SeedLines
from tenax.cli.seeds.seeds import format_skipped, read_url
from tenax.cli.show.render import as_json, show, show_json
from tenax.cli.show.steps import cancel_on_signals, open_steps
from tenax.clock import Clock
from tenax.errors import StoreError, UsageError
from tenax.job_records import NO_SOURCE
from tenax.record import record
from tenax.runtime.actions import write_in_steps
from tenax.stores.access import Access
from tenax.stores.commands.retries import (
    Retried,
    count_given_up,
    count_urls,
    list_running,
    retry_given_up,
    retry_urls,
)
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.changes import find_domain_id
from tenax.stores.queries.given_up import GivenUp, RetryReason, has_run
from tenax.visible import clean
from tenax.web.parameters import ALL_NAMES
from tenax.wording import count_of

MAX_RUN = (1 << 31) - 1  # that the store can hold

app = new_app()


@record
class RetrySelection:
    """What is to be visited again: what was given up, or urls by name."""

    only: GivenUp | None
    urls: tuple[str, ...] = ()
    file: Path | None = None
    is_dry: bool


@app.command()
def retry(
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL...", help="Known urls, whatever became of them.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="The same from a file with a URL a line; - reads standard input. Bad lines are skipped.",
        ),
    ] = None,
    dead: Annotated[bool, typer.Option("--dead", help="All urls that were given up.")] = False,
    reason: Annotated[
        list[RetryReason] | None,
        typer.Option(
            "--reason",
            metavar="REASON",
            help="Those that were given up for this, such as timeout or http_5xx; may be repeated.",
        ),
    ] = None,
    domain: Annotated[str | None, typer.Option("--domain", help="Those of this domain.")] = None,
    run: Annotated[
        int | None, typer.Option("--run", min=1, max=MAX_RUN, help="Those that failed in this run.")
    ] = None,
    matching: Annotated[
        str | None, typer.Option("--matching", metavar="TEXT", help="Those with this in their url.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; change nothing.")] = False,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Have urls visited again: those that were given up, or any by name.

    The run that is under way visits them, or the next one. Repeating is safe: what waits is not queued again.
    Quarantined urls are left alone unless they are named or `--reason quarantined` is given. Pages are asked
    for conditionally and kept until the visit has ended.
    """
    place = locate(store, data)
    chosen = GivenUp(
        reasons=frozenset(reason or ()),
        domain=None if domain is None else find_name(domain),
        run_id=run,
        text=matching or None,
    )
    is_chosen = dead or chosen != GivenUp()
    refuse_unclear(is_named=bool(urls or file), is_chosen=is_chosen)
    wanted = RetrySelection(
        only=chosen if is_chosen else None,
        urls=tuple(read_url(url, ALL_NAMES) for url in urls or ()),
        file=file,
        is_dry=dry_run,
    )
    if wanted.only is not None:
        refuse_missing(place, wanted.only)
    tally = ImportTally()
    try:
        done, running = asyncio.run(carry_out(place, wanted, tally))
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        typer.echo("Stopped. Run the same command to go on.", err=True)
        raise typer.Exit(Exit.STOPPED) from error
    report(place, wanted, tally, done, running, is_json=json)


def refuse_unclear(*, is_named: bool, is_chosen: bool) -> None:
    if is_named and is_chosen:
        raise UsageError(
            "Either name urls, or choose dead ones by --dead, --reason, --domain, --run and --matching."
        )
    if not is_named and not is_chosen:
        raise UsageError(
            "Say what to visit again: urls, --from FILE, or dead ones by --dead, --reason, --domain, --run"
            " or --matching."
        )


def refuse_missing(place: Place, only: GivenUp) -> None:
    """A mistyped name would find nothing, which looks like success."""
    domain, run_id = only.domain, only.run_id
    if domain is not None and read_store(place, partial(find_domain_id, name=domain)) is None:
        refuse_unknown(domain, place)
    if run_id is not None and not read_store(place, partial(has_run, run_id=run_id)):
        raise StoreError(f"There is no run {run_id} in {place}; 'tenax runs {place.option}' lists them.")


async def carry_out(place: Place, wanted: RetrySelection, tally: ImportTally) -> tuple[Retried, list[int]]:
    """What was done, and the runs under way that visit it."""
    cancel_on_signals()
    with contextlib.closing(open_steps(sys.stderr)) as view, contextlib.ExitStack() as stack:
        step = "Counting" if wanted.is_dry else "Queueing"

        def tell(done: Retried) -> None:
            view.show(step, "urls", done.urls, None)

        async def work(access: Access, clock: Clock) -> tuple[Retried, list[int]]:
            if wanted.only is not None and wanted.is_dry:
                done = await count_given_up(access, wanted.only, tell=tell)
            elif wanted.only is not None:
                done = await retry_given_up(access, clock, wanted.only, tell=tell)
            elif wanted.is_dry:
                done = await count_urls(access, iter_named(wanted, tally, stack), tell=tell)
            else:
                done = await retry_urls(access, clock, iter_named(wanted, tally, stack), tell=tell)
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


def report(
    place: Place,
    wanted: RetrySelection,
    tally: ImportTally,
    done: Retried,
    running: list[int],
    *,
    is_json: bool,
) -> None:
    if wanted.file is not None:
        for line in format_skipped(tally, wanted.file):
            typer.echo(clean(line), err=True)
    if wanted.only is None:
        refuse_nothing(place, wanted, tally, done)
    if is_json:
        fields = as_json(asdict(done)) | {"runs": running, "bad_lines": tally.bad, "dry_run": wanted.is_dry}
        del fields["sources"], fields["is_complete"]
        show_json(fields)
        return
    for line in format_done(place, done, wanted):
        show(clean(line))
    if done.urls > done.resting and not wanted.is_dry:
        show(format_next(place, done, running))


def refuse_nothing(place: Place, wanted: RetrySelection, tally: ImportTally, done: Retried) -> None:
    if done.urls or done.waiting:
        return
    if not done.unknown:
        first = f"; {tally.first_bad[0]}" if tally.first_bad else ": it is empty"
        raise UsageError(f"{wanted.file} holds no urls{first}.")
    which = f"None of {count_of(done.unknown, 'url')} is known in {place}: {format_unknown(done)}"
    if done.unknown == 1:
        which = f"{format_unknown(done)} is not known in {place}"
    raise StoreError(f"{clean(which)}; 'tenax crawl URL {place.option}' crawls one that is new.")


def format_done(place: Place, done: Retried, wanted: RetrySelection) -> Iterator[str]:
    number = count_of(done.urls, "url")
    if not done.urls:
        yield "Nothing to do: no url was given up like that." if wanted.only else "Nothing to do."
    elif wanted.is_dry:
        yield f"{number} would be visited again: {format_before(done)}."
    else:
        yield f"{number} {'waits' if done.urls == 1 else 'wait'} for another visit: {format_before(done)}."
    if done.waiting:
        yield f"{count_of(done.waiting, 'url')} waited already."
    if done.unknown:
        yield f"{count_of(done.unknown, 'url')} {'is' if done.unknown == 1 else 'are'} not known here:"
        yield from (f"  {url}" for url in done.first_unknown)
        if (more := done.unknown - len(done.first_unknown)) > 0:
            yield f"  and {more:,} more"
    if done.resting:
        yield format_resting(place, done, wanted)


def format_before(done: Retried) -> str:
    """What they were, the most first."""
    found = sorted(done.before.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{number:,} {what}" for what, number in found)


def format_resting(place: Place, done: Retried, wanted: RetrySelection) -> str:
    number = count_of(done.resting, "url")
    verb = "would wait" if wanted.is_dry else "waits" if done.resting == 1 else "wait"
    names = ", ".join(done.resting_domains)
    return (
        f"{number} {verb} on domains that are blocked or unreachable ({names}):"
        f" 'tenax domains unblock NAME {place.option}' lets one be asked again."
    )


def format_unknown(done: Retried) -> str:
    shown = ", ".join(done.first_unknown)
    more = done.unknown - len(done.first_unknown)
    return f"{shown} and {more:,} more" if more > 0 else shown


def format_next(place: Place, done: Retried, running: list[int]) -> str:
    if running:
        numbers = ", ".join(map(str, running))
        return f"Run {numbers} visits them." if len(running) == 1 else f"Runs {numbers} visit them."
    if NO_SOURCE in done.sources:
        return (
            "No run is under way: the same crawl command as before, or"
            f" 'tenax refresh {place.option}', visits them."
        )
    return "No run is under way: the next run of their source visits them."
