"""Settings of what a crawl visits and how fast: scope, limits, politeness, robots.txt, domains, revisits."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from tenax.config.section import Section

DAY_S = 86_400.0
UNLIMITED = 2**62


class ScopeKind(StrEnum):
    DOMAIN = "domain"  # the seeds' domains; www and ports 80/443 do not count as different
    HOST = "host"  # exactly the seeds' hosts and ports
    SITE = "site"  # the seeds' registrable domains with all their subdomains
    ANY = "any"  # everything


class MergeRule(Section):
    """Urls of a domain that differ in nothing else than what it names are one to the crawl."""

    name: str | None = Field(
        None, min_length=1, max_length=100, description="What people call it; none: what it says."
    )
    under: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description="Where it holds, as example.com, example.com/list or /list; none: everywhere.",
    )
    ignore_parameters: tuple[Annotated[str, Field(min_length=1, max_length=300)], ...] = Field(
        (), max_length=100, description="Names of parameters that do not count, in any case."
    )
    ignore_matching: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="RE2 patterns; a parameter, as `name=value` without escapes, that matches one does not "
        "count.",
    )
    ignore_trailing_slash: bool = Field(False, description="Whether /a and /a/ are one.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.ignore_parameters or self.ignore_matching or self.ignore_trailing_slash):
            raise ValueError("A merge rule says what does not count: parameters or the trailing slash.")
        return self


class ScopeSettings(Section):
    kind: ScopeKind = Field(ScopeKind.DOMAIN, description="Which links are followed.")
    include: tuple[str, ...] = Field(
        (), description="RE2 patterns; when given, a URL must match one. Seeds are exempt."
    )
    exclude: tuple[str, ...] = Field((), description="RE2 patterns; a URL that matches one is refused.")
    keep_parameters: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="Parameters that count here, such as `ref`: others of their kind follow visitors or "
        "hold sessions, and are left out of addresses.",
    )
    merge_rules: tuple[MergeRule, ...] = Field(
        (),
        max_length=100,
        description="Which URLs of a domain are one, though they differ: one of them is fetched. For example "
        '`[{"ignore_parameters": ["sort"]}, {"ignore_trailing_slash": true}]`.',
    )

    @property
    def kept_names(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.keep_parameters)


class LimitSettings(Section):
    max_pages: int | None = Field(None, ge=1, description="Pages per run; none: no limit.")
    pages_per_domain: int = Field(1000, ge=0, description="Pages per domain and run; 0: no limit.")
    max_depth: int = Field(10, ge=0, description="Links from a seed to the page.")
    links_per_page: int = Field(1000, ge=0, description="Links taken from one page.")
    url_length: int = Field(2000, ge=16, description="Characters of a URL.")
    max_hops: int = Field(5, ge=0, description="Redirects in a row.")

    @property
    def domain_budget(self) -> int:
        """Pages that one domain may have in a run; more than any has, where there is no limit."""
        return self.pages_per_domain or UNLIMITED


class PaceUnit(StrEnum):
    DOMAIN = "domain"  # every domain has a pace of its own
    SITE = "site"  # all domains of a registrable domain share one


class PolitenessSettings(Section):
    delay_s: float = Field(1.0, ge=0, description="Least time between two requests to a domain.")
    per_domain: int = Field(1, ge=1, description="Requests to one domain at the same time.")
    share_pace: PaceUnit = Field(
        PaceUnit.DOMAIN,
        description="What is asked once in `delay_s`: each domain, or each site with all its subdomains, of"
        " which only one is asked at a time.",
    )
    max_crawl_delay_s: float = Field(60.0, ge=0, description="Cap on robots.txt's Crawl-delay.")
    jitter: float = Field(0.1, ge=0, le=1, description="Random share added to the delay.")
    backoff_s: float = Field(60.0, gt=0, description="First rest after 429, 503 or repeated 403.")
    max_backoff_s: float = Field(86400.0, gt=0, description="Longest rest, Retry-After included.")
    forgive_s: float = Field(1800.0, gt=0, description="Quiet time that forgets earlier rests.")
    longest_wait_s: float = Field(
        900.0, ge=0, description="A run ends when all that is left rests longer than this."
    )
    longest_retry_wait_s: float = Field(
        75.0,
        ge=0,
        description="The same when all that is left has failed before: the first rest after 429 is waited"
        " for, longer ones are left to the next run.",
    )

    @property
    def site_gap_s(self) -> float | None:
        """Least time between requests to different domains of a site; None: they have nothing in common."""
        return self.delay_s if self.share_pace is PaceUnit.SITE else None

    @property
    def retry_patience(self) -> tuple[float, str]:
        """How long a run waits for urls that have failed, in seconds, and the setting that says so."""
        if self.longest_wait_s < self.longest_retry_wait_s:
            return self.longest_wait_s, "longest_wait_s"
        return self.longest_retry_wait_s, "longest_retry_wait_s"


class RobotsSettings(Section):
    cache_s: float = Field(3600.0, ge=0, description="How long a robots.txt is used.")
    max_cache_s: float = Field(86400.0, ge=0, description="Cap on what Cache-Control may ask for.")
    max_bytes: int = Field(512_000, ge=512_000, description="Bytes of robots.txt that are read.")
    timeout_s: float = Field(10.0, gt=0, description="Deadline of a robots.txt request.")
    retry_s: float = Field(60.0, gt=0, description="Pause before an outdated copy is renewed again.")
    skip_s: float = Field(3600.0, gt=0, description="Rest of a domain whose robots.txt fails three times.")


class RetrySettings(Section):
    attempts: int = Field(3, ge=0, description="Retries after a transient failure.")
    base_s: float = Field(1.0, gt=0, description="First pause; doubles each time.")
    jitter_s: float = Field(0.5, ge=0, description="Random addition to a pause.")


class BreakerSettings(Section):
    failures: int = Field(5, ge=1, description="Failures in a row that open a domain's breaker.")
    open_s: float = Field(60.0, gt=0, description="How long it stays open.")
    successes: int = Field(2, ge=1, description="Successes in half-open that close it.")
    trips: int = Field(3, ge=1, description="Openings in a row after which a domain is unreachable.")


class DomainSettings(Section):
    """When a domain is left alone, and for how long."""

    rests_before_block: int = Field(
        5, ge=1, description="Rests (429, 503) in a row, without a good answer, that block a domain."
    )
    forbidden_before_block: int = Field(10, ge=1, description="403 in a row that block a domain.")
    logins_before_block: int = Field(10, ge=1, description="Login walls in a row that block a domain.")
    login_s: float = Field(30 * DAY_S, gt=0, description="Cooldown of a domain behind a login.")
    rate_limited_s: float = Field(
        7 * DAY_S, gt=0, description="Cooldown of a domain that we are too fast for."
    )
    forbidden_s: float = Field(14 * DAY_S, gt=0, description="Cooldown of a domain that forbids itself.")
    robots_denied_s: float = Field(
        90 * DAY_S, gt=0, description="Cooldown of a domain whose robots.txt forbids all of it."
    )
    unreachable_s: float = Field(7 * DAY_S, gt=0, description="Cooldown of a domain that does not answer.")
    retries: int = Field(
        3, ge=0, description="Cooldowns in a row, without a page between, before a block is for good."
    )


class RefreshSettings(Section):
    enabled: bool = Field(True, description="Plan when each page is fetched again, for `tenax refresh`.")
    first_s: float = Field(
        86_400.0,
        gt=0,
        description="When a new or changed page is due again; doubles while it stays the same.",
    )
    min_s: float = Field(
        3600.0, gt=0, description="Shortest interval; also how soon a missing page is asked again."
    )
    max_s: float = Field(2_592_000.0, gt=0, description="Longest interval.")
