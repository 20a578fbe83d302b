"""Settings of workers, and of the store and the Redis server that they use."""

from pydantic import Field

from tenax.config.masking import ServerUrl
from tenax.config.section import Section


class WorkerSettings(Section):
    processes: int | None = Field(
        None, ge=1, le=256, description="Maximum number of worker processes of a crawl. Unset: one per core."
    )
    runs: int = Field(
        8,
        ge=1,
        le=256,
        description="Maximum number of runs that `tenax worker` or `tenax serve` works on concurrently.",
    )
    concurrency: int = Field(
        100,
        ge=1,
        le=10_000,
        description="Maximum number of concurrent requests per worker process. Requests that wait for slow "
        "domains are not counted: up to ten times as many, as memory and file descriptors allow.",
    )
    lease_s: float = Field(
        60.0, ge=1, description="Duration of a domain lease, in seconds. Leases in use are renewed."
    )
    batch_pages: int = Field(500, ge=1, description="Maximum number of pages per transaction.")
    batch_s: float = Field(1.0, gt=0, description="Maximum time between transactions, in seconds.")
    queue_head: int = Field(
        64, ge=1, description="Number of URLs of a domain's queue that are held in memory."
    )
    memory_mb: int = Field(300, ge=1, description="Maximum memory of a worker process, in megabytes.")
    drain_s: float = Field(
        15.0, gt=0, description="How long to wait for active requests after a stop, in seconds."
    )
    disk_full_wait_s: float = Field(
        300.0,
        ge=0,
        description="How long to wait for a disk or store that accepts no writes, in seconds.",
    )


class WatchdogSettings(Section):
    """How a worker watches itself."""

    enabled: bool = Field(
        True, description="Whether workers watch themselves for stalls, a blocked event loop and memory."
    )
    stall_s: float = Field(
        300.0,
        ge=1,
        description="Time without any action, although something is due, after which a worker counts as "
        "stalled and examines itself, in seconds.",
    )
    transfer_s: float = Field(
        30.0,
        gt=0,
        description="How long after its timeout a request that has not ended is ended, in seconds.",
    )
    store_checks: int = Field(
        10,
        ge=1,
        description="Number of checks, every 30 seconds or less, that a store must fail to answer before a "
        "stalled worker gives up.",
    )
    blocked_s: float = Field(
        300.0,
        ge=1,
        description="How long the event loop of a worker may be blocked before its process is ended, in "
        "seconds.",
    )
    memory_percent: int = Field(
        120,
        ge=10,
        description="Percentage of worker.memory_mb beyond which a worker that cannot free memory ends "
        "itself.",
    )


class StoreSettings(Section):
    url: ServerUrl = Field(
        None, description="Where crawls are stored: postgresql://USER@HOST/DATABASE, or a directory."
    )


class RedisSettings(Section):
    url: ServerUrl = Field(
        None, description="Redis server, as a `redis://`, `rediss://` or `unix://` URL. Unset: no Redis."
    )
    timeout_s: float = Field(0.1, gt=0, description="How long to wait for a reply from Redis, in seconds.")
    seen_urls: int = Field(5_000_000, ge=10_000, description="Capacity of the filter of known URLs, in URLs.")
