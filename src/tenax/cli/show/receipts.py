"""One domain in full: its numbers, its robots.txt, and the politeness receipt."""

from collections.abc import Iterator

from tenax.cli.options import command_name
from tenax.cli.show.render import (
    NOTHING,
    format_bytes,
    format_count,
    format_duration,
    format_moment,
    format_when,
    show,
    show_facts,
    tidy,
)
from tenax.clock import Instant
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.crawl.domains.robots_rules import build_rules
from tenax.policy.domain_states import RESTING
from tenax.records.domains import BreakerState, RobotsRecord
from tenax.stores.queries.domains import DomainReport, DomainSummary
from tenax.visible import clean
from tenax.wording import count_of

ROBOTS_LINES = 8
LINE_CHARS = 100

Facts = Iterator[tuple[str, str]]


def show_report(report: DomainReport, now: Instant) -> None:
    summary = report.summary
    show(f"{clean(summary.name)}: {summary.status}", is_bold=True)
    show_facts(_list_counts(report, now), indent="  ")
    if report.events:
        show()
        show("History", is_bold=True)
        show_facts(_list_history(report), indent="  ")
    show()
    show("Politeness receipt", is_bold=True)
    show_facts(_list_receipt(report, now), indent="  ")
    for record in report.robots:
        show()
        show(f"{clean(record.origin)}/robots.txt", is_bold=True)
        show_robots(record, now)


def _list_counts(report: DomainReport, now: Instant) -> Facts:
    summary = report.summary
    if summary.block_reason:
        yield "reason", f"{tidy(summary.block_reason, 200)} ({summary.block_code})"
        yield "paused until", format_rest(summary, now)
    if summary.revisit_at is not None:
        yield "refresh due", format_when(summary.revisit_at, now)
    yield "pages", f"{format_count(summary.pages)} of {count_of(summary.urls, 'url')}"
    yield (
        "urls",
        ", ".join(f"{format_count(count)} {fate}" for fate, count in report.fates.items()) or NOTHING,
    )
    yield "found by", _describe_ways(report)
    yield "queued", format_count(summary.queued)
    yield "depth", f"{report.depth_reached} reached"
    yield "failures", ", ".join(f"{count} {kind}" for kind, count in report.failures.items()) or "none"
    yield "images", f"{format_count(summary.images_stored)} of {format_count(summary.images_found)} found"
    yield "score", _describe_score(report)
    yield "known since", format_when(report.first_seen_at, now)
    yield "last request", format_when(summary.last_crawled_at, now)
    if summary.site != summary.name:
        yield "site", clean(summary.site)
    yield "next visit", _describe_next_visit(report, now)
    if report.lease is not None:
        holder = report.lease
        yield (
            "leased by",
            f"process {holder.pid} on {clean(holder.host)} until {format_when(holder.expires_at, now)}",
        )


def _describe_ways(report: DomainReport) -> str:
    """How its urls were found, and how many of them are pages."""
    return (
        ", ".join(
            f"{each.way} {format_count(each.urls)} ({format_count(each.pages)} pages)"
            for each in report.found_by
            if each.urls
        )
        or NOTHING
    )


def format_rest(summary: DomainSummary, now: Instant) -> str:
    if summary.next_crawl_after is None:
        return f"it is unblocked: '{command_name()} domains unblock {clean(summary.name)}'"
    return format_when(summary.next_crawl_after, now)


def _describe_score(report: DomainReport) -> str:
    summary = report.summary
    if summary.priority_computed_at is None:
        return "none yet: it is computed at the end of a run"
    rank = "" if summary.seed_rank is None else f", rank {format_count(summary.seed_rank)}"
    return f"{format_count(summary.priority_score)}, tier {summary.tier}{rank}"


def _list_history(report: DomainReport) -> Facts:
    for event in report.events:
        run = "" if event.run_id is None else f", run {event.run_id}"
        yield (
            format_moment(event.at),
            f"{event.from_status} → {event.to_status}: {tidy(event.detail, 200)} ({event.cause}{run})",
        )


def _describe_next_visit(report: DomainReport, now: Instant) -> str:
    if report.lease is not None and report.lease.expires_at > now:
        return "in progress"
    if not report.summary.rules.is_active:
        return f"after '{command_name()} domains set {clean(report.summary.name)} --active'"
    if report.avail_at is None and report.summary.status in RESTING:
        return "when it is unblocked" if report.summary.queued else "never: nothing is queued"
    if report.avail_at is None:
        return (
            "in the next run: its page limit is used up"
            if report.summary.queued
            else "never: nothing is queued"
        )
    return "as soon as a crawl is active" if report.avail_at <= now else format_when(report.avail_at, now)


def _list_receipt(report: DomainReport, now: Instant) -> Facts:
    summary, receipt = report.summary, report.receipt
    assert receipt is not None  # it was requested
    yield (
        "requests",
        f"{format_count(receipt.requests)}, robots.txt included, {format_bytes(summary.wire_bytes)}",
    )
    if receipt.smallest_gap_s is not None and receipt.median_gap_s is not None:
        smallest = format_duration(receipt.smallest_gap_s)
        yield "smallest gap", f"{smallest} between two starts, {format_when(receipt.smallest_gap_at, now)}"
        yield "median gap", format_duration(receipt.median_gap_s)
    yield "delay", f"{format_duration(summary.delay_s)} (from {summary.delay_source})"
    at_a_time, pages = report.at_a_time, report.page_limit
    yield "concurrency", f"{count_of(int(at_a_time.value), 'request')} (from {at_a_time.source})"
    yield "pages per run", f"{describe_page_limit(pages.value)} (from {pages.source})"
    if not summary.rules.is_active:
        yield "inactive", "it is not crawled, and its urls wait"
    if summary.rules_at is not None:
        yield "rules", f"set by {clean(summary.rules_by or NOTHING)}, {format_when(summary.rules_at, now)}"
    yield "back-off", _describe_backoff(report, now)
    yield "breaker", _describe_breaker(report, now)


def describe_page_limit(pages: float) -> str:
    return "no limit" if not pages else count_of(int(pages), "page")


def _describe_backoff(report: DomainReport, now: Instant) -> str:
    """Retry-After and our own doubling lead to the same pause."""
    if report.backoff_until is None or not report.backoff_level:
        return "none: the server has not asked for a pause"
    if report.backoff_until <= now:
        return f"ended {format_when(report.backoff_until, now)}"
    return f"active, step {report.backoff_level}, until {format_when(report.backoff_until, now)}"


def _describe_breaker(report: DomainReport, now: Instant) -> str:
    breaker = report.breaker
    failures = f", {count_of(breaker.failures, 'failure')} in a row" if breaker.failures else ""
    if breaker.state is BreakerState.OPEN:
        return f"open{failures}, next try {format_when(breaker.reopen_at, now)}"
    return f"{breaker.state.replace('_', ' ')}{failures}"


def show_robots(record: RobotsRecord, now: Instant) -> None:
    show_facts(_list_robots(record, now), indent="  ")
    lines = [line for line in record.body.decode("utf-8", "replace").splitlines() if line.strip()]
    for line in lines[:ROBOTS_LINES]:
        show(f"    {tidy(line, LINE_CHARS)}")
    if len(lines) > ROBOTS_LINES:
        show(f"    … {count_of(len(lines) - ROBOTS_LINES, 'more line')}")


def _list_robots(record: RobotsRecord, now: Instant) -> Facts:
    yield (
        "response",
        f"{record.status or 'none'}, {format_bytes(len(record.body))}, {_describe_meaning(record)}",
    )
    yield "fetched", format_when(record.fetched_at, now)
    yield "valid until", format_when(record.expires_at, now)
    delay_s = build_rules(record).rules.crawl_delay(agent=PRODUCT_TOKEN)
    yield "Crawl-delay", "none" if delay_s is None else format_duration(delay_s)


def _describe_meaning(record: RobotsRecord) -> str:
    if record.error is not None:
        return f"nothing may be fetched ({tidy(record.error, LINE_CHARS)})"
    return "its rules apply" if record.body else "everything may be fetched"
