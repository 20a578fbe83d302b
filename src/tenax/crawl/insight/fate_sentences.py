"""Sentences about a url that the store knows: its fate, and the facts behind it."""

import shlex
from collections.abc import Iterator

from tenax.clock import Instant, format_instant
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.config.refresh import RefreshSettings
from tenax.config.settings import Settings
from tenax.crawl.domains.robots_rules import build_rules
from tenax.crawl.insight.domain_sentences import describe_domain
from tenax.crawl.insight.item_sentences import describe_parsed
from tenax.crawl.insight.trap_sentences import describe_trapped, describe_traps
from tenax.discover.page_numbers import read_page_number
from tenax.extract.similarity import MOST_DISTANCE
from tenax.policy.revisit import MISSES_UNTIL_GONE, RevisitPlanner
from tenax.records.domains import RobotsRecord
from tenax.records.urls import (
    ASKED_AGAIN,
    PROBE,
    SOFT_404,
    Fate,
    FoundBy,
    RefusalReason,
    RejectionReason,
    ValidationStatus,
)
from tenax.stores.contracts.lookup import UrlHistory, UrlRow
from tenax.stores.hot.outcomes import LEAST_DUPLICATE_CHARS, MERGED, NEAR
from tenax.web.pdfs import PDF_TYPES
from tenax.web.urls import domain_of, origin_of
from tenax.wording import as_sentence, count_of

_KEPT = (Fate.FETCHED, Fate.DUPLICATE)
_SETTLED = (*_KEPT, Fate.READ, Fate.GONE, Fate.REDIRECTED, Fate.SKIPPED)


_READ_PDFS = " A crawl with --pdf (extract.content_types) reads the text of PDFs."


def _tell_how(content_type: str | None) -> str:
    return _READ_PDFS if content_type in PDF_TYPES else ""


def describe_fate(row: UrlRow, history: UrlHistory) -> str:
    """The answer in one sentence."""
    if row.is_aside:
        return _describe_aside(history)
    match row.fate:
        case Fate.QUEUED if row.reason == ASKED_AGAIN:
            return f"A user requested another visit; it is queued, {_describe_ahead(row)}."
        case Fate.QUEUED:
            return f"It is queued for its first visit, {_describe_ahead(row)}."
        case Fate.RETRYING:
            failed = as_sentence(f"Attempt {max(row.attempts, 1)} failed: {row.detail}")
            return f"{failed} The next attempt is not before {format_instant(row.due_at)}."
        case Fate.FETCHED:
            return f"It was fetched at {format_instant(row.fetched_at)} (status {row.status})."
        case Fate.READ:
            read = f"It is a sitemap that was read at {format_instant(row.fetched_at)} (status {row.status})."
            return f"{read} {as_sentence(f'Not to its end: {row.detail}')}" if row.detail else read
        case Fate.DUPLICATE if row.reason == MERGED:
            return (
                f"The merge rule “{row.detail}” makes it the same url as {row.to_url}: it is not requested."
            )
        case Fate.DUPLICATE if row.reason == NEAR:
            return (
                f"It was fetched at {format_instant(row.fetched_at)} and not kept: it is nearly the same as"
                f" {row.to_url}."
            )
        case Fate.DUPLICATE:
            link = (
                "its rel=canonical names" if row.reason == "canonical" else "its text is the same as that of"
            )
            return f"It was fetched at {format_instant(row.fetched_at)}; {link} {row.to_url}."
        case Fate.REDIRECTED:
            return f"It redirects to {row.to_url} (status {row.status})."
        case Fate.SKIPPED:
            return f"It is not HTML but {row.detail}: recorded, not downloaded.{_tell_how(row.detail)}"
        case Fate.GONE if row.detail and row.reason in (SOFT_404, PROBE):
            return as_sentence(f"It does not exist, although the server answered {row.status}: {row.detail}")
        case Fate.GONE if row.reason == PROBE:
            return f"It is an invented address; the site says that it does not exist (status {row.status})."
        case Fate.GONE:
            return f"The server says that it does not exist (status {row.status})."
        case Fate.REFUSED if row.reason == RefusalReason.CLEARED:
            return "A user removed it from the frontier. Adding it again queues it again."
        case Fate.REFUSED:
            hint = (
                " --allow-private, or fetch.allow_private, allows it."
                if row.reason == RefusalReason.PRIVATE_ADDRESS
                else ""
            )
            return as_sentence(f"A rule forbids it ({row.reason}): {row.detail}") + hint
        case Fate.REJECTED:
            return as_sentence(f"Its answer is no page ({row.reason}): {row.detail}")
        case Fate.DEAD:
            times = f" after {row.attempts} attempts" if row.attempts > 1 else ""
            return as_sentence(f"It was given up{times}: {row.detail}")
        case Fate.QUARANTINED:
            return as_sentence(f"It is quarantined and will not be read again: {row.detail}")
        case Fate.TRAPPED:
            return describe_trapped(row.detail or "these", row.reason)


def list_facts(row: UrlRow, history: UrlHistory, settings: Settings, now: Instant) -> Iterator[str]:
    """How it came to its fate."""
    yield _describe_origin(row)
    if row.fate is Fate.QUEUED and row.reason == ASKED_AGAIN and row.detail:
        yield as_sentence(f"Before that {row.detail}")
    limit = settings.limits.new_urls_per_s
    if limit and row.fate is Fate.QUEUED and not row.attempts and (row.due_at or 0.0) > now:
        yield (
            f"It waits until {format_instant(row.due_at)}, because its source found more than"
            f" {count_of(limit, 'new url')} per second (limits.new_urls_per_s)."
        )
    if row.crashes and row.due_at is not None:
        yield "A worker died while reading it: it is read in a process of its own until that succeeds."
    if row.title:
        yield f"Its title is “{row.title}”."
    if history.bodies:
        yield f"{count_of(history.bodies, 'visit')} stored its body; 'tenax body' shows the newest."
    if row.fate is Fate.FETCHED and row.twin is not None:
        yield (
            f"Its text is the same as that of {row.twin}, but too short to count as a duplicate: below"
            f" {LEAST_DUPLICATE_CHARS} characters, both count as pages."
        )
    if row.near is not None:
        yield _describe_near(row.near, row.near_bits)
    if row.fate is Fate.REJECTED and row.reason is not None:
        yield from describe_rejection(RejectionReason(row.reason))
    if row.fate is Fate.GONE and row.reason == SOFT_404:
        yield ("If that is wrong, switch validation.soft_404 off and run 'tenax retry --reason soft_404'.")
    if history.robots is not None:
        yield describe_robots(row.url, history.robots)
    if history.domain is not None:
        yield from describe_traps(row.url, history.domain.name, history.traps)
    yield from describe_parsed(history.parsed)
    if row.fate in _SETTLED and row.reason != MERGED:
        yield from _describe_revisit(row, settings.refresh)
    if row.due_at is not None and history.domain is not None:
        yield from describe_domain(history.domain, history, settings, now)


def _describe_near(url: str, bits: int | None) -> str:
    if bits is None or bits > MOST_DISTANCE:
        return f"When it was fetched, it was nearly the same as {url}."
    if not bits:
        return f"It is nearly the same as {url} (none of 64 bits differs)."
    verb = "differs" if bits == 1 else "differ"
    return f"It is nearly the same as {url} ({bits} of 64 bits {verb})."


def describe_rejection(reason: RejectionReason) -> Iterator[str]:
    """What to do about it."""
    if reason.status is ValidationStatus.SOFT:
        yield "It waits to be rendered: a browser may get the page."
    elif reason in (RejectionReason.BOT_CHECK, RejectionReason.ACCESS_DENIED):
        yield "The site turns crawlers away: ask its owner for access, or crawl more slowly."
    yield (
        "If it is a page, add the signature to validation.ignore, or switch validation.enabled off, and run"
        f" 'tenax retry --reason {reason}'."
    )


def describe_robots(url: str, record: RobotsRecord) -> str:
    when = format_instant(record.fetched_at)
    if record.error is not None:
        return f"robots.txt gave no usable answer at {when} ({record.error}): nothing may be fetched."
    match = build_rules(record).rules.match(url, agent=PRODUCT_TOKEN)
    verdict = "allows" if match.is_allowed else "forbids"
    rule = f", line {match.line_number}: {match.rule}" if match.line_number else ""
    return f"robots.txt (status {record.status}, fetched {when}) {verdict} it{rule}."


def _describe_aside(history: UrlHistory) -> str:
    """Of a url that waits while its domain belongs to another crawl than the one that found it."""
    owner = f"its domain belongs to {history.owner} now" if history.owner else "no crawl owns its domain now"
    if not history.waits_for:
        return f"The crawl that queued it was removed, and {owner}. A crawl that finds it again fetches it."
    names = " and ".join(str(each) for each in history.waits_for)
    first = history.waits_for[0]
    way = "its next run" if first.is_source else f"'tenax crawl --name {shlex.quote(first.name)}'"
    return f"It waits until {names} continues, because {owner}: {way} continues with it."


def _describe_ahead(row: UrlRow) -> str:
    if not row.ahead:
        return "the next one of its domain"
    return f"behind {count_of(row.ahead, 'other url')} of its domain"


def _describe_origin(row: UrlRow) -> str:
    when, by = format_instant(row.discovered_at), row.discovered_from
    if row.is_sitemap:
        return (
            f"It was named as a sitemap at {when}, {f'by {by}' if by else 'by a robots.txt or as a guess'}."
        )
    match row.found_by:
        case FoundBy.SITEMAP if by is not None:
            return f"It was found at {when} in the sitemap {by}."
        case FoundBy.FEED:
            return f"It was found at {when} in a feed."
        case FoundBy.ARCHIVE | FoundBy.PAGINATION:
            return _describe_guess(row, when)
    if by is None:
        return f"It {'is a seed, added' if row.is_seed else 'was added by a user'} at {when}."
    return f"It was found at {when} on {by}, {count_of(row.depth, 'link')} from a seed."


def _describe_guess(row: UrlRow, when: str | None) -> str:
    if row.found_by is FoundBy.ARCHIVE:
        return (
            f"No page was known to link to it. It was guessed at {when}: an archive of {domain_of(row.url)}."
        )
    page = read_page_number(row.url)
    number = f"page {page.number}" if page is not None and not page.is_offset else "the next page"
    origin = domain_of(row.url) if page is None else origin_of(row.url) + page.path
    return f"No page was known to link to it. It was guessed at {when} as {number} of the list {origin}."


def _describe_revisit(row: UrlRow, settings: RefreshSettings) -> Iterator[str]:
    """Of a url that is known to be a page, or to have been one."""
    if row.fate in _KEPT and not row.has_page and row.reason != NEAR:
        yield "Its stored page was deleted since; the next visit stores it again."
    if row.detail and row.fate in _KEPT:
        missed = as_sentence(f"The last visit did not find its page: {row.detail}")
        yield f"{missed} The page that was fetched before is kept."
    if row.misses >= MISSES_UNTIL_GONE:
        yield f"It was a page; at {format_instant(row.fetched_at)} it was still missing."
    if row.due_at is not None:
        yield "It is queued for another visit."
    elif row.revisit_at is not None:
        since = format_instant(row.revisit_at)
        yield f"'tenax refresh' visits it again from {since} on: {_describe_interval(row, settings)}."
    elif row.fate in _KEPT and settings.enabled:
        yield "Its next visit was never planned: the next 'tenax refresh' visits it."
    elif row.fate in _KEPT:
        yield "It is not visited again: refresh.enabled is off."


def _describe_interval(row: UrlRow, settings: RefreshSettings) -> str:
    if row.misses >= MISSES_UNTIL_GONE:
        return f"a page that is gone is checked every {_format_span(settings.max_s)}"
    if row.misses:
        return "a page is gone when it is missing twice in a row"
    span = _format_span(RevisitPlanner.build(settings).find_interval_s(row.unchanged_count))
    if row.unchanged_count < 0:
        return f"its items changed {_count_times(-row.unchanged_count)}, so it is due after {span}"
    if not row.unchanged_count:
        return f"a page that is new or has changed is due after {span}"
    return f"it was found unchanged {_count_times(row.unchanged_count)}, so it is due after {span}"


def _count_times(number: int) -> str:
    return "once" if number == 1 else f"{number} times in a row"


def _format_span(seconds: float) -> str:
    for unit, size in (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            number = f"{seconds / size:.3g}"
            return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
    return f"{seconds:.3g} s"
