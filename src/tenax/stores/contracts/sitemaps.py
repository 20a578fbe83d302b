"""The contract for reading sitemaps."""

from typing import Protocol

from tenax.records.sitemaps import SitemapState


class SitemapStore(Protocol):
    async def find_state(self, url_id: int) -> SitemapState:
        """What is known of the sitemap at a url; of an unknown one, nothing."""
        ...
