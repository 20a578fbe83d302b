"""From an answer to the outcome of a visit. Decides nothing about the domain: answers.py does that."""

import random
from dataclasses import field

from tenax.clock import Instant
from tenax.config import Settings
from tenax.crawl.admission import Admission
from tenax.crawl.domain import LeasedDomain
from tenax.crawl.isolation import Crashed, IsolatedReader, Undecided
from tenax.crawl.reader_messages import Suspect
from tenax.crawl.reading import Reading, read_page
from tenax.crawl.robots import OriginRules, find_robots_refusal, refuse_address
from tenax.discover.forms import has_password_field
from tenax.errors import ContentError
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.text import has_wanted
from tenax.policy.retry import StatusClass, classify_status, plan_retry
from tenax.records import (
    Failed,
    Failure,
    FailureKind,
    Fetched,
    Gone,
    NewUrl,
    Outcome,
    PageContent,
    Redirected,
    RefusalReason,
    Refused,
    Response,
    Skipped,
    Target,
    Unchanged,
    Visit,
)
from tenax.stores.base import Watch
from tenax.stores.packing import pack_page
from tenax.telemetry import log
from tenax.values import record, replace
from tenax.web.documents import parse_document
from tenax.web.headers import is_html, parse_content_type
from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key
from tenax.web.kept_headers import keep_headers
from tenax.web.markup import MEMORY_BYTES
from tenax.web.urls import parse_url

SHOWN_CHARS = 100  # of what a server says, in a sentence
# A machine that kills readers needs longer to recover than a server that failed.
READER_REST_S = 60.0
MOST_DOUBLINGS = 6  # to an hour

_NEW_URL_BYTES = 700  # measured, with the characters of an ordinary url
_NEW_IMAGE_BYTES = 500

Conclusion = tuple[Outcome, tuple[NewUrl, ...]]


@record(frozen=True, slots=True, kw_only=True)
class Visitor:
    settings: Settings
    admission: Admission
    watch: Watch
    profile: ExtractionProfile = WHOLE_PAGE
    hrefs: Hrefs = field(default_factory=Hrefs)
    memory_bytes: int = MEMORY_BYTES  # for the document that is being read
    reader: IsolatedReader = field(default_factory=IsolatedReader)

    def find_refusal(self, target: Target, rules: OriginRules) -> Refused | None:
        """What forbids the visit. Scope is asked again: it may have changed since the url was found."""
        if rules.refusal is not None:
            return rules.refusal
        refusal = self.admission.scope.check(target.url, target.depth, is_seed=target.is_seed)
        return refusal or find_robots_refusal(rules.rules, target.url)

    def conclude(
        self, domain: LeasedDomain, target: Target, answer: Response | Failure, now: Instant
    ) -> Visit:
        """The visit that ends with this answer. The domain's pace has taken the answer in already."""
        if isinstance(answer, Failure):
            outcome: Outcome = self._conclude_failure(target, answer, now)
            return build_visit(target, answer, outcome)
        outcome, discovered = self._conclude_status(domain, target, answer, now)
        return self._with_headers(build_visit(target, answer, outcome, discovered), answer)

    async def conclude_isolated(
        self, domain: LeasedDomain, target: Target, answer: Response, now: Instant
    ) -> Visit:
        """The same for a document that a worker died over: it is read in another process."""
        if not is_page(answer):
            return self.conclude(domain, target, answer, now)
        visit = await self._conclude_suspect(domain, target, answer, now)
        return self._with_headers(visit, answer)

    async def _conclude_suspect(
        self, domain: LeasedDomain, target: Target, answer: Response, now: Instant
    ) -> Visit:
        suspect = Suspect(
            body=answer.body,
            url=target.url,
            content_type=answer.headers.get("content-type"),
            robots_tag=answer.headers.get("x-robots-tag"),
            max_links=self.settings.limits.links_per_page,
            profile=self.profile,
            keep=self.settings.scope.kept_names,
        )
        try:
            found = await self.reader.read(suspect)
        except ContentError as error:
            return build_visit(target, answer, unreadable(error, answer.status))
        if not isinstance(found, Reading):
            return build_visit(target, answer, self._conclude_loss(target, found, answer.status, now))
        outcome, discovered = self._conclude_reading(domain, target, answer, found)
        return build_visit(target, answer, outcome, discovered)

    def _with_headers(self, visit: Visit, answer: Response) -> Visit:
        names = self.settings.extract.response_headers
        return replace(visit, headers=keep_headers(answer.headers, names)) if names else visit

    def _conclude_loss(self, target: Target, lost: Crashed | Undecided, status: int, now: Instant) -> Failed:
        """Of the reader of a suspect. Doubts never condemn a page, and they end: one that brings the machine
        to its knees whenever it is read is given up like one that never answers."""
        if isinstance(lost, Crashed):
            detail = f"a worker died while it read it, and then {lost.how}"
            return Failed(kind=FailureKind.CRASH, detail=detail, status=status, retry_at=None)
        planned = self._plan_retry(target, now)
        rest_s = READER_REST_S * 2.0 ** min(target.attempts, MOST_DOUBLINGS)
        return Failed(
            kind=FailureKind.READER,
            detail=f"{lost.how}, which says nothing about the page",
            status=status,
            retry_at=None if planned is None else max(planned, now + rest_s),
        )

    def _conclude_failure(self, target: Target, failure: Failure, now: Instant) -> Outcome:
        if (refusal := refuse_address(failure)) is not None:
            return refusal
        retry_at = self._plan_retry(target, now) if failure.is_transient else None
        return Failed(kind=failure.kind, detail=failure.detail, status=None, retry_at=retry_at)

    def _conclude_status(
        self, domain: LeasedDomain, target: Target, answer: Response, now: Instant
    ) -> Conclusion:
        status = answer.status
        match classify_status(status):
            case StatusClass.OK if is_page(answer):
                return self._conclude_page(domain, target, answer)
            case StatusClass.OK:
                mime, _ = parse_content_type(answer.headers.get("content-type"))
                return Skipped(status=status, content_type=mime or "unknown"), ()
            case StatusClass.NOT_MODIFIED if target.content_hash is None:
                # Nothing was asked to be compared, and there is no page to keep.
                return self._http_error(status, None), ()
            case StatusClass.NOT_MODIFIED:
                return Unchanged(), ()
            case StatusClass.REDIRECT:
                return self._conclude_redirect(domain, target, answer, now)
            case StatusClass.GONE:
                return Gone(status=status), ()
            case StatusClass.PUSHBACK | StatusClass.FORBIDDEN as found:
                return self._conclude_pushback(domain, target, status, found, now), ()
            case StatusClass.TRANSIENT:
                return self._http_error(status, self._plan_retry(target, now)), ()
            case StatusClass.PERMANENT:
                return self._http_error(status, None), ()

    def _conclude_page(self, domain: LeasedDomain, target: Target, answer: Response) -> Conclusion:
        self.watch.note_reading(target.id)
        try:
            reading = read_page(
                answer.body,
                url=target.url,
                content_type=answer.headers.get("content-type"),
                robots_tag=answer.headers.get("x-robots-tag"),
                max_links=self.settings.limits.links_per_page,
                hrefs=self.hrefs,
                profile=self.profile,
                memory_bytes=self.memory_bytes,
            )
        except ContentError as error:
            return unreadable(error, answer.status), ()
        finally:
            self.watch.note_reading(0)
        return self._conclude_reading(domain, target, answer, reading)

    def _conclude_reading(
        self, domain: LeasedDomain, target: Target, answer: Response, reading: Reading
    ) -> Conclusion:
        page = reading.page
        discovered = () if page.is_nofollow else self.admission.admit(domain, target, reading.links)
        outside = self.admission.take_outside()
        if page.is_noindex:
            return Refused(reason=RefusalReason.NOINDEX, detail="the page asks not to be kept"), discovered
        headers = answer.headers
        fetched = Fetched(
            page=pack_page(page, reading.links.values(), reading.images.values()),
            status=answer.status,
            content_type=parse_content_type(headers.get("content-type"))[0] or None,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            body_bytes=len(answer.body),
            is_login_form=self._is_login_form(domain, target, answer, page),
            new_images=self.admission.admit_images(reading.images) if reading.images else (),
            outside=outside,
        )
        return fetched, discovered

    def _is_login_form(
        self, domain: LeasedDomain, target: Target, answer: Response, page: PageContent
    ) -> bool:
        """Looks only at a page that says what the one before it said: most never do. A suspect is not read
        in this process. A page that shows what the profile asks for is no wall: prices are often the same."""
        if page.content_hash != domain.page_hash or target.crashes or b"password" not in answer.body:
            return False
        document = parse_document(
            answer.body,
            url=target.url,
            content_type=answer.headers.get("content-type"),
            memory_bytes=self.memory_bytes,
        )
        return has_password_field(document) and not has_wanted(document.tree, self.profile)

    def _conclude_redirect(
        self, domain: LeasedDomain, target: Target, answer: Response, now: Instant
    ) -> Conclusion:
        location = answer.headers.get("location")
        if not location:
            return broken_redirect(answer.status, "redirects without saying where to"), ()
        to_url = parse_url(location, target.url, self.hrefs.keep)
        if to_url is None:
            detail = f"redirects to {shorten(location)}, which is no page on the web"
            return Refused(reason=RefusalReason.SCHEME, detail=detail), ()
        if to_url == target.url:
            return broken_redirect(answer.status, "redirects to itself"), ()
        if target.hops >= self.settings.limits.max_hops:
            limit = self.settings.limits.max_hops
            detail = f"the end of more than {limit} redirects in a row"
            return Refused(reason=RefusalReason.TOO_MANY_HOPS, detail=detail), ()
        if url_key(to_url) == target.key:
            return Redirected(status=answer.status, to_url=to_url, asked_again_at=now), ()
        discovered = self.admission.admit_redirect(domain, target, to_url)
        return Redirected(status=answer.status, to_url=to_url), discovered

    def _conclude_pushback(
        self, domain: LeasedDomain, target: Target, status: int, found: StatusClass, now: Instant
    ) -> Failed:
        rest_until = domain.state.pace.backoff_until or 0.0
        retry_at = rest_until if rest_until > now and self._may_retry(target, status) else None
        is_limit = found is StatusClass.PUSHBACK
        return Failed(
            kind=FailureKind.RATE_LIMITED if is_limit else FailureKind.FORBIDDEN,
            detail=f"the server answered {status}",
            status=status,
            retry_at=retry_at,
            # 429 is about the crawler's pace, not about this url: it may come as often as it likes.
            counts_as_attempt=status != 429,
        )

    def _may_retry(self, target: Target, status: int) -> bool:
        return status == 429 or target.attempts < self.settings.retry.attempts

    def _http_error(self, status: int, retry_at: Instant | None) -> Failed:
        return Failed(
            kind=FailureKind.HTTP_STATUS,
            detail=f"the server answered {status}",
            status=status,
            retry_at=retry_at,
        )

    def _plan_retry(self, target: Target, now: Instant) -> Instant | None:
        return plan_retry(
            attempts=target.attempts + 1, now=now, settings=self.settings.retry, roll=random.random()
        )


def is_page(answer: Response) -> bool:
    """The body is there and is to be read as HTML."""
    if not 200 <= answer.status < 300:
        return False
    mime, _ = parse_content_type(answer.headers.get("content-type"))
    return is_html(mime) or (not mime and bool(answer.body))


def internal_error(error: Exception, target: Target, answer: Response | Failure | None) -> Failed:
    """`answer` None: nothing was asked."""
    log.error("visit_failed", url=target.url, exc_info=error)
    return Failed(
        kind=FailureKind.INTERNAL,
        detail=f"internal error: {type(error).__name__}",
        status=answer.status if isinstance(answer, Response) else None,
        retry_at=None,
    )


def unreadable(error: ContentError, status: int) -> Failed:
    return Failed(kind=FailureKind.CONTENT, detail=str(error), status=status, retry_at=None)


def broken_redirect(status: int, detail: str) -> Failed:
    return Failed(kind=FailureKind.PROTOCOL, detail=detail, status=status, retry_at=None)


def shorten(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def build_visit(
    target: Target, answer: Response | Failure, outcome: Outcome, discovered: tuple[NewUrl, ...] = ()
) -> Visit:
    if isinstance(answer, Failure):
        duration_s, wire_bytes, dns_s = answer.elapsed_s, 0, 0.0
    else:
        timings = answer.timings
        duration_s, wire_bytes, dns_s = timings.total_s, answer.wire_bytes, timings.dns_s
    return Visit(
        target=target,
        outcome=outcome,
        at=answer.started_at,
        duration_s=duration_s,
        wire_bytes=wire_bytes,
        made_request=True,
        discovered=discovered,
        dns_s=dns_s,
    )


def weigh(fetched: Fetched, discovered: tuple[NewUrl, ...]) -> int:
    """What a fetched page counts as in memory until it is settled.

    Text and links are packed by then, but the memory that they took comes back late: counting it keeps bodies
    from coming in faster. 64 requests for pages of 1.5 MB take 95 MB, and 145 when only what is held counts.
    """
    others = len(fetched.new_images) + len(fetched.outside)
    found_bytes = _NEW_URL_BYTES * len(discovered) + _NEW_IMAGE_BYTES * others
    return fetched.page.unpacked_bytes + found_bytes


def refuse(target: Target, refusal: Refused, now: Instant) -> Visit:
    """A visit that ends before any request."""
    return Visit(target=target, outcome=refusal, at=now, duration_s=0.0, wire_bytes=0, made_request=False)
