"""From an answer that is a page to its outcome: read it, admit its links, pack it.

It is read in the worker, or in a process of its own if it is too large, is a PDF, or a worker died over it.
"""

from dataclasses import field
from typing import TypedDict

from tenax.clock import Instant
from tenax.config.crawl import ValidationSettings
from tenax.config.fetch import PDF
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.trap_guard import PageFacts
from tenax.crawl.reading.isolation import Crashed, IsolatedReader, Loss, OverLimit, Undecided
from tenax.crawl.reading.messages import ReadRequest, ReadResult
from tenax.crawl.reading.page import ReadPage, read_page
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.outcome import Conclusion, plan_next_try
from tenax.crawl.visits.soft_404 import Soft404Guard
from tenax.discover.forms import has_password_field
from tenax.errors import ContentError, DocumentTooLarge
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.text import has_wanted
from tenax.extract.validation import Rejection, Validator
from tenax.record import record
from tenax.records.pages import PackedPage
from tenax.records.requests import FailureKind, Response
from tenax.records.urls import FoundBy, NewUrl, RefusalReason, Target, ValidationStatus
from tenax.records.visits import Failed, Fetched, Refused, Rejected, Visit
from tenax.stores.contracts.workers import SignOfLife
from tenax.stores.hot.packing import pack_body, pack_page
from tenax.web.documents import parse_document
from tenax.web.headers import is_html, parse_content_type
from tenax.web.hrefs import Hrefs
from tenax.web.markup import MEMORY_BYTES
from tenax.web.pdfs import is_pdf

# A machine that kills readers needs longer to recover than a server that failed.
READER_REST_S = 60.0
MOST_DOUBLINGS = 6  # to an hour

NEW_URL_BYTES = 700  # measured, with the characters of an ordinary url
_NEW_IMAGE_BYTES = 500

NOINDEX = Refused(reason=RefusalReason.NOINDEX, detail="the page asks not to be kept")


@record
class PageBuilder:
    settings: Settings
    admission: Admission
    watch: SignOfLife
    profile: ExtractionProfile = WHOLE_PAGE
    hrefs: Hrefs = field(default_factory=Hrefs)
    validator: Validator | None = None  # None: everything is a page
    soft_404: Soft404Guard | None = None
    memory_bytes: int = MEMORY_BYTES  # for the document that is being read
    reader: IsolatedReader = field(default_factory=IsolatedReader)

    def read(self, target: Target, answer: Response) -> ReadPage | Failed:
        """Read a page in this process. Raises DocumentTooLarge: it is for `read_apart`."""
        self.watch.note_reading(target.id)
        try:
            return read_page(
                answer.body,
                url=target.url,
                headers=answer.headers,
                max_links=self.settings.limits.links_per_page,
                hrefs=self.hrefs,
                profile=self.profile,
                least_similar_chars=self.settings.similarity.compared_chars,
                validator=self.validator,
                memory_bytes=self.memory_bytes,
            )
        except DocumentTooLarge:
            raise
        except ContentError as error:
            return unreadable(error, answer.status)
        finally:
            self.watch.note_reading(0)

    def takes(self, answer: Response) -> bool:
        """Whether a page is to be made of it."""
        return is_page(answer) or self.takes_pdf(answer)

    def takes_pdf(self, answer: Response) -> bool:
        """Whether it is to be read as a PDF, which never happens in this process."""
        return is_wanted_pdf(answer, self.profile)

    def build_request(self, target: Target, answer: Response) -> ReadRequest:
        """What `read_apart` needs of an answer whose body is dropped meanwhile."""
        is_suspect = target.crashes > 0
        return build_read_request(answer, target.url, self.settings, self.profile, is_suspect=is_suspect)

    async def read_apart(
        self, target: Target, status: int, request: ReadRequest, now: Instant
    ) -> ReadResult | Failed:
        """Read a page in another process. Raises OSError when the machine cannot start one."""
        try:
            found = await self.reader.read(request)
        except ContentError as error:
            return unreadable(error, status)
        return found if isinstance(found, ReadResult) else self._build_loss(target, found, status, now)

    def build(
        self,
        domain: LeasedDomain,
        target: Target,
        answer: Response,
        read: ReadPage | ReadResult,
        body_bytes: int,
        packed: PackedPage | None = None,
    ) -> Conclusion:
        """The outcome of a page that was read: its links are admitted and its text is packed, unless it is
        `packed` already. `body_bytes`: of its document, which the answer of a page that was read apart does
        not have any more."""
        if (
            target.is_sitemap
            and (refusal := self.admission.scope.check(target.url, target.depth)) is not None
        ):
            return refusal, ()
        if read.verdict is not None:
            return self._reject(domain, target, answer, read, read.verdict)
        content = read.page if isinstance(read, ReadPage) else read
        guard, text = self.soft_404, read.page if isinstance(read, ReadPage) else None
        if guard is not None:
            gone = guard.judge_page(domain, target, answer.status, text, answer.started_at)
            if gone is not None:
                return gone, ()
        discovered = () if content.is_nofollow else self.admission.admit(domain, target, read.links)
        if domain.guesses is not None and not content.is_nofollow:
            discovered += self._guess(domain, target, read, discovered)
        outside = self.admission.take_outside()
        if content.is_noindex:
            return NOINDEX, discovered
        page = packed or (read.page if isinstance(read, ReadResult) else pack(read))
        headers = answer.headers
        fetched = Fetched(
            page=page,
            status=answer.status,
            content_type=PDF if read.is_pdf else parse_content_type(headers.get("content-type"))[0] or None,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            body_bytes=body_bytes,
            is_login_form=self._is_login_form(domain, target, answer, read),
            new_images=self.admission.admit_images(read.images) if read.images else (),
            outside=outside,
            is_own_canonical=page.canonical is not None and domain.merges(target, page.canonical),
        )
        if domain.guard is not None and target.content_hash is None:
            facts = PageFacts(
                url=target.url,
                text=read.page.text if isinstance(read, ReadPage) else None,
                text_chars=page.text_chars,
                content_hash=page.content_hash,
                discovered=discovered,
                has_new_images=bool(fetched.new_images),
            )
            domain.guard.note_page(facts)
        if guard is not None and text is not None:
            guard.sample(domain, target, text.text, answer.started_at)
            discovered += guard.plan_probe(domain, target, answer.started_at)
        return fetched, discovered

    def _guess(
        self,
        domain: LeasedDomain,
        target: Target,
        read: ReadPage | ReadResult,
        discovered: tuple[NewUrl, ...],
    ) -> tuple[NewUrl, ...]:
        """Pages of lists that are guessed: the next one of its own, or others that have waited for it."""
        assert domain.guesses is not None
        admitted = []
        for guess in domain.guesses.read(target, read.links, discovered, read.page.content_hash):
            url = self.admission.admit_guess(domain, guess.url, target.depth, target.id, FoundBy.PAGINATION)
            if url is not None:
                domain.guesses.note_guess(guess)
                admitted.append(url)
        return tuple(admitted)

    def _reject(
        self,
        domain: LeasedDomain,
        target: Target,
        answer: Response,
        read: ReadPage | ReadResult,
        verdict: Rejection,
    ) -> Conclusion:
        """No page is made of it. Only links that a browser would find, too, are followed."""
        discovered: tuple[NewUrl, ...] = ()
        if verdict.status is ValidationStatus.SOFT:
            discovered = self.admission.admit(domain, target, read.links)
            self.admission.take_outside()
        rejected = Rejected(
            status=answer.status,
            reason=verdict.reason,
            signature=verdict.signature,
            detail=f"{verdict.detail} ({verdict.signature})",
            vendor=verdict.vendor,
        )
        return rejected, discovered

    def _is_login_form(
        self, domain: LeasedDomain, target: Target, answer: Response, read: ReadPage | ReadResult
    ) -> bool:
        """Only a page with the same text as the one before is examined: most never are. A page that shows
        what the profile asks for is not a wall: prices are often the same. Pages that were read apart are not
        examined: no login form is that large, and a suspect is not parsed in this process."""
        if isinstance(read, ReadResult) or read.page.content_hash != domain.page_hash:
            return False
        if b"password" not in answer.body:
            return False
        document = parse_document(
            answer.body,
            url=target.url,
            content_type=answer.headers.get("content-type"),
            memory_bytes=self.memory_bytes,
        )
        return has_password_field(document) and not has_wanted(document.tree, self.profile)

    def _build_loss(self, target: Target, lost: Loss, status: int, now: Instant) -> Failed:
        """A reader was lost. Doubt never condemns a page, but it ends: a page that brings the machine to its
        knees whenever it is read is given up like one that never answers."""
        kind, retry_at = FailureKind.READER, None
        if isinstance(lost, OverLimit):
            kind = lost.kind
        elif isinstance(lost, Crashed):
            kind = FailureKind.CRASH
        elif (planned := plan_next_try(target, now, self.settings.retry)) is not None:
            rest_s = READER_REST_S * 2.0 ** min(target.attempts, MOST_DOUBLINGS)
            retry_at = max(planned, now + rest_s)
        detail = describe_loss(lost, is_suspect=target.crashes > 0)
        return Failed(kind=kind, detail=detail, status=status, retry_at=retry_at)


def is_page(answer: Response) -> bool:
    """The body is there and is to be read as HTML."""
    if not 200 <= answer.status < 300:
        return False
    mime, _ = parse_content_type(answer.headers.get("content-type"))
    return is_html(mime) or (not mime and bool(answer.body))


def is_wanted_pdf(answer: Response, profile: ExtractionProfile) -> bool:
    if profile.pdf_pages is None or not 200 <= answer.status < 300:
        return False
    return is_pdf(answer.headers, answer.body)


def pack(read: ReadPage) -> PackedPage:
    return pack_page(read.page, read.links.values(), read.images.values())


def build_read_request(
    answer: Response, url: str, settings: Settings, profile: ExtractionProfile, *, is_suspect: bool = False
) -> ReadRequest:
    return ReadRequest(
        body=pack_body(answer.body),
        body_bytes=len(answer.body),
        url=url,
        headers=answer.headers,
        is_suspect=is_suspect,
        pdf_pages=profile.pdf_pages if is_wanted_pdf(answer, profile) else None,
        **describe_reading(settings, profile),
    )


class ReadingRules(TypedDict):
    """What is the same for all documents of a run; see ReadRequest."""

    max_links: int
    profile: ExtractionProfile
    least_similar_chars: int | None
    validation: ValidationSettings
    keep: frozenset[str]


def describe_reading(settings: Settings, profile: ExtractionProfile) -> ReadingRules:
    return ReadingRules(
        max_links=settings.limits.links_per_page,
        profile=profile,
        least_similar_chars=settings.similarity.compared_chars,
        validation=settings.validation,
        keep=settings.scope.kept_names,
    )


def describe_loss(lost: Loss, *, is_suspect: bool = False) -> str:
    """Why a page could not be read in another process."""
    match lost:
        case OverLimit(how=how):
            return how
        case Crashed(how=how):
            return f"a worker died while reading it, and then {how}" if is_suspect else f"twice, {how}"
        case Undecided(how=how):
            return f"{how}, which says nothing about the page"


def unreadable(error: ContentError, status: int) -> Failed:
    return Failed(kind=FailureKind.CONTENT, detail=str(error), status=status, retry_at=None)


def weigh(fetched: Fetched, visit: Visit) -> int:
    """What a fetched page counts as in memory until it is settled.

    Text and links are packed by then, but the memory that they took comes back late: counting it keeps bodies
    from coming in faster. 64 requests for pages of 1.5 MB take 95 MB, and 145 when only what is held counts.
    """
    others = len(fetched.new_images) + len(fetched.outside)
    found_bytes = NEW_URL_BYTES * len(visit.discovered) + _NEW_IMAGE_BYTES * others
    stored_bytes = 0 if visit.body is None else len(visit.body.frame) + len(visit.body.heads)
    return fetched.page.unpacked_bytes + found_bytes + stored_bytes
