"""Explains where a url is and why: one fate, and the facts that led to it.

For a url that the store does not know, the policy functions are called that would decide about it.
"""

import re
from collections.abc import Callable, Iterator

from pydantic import ValidationError

from tenax.clock import Instant
from tenax.config.crawl import LimitSettings, ScopeKind
from tenax.config.settings import Settings
from tenax.crawl.domains.robots_rules import build_rules, find_robots_refusal
from tenax.crawl.insight.fate_sentences import describe_fate, describe_robots, list_facts
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.policy.merging import MergeRules
from tenax.policy.patterns import PatternBudget
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.urls import Fate, RefusalReason
from tenax.records.visits import Refused
from tenax.stores.contracts.lookup import LookupStore, UrlHistory, UrlRow
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.hot.outcomes import MERGED
from tenax.web.identity import describe_difference, url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, list_addresses, origin_of, parse_url
from tenax.wording import as_sentence

NEVER_SEEN = "never seen"
NOT_CRAWLABLE = "not crawlable"
WOULD_BE_REFUSED = "refused"

MOST_STANDING = 10  # urls that are named, where each stands for the one before


SeedsOf = Callable[[int], SeedStore]  # of a source


@record
class Explanation:
    url: str  # an address where that is possible
    fate: str  # a Fate, or one of the words above
    reason: str | None  # a machine-readable word, such as a RefusalReason
    because: str  # the answer in one sentence
    facts: tuple[str, ...]  # what led to it


async def explain(
    address: str, lookup: LookupStore, seeds_of: SeedsOf, defaults: Settings, now: Instant
) -> Explanation:
    """Explain a url as users write it: without a scheme, https and http are tried."""
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
            because="This is not the address of a web page: only http and https are crawled.",
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
        because=describe_fate(row, history),
        facts=(
            *_describe_merging(url, row),
            *await _describe_way(row, lookup, seeds_of, settings),
            *list_facts(row, history, settings, now),
        ),
    )


async def _find_known(text: str, lookup: LookupStore) -> UrlHistory:
    """Find the url by any of its addresses that the store knows."""
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
        yield f"It is the same url as {row.url}, the address that is requested: {'; '.join(rules)}."


def _read_settings(text: str | None, defaults: Settings) -> Settings:
    """The settings of the last run; the defaults if there is none or another version wrote them."""
    try:
        return Settings.model_validate_json(text) if text else defaults
    except ValidationError:
        return defaults


async def _describe_way(row: UrlRow, lookup: LookupStore, seeds_of: SeedsOf, settings: Settings) -> list[str]:
    """Where redirects end, and what became of the url that stands for this one."""
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
            return [f"It redirects in a loop: {' → '.join(way)}."]
        end = history.url
    return [] if end is row else [f"The redirects end at {end.url}, which is {end.fate}."]


async def _describe_standing(row: UrlRow, lookup: LookupStore) -> list[str]:
    sentences, way, next_url = [], {row.url}, row.to_url
    while next_url is not None and next_url not in way and len(way) < MOST_STANDING:
        way.add(next_url)
        standing = (await _find_history(next_url, lookup)).url
        if standing is None:
            break
        sentences.append(f"{next_url} is {standing.fate}.")
        next_url = standing.to_url if standing.reason == MERGED else None
    return [*sentences, "If the rule is removed, the next run requests this url."]


# --- a url that the store does not know -----------------------------------------------------------


async def _load_roots(url: str, seeds: SeedStore, kind: ScopeKind) -> Roots:
    seed_roots = await SeedRoots.open(seeds, kind)
    await seed_roots.learn([(url, domain_of(url))])
    return seed_roots.roots


def _explain_unknown(url: str, history: UrlHistory, settings: Settings, roots: Roots) -> Explanation:
    facts = [describe_robots(url, history.robots)] if history.robots is not None else []
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
        because="It was never seen: none of the followed links leads to it. The rules would admit it.",
        facts=(*facts, _describe_unfollowed(settings.limits), *_describe_class(url, settings)),
    )


def _describe_class(url: str, settings: Settings) -> Iterator[str]:
    if not settings.scope.merge_rules:
        return
    rules = MergeRules.build(settings.scope.merge_rules, PatternBudget()).of_domain(domain_of(url))
    if rules is not None and (form := rules.merge(url)) is not url:
        yield f"The merge rule “{rules.name_rules(url, form)}” makes it the same url as {form}."


def _describe_unfollowed(limits: LimitSettings) -> str:
    depth = "seeds" if limits.max_depth == 0 else f"pages {limits.max_depth} links from a seed"
    return (
        f"Links are not followed from {depth}, from pages that say nofollow,"
        f" or beyond the first {limits.links_per_page:,} links of a page."
    )


def _find_refusal(url: str, history: UrlHistory, settings: Settings, roots: Roots) -> Refused | None:
    scope = Scope.build(settings.scope, settings.limits, roots)
    # Its depth is unknown; one link is the least.
    refusal = scope.check(url, 1)
    if refusal is not None or history.robots is None:
        return refusal
    return find_robots_refusal(build_rules(history.robots).rules, url)
