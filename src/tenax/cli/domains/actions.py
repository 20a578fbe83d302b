"""Actions on domains, also during a crawl: block, unblock, reset, rate, check."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from tenax.cli.domains.names import NameArgument, find_name, find_place, refuse_unknown
from tenax.cli.options import DataOption, StoreOption
from tenax.cli.show.render import as_json, format_moment, show, show_json, show_table
from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.policy.domain_states import ForbiddenTransition
from tenax.records.domains import DomainStatus
from tenax.runtime.crawls import open_domains
from tenax.stores.contracts.domains import CounterDifference, DomainStore
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.wording import count_of

T = TypeVar("T")

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; kept in the history of the domain.")]


def block(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "blocked manually",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Block a domain until it is unblocked. Its urls stay queued."""
    domain, place = find_name(name), find_place(context, store, data)
    earlier = _do(place, lambda domains: domains.block(domain, reason))
    _show_moved(domain, earlier, DomainStatus.BLOCKED, place)


def unblock(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "unblocked manually",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Unblock a blocked or unreachable domain. Its record of failures is cleared."""
    domain, place = find_name(name), find_place(context, store, data)
    try:
        earlier = _do(place, lambda domains: domains.unblock(domain, reason))
    except ForbiddenTransition as error:
        raise UsageError(f"{clean(domain)} is neither blocked nor unreachable.") from error
    _show_moved(domain, earlier, DomainStatus.PENDING, place)


def reset(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "reset manually",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Queue all urls of a domain again. Stored pages stay until they are replaced."""
    domain, place = find_name(name), find_place(context, store, data)
    earlier = _do(place, lambda domains: domains.reset(domain, reason))
    _show_moved(domain, earlier, DomainStatus.PENDING, place)


def recalculate(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    """Recompute the scores of all domains. Each run does this at its end for the domains it has visited."""
    rated = _do(find_place(context, store, data), lambda domains: domains.recalculate())
    show(f"{count_of(rated, 'domain')} rescored.")


def rebuild(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report only; change nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the counters of domains and correct them. Counts urls, pages and visits again."""
    place = find_place(context, store, data)
    checked, differences = _do(place, lambda domains: _check_all(domains, is_dry=dry_run))
    if json:
        shown = [
            {"domain": each.domain, "counter": each.counter, "stored": each.stored, "counted": each.counted}
            for each in differences
        ]
        show_json(as_json({"domains": checked, "is_corrected": not dry_run, "differences": shown}))
        return
    if not differences:
        show(f"{count_of(checked, 'domain')} checked: all counters are correct.")
        return
    show_table(
        ("DOMAIN", "COUNTER", "STORED", "COUNTED"),
        [
            (clean(each.domain), each.counter, _format(each, each.stored), _format(each, each.counted))
            for each in differences
        ],
        right=(2, 3),
    )
    wrong = count_of(len(differences), "counter")
    show(f"{count_of(checked, 'domain')} checked: {wrong} {'differ' if dry_run else 'corrected'}.")


async def _check_all(domains: DomainStore, *, is_dry: bool) -> tuple[int, list[CounterDifference]]:
    total, last_id, differences = 0, 0, list[CounterDifference]()
    while (checked := await domains.check(last_id, is_dry=is_dry)).domains:
        total, last_id = total + checked.domains, checked.last_id
        differences += checked.differences
    return total, differences


def _format(difference: CounterDifference, value: int | Instant | None) -> str:
    return format_moment(value) if difference.counter.endswith("_at") else f"{value:,}"


def _do(place: Place, work: Callable[[DomainStore], Awaitable[T]]) -> T:
    async def run() -> T:
        async with open_domains(place) as domains:
            return await work(domains)

    return asyncio.run(run())


def _show_moved(domain: str, earlier: DomainStatus | None, now: DomainStatus, place: Place) -> None:
    if earlier is None:
        refuse_unknown(domain, place)
    show(f"{clean(domain)} was {earlier} and is now {now}.")
