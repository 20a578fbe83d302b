"""Where a url stands and why: one fate, and the chain of facts that led to it.

For a url that the store does not know, the same policy functions are asked that would decide about it.
"""

import re
import shlex
from collections.abc import Callable, Iterator

from pydantic import ValidationError

from tenax.clock import Instant, format_instant
from tenax.config.crawl import LimitSettings, RefreshSettings, ScopeKind
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.config.settings import Settings
from tenax.crawl.domains.robots_rules import build_rules, find_robots_refusal
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.policy.merging import MergeRules
from tenax.policy.patterns import PatternBudget
from tenax.policy.revisit import MISSES_UNTIL_GONE, RevisitPlanner
from tenax.policy.roots import Roots
from tenax.policy.rules import FROM_RULE, find_concurrency, find_delay, find_page_limit
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.domains import BreakerState, DomainStatus, RobotsRecord
from tenax.records.runs import RunState
from tenax.records.urls import ASKED_AGAIN, Fate, RefusalReason
from tenax.records.visits import Refused
from tenax.stores.contracts.lookup import DomainRow, LookupStore, UrlHistory, UrlRow
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.hot.outcomes import LEAST_DUPLICATE_CHARS, MERGED
from tenax.web.identity import describe_difference, url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, list_addresses, origin_of, parse_url, registrable_domain
from tenax.wording import as_sentence

NEVER_SEEN = "never seen"
NOT_CRAWLABLE = "not crawlable"
WOULD_BE_REFUSED = "refused"

MOST_STANDING = 10  # that are named, of urls that stand for each other
_KEPT = (Fate.FETCHED, Fate.DUPLICATE)
_SETTLED = (*_KEPT, Fate.GONE, Fate.REDIRECTED, Fate.SKIPPED)


SeedsOf = Callable[[int], SeedStore]  # of a source


@record
class Explanation:
    url: str  # an address where that is possible
    fate: str  # a Fate, or one of the words above
    reason: str | None  # a machine-readable word, such as a RefusalReason
    because: str  # the answer in one sentence
    facts: tuple[str, ...]  # how it came to that


async def explain(
    address: str, lookup: LookupStore, seeds_of: SeedsOf, defaults: Settings, now: Instant
) -> Explanation:
    """Of a url as people write it: without a scheme, https and http are tried."""
    found = await _explain_url(address, lookup, seeds_of, defaults, now)
    if found.fate != NOT_CRAWLABLE or _HAS_SCHEME.match(address):
        return found
    completed = [
        await _explain_url(f"{scheme}://{address}", lookup, seeds_of, defaults, now)
        for scheme in ("https", "http")
    ]
    known = [each for each in completed if each.fate not in (NOT_CRAWLABLE, NEVER_SEEN)]
    possible = [each for each in completed if each.fate != NOT_CRAWLABLE]
    return [*known, *possible, found][0]


# `host:8080/` has none.
_HAS_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?![0-9])")


async def _explain_url(
    address: str, lookup: LookupStore, seeds_of: SeedsOf, defaults: Settings, now: Instant
) -> Explanation:
    url = parse_url(address, keep=ALL_NAMES)
    if url is None:
        return Explanation(
            url=address,
            fate=NOT_CRAWLABLE,
            reason=RefusalReason.SCHEME,
            because="It is no address of a page on the web: only http and https are crawled.",
            facts=(),
        )
    history = await _find_known(address, lookup)
    settings = _read_settings(history.settings_json, defaults)
    if history.url is None:
        url = parse_url(address, keep=settings.scope.kept_names) or url
        roots = await _load_roots(url, seeds_of(history.source_id), settings.scope.kind)
        return _explain_unknown(url, history, settings, roots)
    row = history.url
    return Explanation(
        url=url,
        fate=row.fate,
        reason=row.reason,
        because=_describe_fate(row, history),
        facts=(
            *_describe_merging(url, row),
            *await _describe_way(row, lookup, seeds_of, settings),
            *_list_facts(row, history, settings, now),
        ),
    )


async def _find_known(text: str, lookup: LookupStore) -> UrlHistory:
    """By whichever of its addresses the store knows it."""
    addresses = list_addresses(text)
    for address in addresses:
        history = await _find_history(address, lookup)
        if history.url is not None:
            return history
    return await _find_history(addresses[0], lookup)


async def _find_history(url: str, lookup: LookupStore) -> UrlHistory:
    return await lookup.find_history(domain=domain_of(url), key=url_key(url), origin=origin_of(url))


def _describe_merging(url: str, row: UrlRow) -> Iterator[str]:
    if rules := describe_difference(url, row.url):
        yield f"It is one url with {row.url}, the address that is requested: {'; '.join(rules)}."


def _read_settings(text: str | None, defaults: Settings) -> Settings:
    """Of the last run; the defaults where there is none or another version wrote it."""
    try:
        return Settings.model_validate_json(text) if text else defaults
    except ValidationError:
        return defaults


async def _describe_way(row: UrlRow, lookup: LookupStore, seeds_of: SeedsOf, settings: Settings) -> list[str]:
    """Where redirects lead in the end, and what has become of the url that stands for this one."""
    if row.fate is Fate.DUPLICATE and row.reason == MERGED:
        return await _describe_standing(row, lookup)
    way, end = [row.url], row
    while end.fate is Fate.REDIRECTED and (next_url := end.to_url) is not None:
        history = await _find_history(next_url, lookup)
        way.append(next_url)
        if history.url is None:
            roots = await _load_roots(next_url, seeds_of(history.source_id), settings.scope.kind)
            refusal = _find_refusal(next_url, history, settings, roots)
            why = "" if refusal is None else f": a rule forbids it ({refusal.reason}), {refusal.detail}"
            return [as_sentence(f"{next_url} was not followed{why}")]
        if history.url.url in way[:-1]:
            return [f"It redirects in a circle: {' → '.join(way)}."]
        end = history.url
    return [] if end is row else [f"The redirects end at {end.url}, which is {end.fate}."]


async def _describe_standing(row: UrlRow, lookup: LookupStore) -> list[str]:
    told, way, next_url = [], {row.url}, row.to_url
    while next_url is not None and next_url not in way and len(way) < MOST_STANDING:
        way.add(next_url)
        standing = (await _find_history(next_url, lookup)).url
        if standing is None:
            break
        told.append(f"{next_url} is {standing.fate}.")
        next_url = standing.to_url if standing.reason == MERGED else None
    return [*told, "When no such rule holds any more, the next run requests it."]


# --- a url that the store knows -------------------------------------------------------------------


def _describe_fate(row: UrlRow, history: UrlHistory) -> str:
    if row.is_aside:
        return _describe_aside(history)
    match row.fate:
        case Fate.QUEUED if row.reason == ASKED_AGAIN:
            return f"A person asked for another visit: it waits{_describe_ahead(row)}."
        case Fate.QUEUED:
            return f"It waits for its first visit{_describe_ahead(row)}."
        case Fate.RETRYING:
            due = format_instant(row.due_at)
            failed = as_sentence(f"Attempt {max(row.attempts, 1)} failed: {row.detail}")
            return f"{failed} Next try not before {due}."
        case Fate.FETCHED:
            return f"It was fetched at {format_instant(row.fetched_at)} (status {row.status})."
        case Fate.DUPLICATE if row.reason == MERGED:
            return f"The merge rule “{row.detail}” makes it one url with {row.to_url}: it is not requested."
        case Fate.DUPLICATE:
            link = "its rel=canonical names" if row.reason == "canonical" else "its text equals that of"
            return f"It was fetched at {format_instant(row.fetched_at)}; {link} {row.to_url}."
        case Fate.REDIRECTED:
            return f"It redirects to {row.to_url} (status {row.status})."
        case Fate.SKIPPED:
            return f"It is no HTML but {row.detail}: recorded, not downloaded."
        case Fate.GONE:
            return f"The server says that it does not exist (status {row.status})."
        case Fate.REFUSED if row.reason == RefusalReason.CLEARED:
            return "A person took it out of the frontier; whoever adds it again queues it again."
        case Fate.REFUSED:
            hint = " --allow-private lifts it." if row.reason == RefusalReason.PRIVATE_ADDRESS else ""
            return as_sentence(f"A rule forbids it ({row.reason}): {row.detail}") + hint
        case Fate.DEAD:
            times = f" after {row.attempts} attempts" if row.attempts > 1 else ""
            return as_sentence(f"It is given up{times}: {row.detail}")
        case Fate.QUARANTINED:
            return as_sentence(f"It is never read again: {row.detail}")


def _describe_aside(history: UrlHistory) -> str:
    """Of a url that waits while its domain serves others than those who have found it."""
    has_domain = (
        f"its domain is part of {history.owner} now" if history.owner else "nobody has its domain now"
    )
    if not history.waits_for:
        return f"The crawl that wanted it was removed, and {has_domain}: whoever finds it again fetches it."
    names = " and ".join(str(each) for each in history.waits_for)
    first = history.waits_for[0]
    way = "its next run" if first.is_source else f"'tenax crawl --name {shlex.quote(first.name)}'"
    return f"It waits until {names} goes on, for {has_domain}: {way} goes on with it."


def _describe_ahead(row: UrlRow) -> str:
    if not row.ahead:
        return " and is the next of its domain"
    return f" behind {row.ahead:,} other {'url' if row.ahead == 1 else 'urls'} of its domain"


def _list_facts(row: UrlRow, history: UrlHistory, settings: Settings, now: Instant) -> Iterator[str]:
    yield _describe_origin(row)
    if row.fate is Fate.QUEUED and row.reason == ASKED_AGAIN and row.detail:
        yield as_sentence(f"Before that {row.detail}")
    if row.crashes and row.due_at is not None:
        yield "A worker died while it read it: it is read in a process of its own until that goes well."
    if row.title:
        yield f"Its title is “{row.title}”."
    if row.fate is Fate.FETCHED and row.twin is not None:
        yield (
            f"Its text is the same as that of {row.twin}, but too short to tell a copy: below "
            f"{LEAST_DUPLICATE_CHARS} characters both count as pages."
        )
    if history.robots is not None:
        yield _describe_robots(row.url, history.robots)
    if row.fate in _SETTLED and row.reason != MERGED:
        yield from _describe_revisit(row, settings.refresh)
    if row.due_at is not None and history.domain is not None:
        yield from _describe_domain(history.domain, history, settings, now)


def _describe_origin(row: UrlRow) -> str:
    when = format_instant(row.discovered_at)
    if row.discovered_from is None:
        return f"It {'is a seed, given' if row.is_seed else 'was added by a person'} at {when}."
    links = "link" if row.depth == 1 else "links"
    return f"It was found at {when} on {row.discovered_from}, {row.depth} {links} from a seed."


def _describe_revisit(row: UrlRow, settings: RefreshSettings) -> Iterator[str]:
    """Of a url that is known to be a page, or to have been one."""
    if row.fate in _KEPT and not row.has_page:
        yield "What was stored of it was deleted since; the next visit stores it anew."
    if row.detail and row.fate in _KEPT:
        missed = as_sentence(f"The last visit did not find its page: {row.detail}")
        yield f"{missed} What was fetched before is kept."
    if row.misses >= MISSES_UNTIL_GONE:
        yield f"It was a page; at {format_instant(row.fetched_at)} it was still missing."
    if row.due_at is not None:
        yield "It waits to be visited again."
    elif row.revisit_at is not None:
        yield f"'tenax refresh' visits it again from {format_instant(row.revisit_at)} on: " + (
            f"{_describe_interval(row, settings)}."
        )
    elif row.fate in _KEPT and settings.enabled:
        yield "Its next visit was never planned: the next 'tenax refresh' visits it."
    elif row.fate in _KEPT:
        yield "It is not visited again: refresh.enabled is off."


def _describe_interval(row: UrlRow, settings: RefreshSettings) -> str:
    if row.misses >= MISSES_UNTIL_GONE:
        return f"a page that is gone is looked for every {_format_span(settings.max_s)}"
    if row.misses:
        return "a page is gone when it is missing twice in a row"
    span = _format_span(RevisitPlanner.build(settings).find_interval_s(row.unchanged_count))
    if not row.unchanged_count:
        return f"a page that is new or has changed is due after {span}"
    times = "once" if row.unchanged_count == 1 else f"{row.unchanged_count} times in a row"
    return f"it was found unchanged {times}, so it is due after {span}"


def _format_span(seconds: float) -> str:
    for unit, size in (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            number = f"{seconds / size:.3g}"
            return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
    return f"{seconds:.3g} s"


def _describe_robots(url: str, record: RobotsRecord) -> str:
    when = format_instant(record.fetched_at)
    if record.error is not None:
        return f"robots.txt gave no usable answer at {when} ({record.error}): nothing may be fetched."
    match = build_rules(record).rules.match(url, agent=PRODUCT_TOKEN)
    verdict = "allows" if match.is_allowed else "forbids"
    rule = f", line {match.line_number}: {match.rule}" if match.line_number else ""
    return f"robots.txt (status {record.status}, fetched {when}) {verdict} it{rule}."


def _describe_domain(
    domain: DomainRow, history: UrlHistory, settings: Settings, now: Instant
) -> Iterator[str]:
    state, rules = domain.state, domain.rules
    if not rules.is_active:
        setter = _describe_setter(domain)
        yield f"{domain.name} is inactive{setter}: nothing is requested of it, and its urls wait."
    if state.status in (DomainStatus.BLOCKED, DomainStatus.UNREACHABLE):
        yield f"{domain.name} is {state.status} ({state.block_code}): {state.block_reason}; " + (
            f"until {format_instant(state.next_crawl_after)}."
            if state.next_crawl_after is not None
            else "until a person unblocks it."
        )
    elif domain.claimed_by is not None and (domain.claim_expires_at or 0) > now:
        until = format_instant(domain.claim_expires_at)
        yield f"{domain.name} is leased by {domain.claimed_by} until {until}."
    elif domain.avail_at is None and rules.is_active:
        yield _describe_page_limit(domain, settings)
    yield _describe_pace(domain, settings)
    if settings.politeness.site_gap_s is not None:
        site = registrable_domain(domain.name)
        yield f"All domains of {site} share one pace: one of them is asked at a time (politeness.share_pace)."
    if state.pace.backoff_until is not None and state.pace.backoff_until > now:
        yield f"It asked for rest until {format_instant(state.pace.backoff_until)}."
    if state.breaker.state is BreakerState.OPEN:
        yield f"It failed {state.breaker.failures} times in a row; next try at" + (
            f" {format_instant(state.breaker.reopen_at)}."
        )
    if history.owner is not None:
        yield f"{domain.name} is part of {history.owner}."
    if history.run_state is RunState.PAUSED:
        yield f"Run {history.run_id} is paused: 'tenax runs resume {history.run_id}' lets it go on."
    elif history.run_state is not RunState.RUNNING:
        yield "No run is under way: the same crawl command goes on with it."


def _describe_page_limit(domain: DomainRow, settings: Settings) -> str:
    pages = find_page_limit(settings, domain.rules)
    source = f" ({FROM_RULE}{_describe_setter(domain)})" if pages.source == FROM_RULE else ""
    return f"{domain.name} has used up its {pages.value:,.0f} pages of this run{source}."


def _describe_pace(domain: DomainRow, settings: Settings) -> str:
    delay = find_delay(domain.state.pace, settings.politeness, domain.rules)
    at_a_time = find_concurrency(settings.politeness, domain.rules)
    is_ruled = FROM_RULE in (delay.source, at_a_time.source)
    several = "" if at_a_time.value == 1 else f", {at_a_time.value:g} requests at a time ({at_a_time.source})"
    setter = _describe_setter(domain) if is_ruled else ""
    return f"{domain.name} is asked once every {delay.value:g} s at most ({delay.source}){several}{setter}."


def _describe_setter(domain: DomainRow) -> str:
    return f", set by {domain.rules_by} at {format_instant(domain.rules_at)}"


# --- a url that it does not know ------------------------------------------------------------------


async def _load_roots(url: str, seeds: SeedStore, kind: ScopeKind) -> Roots:
    seed_roots = await SeedRoots.open(seeds, kind)
    await seed_roots.learn([(url, domain_of(url))])
    return seed_roots.roots


def _explain_unknown(url: str, history: UrlHistory, settings: Settings, roots: Roots) -> Explanation:
    facts = [_describe_robots(url, history.robots)] if history.robots is not None else []
    refusal = _find_refusal(url, history, settings, roots)
    if refusal is not None:
        return Explanation(
            url=url,
            fate=WOULD_BE_REFUSED,
            reason=refusal.reason,
            because=as_sentence(f"A rule of this crawl forbids it ({refusal.reason}): {refusal.detail}"),
            facts=tuple(facts),
        )
    return Explanation(
        url=url,
        fate=NEVER_SEEN,
        reason=None,
        because="It was never seen: no page whose links were followed names it. The rules would admit it.",
        facts=(*facts, _describe_unfollowed(settings.limits), *_describe_class(url, settings)),
    )


def _describe_class(url: str, settings: Settings) -> Iterator[str]:
    if not settings.scope.merge_rules:
        return
    rules = MergeRules.build(settings.scope.merge_rules, PatternBudget()).of_domain(domain_of(url))
    if rules is not None and (form := rules.merge(url)) is not url:
        yield f"The merge rule “{rules.name_rules(url, form)}” makes it one url with {form}."


def _describe_unfollowed(limits: LimitSettings) -> str:
    depth = "seeds" if limits.max_depth == 0 else f"pages {limits.max_depth} links from a seed"
    return (
        f"Links are not followed from {depth}, from pages that say nofollow,"
        f" and beyond the first {limits.links_per_page:,} of a page."
    )


def _find_refusal(url: str, history: UrlHistory, settings: Settings, roots: Roots) -> Refused | None:
    scope = Scope.build(settings.scope, settings.limits, roots)
    # How deep it would lie is unknown; one link is the least.
    refusal = scope.check(url, 1)
    if refusal is not None or history.robots is None:
        return refusal
    return find_robots_refusal(build_rules(history.robots).rules, url)
