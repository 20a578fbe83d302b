"""Runs whole crawls in the test's process and reads their results from the store."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.explain import Explanation
from tenax.crawl.tally import WorkerTally
from tenax.records.jobs import Recrawl
from tenax.runtime.crawls import explain_url, prepare_crawl
from tenax.runtime.engine import open_engine
from tenax.stores.contracts.crawls import DEFAULT_NAME
from tenax.stores.contracts.overview import Summary
from tenax.stores.layout import STORE_NAME
from tenax.stores.place import Place

DEADLINE_S = 180.0

# A crawl of loopback without any delay; tests slow down what they test.
QUICK: dict[str, dict[str, Any]] = {
    "politeness": {"delay_s": 0.0, "jitter": 0.0},
    "fetch": {"allow_private": True, "resolve": ["*:127.0.0.1"], "timeout_s": 5.0, "connect_timeout_s": 2.0},
    "retry": {"base_s": 0.05, "jitter_s": 0.01},
    "worker": {"batch_s": 0.1},
    # Probes add a request and a url to each domain with enough pages.
    "validation": {"soft_404": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredUrl:
    url: str
    fate: str
    reason: str | None
    detail: str | None
    to_url: str | None
    status: int | None
    attempts: int
    due_at: float | None
    depth: int
    hops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDomain:
    name: str
    status: str
    block_code: str | None
    block_reason: str | None
    next_crawl_after: float | None
    queued: int
    backoff_until: float | None
    robots_delay_s: float | None
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """A crawl that has ended, and what is in its store."""

    data: Path
    ended: EngineResult
    tally: WorkerTally
    summary: Summary
    duration_s: float
    urls: dict[str, StoredUrl]
    domains: dict[str, StoredDomain]

    def fate(self, url: str) -> str:
        return self.urls[url].fate

    @property
    def fates(self) -> Counter[str]:
        return Counter(url.fate for url in self.urls.values())

    @property
    def fetched(self) -> set[str]:
        """The urls whose page is stored."""
        return {url.url for url in self.urls.values() if url.fate in ("fetched", "duplicate")}


def build_settings(**sections: dict[str, Any]) -> Settings:
    names = {*QUICK, *sections}
    return Settings.model_validate(
        {name: {**QUICK.get(name, {}), **sections.get(name, {})} for name in names}
    )


def crawl(data: Path, seeds: Sequence[str], **sections: dict[str, Any]) -> Crawled:
    """Crawl until the end; keyword arguments are sections of settings."""
    return uvloop.run(_crawl(data, seeds, build_settings(**sections)))


def refresh(data: Path, **sections: dict[str, Any]) -> Crawled:
    """Revisit what is due, until the end."""
    return uvloop.run(_crawl(data, (), build_settings(**sections), recrawl=Recrawl.DUE))


def pass_time(data: Path, seconds: float, *, url: str = "%") -> None:
    """Let time pass for revisits, of all urls or of those LIKE `url`, and for cached robots.txt."""
    with contextlib.closing(sqlite.connect(data / STORE_NAME, isolation_level=None)) as connection:
        connection.execute("UPDATE urls SET revisit_at = revisit_at - ? WHERE url LIKE ?", (seconds, url))
        connection.execute("UPDATE robots SET expires_at = expires_at - ?", (seconds,))
        connection.execute(
            "UPDATE domains SET revisit_at = (SELECT min(revisit_at) FROM urls WHERE domain_id = domains.id)"
        )


async def _crawl(
    data: Path, seeds: Sequence[str], settings: Settings, *, recrawl: Recrawl = Recrawl.NEW
) -> Crawled:
    clock = SystemClock()
    started_at = clock.now()
    place = Place(folder=data)
    crawl = (await prepare_crawl(place, DEFAULT_NAME, seeds)).crawl
    async with open_engine(place, settings, source_id=crawl.id) as engine:
        ended = await asyncio.wait_for(engine.crawl(seeds, recrawl=recrawl), DEADLINE_S)
        summary = await engine.summarise()
    return Crawled(
        data=data,
        ended=ended,
        tally=engine.tally,
        summary=summary,
        duration_s=clock.now() - started_at,
        urls={url.url: url for url in _read(data, "urls", StoredUrl)},
        domains={domain.name: domain for domain in _read(data, "domains", StoredDomain)},
    )


def explain(crawled: Crawled, url: str) -> Explanation:
    return asyncio.run(explain_url(Place(folder=crawled.data), url, Settings()))


def query(data: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite.connect(data / STORE_NAME)
    try:
        rows: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        return rows
    finally:
        connection.close()


def _read(data: Path, table: str, record: Any) -> list[Any]:
    names = list(record.__dataclass_fields__)
    rows = query(data, f"SELECT {', '.join(names)} FROM {table}")
    return [record(**dict(zip(names, row, strict=True))) for row in rows]
