"""The contract of the store for crawls: what a person starts, and goes on with, by its name.

A crawl is a row of `sources` without a definition: its domains, seeds and runs name it as those of a source
do.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any, Final, Protocol

from tenax.errors import SourceExists, UsageError
from tenax.job_records import SourceKind
from tenax.record import record
from tenax.records import RunState
from tenax.stores.hot.run_states import UNDER_WAY
from tenax.wording import fold_name

DEFAULT_NAME: Final = "default"  # of what is given without a name and without a seed, as lists are
LONGEST_NAME: Final = 200
_DIGEST_CHARS: Final = 12


@record
class Crawl:
    id: int
    name: str


@record
class CrawlSummary:
    """A crawl as somebody sees it who may go on with it."""

    id: int
    name: str
    run_id: int | None  # under way or paused; None: neither
    run_state: RunState | None
    waiting: int  # urls of its domains, and those that are set aside for it

    def is_named(self, name: str) -> bool:
        return fold_crawl(self.name) == fold_crawl(name)

    @property
    def has_work(self) -> bool:
        return self.run_id is not None or self.waiting > 0


class CrawlStore(Protocol):
    async def ensure(self, name: str, first_seed: str | None = None) -> Crawl:
        """The crawl of that name, made where there is none; of two who try at once one makes it. Where the
        name is only that of its first seed, the crawl `default` is the one if it began with that seed: it may
        be from before crawls had names. Repeating is safe. Raises SourceExists where a source has the
        name."""
        ...

    async def find(self, name: str) -> Crawl | None: ...

    async def list(self) -> list[CrawlSummary]:
        """All that ever had a run, a seed or a domain, the oldest first."""
        ...

    async def find_owners(self, domains: Collection[str]) -> dict[str, int]:
        """Which source or crawl has them, of those that anybody has."""
        ...


def list_waiting(snapshots: Sequence[CrawlSummary]) -> Sequence[CrawlSummary]:
    """Those that may be meant where none is named: which have something to do, or all."""
    return [each for each in snapshots if each.has_work] or snapshots


def name_crawl(seed: str) -> str:
    """Of one that was given no name: its first seed, so that the same command goes on with it."""
    if len(seed) <= LONGEST_NAME:
        return seed
    digest = sha256(seed.encode()).hexdigest()[:_DIGEST_CHARS]
    return f"{seed[: LONGEST_NAME - _DIGEST_CHARS - 1]}…{digest}"


def check_name(name: str) -> str:
    """Raises UsageError."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise UsageError(
            f"The name of a crawl has 1 to {LONGEST_NAME} printable characters, and no space at its ends."
        )
    return name


def fold_crawl(name: str) -> str:
    """As names are compared; of addresses that differ in case, each is its own."""
    return name if "://" in name else fold_name(name)


ADD_CRAWL: Final = """
    INSERT INTO sources (name, key, kind, definition, enabled, created_at, updated_at)
    VALUES ({name}, {key}, 'crawl', '{{}}', 0, {now}, {now})
    ON CONFLICT (key) DO NOTHING
"""
# The crawl `default`, if it began with that seed.
FIND_DEFAULT: Final = f"""
    SELECT s.id, s.name, s.kind
    FROM sources s
    WHERE s.key = '{DEFAULT_NAME}'
        AND s.kind = 'crawl'
        AND ? = (
            SELECT url
            FROM seeds
            WHERE source_id = s.id AND cause = 'user'
            ORDER BY id
            LIMIT 1
        )
"""
FIND_CRAWL: Final = "SELECT id, name, kind FROM sources WHERE key = ?"
# Rows that nothing names are left of somebody who could not start.
LIST_CRAWLS: Final = f"""
    SELECT s.id, s.name, r.id, r.state, coalesce(d.queued, 0) + coalesce(a.number, 0)
    FROM sources s
    LEFT JOIN (
        SELECT source_id, sum(queued) AS queued
        FROM domains
        GROUP BY source_id
    ) d ON d.source_id = s.id
    LEFT JOIN (
        SELECT source_id, count(*) AS number
        FROM set_aside
        GROUP BY source_id
    ) a ON a.source_id = s.id
    LEFT JOIN (
        SELECT source_id, max(id) AS id
        FROM runs
        WHERE {UNDER_WAY}
        GROUP BY source_id
    ) o ON o.source_id = s.id
    LEFT JOIN runs r ON r.id = o.id
    WHERE s.kind = 'crawl'
        AND (
            d.source_id IS NOT NULL
            OR a.source_id IS NOT NULL
            OR EXISTS (SELECT 1 FROM runs WHERE source_id = s.id)
            OR EXISTS (SELECT 1 FROM seeds WHERE source_id = s.id)
        )
    ORDER BY s.id
"""


def read_crawl(row: Sequence[Any]) -> Crawl:
    """From FIND_CRAWL. Raises SourceExists where the name is a source's."""
    number, name, kind = row
    if kind != SourceKind.CRAWL:
        raise SourceExists(f"{name} is the name of a source: choose another one for the crawl.")
    return Crawl(id=number, name=name)


def read_snapshot(row: Sequence[Any]) -> CrawlSummary:
    """From LIST_CRAWLS."""
    number, name, run_id, state, waiting = row
    return CrawlSummary(
        id=number,
        name=name,
        run_id=run_id,
        run_state=None if state is None else RunState(state),
        waiting=int(waiting),
    )
