"""The words everybody uses, as plain values. No behaviour beyond what a value knows of itself."""

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum, StrEnum

from tenax.clock import Instant
from tenax.record import record


class Priority(IntEnum):
    LOW = 1  # pagination, archives, deep pages
    MEDIUM = 2  # content
    HIGH = 3  # seeds, home pages, depth 2 or less


class Fate(StrEnum):
    """Where a url is and why. Every known url has exactly one."""

    QUEUED = "queued"  # waits for its first visit
    RETRYING = "retrying"  # a visit failed; another is planned
    FETCHED = "fetched"  # its page is stored
    DUPLICATE = "duplicate"  # another url stands for it: it says the same, or a merge rule makes them one
    REDIRECTED = "redirected"  # it points to another url, which has a fate of its own
    SKIPPED = "skipped"  # it is no HTML; its type is recorded, its body is not fetched
    GONE = "gone"  # the server says that it does not exist
    REFUSED = "refused"  # a rule forbids it: robots, scope, noindex, a limit
    DEAD = "dead"  # it failed as often as it may
    QUARANTINED = "quarantined"  # reading it killed two processes


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
    NO_ROUTE = "no_route"  # this machine knows no way to its address, though it reaches others
    CLEARED = "cleared"  # a person took it out of the frontier


# The reason of a url that waits because a person asked for another visit after it was given up or refused.
ASKED_AGAIN = "asked_again"


class FailureKind(StrEnum):
    """Why a request or the reading of its answer failed."""

    DNS = "dns"  # the name could not be looked up
    NO_SUCH_HOST = "no_such_host"  # the name does not exist
    FORBIDDEN_ADDRESS = "forbidden_address"  # the guard refused to dial
    CONNECT = "connect"  # refused, unreachable, reset while connecting
    TLS = "tls"  # certificate or handshake
    TIMEOUT = "timeout"  # the total deadline passed
    RESET = "reset"  # the connection broke, or the body was shorter than announced
    PROTOCOL = "protocol"  # the answer is not HTTP
    ENCODING = "encoding"  # broken or unknown content encoding
    TOO_LARGE = "too_large"  # body or headers passed their cap
    HTTP_STATUS = "http_status"  # an error status that is no refusal and not gone
    RATE_LIMITED = "rate_limited"  # 429, or 503 with Retry-After
    FORBIDDEN = "forbidden"  # 401, 403
    CONTENT = "content"  # the document could not be read
    CRASH = "crash"  # reading the document killed a process
    READER = "reader"  # its reader was killed from outside: nothing is known of the document
    READER_MEMORY = "reader_memory"  # reading it takes more than reader.memory_mb
    READER_TIME = "reader_time"  # and more CPU time than reader.cpu_s
    INTERNAL = "internal"  # a fault of this program: an exception that nobody expected
    LOCAL = "local"  # this machine is short of something: descriptors, memory, ports, its network
    NO_ROUTE = "no_route"  # this machine knows no way to any address of the host


# What this machine or this program did: no failure of the site that was asked.
OURS = frozenset({FailureKind.LOCAL, FailureKind.NO_ROUTE, FailureKind.INTERNAL})


class DomainStatus(StrEnum):
    PENDING = "pending"  # known, never crawled
    ACTIVE = "active"  # partly crawled, more urls wait
    EXHAUSTED = "exhausted"  # every known url has its final fate
    BLOCKED = "blocked"  # it turns us away; rests until next_crawl_after
    UNREACHABLE = "unreachable"  # no connection; rests until next_crawl_after


class ChangeKind(StrEnum):
    """What a visit can find out about a page."""

    NEW = "new"  # it was not there before, or is there again
    CHANGED = "changed"  # its text is another one
    GONE = "gone"  # there is no page any more: missing, redirected, no HTML, or not to be kept


class Cause(StrEnum):
    """Why a domain changed its status. policy/domain_states.py says which cause may lead where."""

    ANSWERED = "answered"  # its first answer of this turn, good or bad
    ALL_DONE = "all_done"  # every known url has its fate
    NEW_URLS = "new_urls"  # more urls of it were found
    REFRESH = "refresh"  # pages of it are to be visited again
    # it turns us away
    LOGIN_REQUIRED = "login_required"
    RATE_LIMITED = "rate_limited"
    FORBIDDEN = "forbidden"
    ROBOTS_DENIED = "robots_denied"  # robots.txt forbids all of it
    MANUAL = "manual"  # a person blocked it
    # it does not answer
    DNS_FAILURE = "dns_failure"
    CONNECTION_FAILED = "connection_failed"
    SERVER_ERROR = "server_error"  # 5xx and nothing else
    ROBOTS_UNREACHABLE = "robots_unreachable"  # 5xx for robots.txt, so nothing may be asked
    # it gets another try
    COOLDOWN_OVER = "cooldown_over"
    ASKED_AGAIN = "asked_again"  # a person named it as a seed again
    UNBLOCKED = "unblocked"  # a person lifted the block
    RESET = "reset"  # a person wants all of it again


class RunState(StrEnum):
    RUNNING = "running"  # some process works on it, or died working on it
    PAUSED = "paused"  # a person holds it; it goes on when somebody resumes it
    DONE = "done"  # nothing was left to do
    BUDGET = "budget"  # the page budget of the run was used up
    STOPPED = "stopped"  # a person or the system asked it to stop
    FAILED = "failed"  # an error ended it


# --- fetch -----------------------------------------------------------------------------------


@record
class Request:
    url: str
    etag: str | None = None
    last_modified: str | None = None
    html_only: bool = True  # stop after the headers when the type is not HTML
    max_bytes: int | None = None  # decoded body cap; None: the fetcher's setting
    truncate: bool = False  # at the cap keep what came instead of failing (robots.txt)
    timeout_s: float | None = None  # total deadline; None: the fetcher's setting
    body: bytes | None = None  # what is posted; None: a GET
    headers: tuple[bytes, ...] = ()  # more of them, as b"Name: value"; they replace the fetcher's


@record
class Timings:
    """Seconds from the start of the request; 0.0 where a phase did not happen."""

    dns_s: float = 0.0
    connect_s: float = 0.0
    tls_s: float = 0.0
    first_byte_s: float = 0.0
    total_s: float = 0.0


@record
class Response:
    """One answer of one server. Redirects are answers, not followed."""

    url: str
    status: int
    headers: Mapping[str, str]  # names in lower case; repeated ones joined with ", "
    body: bytes  # decoded; b"" when the type was not wanted
    started_at: Instant
    timings: Timings
    address: str  # the IP that answered
    http_version: str  # "1.1", "2", "3"
    wire_bytes: int  # body bytes as sent, before decoding
    is_truncated: bool = False


@record
class Failure:
    """A request without a usable answer."""

    kind: FailureKind
    detail: str
    is_transient: bool  # a later attempt may succeed
    started_at: Instant
    elapsed_s: float = 0.0
    address: str | None = None


@record
class Addresses:
    """Where a host is."""

    ips: tuple[str, ...]  # IPv4 first; never empty
    stored_at: Instant
    expires_at: Instant


# --- documents -------------------------------------------------------------------------------


# A link of a page: url, rel, anchor, tag (a, area, link or meta). A plain tuple goes to the store as it is.
PageLink = tuple[str, str, str, str]
# An image of a page: url, alt, kind (img, picture, og:image or twitter:image).
PageImage = tuple[str, str, str]


@record
class PageContent:
    """What is kept of a document."""

    title: str | None
    description: str | None
    canonical: str | None  # an address, None when absent or useless
    language: str | None
    charset: str
    text: str
    content_hash: int  # 64 bits, signed; of the text
    is_noindex: bool = False
    is_nofollow: bool = False


@record
class PackedPage:
    """A page as stores keep it."""

    title: str | None
    description: str | None
    canonical: str | None
    language: str | None
    charset: str
    text: bytes  # zstd of UTF-8
    text_chars: int
    content_hash: int
    links: bytes  # zstd of JSON: [[url, rel, anchor, tag], …]
    links_count: int
    images: bytes | None  # zstd of JSON: [[url, alt, kind], …]; None: it has none
    images_count: int
    unpacked_bytes: int  # what text, links and images took in memory


@record
class NewImage:
    url: str
    key: int
    alt: str


# Where links of a page lead that scope does not admit: domain, one of its urls, how many of them no page has
# named before.
Outside = tuple[str, str, int]


# --- frontier --------------------------------------------------------------------------------


@record
class NewUrl:
    """A url that scope admitted, on its way into the frontier."""

    url: str
    key: int  # tenax.web.identity.url_key(url)
    domain: str
    depth: int
    priority: Priority
    hops: int = 0  # redirects that led here
    is_seed: bool = False
    discovered_from: int | None = None  # id of the url whose page named it; None: a person did


@record
class ListedSeed:
    """A line of a seed list."""

    url: str  # an address
    rank: int | None = None  # 1 is the best; None: the list has no ranks


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
    content_hash: int | None  # of the page that is stored; None: there is none
    unchanged_count: int = 0  # visits in a row that found the page as it was
    misses: int = 0  # visits in a row that found no page where one is stored
    class_key: int | None = None  # of what merge rules make of its address; None: there are none


class BreakerState(StrEnum):
    CLOSED = "closed"  # requests flow
    OPEN = "open"  # no request until reopen_at
    HALF_OPEN = "half_open"  # trial requests decide


@record
class Breaker:
    """A domain's circuit breaker, a value; policy/breaker.py moves it."""

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0  # in a row
    successes: int = 0  # in a row, while half open
    trips: int = 0  # openings since the last time it closed
    reopen_at: Instant | None = None


@record
class Pace:
    """How fast one domain may be asked, a value; policy/politeness.py moves it."""

    robots_delay_s: float | None = None  # Crawl-delay, already capped
    last_start_at: Instant | None = None  # of the last request
    last_answer_at: Instant | None = None  # its first byte, or its failure
    last_response_s: float = 0.0  # how long the last good answer took
    backoff_level: int = 0  # doublings in force
    backoff_until: Instant | None = None
    last_backoff_at: Instant | None = None
    pushback_streak: int = 0  # rests in a row without a good answer between
    forbidden_streak: int = 0  # 403s in a row


@record
class Transition:
    """A domain changed its status."""

    at: Instant
    from_status: DomainStatus
    to_status: DomainStatus
    cause: Cause
    detail: str  # the cause in words


@record
class DomainState:
    """What a worker knows of a domain and writes back with every batch."""

    status: DomainStatus = DomainStatus.PENDING
    block_code: str | None = None
    block_reason: str | None = None
    next_crawl_after: Instant | None = None  # blocked or unreachable, and None: until a person says so
    retries: int = 0  # cooldowns in a row that ended without a page
    login_streak: int = 0  # answers in a row that ask to log in
    pace: Pace = field(default_factory=Pace)
    breaker: Breaker = field(default_factory=Breaker)
    run_pages: int = 0  # pages of this domain in the current run
    transitions: tuple[Transition, ...] = ()  # those that are not in the store yet


@record
class DomainRules:
    """What a person wants of one domain, whoever crawls it; None: as its source has it."""

    delay_s: float | None = None  # least time between two requests
    per_domain: int | None = None  # requests at the same time
    pages_per_run: int | None = None  # 0: no limit
    is_active: bool = True  # False: nothing is requested of it, its urls wait


NO_RULES = DomainRules()


@record
class Lease:
    """A worker's exclusive claim on a domain. Every write names the version: the fence."""

    domain_id: int
    domain: str
    version: int
    expires_at: Instant
    state: DomainState
    known_urls: int  # how many urls of the domain the store holds
    stored_pages: int = 0  # and how many pages
    rules: DomainRules = NO_RULES
    is_mixed: bool = False  # some of its urls may be set aside for others: they are known and still new


@record
class RobotsRecord:
    """What the store keeps of one origin's robots.txt."""

    origin: str
    status: int | None  # None: no answer
    body: bytes
    fetched_at: Instant
    expires_at: Instant
    error: str | None = None


# --- visits ----------------------------------------------------------------------------------


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
