"""Settings for what a crawl visits and how fast: scope, limits, politeness, robots.txt, domains, revisits."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from tenax.config.section import Section

DAY_S = 86_400.0
UNLIMITED = 2**62


class ScopeKind(StrEnum):
    DOMAIN = "domain"  # the seeds' domains; www and ports 80/443 make no difference
    HOST = "host"  # exactly the seeds' hosts and ports
    SITE = "site"  # the seeds' registrable domains with all their subdomains
    ANY = "any"  # everything


class MergeRule(Section):
    """A rule that treats URLs of a domain as one URL if they differ only in what the rule ignores."""

    name: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Name of the rule. Defaults to a description of what it ignores.",
    )
    under: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description="Where the rule applies: `example.com`, `example.com/list` or `/list`. Defaults to "
        "everywhere.",
    )
    ignore_parameters: tuple[Annotated[str, Field(min_length=1, max_length=300)], ...] = Field(
        (), max_length=100, description="Names of query parameters to ignore, case-insensitive."
    )
    ignore_matching: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="RE2 patterns. A query parameter is ignored if one of them matches its unescaped "
        "`name=value`.",
    )
    ignore_trailing_slash: bool = Field(False, description="Whether to treat /a and /a/ as the same URL.")

    @model_validator(mode="after")
    def _ignores_something(self) -> Self:
        if not (self.ignore_parameters or self.ignore_matching or self.ignore_trailing_slash):
            raise ValueError("A merge rule must ignore something: parameters or the trailing slash.")
        return self


class ScopeSettings(Section):
    kind: ScopeKind = Field(
        ScopeKind.DOMAIN,
        description="Which links to follow: `domain` (the seeds' domains), `host` (exactly the seeds' hosts "
        "and ports), `site` (the seeds' registrable domains with all subdomains) or `any`.",
    )
    include: tuple[str, ...] = Field(
        (), description="RE2 patterns. If set, a URL must match at least one of them. Seeds are exempt."
    )
    exclude: tuple[str, ...] = Field((), description="RE2 patterns. A URL that matches one is refused.")
    keep_parameters: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="Query parameters to keep in URLs although they usually only track visitors or hold "
        "session ids, such as `ref`. Other parameters of this kind are removed.",
    )
    merge_rules: tuple[MergeRule, ...] = Field(
        (),
        max_length=100,
        description="Rules that treat different URLs of a domain as one, so that only one of them is "
        'fetched. Example: `[{"ignore_parameters": ["sort"]}, {"ignore_trailing_slash": true}]`.',
    )

    @property
    def kept_names(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.keep_parameters)


class LimitSettings(Section):
    max_pages: int | None = Field(None, ge=1, description="Maximum number of pages per run. Unset: no limit.")
    pages_per_domain: int = Field(
        1000, ge=0, description="Maximum number of pages per domain and run. 0: no limit."
    )
    max_depth: int = Field(10, ge=0, description="Maximum number of links between a seed and a page.")
    links_per_page: int = Field(1000, ge=0, description="Maximum number of links taken from one page.")
    url_length: int = Field(2000, ge=16, description="Maximum length of a URL, in characters.")
    max_hops: int = Field(5, ge=0, description="Maximum number of consecutive redirects.")
    new_urls_per_s: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="How many new URLs may become due per second in a run. URLs found beyond that wait for "
        "their turn. 0: no limit.",
    )

    @property
    def domain_budget(self) -> int:
        """Pages that one domain may have in a run. Without a limit: more than any domain has."""
        return self.pages_per_domain or UNLIMITED


class TrapSettings(Section):
    """What is done about clusters of similar URLs that bring nothing new."""

    enabled: bool = Field(
        True,
        description="Whether to slow down and close clusters of similar URLs that bring nothing new, such as "
        "endless calendars and combinations of filters.",
    )
    window: int = Field(
        40,
        ge=10,
        le=60,
        description="Number of consecutive pages of a cluster that are looked at before it is slowed down.",
    )
    novelty: float = Field(
        0.05,
        ge=0,
        lt=0.3,
        description="Share of these pages with something new up to which the cluster is slowed down.",
    )
    budget: int = Field(
        300,
        ge=0,
        description="Number of pages of a slowed cluster that are fetched, after everything else, before it "
        "is closed.",
    )


class PaceUnit(StrEnum):
    DOMAIN = "domain"  # every domain has its own pace
    SITE = "site"  # all domains of a registrable domain share one


class PolitenessSettings(Section):
    delay_s: float = Field(
        1.0, ge=0, description="Minimum time between two requests to a domain, in seconds."
    )
    per_domain: int = Field(1, ge=1, description="Maximum number of concurrent requests to a domain.")
    share_pace: PaceUnit = Field(
        PaceUnit.DOMAIN,
        description="What `delay_s` applies to: each `domain`, or each `site` with all its subdomains, of "
        "which only one is crawled at a time.",
    )
    max_crawl_delay_s: float = Field(
        60.0, ge=0, description="Upper limit for the Crawl-delay of a robots.txt, in seconds."
    )
    jitter: float = Field(
        0.1, ge=0, le=1, description="Random increase of the delay, as a fraction: 0.1 adds up to 10%."
    )
    backoff_s: float = Field(
        60.0, gt=0, description="First backoff after a 429, a 503 or repeated 403 responses, in seconds."
    )
    max_backoff_s: float = Field(
        86400.0, gt=0, description="Longest backoff, in seconds. Also limits Retry-After."
    )
    forgive_s: float = Field(
        1800.0,
        gt=0,
        description="Time without backoff after which earlier backoffs are forgotten, in seconds.",
    )
    longest_wait_s: float = Field(
        900.0,
        ge=0,
        description="How long a run waits for remaining work, in seconds. The run ends if all of it is on "
        "hold for longer.",
    )
    longest_retry_wait_s: float = Field(
        75.0,
        ge=0,
        description="Like `longest_wait_s`, if all remaining URLs have failed before, in seconds. The "
        "default waits for the first backoff after a 429 and leaves longer ones to the next run.",
    )

    @property
    def site_gap_s(self) -> float | None:
        """Minimum time between requests to different domains of a site; None: they are independent."""
        return self.delay_s if self.share_pace is PaceUnit.SITE else None

    @property
    def retry_wait(self) -> tuple[float, str]:
        """How long a run waits for urls that have failed, in seconds, and the name of the setting."""
        if self.longest_wait_s < self.longest_retry_wait_s:
            return self.longest_wait_s, "longest_wait_s"
        return self.longest_retry_wait_s, "longest_retry_wait_s"


class RobotsSettings(Section):
    cache_s: float = Field(3600.0, ge=0, description="How long to cache a robots.txt, in seconds.")
    max_cache_s: float = Field(
        86400.0,
        ge=0,
        description="Upper limit for a cache lifetime set by Cache-Control, in seconds.",
    )
    max_bytes: int = Field(
        512_000, ge=512_000, description="How much of a robots.txt to read, in bytes. The rest is ignored."
    )
    timeout_s: float = Field(10.0, gt=0, description="Timeout of a robots.txt request, in seconds.")
    retry_s: float = Field(
        60.0,
        gt=0,
        description="Time between two attempts to refresh an expired robots.txt, in seconds.",
    )
    skip_s: float = Field(
        3600.0,
        gt=0,
        description="How long to leave a domain alone after its robots.txt has failed three times, in "
        "seconds.",
    )


class RetrySettings(Section):
    attempts: int = Field(3, ge=0, description="Maximum number of retries after a transient failure.")
    base_s: float = Field(
        1.0, gt=0, description="Pause before the first retry, in seconds. It doubles with each retry."
    )
    jitter_s: float = Field(0.5, ge=0, description="Maximum random addition to a pause, in seconds.")


class BreakerSettings(Section):
    failures: int = Field(
        5, ge=1, description="Number of consecutive failures that open a domain's circuit breaker."
    )
    open_s: float = Field(60.0, gt=0, description="How long the breaker stays open, in seconds.")
    successes: int = Field(
        2, ge=1, description="Number of consecutive successes that close a half-open breaker."
    )
    trips: int = Field(
        3,
        ge=1,
        description="Number of times that the breaker opens, without closing in between, before the domain "
        "counts as unreachable.",
    )


class DomainSettings(Section):
    """When a domain is blocked, and for how long."""

    rests_before_block: int = Field(
        5,
        ge=1,
        description="Number of consecutive backoffs (429, 503) without a good response that block a domain.",
    )
    forbidden_before_block: int = Field(
        10, ge=1, description="Number of consecutive 403 responses that block a domain."
    )
    logins_before_block: int = Field(
        10, ge=1, description="Number of consecutive login walls that block a domain."
    )
    login_s: float = Field(
        30 * DAY_S, gt=0, description="Cooldown of a domain that requires a login, in seconds."
    )
    rate_limited_s: float = Field(
        7 * DAY_S, gt=0, description="Cooldown of a domain that keeps rate-limiting requests, in seconds."
    )
    forbidden_s: float = Field(
        14 * DAY_S, gt=0, description="Cooldown of a domain that forbids access, in seconds."
    )
    bot_wall_s: float = Field(
        DAY_S, gt=0, description="Cooldown of a domain that shows a bot check of a known vendor, in seconds."
    )
    robots_denied_s: float = Field(
        90 * DAY_S, gt=0, description="Cooldown of a domain whose robots.txt disallows all of it, in seconds."
    )
    unreachable_s: float = Field(
        7 * DAY_S, gt=0, description="Cooldown of a domain that does not respond, in seconds."
    )
    retries: int = Field(
        3,
        ge=0,
        description="Number of consecutive cooldowns without a page before a block becomes permanent.",
    )


class SitemapSettings(Section):
    enabled: bool = Field(
        True,
        description="Whether to read the sitemaps that robots.txt files and pages name, and to crawl the "
        "URLs that they list.",
    )
    guess: bool = Field(
        False,
        description="Whether to look for `/sitemap.xml` and `/sitemap_index.xml` where robots.txt names no "
        "sitemap. That takes two requests per origin.",
    )
    urls_per_file: int = Field(
        50_000, ge=1, le=1_000_000, description="How many URLs of one sitemap to read."
    )
    max_bytes: int = Field(
        52_428_800,
        ge=1_000,
        le=1_000_000_000,
        description="How much of one sitemap to read, uncompressed, in bytes. The rest is ignored.",
    )
    files_per_domain: int = Field(
        1_000, ge=1, le=50_000, description="Maximum number of sitemaps per domain."
    )
    urls_per_domain: int = Field(
        500_000, ge=1, le=100_000_000, description="How many URLs of a domain may come from its sitemaps."
    )
    nesting: int = Field(
        3, ge=0, le=10, description="How many sitemap indexes may lead to a sitemap, one naming the next."
    )


class SimilaritySettings(Section):
    """Pages of a domain whose texts are nearly the same."""

    enabled: bool = Field(
        False, description="Whether to find pages that nearly repeat another page of their domain."
    )
    distance: int = Field(
        3,
        ge=0,
        le=3,
        description="Maximum number of bits, of 64, in which the fingerprints of near-duplicates differ.",
    )
    least_chars: int = Field(
        1000, ge=200, description="Minimum length of a text to be compared, in characters."
    )
    keep: bool = Field(
        True,
        description="Whether to store near-duplicates, marked with the page that they repeat. If not, they "
        "count as duplicates, and only their links are used.",
    )

    @property
    def compared_chars(self) -> int | None:
        """The length from which texts are compared; None: no text is."""
        return self.least_chars if self.enabled else None


class ValidationSettings(Section):
    """Which answers are no pages although their status says so."""

    enabled: bool = Field(
        True,
        description="Whether to reject answers that are no pages: bot checks, consent walls, parked domains, "
        "default pages of servers. Also switches all other settings of this section off.",
    )
    ignore: tuple[str, ...] = Field(
        (),
        max_length=200,
        description="Names of signatures that do not apply, as `tenax explain` shows them.",
    )
    min_bytes: int = Field(
        0, ge=0, description="Smallest document that is accepted as a page, in bytes. 0: any size."
    )
    require_paragraphs: bool = Field(
        False, description="Whether to reject documents without a single `<p>` element."
    )
    reject_scripts_only: bool = Field(
        True,
        description="Whether to reject documents that hold scripts and nothing to show: no text, link, "
        "image, frame or form.",
    )
    soft_404: bool = Field(
        True,
        description="Whether to learn how a site answers where there is no page, by requesting one invented "
        "address, if it says 200 instead of 404. Pages that look the same count as gone.",
    )
    soft_404_pages: int = Field(
        20, ge=1, description="Number of pages of a domain, without a 404 among them, before it is probed."
    )
    soft_404_refresh_s: float = Field(
        30 * DAY_S, gt=0, description="Time after which a domain is probed again, in seconds."
    )
