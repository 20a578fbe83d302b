"""The contract for looking up one url."""

from typing import NamedTuple, Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import NO_RULES, DomainRules, DomainState, RobotsRecord
from tenax.records.runs import RunState
from tenax.records.traps import Trap
from tenax.records.urls import Fate, FoundBy
from tenax.stores.contracts.takeover import DomainOwner


@record
class UrlRow:
    """A known url as it is stored."""

    id: int
    url: str
    fate: Fate
    reason: str | None
    detail: str | None
    to_url: str | None
    depth: int
    priority: int
    attempts: int
    crashes: int
    is_seed: bool
    status: int | None
    due_at: Instant | None
    revisit_at: Instant | None
    unchanged_count: int
    misses: int
    discovered_at: Instant
    fetched_at: Instant | None
    discovered_from: str | None  # the url of the page that named it
    title: str | None
    has_page: bool  # what was fetched is stored
    twin: str | None  # another url of its domain that counts as a page and has the same text
    near: str | None  # the url whose page it nearly repeats
    near_bits: int | None  # in how many of 64 bits they differ; None: one of them is not compared any more
    ahead: int  # urls of its domain that come before it
    found_by: FoundBy = FoundBy.LINK
    is_sitemap: bool = False

    @property
    def is_aside(self) -> bool:
        """It waits, but not for the source that owns its domain now."""
        return self.due_at is None and self.fate in (Fate.QUEUED, Fate.RETRYING)


@record
class DomainRow:
    """A known domain, and who holds it."""

    name: str
    state: DomainState
    queued: int
    avail_at: Instant | None
    claim_expires_at: Instant | None
    claimed_by: str | None  # "process 123 on host"; None: no worker
    last_run_id: int | None
    rules: DomainRules = NO_RULES
    rules_by: str | None = None  # the user who changed them last; None: they were never changed
    rules_at: Instant | None = None


class ParserFailure(NamedTuple):
    """The newest error of a parser on a url."""

    id: int
    parser: str
    type: str
    message: str
    at: Instant


@record
class ParsedUrl:
    """What parsers made of a url."""

    items: tuple[tuple[str, str], ...] = ()  # kind and key of the first that it shows
    items_count: int = 0
    invalid_count: int = 0
    follow_ups: tuple[tuple[str, str], ...] = ()  # the parser, and the page that asked for it
    failure: ParserFailure | None = None


@record
class UrlHistory:
    """Everything the store knows about a url."""

    url: UrlRow | None
    domain: DomainRow | None
    robots: RobotsRecord | None  # of the url's origin
    run_id: int | None  # the newest run of the source that the domain belongs to
    run_state: RunState | None
    settings_json: str | None
    source_id: int
    owner: str | None = None  # the owner of the domain: "crawl docs"; None: it has none
    # the sources for which the url is set aside and which may continue with it
    waits_for: tuple[DomainOwner, ...] = ()
    traps: tuple[Trap, ...] = ()  # clusters of the domain that bring little
    parsed: ParsedUrl = ParsedUrl()
    bodies: int = 0  # visits that stored one


class LookupStore(Protocol):
    async def find_history(self, *, domain: str, key: int, origin: str) -> UrlHistory:
        """A consistent view of one url, dated by the calendar; parts about which nothing is known are
        None."""
        ...
