"""The contract for crawls, which users start and continue by name.

A crawl is a row of `sources` without a definition: its domains, seeds and runs name it as those of a source
do.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Final, Protocol

from tenax.errors import UsageError
from tenax.record import record
from tenax.records.runs import RunState
from tenax.wording import fold_name

DEFAULT_NAME: Final = "default"  # of a crawl that was given neither a name nor a seed, as with lists


LONGEST_NAME: Final = 200


_DIGEST_CHARS: Final = 12


@record
class Crawl:
    id: int
    name: str


@record
class CrawlSummary:
    """A crawl as seen by a user who may continue it."""

    id: int
    name: str
    run_id: int | None  # running or paused; None: neither
    run_state: RunState | None
    waiting: int  # urls of its domains, and those that are set aside for it

    def is_named(self, name: str) -> bool:
        return fold_crawl(self.name) == fold_crawl(name)

    @property
    def has_work(self) -> bool:
        return self.run_id is not None or self.waiting > 0


class CrawlStore(Protocol):
    async def ensure(self, name: str, first_seed: str | None = None) -> Crawl:
        """The crawl of that name, created if there is none; of two concurrent callers one creates it. If the
        name is only that of its first seed and the crawl `default` began with that seed, that crawl is
        returned: it may be older than the names of crawls. Repeating is safe. Raises SourceExists if a source
        has the name."""
        ...

    async def find(self, name: str) -> Crawl | None: ...

    async def list(self) -> list[CrawlSummary]:
        """All crawls that ever had a run, a seed or a domain, the oldest first."""
        ...

    async def find_owners(self, domains: Collection[str]) -> dict[str, int]:
        """The source or crawl that owns each of these domains; without those that nobody owns."""
        ...


def list_waiting(snapshots: Sequence[CrawlSummary]) -> Sequence[CrawlSummary]:
    """The crawls that may be meant if none is named: those that have something to do, or all."""
    return [each for each in snapshots if each.has_work] or snapshots


def name_crawl(seed: str) -> str:
    """The name of a crawl that was given none: its first seed, so that the same command continues it."""
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
    """The name as it is compared. Addresses that differ in case stay different."""
    return name if "://" in name else fold_name(name)
