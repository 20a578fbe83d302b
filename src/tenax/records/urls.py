"""URLs in the frontier: their fates, priorities and refusals."""

from enum import IntEnum, StrEnum

from tenax.record import record
from tenax.records.items import FollowUp, PageItems


class Priority(IntEnum):
    SLOWED = -1  # urls of a cluster that brings nothing new
    DISCOVERY = 0  # guesses: archives and next pages that nothing links to
    LOW = 1  # pagination, archives, deep pages
    MEDIUM = 2  # content
    HIGH = 3  # seeds, home pages, depth 2 or less


class FoundBy(IntEnum):
    """How a url was found first. Stored as a number, which takes no room for links."""

    LINK = 0  # on a page
    SEED = 1  # given by a user
    SITEMAP = 2
    FEED = 3
    ARCHIVE = 4  # a guess at where older pages are
    PAGINATION = 5  # a guess at the next page of a list
    PROBE = 6  # an invented address that shows how the site answers where there is no page

    @property
    def word(self) -> str:
        return self.name.lower()

    @property
    def is_guess(self) -> bool:
        return self in (FoundBy.ARCHIVE, FoundBy.PAGINATION)


class Fate(StrEnum):
    """What became of a url. Every known url has exactly one fate."""

    QUEUED = "queued"  # waits for its first visit
    RETRYING = "retrying"  # a visit failed; another is planned
    FETCHED = "fetched"  # its page is stored
    READ = "read"  # a sitemap: the urls that it lists are known
    DUPLICATE = "duplicate"  # another url represents it: same content, or joined by a merge rule
    REDIRECTED = "redirected"  # it points to another url, which has its own fate
    SKIPPED = "skipped"  # not HTML, nor a PDF that is wanted; its type is recorded, its body is not fetched
    GONE = "gone"  # the server says that it does not exist
    REFUSED = "refused"  # a rule forbids it: robots, scope, noindex, a limit
    REJECTED = (
        "rejected"  # its answer looks like a page and is none: a bot check, a consent wall, a parking page
    )
    DEAD = "dead"  # all its attempts failed
    QUARANTINED = "quarantined"  # reading it killed two processes
    TRAPPED = "trapped"  # its cluster of urls is closed: others like it brought nothing new


class RefusalReason(StrEnum):
    SCHEME = "scheme"  # not http or https, or not a URL at all
    URL_TOO_LONG = "url_too_long"
    OUT_OF_SCOPE = "out_of_scope"  # outside the seeds' domains, hosts or sites
    EXCLUDED = "excluded"  # an --exclude pattern matched
    NOT_INCLUDED = "not_included"  # no --include pattern matched
    TOO_DEEP = "too_deep"
    TOO_MANY_HOPS = "too_many_hops"  # the redirect chain is longer than allowed
    ROBOTS = "robots"  # a rule in robots.txt
    ROBOTS_UNREACHABLE = "robots_unreachable"  # robots.txt answered 5xx or not at all
    NOINDEX = "noindex"  # the page asks not to be kept
    PRIVATE_ADDRESS = "private_address"  # the guard forbids its address
    NO_ROUTE = "no_route"  # this machine has no route to its address, although it reaches others
    CLEARED = "cleared"  # a user removed it from the frontier


class ValidationStatus(StrEnum):
    """What is to be done about an answer that is no page."""

    SOFT = "soft"  # a browser may get the page: the url waits to be rendered
    HARD = "hard"  # the crawler is turned away, or there is no site


class RejectionReason(StrEnum):
    """Why an answer is no page although its status says so."""

    NEEDS_RENDERING = "needs_rendering"  # it asks for JavaScript, a newer browser or consent
    NO_CONTENT = "no_content"  # a rule about its size or structure
    BOT_CHECK = "bot_check"  # a captcha, or a check of the browser
    ACCESS_DENIED = "access_denied"
    SUSPENDED = "suspended"  # the account of the site at its host
    PARKED = "parked"  # the domain is for sale, or shows advertisements
    DEFAULT_PAGE = "default_page"  # of a server without a site
    ERROR_PAGE = "error_page"  # of the software behind the site

    @property
    def status(self) -> ValidationStatus:
        return ValidationStatus.SOFT if self in _SOFT else ValidationStatus.HARD


_SOFT = (RejectionReason.NEEDS_RENDERING, RejectionReason.NO_CONTENT)

# The reason of a url that is gone although the server says that it exists; see policy/guards/soft_404.py.
SOFT_404 = "soft_404"
# The reason of an invented address, which was never expected to exist.
PROBE = "probe"

# The reason of a url that is queued because a user asked for another visit after it was given up or refused.
ASKED_AGAIN = "asked_again"


class SitemapOrigin(StrEnum):
    """Where a sitemap was named."""

    ROBOTS = "robots"  # a Sitemap line of a robots.txt
    LINK = "link"  # <link rel="sitemap"> of a page
    INDEX = "index"  # another sitemap
    GUESS = "guess"  # a usual address
    REDIRECT = "redirect"  # a sitemap that has moved


@record
class SitemapNote:
    """What is known of a sitemap before it is read."""

    origin: SitemapOrigin
    hosts: tuple[str, ...] = ()  # domains other than its own whose urls it may list
    level: int = 0  # indexes that led to it


# What discovered a url of a feed or a robots.txt. No url has this id, so that they are not taken for urls
# that a user added, which get another try if they had been given up.
NO_URL = 0


@record
class NewUrl:
    """A url that is within the scope and about to be added to the frontier."""

    url: str
    key: int  # tenax.web.identity.url_key(url)
    domain: str
    depth: int
    priority: Priority
    hops: int = 0  # redirects that led here
    is_seed: bool = False
    # Id of the url whose page or sitemap names it; NO_URL: none does; None: given by a user.
    discovered_from: int | None = None
    found_by: FoundBy = FoundBy.LINK
    sitemap: SitemapNote | None = None  # it is to be read as a sitemap
    follow_up: FollowUp | None = None  # a handler has asked for it, and another is to see it


@record
class ListedSeed:
    """A line of a seed list."""

    url: str  # an address
    rank: int | None = None  # 1 is best; None: the list has no ranks


@record
class Target:
    """A url taken from the frontier to be visited."""

    id: int
    url: str
    key: int
    depth: int
    priority: int
    attempts: int
    hops: int
    crashes: int
    is_seed: bool
    etag: str | None
    last_modified: str | None
    content_hash: int | None  # of the stored page; None: no page is stored
    unchanged_count: int = 0  # visits in a row that found the page unchanged
    misses: int = 0  # visits in a row that found no page although one is stored
    class_key: int | None = None  # key of its address after merge rules; None: there are no rules
    found_by: FoundBy = FoundBy.LINK
    is_sitemap: bool = False  # it was named as a sitemap
    # 64 bits, signed: of the names and versions of the parsers that made the items of its page; None: no
    # parser did. Loaded only for runs with parsers, like the next two.
    parsed_by: int | None = None
    shown: PageItems | None = None  # on that page
    follow_ups: tuple[FollowUp, ...] = ()
