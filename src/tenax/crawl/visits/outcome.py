"""From an answer to the outcome of a visit. crawl/domains/feedback.py decides about the domain."""

import random
from dataclasses import field

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.robots_rules import OriginRules, find_robots_refusal, refuse_address
from tenax.crawl.reading.isolation import Crashed, IsolatedReader, Loss, OverLimit, Undecided
from tenax.crawl.reading.messages import ReadRequest, ReadResult
from tenax.crawl.reading.page import ReadPage, read_page
from tenax.crawl.visits.admission import Admission
from tenax.discover.forms import has_password_field
from tenax.errors import ContentError, DocumentTooLarge
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.text import has_wanted
from tenax.policy.retry import StatusClass, classify_status, plan_retry
from tenax.record import record, replace
from tenax.records.pages import Outside, PackedPage, PageContent, PageImage
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import NewUrl, RefusalReason, Target
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Merged,
    Outcome,
    Redirected,
    Refused,
    Skipped,
    Unchanged,
    Visit,
)
from tenax.stores.contracts.workers import SignOfLife
from tenax.stores.hot.packing import pack_body, pack_page
from tenax.telemetry import log
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
NOINDEX = Refused(reason=RefusalReason.NOINDEX, detail="the page asks not to be kept")


@record
class OutcomeBuilder:
    settings: Settings
    admission: Admission
    watch: SignOfLife
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
        """The visit that ends with this answer. The domain's pace has taken the answer in already.
        DocumentTooLarge: it is for `conclude_apart`."""
        if isinstance(answer, Failure):
            outcome: Outcome = self._conclude_failure(target, answer, now)
            return build_visit(target, answer, outcome)
        outcome, discovered = self._conclude_status(domain, target, answer, now)
        return self._with_headers(build_visit(target, answer, outcome, discovered), answer)

    def order(self, target: Target, answer: Response) -> ReadRequest:
        """To read a page apart: one that is too large, or that a worker died over."""
        return build_order(answer, target.url, self.settings, self.profile, is_suspect=target.crashes > 0)

    async def conclude_apart(
        self, domain: LeasedDomain, target: Target, answer: Response, order: ReadRequest, now: Instant
    ) -> Visit:
        """The same for a page that is read in another process. The answer need not have its body any more."""
        visit = await self._conclude_apart(domain, target, answer, order, now)
        return self._with_headers(visit, answer)

    async def _conclude_apart(
        self, domain: LeasedDomain, target: Target, answer: Response, order: ReadRequest, now: Instant
    ) -> Visit:
        try:
            found = await self.reader.read(order)
        except ContentError as error:
            return build_visit(target, answer, unreadable(error, answer.status))
        if not isinstance(found, ReadResult):
            return build_visit(target, answer, self._conclude_loss(target, found, answer.status, now))
        outcome, discovered = self._conclude_read(domain, target, answer, found, order.body_bytes)
        return build_visit(target, answer, outcome, discovered)

    def _with_headers(self, visit: Visit, answer: Response) -> Visit:
        names = self.settings.extract.response_headers
        return replace(visit, headers=keep_headers(answer.headers, names)) if names else visit

    def _conclude_loss(self, target: Target, lost: Loss, status: int, now: Instant) -> Failed:
        """Of a reader. Doubts never condemn a page, and they end: one that brings the machine to its knees
        whenever it is read is given up like one that never answers."""
        kind, retry_at = FailureKind.READER, None
        if isinstance(lost, OverLimit):
            kind = lost.kind
        elif isinstance(lost, Crashed):
            kind = FailureKind.CRASH
        elif (planned := self._plan_retry(target, now)) is not None:
            rest_s = READER_REST_S * 2.0 ** min(target.attempts, MOST_DOUBLINGS)
            retry_at = max(planned, now + rest_s)
        detail = describe_loss(lost, is_suspect=target.crashes > 0)
        return Failed(kind=kind, detail=detail, status=status, retry_at=retry_at)

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
        except DocumentTooLarge:
            raise
        except ContentError as error:
            return unreadable(error, answer.status), ()
        finally:
            self.watch.note_reading(0)
        return self._conclude_reading(domain, target, answer, reading)

    def _conclude_reading(
        self, domain: LeasedDomain, target: Target, answer: Response, reading: ReadPage
    ) -> Conclusion:
        page = reading.page
        discovered = () if page.is_nofollow else self.admission.admit(domain, target, reading.links)
        outside = self.admission.take_outside()
        if page.is_noindex:
            return NOINDEX, discovered
        packed = pack_page(page, reading.links.values(), reading.images.values())
        fetched = self._build_fetched(
            answer,
            packed,
            reading.images,
            outside,
            body_bytes=len(answer.body),
            is_own_canonical=_is_own_canonical(domain, target, packed),
            is_login_form=self._is_login_form(domain, target, answer, page),
        )
        return fetched, discovered

    def _conclude_read(
        self, domain: LeasedDomain, target: Target, answer: Response, read: ReadResult, body_bytes: int
    ) -> Conclusion:
        """The same for a page that came packed. Nobody looks for a login form in it: none is so large, and a
        suspect is not read in this process."""
        discovered = () if read.is_nofollow else self.admission.admit(domain, target, read.links)
        outside = self.admission.take_outside()
        if read.is_noindex:
            return NOINDEX, discovered
        fetched = self._build_fetched(
            answer,
            read.page,
            read.images,
            outside,
            body_bytes=body_bytes,
            is_own_canonical=_is_own_canonical(domain, target, read.page),
        )
        return fetched, discovered

    def _build_fetched(
        self,
        answer: Response,
        page: PackedPage,
        images: dict[int, PageImage],
        outside: tuple[Outside, ...],
        *,
        body_bytes: int,
        is_own_canonical: bool,
        is_login_form: bool = False,
    ) -> Fetched:
        headers = answer.headers
        return Fetched(
            page=page,
            status=answer.status,
            content_type=parse_content_type(headers.get("content-type"))[0] or None,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            body_bytes=body_bytes,
            is_login_form=is_login_form,
            new_images=self.admission.admit_images(images) if images else (),
            outside=outside,
            is_own_canonical=is_own_canonical,
        )

    def _is_login_form(
        self, domain: LeasedDomain, target: Target, answer: Response, page: PageContent
    ) -> bool:
        """Looks only at a page that says what the one before it said: most never do. A page that shows what
        the profile asks for is no wall: prices are often the same."""
        if page.content_hash != domain.page_hash or b"password" not in answer.body:
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
        is_merged = _is_one(domain, target, to_url)
        return Redirected(status=answer.status, to_url=to_url, is_merged=is_merged), discovered

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


def _is_own_canonical(domain: LeasedDomain, target: Target, page: PackedPage) -> bool:
    return page.canonical is not None and _is_one(domain, target, page.canonical)


def _is_one(domain: LeasedDomain, target: Target, url: str) -> bool:
    """Whether merge rules make the address one with the target."""
    return domain.classes is not None and domain.classes.is_one(target, url)


def is_page(answer: Response) -> bool:
    """The body is there and is to be read as HTML."""
    if not 200 <= answer.status < 300:
        return False
    mime, _ = parse_content_type(answer.headers.get("content-type"))
    return is_html(mime) or (not mime and bool(answer.body))


def build_order(
    answer: Response, url: str, settings: Settings, profile: ExtractionProfile, *, is_suspect: bool = False
) -> ReadRequest:
    return ReadRequest(
        body=pack_body(answer.body),
        body_bytes=len(answer.body),
        url=url,
        content_type=answer.headers.get("content-type"),
        robots_tag=answer.headers.get("x-robots-tag"),
        max_links=settings.limits.links_per_page,
        profile=profile,
        keep=settings.scope.kept_names,
        is_suspect=is_suspect,
    )


def describe_loss(lost: Loss, *, is_suspect: bool = False) -> str:
    """Why a page could not be read apart."""
    match lost:
        case OverLimit(how=how):
            return how
        case Crashed(how=how):
            return f"a worker died while it read it, and then {how}" if is_suspect else f"twice, {how}"
        case Undecided(how=how):
            return f"{how}, which says nothing about the page"


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


def refuse(target: Target, refusal: Refused | Merged, now: Instant) -> Visit:
    """A visit that ends before any request."""
    return Visit(target=target, outcome=refusal, at=now, duration_s=0.0, wire_bytes=0, made_request=False)
