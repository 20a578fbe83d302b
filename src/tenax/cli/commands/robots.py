"""`tenax robots`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.inspection import exchange_as_json, format_verdict, parse_address, run_inspector, show_exchange
from tenax.cli.options import (
    ConfigOption,
    ContactOption,
    PrivateOption,
    ResolveOption,
    UserAgentOption,
    build_overrides,
    new_app,
)
from tenax.cli.show.render import as_json, format_duration, show, show_facts, show_json, tidy
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.config.loading import load_settings
from tenax.crawl.insight.inspection import Inspector, RobotsInspection
from tenax.exits import Exit
from tenax.visible import clean
from tenax.web.robots import RobotsMatch
from tenax.web.urls import origin_of
from tenax.wording import count_of

app = new_app()

SHOWN_LINES = 60
SHOWN_SITEMAPS = 10
LINE_CHARS = 160


@app.command()
def robots(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL of a page.")],
    config: ConfigOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fetch a site's robots.txt and show what it says about a URL and to Tenax.

    The exit code is 0 whether the URL is allowed or not, and 1 if there was no response.
    """
    address = parse_address(url)
    overrides = build_overrides(
        fetch={
            "user_agent": user_agent or None,
            "contact": contact or None,
            "resolve": resolve,
            "allow_private": allow_private or None,
        }
    )
    settings = load_settings(file=config, overrides=overrides)

    async def inspect(inspector: Inspector) -> RobotsInspection:
        return await inspector.ask_robots(origin_of(address))

    found = run_inspector(settings, inspect)
    verdict = found.found.rules.match(address)
    if json:
        show_json(build_json(address, found, verdict))
    else:
        show_robots(address, found, verdict)
    if found.record.status is None:
        raise typer.Exit(Exit.ERROR)


def show_robots(url: str, found: RobotsInspection, verdict: RobotsMatch) -> None:
    for exchange in found.exchanges:
        show_exchange(exchange)
    show()
    show_facts(list_facts(found, verdict), indent="  ")
    show_lines(found.record.body, verdict.line_number)
    show()
    show(f"{clean(url)} is {format_verdict(verdict, found)}.", is_bold=True)


def list_facts(found: RobotsInspection, verdict: RobotsMatch) -> Iterator[tuple[str, str]]:
    rules = found.found.rules
    if found.record.body:
        named = {None: "no group applies", "*": "the group for all agents (*)"}
        yield (
            f"rules for {PRODUCT_TOKEN}",
            named.get(verdict.agent, f"the group for {clean(verdict.agent or '')}"),
        )
    elif found.record.error is None:
        yield "rules", "none: without a file everything may be fetched"
    delay_s = rules.crawl_delay(agent=PRODUCT_TOKEN)
    yield "Crawl-delay", "none" if delay_s is None else format_duration(delay_s)
    for sitemap in rules.sitemaps[:SHOWN_SITEMAPS]:
        yield "sitemap", tidy(sitemap, LINE_CHARS)
    if len(rules.sitemaps) > SHOWN_SITEMAPS:
        yield "", count_of(len(rules.sitemaps) - SHOWN_SITEMAPS, "more sitemap")


def show_lines(body: bytes, deciding: int | None) -> None:
    """Show the file with line numbers; an arrow marks the line that decides."""
    lines = body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not shown:
        return
    show()
    for number, line in shown[:SHOWN_LINES]:
        show(f"{'→' if number == deciding else ' '} {number:>5}  {tidy(line, LINE_CHARS)}")
    if deciding is not None and deciding > shown[:SHOWN_LINES][-1][0]:
        show("    …")
        show(f"→ {deciding:>5}  {tidy(lines[deciding - 1], LINE_CHARS)}")
    if len(shown) > SHOWN_LINES:
        show(f"    … {count_of(len(shown), 'line')} in all")


def build_json(url: str, found: RobotsInspection, verdict: RobotsMatch) -> dict[str, Any]:
    rules = found.found.rules
    fields: dict[str, Any] = as_json(
        {
            "url": url,
            "origin": found.origin,
            "exchanges": [exchange_as_json(each) for each in found.exchanges],
            "status": found.record.status,
            "error": found.record.error,
            "expires_at": found.record.expires_at,
            "verdict": asdict(verdict),
            "crawl_delay_s": rules.crawl_delay(agent=PRODUCT_TOKEN),
            "sitemaps": rules.sitemaps,
            "body": found.record.body,
        }
    )
    return fields
