"""The contract of `tenax copy`: a store as rows, and its record that it is a copy of another one."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Any, Final, NamedTuple, Protocol

import orjson

from tenax.clock import Clock, Instant, MachineClock
from tenax.errors import StoreError
from tenax.record import record
from tenax.stores.place import Place

Key = int | str
Row = tuple[Any, ...]

# Whether the store is an incomplete copy.
UNFINISHED = "SELECT EXISTS (SELECT 1 FROM copies WHERE ended_at IS NULL)"


@record
class TableShape:
    """What copying needs to know about a table."""

    name: str
    key: str  # the column of its primary key; rows are read in its order
    origin: Key  # less than every key
    columns: tuple[str, ...]
    blobs: tuple[str, ...]  # columns of bytes, which make rows large
    prices: tuple[int, ...] = ()  # places of the columns with prices, which are millionths in a row


@record
class CopyNote:
    """What a store records about the crawl that is copied into it."""

    source: str  # the identity of the crawl
    fingerprint: str  # of the source when the copy began
    started_at: Instant  # by the clock of the store that holds the note
    ended_at: Instant | None = None  # None: incomplete, so it must not be crawled
    reached: Mapping[str, Key] = field(default_factory=dict)  # table → key of the last row copied


class RowStore(Protocol):
    """Raw rows of tables. The rows of a table are read and written in the order of its key."""

    place: Place
    clock: Clock  # the store's

    async def count(self, shape: TableShape) -> int: ...

    async def read(self, shape: TableShape, after: Key, limit: int) -> list[Row]:
        """The next rows after this key, at most `limit` and not many more bytes than BYTES_AT_ONCE; empty:
        there are no more."""
        ...

    def fit(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Rows of another store in the form in which this one returns them."""
        ...

    async def find_copy(self) -> CopyNote | None:
        """The note of this store; None: it is not a copy."""
        ...

    async def begin_copy(self, copy: CopyNote) -> CopyNote:
        """Record that this store becomes a copy, unless it has a note already. Returns the note that is
        stored. Raises StoreError if the store holds a crawl and no note. Repeating is safe, even
        concurrently."""
        ...

    async def append(self, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
        """Add rows that follow the key `after`, and record and return how far the table was copied. Adds
        nothing if the table is not at `after`. Repeating is safe, even concurrently."""
        ...

    async def end_copy(self, shapes: Sequence[TableShape]) -> None:
        """Complete the copy: new rows get ids of their own, and the store may be crawled. Repeating
        is safe."""
        ...


class RowBackend(Protocol):
    """The module `copying` of each backend in stores/."""

    def open_rows(self, place: Place, clock: MachineClock) -> AbstractAsyncContextManager[RowStore]:
        """`clock`: this machine's."""
        ...


class CopyColumns(NamedTuple):
    """The note of a copy, in `copies`."""

    source: str
    fingerprint: str
    started_at: Instant
    ended_at: Instant | None
    reached: str


FIND_COPY: Final = f"SELECT {', '.join(CopyColumns._fields)} FROM copies"


def read_copy(row: Sequence[Any]) -> CopyNote:
    """From FIND_COPY."""
    found = CopyColumns._make(row)
    return CopyNote(
        source=found.source,
        fingerprint=found.fingerprint,
        started_at=found.started_at,
        ended_at=found.ended_at,
        reached=orjson.loads(found.reached),
    )


def refuse_unfinished(place: Place, is_unfinished: bool) -> None:
    if is_unfinished:
        raise StoreError(
            f"The copy of a crawl into {place} is incomplete. Run the same 'tenax copy' again to finish it."
        )


def refuse_occupied(place: Place, is_occupied: bool) -> None:
    if is_occupied:
        raise StoreError(f"{place} already holds a crawl; two are never mixed. Choose an empty destination.")
