"""What a source says about feeds: where they may be, how often and how to request them, which entries to
keep.
"""

from collections.abc import Iterable, Iterator

from tenax.config.settings import Settings
from tenax.discover.feeds import FeedEntry, list_usual_feeds
from tenax.fetch.custom_headers import CustomHeaders, parse_headers
from tenax.jobs.sources.definition import load_definition, to_settings, with_headers
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.feeds import FeedKind
from tenax.records.jobs import Source
from tenax.records.urls import NO_URL, FoundBy, NewUrl, Priority
from tenax.stores.feeds.feeds import NewFeed
from tenax.stores.feeds.holds import PolitenessTerms
from tenax.stores.jobs.sources import open_headers
from tenax.stores.secrets.sealing import Vault
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, origin_of, parse_url

MOST_PAGES = 5  # seeds that are searched for feeds
MOST_ORIGINS = 3  # whose usual feed addresses are tried
ENTRY_DEPTH = 1  # an entry counts as one link away from a seed


@record
class FeedPlan:
    """Belongs to one version of a source."""

    version: int
    wants_feeds: bool
    interval_s: float
    seeds: tuple[str, ...]
    scope: Scope
    settings: Settings  # the same as in a run of the source
    custom_headers: CustomHeaders | None

    @property
    def terms(self) -> PolitenessTerms:
        longest_s = max(self.settings.fetch.timeout_s, self.settings.robots.timeout_s)
        return PolitenessTerms(politeness=self.settings.politeness, request_s=longest_s)

    def list_headers(self, url: str) -> tuple[bytes, ...]:
        """The user agent, and the source's own headers if they are meant for this origin."""
        agent = f"User-Agent: {self.settings.fetch.format_user_agent()}".encode()
        own = self.custom_headers
        return (agent, *own.lines) if own is not None and own.is_for(url) else (agent,)

    def list_places(self) -> list[NewFeed]:
        """Where to look for feeds: pages that may link to them, then the usual addresses on their origins."""
        pages = self.seeds[:MOST_PAGES]
        found = [NewFeed(url=url, domain=domain_of(url), kind=FeedKind.PAGE) for url in pages]
        origins = list(dict.fromkeys(map(origin_of, pages)))[:MOST_ORIGINS]
        for origin in origins:
            found += [NewFeed(url=url, domain=domain_of(url)) for url in list_usual_feeds(f"{origin}/")]
        return found

    def admit(self, entries: Iterable[FeedEntry]) -> Iterator[NewUrl]:
        """The entries that the source's rules admit."""
        for entry in entries:
            url = parse_url(entry.url, keep=self.settings.scope.kept_names) or entry.url
            domain = domain_of(url)
            if self.scope.check(url, ENTRY_DEPTH, domain=domain) is None:
                yield NewUrl(
                    url=url,
                    key=url_key(url),
                    domain=domain,
                    depth=ENTRY_DEPTH,
                    priority=Priority.HIGH,
                    discovered_from=NO_URL,
                    found_by=FoundBy.FEED,
                )


def plan_feeds(source: Source, base: Settings, vault: Vault) -> FeedPlan:
    """Build the plan. `base`: the server's settings. Raises ConfigError if the definition or its headers
    cannot be read."""
    definition = load_definition(source)
    headers = open_headers(source, vault) if definition.feeds else {}
    settings = with_headers(to_settings(definition, base), definition, headers)
    roots = Roots(settings.scope.kind, definition.seeds)
    return FeedPlan(
        version=source.version,
        wants_feeds=definition.feeds,
        interval_s=60.0 * definition.feed_interval_minutes,
        seeds=definition.seeds,
        scope=Scope.build(settings.scope, settings.limits, roots),
        settings=settings,
        custom_headers=parse_headers(settings.fetch),
    )
