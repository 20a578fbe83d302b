"""Visits and their outcomes."""

from collections.abc import Mapping

from tenax.clock import Instant
from tenax.record import record
from tenax.records.pages import NewImage, Outside, PackedPage
from tenax.records.requests import FailureKind
from tenax.records.urls import NewUrl, RefusalReason, Target


@record
class Fetched:
    page: PackedPage
    status: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    body_bytes: int
    is_login_form: bool = False  # it says what the page before it said, and asks for a password
    new_images: tuple[NewImage, ...] = ()  # those of its images that the store may not know
    outside: tuple[Outside, ...] = ()  # domains out of scope that it names
    is_own_canonical: bool = False  # merge rules make it one with what it calls canonical


@record
class Unchanged:
    """304: the page that is stored is as it was."""


@record
class Redirected:
    status: int
    to_url: str
    is_merged: bool = False  # merge rules make it one with where it leads
    # It is the same url at another address, which it has from now on, and is asked for there at this time.
    asked_again_at: Instant | None = None


@record
class Skipped:
    status: int
    content_type: str


@record
class Gone:
    status: int


@record
class Refused:
    reason: RefusalReason
    detail: str


@record
class Merged:
    """It was not asked for: a merge rule makes it one with another url."""

    to_url: str  # the one that stands for it
    rule: str  # its name


@record
class Failed:
    kind: FailureKind
    detail: str
    status: int | None
    retry_at: Instant | None  # None: it was the last attempt
    counts_as_attempt: bool = True  # a rate limit is the domain's fault, not the url's


Outcome = Fetched | Unchanged | Redirected | Skipped | Gone | Refused | Merged | Failed


@record
class Visit:
    """One attempt at one url, ended."""

    target: Target
    outcome: Outcome
    at: Instant
    duration_s: float
    wire_bytes: int
    made_request: bool  # False: refused before any request
    discovered: tuple[NewUrl, ...] = ()
    dns_s: float = 0.0  # waited for the address before that; 0.0: it was known, or never came
    headers: Mapping[str, str] | None = None  # of the answer, those that a setting names; None: there is none
