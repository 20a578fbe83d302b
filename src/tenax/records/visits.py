"""Visits and their outcomes."""

from array import array
from collections.abc import Mapping

from tenax.clock import Instant
from tenax.record import record
from tenax.records.bodies import PackedBody
from tenax.records.items import Parsing, Trial
from tenax.records.pages import NewImage, Outside, PackedPage
from tenax.records.requests import FailureKind
from tenax.records.sitemaps import SitemapReport
from tenax.records.urls import NewUrl, RefusalReason, RejectionReason, Target


@record
class Fetched:
    page: PackedPage
    status: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    body_bytes: int
    is_login_form: bool = False  # same text as the page before it, and it asks for a password
    new_images: tuple[NewImage, ...] = ()  # images that the store may not know
    outside: tuple[Outside, ...] = ()  # out-of-scope domains that it links to
    is_own_canonical: bool = False  # merge rules make it the same url as its canonical


@record
class Read:
    """A sitemap was read, as far as it could be."""

    status: int
    etag: str | None
    last_modified: str | None
    content_hash: int  # 64 bits, signed; of its bytes
    body_bytes: int
    report: SitemapReport
    # Keys of urls of its own domain, and when they were last modified, as the sitemap says.
    modified: tuple["array[int]", "array[float]"]


@record
class Unchanged:
    """304: the stored page has not changed."""


@record
class Redirected:
    status: int
    to_url: str
    is_merged: bool = False  # merge rules make it the same url as its target
    # It is the same url at a new address. It keeps that address and is requested there at this time.
    asked_again_at: Instant | None = None


@record
class Skipped:
    status: int
    content_type: str


@record
class Gone:
    status: int
    reason: str | None = None  # SOFT_404 or PROBE; None: the server says so
    detail: str | None = None


@record
class Rejected:
    """The answer looks like a page and is none. The page that was stored before stays."""

    status: int
    reason: RejectionReason
    signature: str  # its name in extract/signatures.toml, or the name of a rule
    detail: str  # the same in words
    vendor: str | None = None  # of a bot check


@record
class Refused:
    reason: RefusalReason
    detail: str


@record
class Merged:
    """It was not requested: a merge rule makes it the same as another url."""

    to_url: str  # the url that represents it
    rule: str  # name of the rule


@record
class Trapped:
    """It was not requested: its cluster of urls is closed."""

    shape: str  # of the cluster
    rule: str | None  # why it was closed; None: a user did it


@record
class Failed:
    kind: FailureKind
    detail: str
    status: int | None
    retry_at: Instant | None  # None: it was the last attempt
    counts_as_attempt: bool = True  # a rate limit is the domain's fault, not the url's


Outcome = (
    Fetched | Read | Unchanged | Redirected | Skipped | Gone | Rejected | Refused | Merged | Trapped | Failed
)


@record
class Visit:
    """A completed attempt to fetch a url."""

    target: Target
    outcome: Outcome
    at: Instant
    duration_s: float
    wire_bytes: int
    made_request: bool  # False: refused before any request
    discovered: tuple[NewUrl, ...] = ()
    dns_s: float = 0.0  # time spent on the DNS lookup before; 0.0: the address was known, or never found
    # Response headers that extract.response_headers selects; None: there was no response.
    headers: Mapping[str, str] | None = None
    parsings: tuple[Parsing, ...] = ()  # what parsers made of it
    trials: tuple[Trial, ...] = ()  # what candidate versions of parsers made of it
    parsed_by: int | None = None  # see Target; None: no parser is for it, or one failed
    body: PackedBody | None = None  # to be stored with it
