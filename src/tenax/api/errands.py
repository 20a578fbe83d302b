"""What a server goes out for by itself: it follows feeds and tells webhooks what happens. Several servers may
do it at once.
"""

import contextlib
from collections.abc import AsyncIterator

from tenax.config import Settings
from tenax.jobs.feeds import FeedPoller
from tenax.jobs.webhooks import WebhookSender
from tenax.runtime import Backstage, open_fetcher


@contextlib.asynccontextmanager
async def run_errands(settings: Settings, backstage: Backstage) -> AsyncIterator[None]:
    access, stores = backstage.access, backstage.stores
    async with (
        open_fetcher(settings, stores.clock) as fetcher,
        FeedPoller(settings, access, stores.frontier, fetcher, stores.clock),
        WebhookSender(access, fetcher, stores.clock),
    ):
        yield
