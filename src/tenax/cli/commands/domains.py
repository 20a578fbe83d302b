"""`tenax domains` and `tenax domains show`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.receipts import show_report
from tenax.cli.render import (
    as_json,
    clean,
    format_count,
    format_duration,
    format_moment,
    show,
    show_json,
    show_table,
    tidy,
)
from tenax.clock import SystemClock
from tenax.errors import StoreError, UsageError
from tenax.records import DomainStatus
from tenax.stores.domain_reports import DomainReport, DomainSummary, count_domains, find_domain, list_domains
from tenax.stores.reading import read_store
from tenax.web.urls import domain_of, normalize

app = new_app("List the domains, those with most urls first; `show` tells everything about one.")

REASON_CHARS = 200


@app.callback(invoke_without_command=True)
def domains(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    status: Annotated[DomainStatus | None, typer.Option(help="Only those in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    found, total = read_store(
        locate(store, data),
        lambda connection: (
            list(list_domains(connection, status=status, limit=limit)),
            count_domains(connection, status),
        ),
    )
    if json:
        for each in found:
            show_json(as_json(asdict(each)), is_line=True)
        return
    show_domains(found)
    if total > len(found):
        show(f"… and {format_count(total - len(found))} more: --limit {total} shows all.")


@app.command("show")
def show_one(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A domain, or a URL in it.")],
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show one domain in full, with its politeness receipt."""
    domain = find_name(name)
    # Both may also stand before `show`.
    earlier_store, earlier_data = context.obj
    place = locate(store or earlier_store, data or earlier_data)
    report = read_store(place, lambda connection: find_domain(connection, domain))
    if report is None:
        raise StoreError(
            f"{domain} is not among the domains of {place}; `tenax domains {place.option}` lists them."
        )
    if json:
        show_json(build_json(report))
    else:
        show_report(report, SystemClock().now())


def find_name(name: str) -> str:
    """The canonical domain of what a person calls it."""
    url = normalize(name if "://" in name else f"http://{name}/")
    if url is None:
        raise UsageError(f"{clean(name)!r} is neither a domain nor a URL; write for example example.com.")
    return domain_of(url)


def show_domains(found: list[DomainSummary]) -> None:
    if not found:
        show("No domains.")
        return
    rows = [
        (
            clean(each.name),
            each.status,
            f"{format_count(each.pages)}/{format_count(each.urls)}",
            format_count(each.queued),
            format_count(each.errors),
            format_duration(each.delay_s),
            format_moment(each.last_crawled_at),
        )
        for each in found
    ]
    headers = ("DOMAIN", "STATUS", "PAGES", "QUEUED", "ERRORS", "DELAY", "LAST CRAWLED")
    notes = [format_note(each) for each in found]
    show_table(headers, rows, right=(2, 3, 4, 5), notes=notes)


def format_note(domain: DomainSummary) -> str | None:
    """Why it is not crawled."""
    if not domain.block_reason:
        return None
    return f"  └─ reason: {tidy(domain.block_reason, REASON_CHARS)}; rests until " + format_moment(
        domain.next_crawl_after
    )


def build_json(report: DomainReport) -> dict[str, Any]:
    fields: dict[str, Any] = as_json(asdict(report))
    fields["settings"] = report.settings.model_dump(mode="json")
    return fields
