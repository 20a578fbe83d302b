"""What `tenax fetch` and `tenax robots` share: they fetch without a crawl, and show the responses."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

import typer

from tenax.cli.show.render import format_bytes, format_duration, show, show_facts, tidy
from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.crawl.insight.inspection import Exchange, Inspector, RobotsInspection
from tenax.errors import UsageError
from tenax.records.requests import Failure, FailureKind, Response
from tenax.runtime.engine import open_fetcher
from tenax.visible import clean
from tenax.web.addresses import complete
from tenax.web.robots import RobotsMatch
from tenax.web.urls import parse_url

T = TypeVar("T")

# Headers that tell a crawler what it may do with a response, or where the content is.
SHOWN_HEADERS = (
    "location",
    "content-type",
    "content-language",
    "content-encoding",
    "last-modified",
    "etag",
    "cache-control",
    "retry-after",
    "x-robots-tag",
    "link",
    "server",
)
HEADER_CHARS = 120
QUIET_WAIT_S = 3.0
PRIVATE_HINT = "--allow-private allows it"


def parse_address(text: str) -> str:
    url = parse_url(text)
    if url is not None:
        return url
    if "://" not in text and (guess := parse_url(complete(text))):
        raise UsageError(f"{clean(text)!r} is not a URL; did you mean {clean(guess)}?")
    raise UsageError(f"{clean(text)!r} is not the URL of a page; write it like https://example.com/.")


def run_inspector(settings: Settings, work: Callable[[Inspector], Awaitable[T]]) -> T:
    async def run() -> T:
        async with open_fetcher(settings) as fetcher:
            return await work(Inspector(settings, fetcher, SystemClock(), sleep_visibly))

    return asyncio.run(run())


async def sleep_visibly(seconds: float) -> None:
    if seconds > QUIET_WAIT_S:
        typer.echo(f"Waiting {format_duration(seconds)} to be polite.", err=True)
    await asyncio.sleep(seconds)


def show_exchange(exchange: Exchange, verdict: str | None = None) -> None:
    show(clean(exchange.url), is_bold=True)
    facts = [("robots.txt", verdict)] if verdict else []
    show_facts([*facts, *_list_exchange(exchange)], indent="  ")


def _list_exchange(exchange: Exchange) -> Iterator[tuple[str, str]]:
    answer = exchange.answer
    if exchange.waited_s:
        yield "waited", f"{format_duration(exchange.waited_s)} to be polite"
    if isinstance(answer, Failure):
        hint = f"; {PRIVATE_HINT}" if answer.kind is FailureKind.FORBIDDEN_ADDRESS else ""
        yield "failed", f"{answer.kind}: {tidy(answer.detail, HEADER_CHARS)}{hint}"
        yield "after", format_duration(answer.elapsed_s)
        return
    yield "status", f"{answer.status} (HTTP/{clean(answer.http_version)} from {clean(answer.address)})"
    yield "time", _format_timings(answer)
    yield "size", _format_size(answer)
    for name in SHOWN_HEADERS:
        if name in answer.headers:
            yield name, tidy(answer.headers[name], HEADER_CHARS)


def _format_timings(answer: Response) -> str:
    timings = answer.timings
    phases = (
        ("lookup", timings.dns_s),
        ("connected", timings.connect_s),
        ("TLS", timings.tls_s),
        ("first byte", timings.first_byte_s),
    )
    parts = [f"{name} {format_duration(seconds)}" for name, seconds in phases if seconds]
    return ", ".join([*parts, f"total {format_duration(timings.total_s)}"])


def _format_size(answer: Response) -> str:
    cut = ", cut off at the limit" if answer.is_truncated else ""
    return f"{format_bytes(answer.wire_bytes)} on the wire, {format_bytes(len(answer.body))} decoded{cut}"


def format_verdict(verdict: RobotsMatch, robots: RobotsInspection | None) -> str:
    """What robots.txt says, with the line that decides."""
    word = "allowed" if verdict.is_allowed else "forbidden"
    if robots is not None and robots.record.error is not None:
        return f"{word}: {tidy(robots.record.error, HEADER_CHARS)}, so nothing may be fetched"
    if verdict.rule is None or verdict.line_number is None:
        return f"{word}: no rule applies"
    rule = tidy(verdict.rule, HEADER_CHARS)
    return f"{word} by line {verdict.line_number}, {rule!r}, for agent {clean(verdict.agent or '*')}"


def exchange_as_json(exchange: Exchange) -> dict[str, Any]:
    answer = exchange.answer
    common = {"url": exchange.url, "waited_s": exchange.waited_s, "started_at": answer.started_at}
    if isinstance(answer, Failure):
        return common | {
            "failure": {
                "kind": answer.kind,
                "detail": answer.detail,
                "is_transient": answer.is_transient,
                "elapsed_s": answer.elapsed_s,
            }
        }
    return common | {
        "status": answer.status,
        "address": answer.address,
        "http_version": answer.http_version,
        "timings": asdict(answer.timings),
        "wire_bytes": answer.wire_bytes,
        "body_bytes": len(answer.body),
        "is_truncated": answer.is_truncated,
        "headers": dict(answer.headers),
    }
