"""Settings of workers, and of the store and the Redis that they use."""

from pydantic import Field

from tenax.config.masking import ServerUrl
from tenax.config.section import Section


class WorkerSettings(Section):
    processes: int | None = Field(
        None, ge=1, le=256, description="Worker processes of a crawl at most; none: one per core."
    )
    runs: int = Field(
        8, ge=1, le=256, description="Runs that `tenax worker` and `tenax serve` work on at the same time."
    )
    concurrency: int = Field(
        100,
        ge=1,
        le=10_000,
        description="Requests at the same time, in each worker process. Those that wait for domains which are"
        " slow to answer come on top: up to ten times as many, as memory and descriptors allow.",
    )
    lease_s: float = Field(60.0, ge=1, description="How long a domain is leased; renewed meanwhile.")
    batch_pages: int = Field(500, ge=1, description="Pages per transaction.")
    batch_s: float = Field(1.0, gt=0, description="Longest time between transactions.")
    queue_head: int = Field(64, ge=1, description="Urls of a domain's queue kept in memory.")
    memory_mb: int = Field(300, ge=1, description="Most memory that a worker takes, in millions of bytes.")
    drain_s: float = Field(15.0, gt=0, description="Grace for running requests after a stop.")
    disk_full_wait_s: float = Field(
        300.0, ge=0, description="How long to wait for a disk or store that takes nothing."
    )


class StoreSettings(Section):
    url: ServerUrl = Field(
        None, description="Where crawls are kept: postgresql://USER@HOST/DATABASE, or a directory."
    )


class RedisSettings(Section):
    url: ServerUrl = Field(None, description="`redis://`, `rediss://` or `unix://`; none: no Redis.")
    timeout_s: float = Field(0.1, gt=0, description="How long a reply is waited for.")
    seen_urls: int = Field(5_000_000, ge=10_000, description="Urls in the seen filter, at most.")
