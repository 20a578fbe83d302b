"""`tenax fetch`."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any

import typer

from tenax.cli.inspection import (
    exchange_as_json,
    format_verdict,
    parse_address,
    run_inspector,
    show_exchange,
)
from tenax.cli.options import (
    ConfigOption,
    ContactOption,
    OnlyOption,
    PdfOption,
    PrivateOption,
    ResolveOption,
    UserAgentOption,
    WithoutOption,
    build_overrides,
    name_types,
    new_app,
)
from tenax.cli.show.render import NOTHING, as_json, format_count, show, show_facts, show_json, tidy
from tenax.config.loading import load_settings
from tenax.crawl.insight.inspection import Hop, Inspection, Inspector
from tenax.crawl.reading.page import ReadPage
from tenax.exits import Exit
from tenax.records.requests import Response
from tenax.visible import clean
from tenax.web.pdfs import may_be_pdf
from tenax.wording import as_sentence, count_of

app = new_app()

SHOWN_LINKS = 10
SHOWN_LINES = 5
TEXT_CHARS = 160
ANCHOR_CHARS = 60


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL to fetch.")],
    config: ConfigOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    only: OnlyOption = None,
    without: WithoutOption = None,
    pdf: PdfOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fetch one URL as a crawl would and show everything about it. Nothing is stored.

    robots.txt is checked first, for every redirect too; what it forbids is not fetched. The exit code is 1 if
    a crawl would get no page: it is forbidden, fails, or returns an error.
    """
    address = parse_address(url)
    overrides = build_overrides(
        fetch={
            "user_agent": user_agent or None,
            "contact": contact or None,
            "resolve": resolve,
            "allow_private": allow_private or None,
        },
        extract={"only": only, "without": without, "content_types": name_types(pdf)},
    )
    settings = load_settings(file=config, overrides=overrides)

    async def inspect(inspector: Inspector) -> Inspection:
        return await inspector.inspect(address)

    found = run_inspector(settings, inspect)
    if json:
        show_json(build_json(found))
    else:
        show_inspection(found)
    if found.trouble is not None:
        raise typer.Exit(Exit.ERROR)


def show_inspection(found: Inspection) -> None:
    for hop in found.hops:
        show_hop(hop)
        show()
    if found.reading is not None:
        show(name_reading(found.reading), is_bold=True)
        show_facts(list_content(found.reading), indent="  ")
        show_text(found.reading.page.text)
        show_links(found.reading)
    elif found.trouble is not None:
        show(as_sentence(f"No page: {tidy(found.trouble, TEXT_CHARS)}"))
    else:
        show("Not HTML: a crawl would record its type but not read it.")
        if is_pdf(found):
            show("With --pdf, it would read its text.")


def is_pdf(found: Inspection) -> bool:
    exchange = found.hops[-1].exchange
    answer = exchange.answer if exchange is not None else None
    return isinstance(answer, Response) and may_be_pdf(answer.headers, answer.url)


def show_hop(hop: Hop) -> None:
    if hop.robots is not None:
        for exchange in hop.robots.exchanges:
            show_exchange(exchange)
        show()
    verdict = format_verdict(hop.verdict, hop.robots)
    if hop.exchange is None:
        show(clean(hop.url), is_bold=True)
        show_facts([("robots.txt", verdict)], indent="  ")
        return
    show_exchange(hop.exchange, verdict)


def name_reading(reading: ReadPage) -> str:
    if reading.verdict is not None:
        return "What the answer says; a crawl would reject it"
    is_kept = not reading.page.is_noindex
    return "What a crawl would store" if is_kept else "What the page says; it asks not to be stored"


def list_content(reading: ReadPage) -> Iterator[tuple[str, str]]:
    page = reading.page
    yield "title", tidy(page.title or NOTHING, TEXT_CHARS)
    yield "description", tidy(page.description or NOTHING, TEXT_CHARS)
    yield "canonical", clean(page.canonical or NOTHING)
    yield "language", clean(page.language or NOTHING)
    if reading.is_pdf:
        yield "type", "PDF"
    else:
        yield "charset", clean(page.charset)
    requests = [
        word for word, is_asked in (("noindex", page.is_noindex), ("nofollow", page.is_nofollow)) if is_asked
    ]
    yield "asks for", ", ".join(requests) or "nothing: it may be stored and its links followed"
    if reading.verdict is not None:
        yield "rejected", f"{reading.verdict.reason}: {reading.verdict.detail} ({reading.verdict.signature})"
    yield "text", f"{format_count(len(page.text))} characters"
    yield "links", format_count(len(reading.links))


def show_text(text: str) -> None:
    lines = [line for line in text.splitlines() if line.strip()]
    show()
    for line in lines[:SHOWN_LINES]:
        show(f"    {tidy(line, TEXT_CHARS)}")
    if len(lines) > SHOWN_LINES:
        show(f"    … {count_of(len(lines) - SHOWN_LINES, 'more line')}")


def show_links(reading: ReadPage) -> None:
    show()
    for url, _, anchor, _ in islice(reading.links.values(), SHOWN_LINKS):
        show(f"    {clean(url)}  {tidy(anchor, ANCHOR_CHARS)}".rstrip())
    if len(reading.links) > SHOWN_LINKS:
        show(f"    … {count_of(len(reading.links) - SHOWN_LINKS, 'more link')}")


def build_json(found: Inspection) -> dict[str, Any]:
    reading = found.reading
    fields: dict[str, Any] = as_json(
        {
            "trouble": found.trouble,
            "hops": [hop_as_json(hop) for hop in found.hops],
            "page": asdict(reading.page) if reading else None,
            "rejection": asdict(reading.verdict) if reading and reading.verdict else None,
            "links": list_links(reading) if reading else None,
        }
    )
    return fields


def list_links(reading: ReadPage) -> list[dict[str, Any]]:
    names = ("url", "rel", "anchor", "tag")
    return [dict(zip(names, link, strict=True)) for link in reading.links.values()]


def hop_as_json(hop: Hop) -> dict[str, Any]:
    return {
        "url": hop.url,
        "robots": [exchange_as_json(each) for each in hop.robots.exchanges] if hop.robots else [],
        "verdict": asdict(hop.verdict),
        "exchange": exchange_as_json(hop.exchange) if hop.exchange else None,
    }
