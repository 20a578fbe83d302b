"""From an answer that is not a page to the outcome of a visit. pages.py does the same for pages."""

import random
from collections.abc import Collection

from tenax.clock import Instant
from tenax.config.crawl import RetrySettings
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.robots_rules import OriginRules, find_robots_refusal, refuse_address
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.soft_404 import Soft404Guard
from tenax.extract.validation import name_vendor
from tenax.policy.retry import StatusClass, classify_status, plan_retry
from tenax.record import record
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import PROBE, FoundBy, NewUrl, RefusalReason, Target
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Outcome,
    Redirected,
    Refused,
    Skipped,
    Unchanged,
    Visit,
)
from tenax.telemetry import log
from tenax.web.headers import parse_content_type
from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key
from tenax.web.kept_headers import keep_headers
from tenax.web.urls import parse_url

SHOWN_CHARS = 100  # of what a server says, in a sentence

SITEMAPS_OFF = Refused(reason=RefusalReason.EXCLUDED, detail="it is a sitemap, and sitemaps.enabled is off")

Conclusion = tuple[Outcome, tuple[NewUrl, ...]]  # with the urls to add to the frontier


@record
class OutcomeBuilder:
    settings: Settings
    admission: Admission
    hrefs: Hrefs
    soft_404: Soft404Guard | None = None

    def find_refusal(self, target: Target, rules: OriginRules) -> Refused | None:
        """What forbids the visit. Scope is checked again: it may have changed since the url was found."""
        if rules.refusal is not None:
            return rules.refusal
        scope = self.admission.scope
        if target.is_sitemap:
            refusal = scope.check_sitemap(target.url) if self.admission.reads_sitemaps else SITEMAPS_OFF
        else:
            refusal = scope.check(target.url, target.depth, is_seed=target.is_seed)
        return refusal or find_robots_refusal(rules.rules, target.url)

    def build(
        self, domain: LeasedDomain, target: Target, answer: Response | Failure, now: Instant
    ) -> Conclusion:
        """The outcome of any answer but a page. The domain's pace has seen the answer already."""
        if isinstance(answer, Failure):
            return self._build_failure(target, answer, now), ()
        status = answer.status
        match classify_status(status):
            case StatusClass.OK:
                mime, _ = parse_content_type(answer.headers.get("content-type"))
                return Skipped(status=status, content_type=mime or "unknown"), ()
            case StatusClass.NOT_MODIFIED if target.content_hash is None:
                # The request had no validators, and there is no page to keep.
                return http_error(status, None), ()
            case StatusClass.NOT_MODIFIED:
                return Unchanged(), ()
            case StatusClass.REDIRECT:
                return self._build_redirect(domain, target, answer, now)
            case StatusClass.GONE:
                is_probe = target.found_by is FoundBy.PROBE
                return Gone(status=status, reason=PROBE if is_probe else None), ()
            case StatusClass.FORBIDDEN | StatusClass.PERMANENT if target.found_by.is_guess and status < 500:
                # Nobody named it: whatever the server has against it is no error.
                return Gone(status=status), ()
            case StatusClass.PUSHBACK | StatusClass.FORBIDDEN as found:
                return self._build_pushback(domain, target, answer, found, now), ()
            case StatusClass.TRANSIENT:
                return http_error(status, plan_next_try(target, now, self.settings.retry)), ()
            case StatusClass.PERMANENT:
                return http_error(status, None), ()

    def _build_failure(self, target: Target, failure: Failure, now: Instant) -> Outcome:
        if (refusal := refuse_address(failure)) is not None:
            return refusal
        retry_at = plan_next_try(target, now, self.settings.retry) if failure.is_transient else None
        return Failed(kind=failure.kind, detail=failure.detail, status=None, retry_at=retry_at)

    def _build_redirect(
        self, domain: LeasedDomain, target: Target, answer: Response, now: Instant
    ) -> Conclusion:
        location = answer.headers.get("location")
        if not location:
            return broken_redirect(answer.status, "redirects without saying where to"), ()
        to_url = parse_url(location, target.url, self.hrefs.keep)
        if to_url is None:
            detail = f"redirects to {shorten(location)}, which is not a page on the web"
            return Refused(reason=RefusalReason.SCHEME, detail=detail), ()
        if to_url == target.url:
            return broken_redirect(answer.status, "redirects to itself"), ()
        if target.hops >= self.settings.limits.max_hops:
            limit = self.settings.limits.max_hops
            detail = f"the end of more than {limit} redirects in a row"
            return Refused(reason=RefusalReason.TOO_MANY_HOPS, detail=detail), ()
        if url_key(to_url) == target.key:
            return Redirected(status=answer.status, to_url=to_url, asked_again_at=now), ()
        if self.soft_404 is not None:
            gone = self.soft_404.judge_redirect(domain, target, answer.status, to_url, now)
            if gone is not None:
                return gone, ()
        discovered = self.admission.admit_redirect(domain, target, to_url)
        is_merged = domain.merges(target, to_url)
        return Redirected(status=answer.status, to_url=to_url, is_merged=is_merged), discovered

    def _build_pushback(
        self, domain: LeasedDomain, target: Target, answer: Response, found: StatusClass, now: Instant
    ) -> Failed:
        status = answer.status
        rest_until = domain.state.pace.backoff_until or 0.0
        may_retry = status == 429 or target.attempts < self.settings.retry.attempts
        is_limit = found is StatusClass.PUSHBACK
        return Failed(
            kind=FailureKind.RATE_LIMITED if is_limit else FailureKind.FORBIDDEN,
            detail=self._describe_pushback(answer),
            status=status,
            retry_at=rest_until if rest_until > now and may_retry else None,
            # 429 is about the crawler's pace, not about this url: it may come any number of times.
            counts_as_attempt=status != 429,
        )

    def _describe_pushback(self, answer: Response) -> str:
        vendor = name_vendor(answer.headers, answer.body) if self.settings.validation.enabled else None
        said = describe_status(answer.status)
        return f"{said}: {vendor} turns the request away" if vendor else said


def plan_next_try(target: Target, now: Instant, settings: RetrySettings) -> Instant | None:
    """When to visit a url again that has failed once more; None: never."""
    return plan_retry(attempts=target.attempts + 1, now=now, settings=settings, roll=random.random())


def describe_status(status: int) -> str:
    return f"the server answered {status}"


def http_error(status: int, retry_at: Instant | None) -> Failed:
    detail = describe_status(status)
    return Failed(kind=FailureKind.HTTP_STATUS, detail=detail, status=status, retry_at=retry_at)


def broken_redirect(status: int, detail: str) -> Failed:
    return Failed(kind=FailureKind.PROTOCOL, detail=detail, status=status, retry_at=None)


def internal_error(error: Exception, target: Target, answer: Response | Failure | None) -> Failed:
    """`answer` None: no request was made."""
    log.error("visit_failed", url=target.url, exc_info=error)
    return Failed(
        kind=FailureKind.INTERNAL,
        detail=f"internal error: {type(error).__name__}",
        status=answer.status if isinstance(answer, Response) else None,
        retry_at=None,
    )


def shorten(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def build_visit(
    target: Target,
    answer: Response | Failure,
    outcome: Outcome,
    discovered: tuple[NewUrl, ...] = (),
    *,
    header_names: Collection[str] = (),
) -> Visit:
    """`header_names`: those of the response's headers that are kept."""
    if isinstance(answer, Failure):
        duration_s, wire_bytes, dns_s, headers, body = answer.elapsed_s, 0, 0.0, None, None
    else:
        timings = answer.timings
        duration_s, wire_bytes, dns_s = timings.total_s, answer.wire_bytes, timings.dns_s
        headers = keep_headers(answer.headers, header_names) if header_names else None
        # Not of what asks not to be kept, nor of what only looks like a page.
        body = answer.packed if isinstance(outcome, Fetched) else None
    return Visit(
        target=target,
        outcome=outcome,
        at=answer.started_at,
        duration_s=duration_s,
        wire_bytes=wire_bytes,
        made_request=True,
        discovered=discovered,
        dns_s=dns_s,
        headers=headers,
        body=body,
    )


def refuse(target: Target, outcome: Outcome, now: Instant) -> Visit:
    """A visit that ends before any request."""
    return Visit(target=target, outcome=outcome, at=now, duration_s=0.0, wire_bytes=0, made_request=False)
