"""From the answer for a sitemap to its outcome: reads it in slices, and admits the urls that it lists."""

import asyncio
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from tenax.clock import Clock, Instant
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.outcome import Conclusion
from tenax.crawl.visits.pages import is_page
from tenax.discover.sitemap_xml import RawEntry
from tenax.discover.sitemaps import SitemapParser, hash_body, is_sitemap, parse_lastmod
from tenax.policy.lastmod import Lastmods
from tenax.record import record
from tenax.records.requests import Response
from tenax.records.sitemaps import LastmodTrust, SitemapKind, SitemapReport, SitemapState
from tenax.records.urls import NewUrl, SitemapNote, SitemapOrigin, Target
from tenax.records.visits import Read, Unchanged
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, parse_url

SLICE_URLS = 2_000
# Dates without a time are of any time of their day.
DATE_SLACK_S = 86_400.0

# Sends new urls to the store, and waits until there is room for more. False: reading is of no use any more.
Offer = Callable[[Sequence[NewUrl]], Awaitable[bool]]


def is_listing(target: Target, answer: Response) -> bool:
    """Whether an answer is to be read as a sitemap. A page that was named as one remains a page."""
    if not (target.is_sitemap and 200 <= answer.status < 300):
        return False
    # Text that claims to be HTML is HTML.
    return not is_page(answer) or is_sitemap(answer.body, may_be_text="content-type" not in answer.headers)


@record
class SitemapReader:
    settings: Settings
    admission: Admission
    clock: Clock
    find_state: Callable[[int], Awaitable[SitemapState]]  # by the id of its url

    async def read(
        self, domain: LeasedDomain, target: Target, answer: Response, offer: Offer
    ) -> Conclusion | None:
        """None: the url stays due. What was offered until then is known, and is known again next time."""
        content_hash = hash_body(answer.body)
        if content_hash == target.content_hash:
            return Unchanged(), ()
        state = await self.find_state(target.id)
        reading = _Reading(self, domain, target, state)
        waiting: list[NewUrl] = []
        for entries in reading.parser.iter_entries(answer.body):
            waiting += reading.take(entries)
            if len(waiting) >= SLICE_URLS:
                if not await offer(waiting):
                    return None
                waiting = []
            else:
                await asyncio.sleep(0)
        headers = answer.headers
        outcome = Read(
            status=answer.status,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            content_hash=content_hash,
            body_bytes=reading.parser.read_bytes,
            report=reading.report(is_cut=answer.is_truncated),
            modified=reading.list_modified(),
        )
        return outcome, tuple(waiting)


class _Reading:
    """A sitemap that is being read."""

    def __init__(
        self, reader: SitemapReader, domain: LeasedDomain, target: Target, state: SitemapState
    ) -> None:
        settings = reader.settings.sitemaps
        self.parser = SitemapParser(
            url=target.url, max_bytes=settings.max_bytes, max_entries=settings.urls_per_file
        )
        self._settings = settings
        self._admission = reader.admission
        self._domain = domain
        self._target = target
        self._state = state
        self._now: Instant = reader.clock.wall()
        self._find_url = partial(parse_url, base=target.url, keep=reader.settings.scope.kept_names)
        self._hosts = state.hosts | {domain_of(target.url)}
        # What was found since then is counted here: it may not be settled yet.
        if domain.listed is None:
            domain.listed = Counter(urls=state.found_urls, files=state.known_sitemaps)
        self._listed = domain.listed
        self._refused = self._added = self._over_limit = 0
        self._lastmods = Lastmods(self._now)
        # Older dates were there at the last reading.
        self._changed_from = 0.0 if state.read_at is None else state.read_at - DATE_SLACK_S
        self._keys, self._dates = array("q"), array("d")

    def take(self, entries: Sequence[RawEntry]) -> list[NewUrl]:
        """The new urls among some entries."""
        dates: dict[int, Instant] = {}
        listed = self._list_allowed(entries, dates)
        if self.parser.kind is SitemapKind.INDEX:
            new = self._admit_sitemaps(listed)
        else:
            new = self._admit_urls(listed)
            # Only what was known before can be outdated.
            for url in new:
                dates.pop(url.key, None)
            self._keys.extend(dates)
            self._dates.extend(dates.values())
        self._added += len(new)
        return new

    def _list_allowed(self, entries: Sequence[RawEntry], dates: dict[int, Instant]) -> dict[int, str]:
        """The addresses of hosts that the sitemap may speak for, by key. `dates`: filled with those of its
        domain's urls."""
        listed: dict[int, str] = {}
        for address, date in entries:
            url = self._find_url(address)
            name = "" if url is None else domain_of(url)
            if url is None or name not in self._hosts:
                self._refused += 1
                continue
            key = url_key(url)
            listed[key] = url
            at = None if date is None else parse_lastmod(date, self._now)
            if at is not None:
                self._lastmods.add(at)
                if at > self._changed_from and name == self._domain.name:
                    dates[key] = at
        return listed

    def _admit_urls(self, listed: dict[int, str]) -> list[NewUrl]:
        room = max(self._settings.urls_per_domain - self._listed["urls"], 0)
        new, refused = self._admission.admit_listed(self._domain, self._target, listed, room)
        self._refused += refused
        self._listed["urls"] += len(new)
        if refused and len(new) == room:
            self._over_limit += refused
        return new

    def _admit_sitemaps(self, listed: dict[int, str]) -> list[NewUrl]:
        new: list[NewUrl] = []
        level = self._state.level + 1
        for key, url in listed.items():
            room = self._settings.files_per_domain - self._listed["files"]
            if level > self._settings.nesting or room <= 0:
                self._over_limit += 1
                continue
            if key == self._target.key:
                continue
            hosts = tuple(sorted(self._hosts - {domain_of(url)}))
            note = SitemapNote(origin=SitemapOrigin.INDEX, hosts=hosts, level=level)
            found = self._admission.admit_sitemap(url, note, self._target.id)
            if found is None:
                self._refused += 1
            else:
                self._listed["files"] += 1
                new.append(found)
        return new

    def report(self, *, is_cut: bool) -> SitemapReport:
        verdict = self._lastmods.judge(self._state.fresh_reads)
        error = self.parser.error
        if is_cut:
            error = f"it is longer than {self._settings.max_bytes:,} bytes; the rest was not read"
        return SitemapReport(
            kind=self.parser.kind,
            entries=self.parser.entries,
            refused=self._refused + (self._over_limit if self.parser.kind is SitemapKind.INDEX else 0),
            added=self._added,
            images=self.parser.images,
            lastmod=verdict.trust,
            fresh_reads=verdict.fresh_reads,
            error=error or self._describe_limit(),
        )

    def list_modified(self) -> tuple["array[int]", "array[float]"]:
        """Keys of its domain's urls that may have changed since the last reading, and when."""
        trust = self._lastmods.judge(self._state.fresh_reads).trust
        is_trusted = trust is LastmodTrust.TRUSTED
        return (self._keys, self._dates) if is_trusted else (array("q"), array("d"))

    def _describe_limit(self) -> str | None:
        if not self._over_limit:
            return None
        settings = self._settings
        if self.parser.kind is not SitemapKind.INDEX:
            limit = f"more than {settings.urls_per_domain:,} urls of its domain come from sitemaps"
        elif self._state.level + 1 > settings.nesting:
            limit = f"it is the end of more than {settings.nesting} sitemap indexes that name each other"
        else:
            limit = f"its domain has more than {settings.files_per_domain:,} sitemaps"
        return f"{limit}: {self._over_limit:,} of its addresses were left out"
