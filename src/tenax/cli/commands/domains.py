"""`tenax domains`: lists of domains and sites, and one domain in full. Its actions are in domains/actions.py
and domains/rules.py.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.domains import actions as domain_actions
from tenax.cli.domains import rules as domain_rules
from tenax.cli.domains.guesses import DomainLessons, build_lessons_json, show_lessons
from tenax.cli.domains.names import NameArgument, SiteOption, find_name, find_place, find_site, refuse_unknown
from tenax.cli.filters import RunOption, SinceOption, SourceOption, UntilOption, read_span
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.receipts import show_report
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_count,
    format_moment,
    show,
    show_json,
    show_table,
    tidy,
)
from tenax.clock import SystemClock
from tenax.records.domains import DomainStatus
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.domains import (
    DomainFilter,
    DomainReport,
    DomainSummary,
    TopKey,
    count_domains,
    find_domain,
    list_domain_conditions,
    list_domains,
)
from tenax.stores.queries.guesses import list_patterns, list_rules
from tenax.stores.queries.receipts import count_receipt
from tenax.stores.queries.sites import SiteSummary, count_sites, slice_sites
from tenax.visible import clean

app = new_app("List the domains, those with the most urls first; 'show' shows one in full.")

REASON_CHARS = 200


@app.callback(invoke_without_command=True)
def domains(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    status: Annotated[DomainStatus | None, typer.Option(help="Only domains in this state.")] = None,
    site: SiteOption = None,
    run: RunOption = None,
    source: SourceOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    begin, end = read_span(since, until)
    only = DomainFilter(
        status=status,
        site=None if site is None else find_site(site),
        run_id=run,
        source=source,
        since=begin,
        until=end,
    )

    def load(connection: Connection) -> tuple[list[DomainSummary], int]:
        conditions = list_domain_conditions(connection, only)
        listed = list_domains(connection, conditions=conditions, limit=limit)
        return list(listed), count_domains(connection, conditions)

    found, total = read_store(locate(store, data), load)
    show_found(found, is_json=json)
    if total > len(found) and not json:
        show(f"… and {format_count(total - len(found))} more: --limit {total} shows all.")


@app.command("show")
def show_one(
    context: typer.Context,
    name: NameArgument,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show one domain in full. This includes its history and its politeness receipt."""
    domain, place = find_name(name), find_place(context, store, data)

    def load(connection: Connection) -> tuple[DomainReport | None, DomainLessons]:
        report = find_domain(connection, domain, count_receipt)
        return report, DomainLessons(list_rules(connection, domain), list_patterns(connection, domain))

    report, lessons = read_store(place, load)
    if report is None:
        refuse_unknown(domain, place)
    elif json:
        show_json(build_json(report) | as_json(build_lessons_json(lessons)))
    else:
        show_report(report, SystemClock().wall())
        show_lessons(lessons)


@app.command()
def top(
    context: typer.Context,
    by: Annotated[TopKey, typer.Option(help="What to rank by.")] = TopKey.SCORE,
    data: DataOption = None,
    store: StoreOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List the top domains by score, or by another measure."""
    place = find_place(context, store, data)
    found = read_store(place, lambda connection: list(list_domains(connection, by=by, limit=limit)))
    show_found(found, is_json=json, with_score=True)


@app.command()
def sites(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List sites, those with the most urls first. A site is a domain with all its subdomains."""
    wanted = SliceRequest(key="urls", is_descending=True, after=None, limit=limit)
    found, total = read_store(
        find_place(context, store, data),
        lambda connection: (slice_sites(connection, wanted).items, count_sites(connection)),
    )
    if json:
        for each in found:
            show_json(as_json(asdict(each)), is_line=True)
        return
    show_sites(found)
    if total > len(found):
        show(f"… and {format_count(total - len(found))} more: --limit {total} shows all.")


def show_sites(found: Sequence[SiteSummary]) -> None:
    if not found:
        show("No sites.")
        return
    rows = [
        (
            clean(each.name),
            format_count(each.domains),
            f"{format_count(each.pages)}/{format_count(each.urls)}",
            format_count(each.queued),
            format_count(each.errors),
            format_moment(each.last_crawled_at),
        )
        for each in found
    ]
    headers = ["SITE", "DOMAINS", "PAGES", "QUEUED", "ERRORS", "LAST CRAWLED"]
    show_table(headers, rows, right=(1, 2, 3, 4))


def show_found(found: list[DomainSummary], *, is_json: bool, with_score: bool = False) -> None:
    if is_json:
        for each in found:
            show_json(as_json(asdict(each)), is_line=True)
    elif not found:
        show("No domains.")
    else:
        show_domains(found, with_score=with_score)


def show_domains(found: list[DomainSummary], *, with_score: bool) -> None:
    rows = [
        (
            clean(each.name),
            each.status,
            f"{format_count(each.pages)}/{format_count(each.urls)}",
            format_count(each.images_stored),
            NOTHING if each.image_yield_rate is None else f"{each.image_yield_rate:.2g}",
            format_moment(each.last_crawled_at),
            *([format_count(each.priority_score)] if with_score else []),
        )
        for each in found
    ]
    score = ["SCORE"] if with_score else []
    headers = ["DOMAIN", "STATUS", "PAGES", "IMAGES", "YIELD", "LAST CRAWLED", *score]
    show_table(headers, rows, right=(2, 3, 4, 6), notes=[format_note(each) for each in found])


def format_note(domain: DomainSummary) -> str | None:
    """Why the domain is not crawled."""
    if not domain.rules.is_active:
        user = clean(domain.rules_by or NOTHING)
        return f"  └─ inactive since {format_moment(domain.rules_at)}, set by {user}"
    if not domain.block_reason:
        return None
    until = format_moment(domain.next_crawl_after) if domain.next_crawl_after else "it is unblocked"
    reason = tidy(domain.block_reason, REASON_CHARS)
    return f"  └─ reason: {domain.block_code}: {reason}; paused until {until}"


def build_json(report: DomainReport) -> dict[str, Any]:
    fields: dict[str, Any] = as_json(asdict(report))
    fields["settings"] = report.settings.model_dump(mode="json")
    return fields


app.command("set")(domain_rules.set_domain)


for command in (
    domain_actions.block,
    domain_actions.unblock,
    domain_actions.reset,
    domain_actions.recalculate,
    domain_actions.rebuild,
):
    app.command()(command)
