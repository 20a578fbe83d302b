"""The contract for crawls, which users start and continue by name.

A crawl is a row of `sources` without a definition: its domains, seeds and runs name it as those of a source
do.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Final, Protocol

from tenax.errors import UsageError
from tenax.record import record
from tenax.records import RunState
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
