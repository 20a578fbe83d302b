"""Sitemaps: what they are, and what reading one has found."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class SitemapKind(StrEnum):
    URLS = "urls"  # <urlset>
    INDEX = "index"  # <sitemapindex>
    FEED = "feed"  # RSS, Atom or JSON Feed
    TEXT = "text"  # an address per line


class LastmodTrust(StrEnum):
    """Whether the dates of a sitemap say when its pages changed."""

    NONE = "none"  # it has no dates
    TRUSTED = "trusted"
    IGNORED = "ignored"  # they say when the sitemap was made


@record
class SitemapReport:
    """What reading a sitemap has found."""

    kind: SitemapKind | None  # None: it is no sitemap
    entries: int  # addresses that were read
    refused: int = 0  # of these: not addresses, of other hosts, out of scope, or beyond a limit
    added: int = 0  # of these: not known to the worker before
    images: int = 0
    lastmod: LastmodTrust = LastmodTrust.NONE
    fresh_reads: int = 0  # readings in a row in which nearly all dates were of the last day
    error: str | None = None  # why it was not read to its end


@record
class SitemapState:
    """What a worker needs to know of a sitemap to read it."""

    hosts: frozenset[str]  # domains other than its own whose urls it may list
    level: int
    fresh_reads: int
    read_at: Instant | None  # by the calendar; None: never
    known_sitemaps: int  # of its domain
    found_urls: int  # of its domain, in sitemaps
