"""What a person can do with domains, also while a crawl goes on: block, unblock, reset, rate, check."""

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
from tenax.records import DomainStatus
from tenax.runtime.crawls import open_domains
from tenax.stores.contracts.domains import CounterDifference, DomainStore
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.wording import count_of

T = TypeVar("T")

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is kept with the story of the domain.")]


def block(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "blocked by hand",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Leave a domain alone until it is unblocked. Its urls keep waiting."""
    domain, place = find_name(name), find_place(context, store, data)
    earlier = _do(place, lambda domains: domains.block(domain, reason))
    _show_moved(domain, earlier, DomainStatus.BLOCKED, place)


def unblock(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "unblocked by hand",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Let a domain that is blocked or unreachable be asked again, with a clean record."""
    domain, place = find_name(name), find_place(context, store, data)
    try:
        earlier = _do(place, lambda domains: domains.unblock(domain, reason))
    except ForbiddenTransition as error:
        raise UsageError(f"{clean(domain)} is neither blocked nor unreachable.") from error
    _show_moved(domain, earlier, DomainStatus.PENDING, place)


def reset(
    context: typer.Context,
    name: NameArgument,
    reason: ReasonOption = "reset by hand",
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Crawl a domain again: all its urls are wanted once more. What is stored stays until it is replaced."""
    domain, place = find_name(name), find_place(context, store, data)
    earlier = _do(place, lambda domains: domains.reset(domain, reason))
    _show_moved(domain, earlier, DomainStatus.PENDING, place)


def recalculate(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    """Compute the scores of all domains anew; the end of a run does it for those that it has asked."""
    rated = _do(find_place(context, store, data), lambda domains: domains.recalculate())
    show(f"{count_of(rated, 'domain')} rated.")


def rebuild(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report; change nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count urls, pages and visits, and correct the counters of domains that differ from them."""
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
        show(f"{count_of(checked, 'domain')} checked: all counters are right.")
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
    show(f"{clean(domain)} was {earlier} and is {now} now.")
