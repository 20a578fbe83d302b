"""Finds out how a site answers where there is no page, and which of its answers are of that kind.

The invented address is a url like any other: it is queued, checked against scope and robots.txt, requested at
the domain's pace and logged. What it shows is settled together with its visit.
"""

import secrets

from tenax.clock import Instant
from tenax.config.crawl import ValidationSettings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.robots_rules import find_robots_refusal
from tenax.policy.guards.soft_404 import (
    ErrorPage,
    Stage,
    begin_probing,
    goes_on,
    is_error_page,
    is_home,
    learn_page,
    should_probe,
)
from tenax.policy.revisit import find_next_try
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.pages import PageContent
from tenax.records.urls import PROBE, SOFT_404, FoundBy, NewUrl, Priority, Target
from tenax.records.visits import Gone, Redirected, Visit
from tenax.web.identity import url_key
from tenax.web.urls import origin_of

SAMPLES = 4
_SAMPLE_CHARS = 8000
_QUEUE_LENGTH = 2  # of a domain that is about to be probed
_NAME_BYTES = 10

_IS_PROBE = "an invented address, requested to learn how the site answers where there is no page"
_LOOKS_MISSING = "it looks like the page that the site shows where there is none"
_GOES_HOME = "it redirects to the home page, as everything does that the site does not have"


@record
class Soft404Guard:
    settings: ValidationSettings
    scope: Scope

    def judge_page(
        self, domain: LeasedDomain, target: Target, status: int, page: PageContent | None, at: Instant
    ) -> Gone | None:
        """None: it is a page. `page` None: it was read apart, which no error page is large enough for."""
        if target.found_by is FoundBy.PROBE:
            if page is not None and (probing := _find_probing(domain)) is not None:
                self._learn(domain, learn_page(probing, target.url, page.title, page.text, at))
            return Gone(status=status, reason=PROBE, detail=_IS_PROBE)
        known_page = domain.error_page
        if known_page is None or page is None or _is_exempt(target):
            return None
        if not is_error_page(known_page, target.url, page.title, page.text):
            return None
        return Gone(status=status, reason=SOFT_404, detail=_LOOKS_MISSING)

    def judge_redirect(
        self, domain: LeasedDomain, target: Target, status: int, to_url: str, at: Instant
    ) -> Gone | None:
        """None: it is followed."""
        if target.found_by is FoundBy.PROBE and not goes_on(target.url, to_url):
            if _find_probing(domain) is not None:
                stage = Stage.GOES_HOME if is_home(to_url) else Stage.UNCLEAR
                self._learn(domain, ErrorPage(stage=stage, at=at))
            return Gone(status=status, reason=PROBE, detail=_IS_PROBE)
        known = domain.error_page
        if known is None or known.stage is not Stage.GOES_HOME or _is_exempt(target) or not is_home(to_url):
            return None
        return Gone(status=status, reason=SOFT_404, detail=_GOES_HOME)

    def sample(self, domain: LeasedDomain, target: Target, text: str, at: Instant) -> None:
        """Keep the texts of some pages until the domain is probed: its home page, and those just before."""
        if len(domain.samples) >= SAMPLES:
            return
        is_first = domain.error_page is None and _is_exempt(target)
        if is_first or should_probe(domain.error_page, domain.stored_pages + SAMPLES, at, self.settings):
            domain.samples.append(text[:_SAMPLE_CHARS])

    def plan_probe(self, domain: LeasedDomain, target: Target, at: Instant) -> tuple[NewUrl, ...]:
        """The address to request, when the time has come. Called with each page: the first line ends it for
        most."""
        if not should_probe(domain.error_page, domain.stored_pages + 1, at, self.settings):
            return ()
        url = f"{origin_of(target.url)}/{secrets.token_hex(_NAME_BYTES)}"
        if len(domain.samples) < 2 or self._is_forbidden(domain, url, target.depth):
            return ()
        domain.learn_error_page(begin_probing(domain.error_page, domain.samples, at))
        domain.samples.clear()
        domain.shorten_queue(_QUEUE_LENGTH)
        new = NewUrl(
            url=url,
            key=url_key(url),
            domain=domain.name,
            depth=target.depth,
            priority=Priority.HIGH,
            discovered_from=target.id,
            found_by=FoundBy.PROBE,
        )
        return (new,)

    def note_visit(self, domain: LeasedDomain, visit: Visit) -> None:
        """A site that says when a page is missing needs no probe, and a probe without a clear answer ends."""
        outcome = visit.outcome
        if isinstance(outcome, Gone) and outcome.status in (404, 410):
            if domain.error_page is None or domain.error_page.stage is Stage.PROBING:
                self._learn(domain, ErrorPage(stage=Stage.HONEST, at=visit.at))
            return
        is_over = not isinstance(outcome, Redirected) and find_next_try(visit) is None
        if visit.target.found_by is FoundBy.PROBE and is_over and _find_probing(domain) is not None:
            self._learn(domain, ErrorPage(stage=Stage.UNCLEAR, at=visit.at))

    def _learn(self, domain: LeasedDomain, known: ErrorPage) -> None:
        domain.learn_error_page(known)
        domain.samples.clear()

    def _is_forbidden(self, domain: LeasedDomain, url: str, depth: int) -> bool:
        rules = domain.robots.get(origin_of(url))
        if rules is None or find_robots_refusal(rules.rules, url) is not None:
            return True
        return self.scope.check(url, depth) is not None


def _is_exempt(target: Target) -> bool:
    """What a user asked for is there, and so is the home page."""
    return target.is_seed or is_home(target.url)


def _find_probing(domain: LeasedDomain) -> ErrorPage | None:
    known = domain.error_page
    return known if known is not None and known.stage is Stage.PROBING else None
