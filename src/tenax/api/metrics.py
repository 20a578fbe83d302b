"""The metrics of a server: those of the crawl, from the store, and its own."""

from collections.abc import Mapping

from tenax import metrics
from tenax.api.cached import Cached
from tenax.api.events.hubs import Hubs
from tenax.crawl.worker.heartbeat import read_rss_bytes
from tenax.errors import StoreError
from tenax.jobs.dispatch.base import Dispatch
from tenax.metrics import Readings
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import find_load, tell_store_time, tell_time
from tenax.stores.place import Place
from tenax.stores.queries.metrics import gather_metrics, report_outage
from tenax.stores.webhooks.webhooks import PRODUCT_EVENTS

FRESH_S = 2.0


class ServerMetrics:
    def __init__(
        self, place: Place, access: Access, hubs: Hubs, dispatch: Dispatch, told: Mapping[str, int]
    ) -> None:
        """`told`: what webhooks were told of items, by event."""
        self._told = told
        self._place = place
        self._access = access
        self._hubs = hubs
        self._dispatch = dispatch
        self._own = Readings()
        self._crawl = Cached(self._gather, FRESH_S)

    def count(self, operation: str, status: int, duration_s: float) -> None:
        self._own.inc(metrics.SERVER_REQUESTS, 1.0, operation, str(status))
        self._own.observe(metrics.SERVER_DURATION, duration_s, operation)

    async def format(self) -> str:
        """Format all metrics in the Prometheus text format."""
        self._own.set(metrics.SERVER_STREAMS, self._hubs.count())
        self._own.set(metrics.SERVER_RSS, read_rss_bytes())
        alerts: dict[str, float] = {event: self._told.get(event, 0) for event in sorted(PRODUCT_EVENTS)}
        self._own.set_all(metrics.PRODUCT_ALERTS, alerts)
        if self._dispatch.queue is not None:
            self._own.set(metrics.BROKER_UP, self._dispatch.trouble is None)
            self._own.set(metrics.PUBLISH_FAILURES, self._dispatch.failures)
        return await self._crawl.get() + self._own.format()

    async def _gather(self) -> str:
        def gather(connection: Connection) -> Readings:
            now, wall = tell_store_time(self._place, connection), tell_time(self._place, connection)
            return gather_metrics(
                connection, place=self._place, now=now, wall=wall, load=find_load(self._place, connection)
            )

        try:
            readings = await self._access.read(gather)
        except StoreError:
            readings = report_outage()
        return readings.format()
