"""`tenax domains set`: the rules of one domain, also during a crawl."""

import asyncio
from enum import StrEnum
from typing import Annotated

import typer

from tenax.cli.actors import name_actor
from tenax.cli.domains.names import NameArgument, find_name, find_place, refuse_unknown
from tenax.cli.options import DataOption, StoreOption
from tenax.cli.show.receipts import describe_page_limit
from tenax.cli.show.render import as_json, format_duration, show, show_json
from tenax.clock import SystemClock
from tenax.errors import UsageError
from tenax.policy.rules import LONGEST_DELAY_S, MAX_CONCURRENCY, MAX_PAGES, RuleChanges, RuleName
from tenax.records.domains import DomainRules
from tenax.runtime.actions import write_store
from tenax.stores.commands.domain_rules import RulesSet, set_rules
from tenax.stores.databases.reader import tell_time
from tenax.stores.place import Place
from tenax.visible import clean

FROM_SOURCE = "set by its crawl"


class Clearable(StrEnum):
    DELAY = "delay"
    CONCURRENCY = "concurrency"
    PAGES = "pages-per-run"
    ALL = "all"


_NAMES = {
    Clearable.DELAY: RuleName.DELAY,
    Clearable.CONCURRENCY: RuleName.PER_DOMAIN,
    Clearable.PAGES: RuleName.PAGES,
}


def set_domain(
    context: typer.Context,
    name: NameArgument,
    delay: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, max=LONGEST_DELAY_S, help="Minimum seconds between two requests."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=MAX_CONCURRENCY, help="Concurrent requests.")
    ] = None,
    pages_per_run: Annotated[
        int | None, typer.Option(min=0, max=MAX_PAGES, help="Pages in one run; 0: no limit.")
    ] = None,
    active: Annotated[
        bool | None,
        typer.Option("--active/--inactive", help="Whether it is crawled; if not, its urls wait."),
    ] = None,
    clear: Annotated[
        list[Clearable] | None,
        typer.Option(help="Remove a rule, so that the crawl decides again; may be repeated."),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Set the rules of one domain for all crawls. They override the settings of a crawl, and robots.txt
    overrides them. Workers apply them within two seconds."""
    domain, place = find_name(name), find_place(context, store, data)
    given = {RuleName.DELAY: delay, RuleName.PER_DOMAIN: concurrency, RuleName.PAGES: pages_per_run}
    changes = _collect(given, active, clear or [])
    found = asyncio.run(_set(place, domain, changes))
    if found is None:
        refuse_unknown(domain, place)
    elif json:
        show_json(as_json({"name": domain, **format_rules(found.now)}))
    else:
        show(f"{clean(domain)}: {describe_rules(found.now)}.{_describe_effect(found)}")


def _collect(
    given: dict[RuleName, float | int | None], active: bool | None, clear: list[Clearable]
) -> RuleChanges:
    changes: dict[RuleName, float | int | bool | None] = {
        name: value for name, value in given.items() if value is not None
    }
    for each in clear:
        for name in _NAMES.values() if each is Clearable.ALL else [_NAMES[each]]:
            if changes.get(name) is not None:
                raise UsageError("A rule can be set or cleared, but not both in one command.")
            changes[name] = None
    if active is not None:
        changes[RuleName.ACTIVE] = active
    if not changes:
        raise UsageError(
            "Give a rule: --delay, --concurrency, --pages-per-run, --active, --inactive or --clear."
        )
    return changes


async def _set(place: Place, domain: str, changes: RuleChanges) -> RulesSet | None:
    by, wall = f"{name_actor().name} (command line)", SystemClock().wall()
    return await write_store(
        place,
        lambda connection: set_rules(connection, domain, changes, by, (tell_time(place, connection), wall)),
    )


def _describe_effect(found: RulesSet) -> str:
    return " Nothing changed." if found.before == found.now else ""


def format_rules(rules: DomainRules) -> dict[str, float | int | bool | None]:
    return {name.value: getattr(rules, name.value) for name in RuleName}


def describe_rules(rules: DomainRules) -> str:
    delay = FROM_SOURCE if rules.delay_s is None else format_duration(rules.delay_s)
    at_a_time = FROM_SOURCE if rules.per_domain is None else str(rules.per_domain)
    state = "active" if rules.is_active else "inactive: it is not crawled, and its urls wait"
    pages = FROM_SOURCE if rules.pages_per_run is None else describe_page_limit(rules.pages_per_run)
    return f"delay {delay}; concurrent requests {at_a_time}; pages per run {pages}; {state}"
