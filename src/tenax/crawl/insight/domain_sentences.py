"""Sentences about the domain of a queued url: what the url waits for."""

from collections.abc import Iterator

from tenax.clock import Instant, format_instant
from tenax.config.settings import Settings
from tenax.policy.domain_states import RESTING
from tenax.policy.rules import FROM_RULE, find_concurrency, find_delay, find_page_limit
from tenax.records.domains import BreakerState
from tenax.records.runs import RunState
from tenax.stores.contracts.lookup import DomainRow, UrlHistory
from tenax.web.urls import registrable_domain


def describe_domain(
    domain: DomainRow, history: UrlHistory, settings: Settings, now: Instant
) -> Iterator[str]:
    yield from _describe_availability(domain, settings, now)
    yield from _describe_pace(domain, settings, now)
    if history.owner is not None:
        yield f"{domain.name} belongs to {history.owner}."
    if history.run_state is RunState.PAUSED:
        yield f"Run {history.run_id} is paused: 'tenax runs resume {history.run_id}' resumes it."
    elif history.run_state is not RunState.RUNNING:
        yield "No run is active: run the same crawl command to continue."


def _describe_availability(domain: DomainRow, settings: Settings, now: Instant) -> Iterator[str]:
    state, rules = domain.state, domain.rules
    if not rules.is_active:
        setter = _describe_setter(domain)
        yield f"{domain.name} is inactive{setter}: nothing is requested from it, and its urls wait."
    if state.status in RESTING:
        until = format_instant(state.next_crawl_after) or "a user unblocks it"
        yield f"{domain.name} is {state.status} ({state.block_code}): {state.block_reason}; until {until}."
    elif domain.claimed_by is not None and (domain.claim_expires_at or 0) > now:
        expires = format_instant(domain.claim_expires_at)
        yield f"{domain.name} is leased by {domain.claimed_by} until {expires}."
    elif domain.avail_at is None and rules.is_active:
        yield _describe_page_limit(domain, settings)


def _describe_pace(domain: DomainRow, settings: Settings, now: Instant) -> Iterator[str]:
    pace, breaker = domain.state.pace, domain.state.breaker
    yield _describe_delay(domain, settings)
    if settings.politeness.site_gap_s is not None:
        site = registrable_domain(domain.name)
        yield (
            f"All domains of {site} share one pace: only one of them is requested at a time"
            " (politeness.share_pace)."
        )
    if pace.backoff_until is not None and pace.backoff_until > now:
        yield f"It asked for a pause until {format_instant(pace.backoff_until)}."
    if breaker.state is BreakerState.OPEN:
        reopen = format_instant(breaker.reopen_at)
        yield f"It failed {breaker.failures} times in a row; next try at {reopen}."


def _describe_page_limit(domain: DomainRow, settings: Settings) -> str:
    pages = find_page_limit(settings, domain.rules)
    source = f" ({FROM_RULE}{_describe_setter(domain)})" if pages.source == FROM_RULE else ""
    return f"{domain.name} has used up its {pages.value:,.0f} pages for this run{source}."


def _describe_delay(domain: DomainRow, settings: Settings) -> str:
    delay = find_delay(domain.state.pace, settings.politeness, domain.rules)
    at_a_time = find_concurrency(settings.politeness, domain.rules)
    is_ruled = FROM_RULE in (delay.source, at_a_time.source)
    several = "" if at_a_time.value == 1 else f", {at_a_time.value:g} requests at a time ({at_a_time.source})"
    setter = _describe_setter(domain) if is_ruled else ""
    return (
        f"{domain.name} gets at most one request every {delay.value:g} s ({delay.source}){several}{setter}."
    )


def _describe_setter(domain: DomainRow) -> str:
    return f", set by {domain.rules_by} at {format_instant(domain.rules_at)}"
