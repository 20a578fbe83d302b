"""The contract of `tenax copy`: a store as rows, and its note that it is a copy of another one."""

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

# The note of a copy that is not complete.
UNFINISHED = "SELECT EXISTS (SELECT 1 FROM copies WHERE ended_at IS NULL)"


@record
class TableShape:
    """A table as far as copying needs to know it."""

    name: str
    key: str  # the column of its primary key, which rows are read in the order of
    origin: Key  # less than every key
    columns: tuple[str, ...]
    blobs: tuple[str, ...]  # columns of bytes, which make rows large


@record
class CopyNote:
    """What a store notes of the crawl that is copied into it."""

    source: str  # which crawl it is
    fingerprint: str  # of the source as it was when the copy began
    started_at: Instant  # by the clock of the store that holds the note
    ended_at: Instant | None = None  # None: not complete, so nobody may crawl it
    reached: Mapping[str, Key] = field(default_factory=dict)  # table → key of the last row that is here


class RowStore(Protocol):
    """Rows of tables, past all meaning. Those of one table come and go in the order of its key."""

    place: Place
    clock: Clock  # the store's

    async def count(self, shape: TableShape) -> int: ...

    async def read(self, shape: TableShape, after: Key, limit: int) -> list[Row]:
        """The next rows after this key, at most `limit` and not many more bytes than BYTES_AT_ONCE; none:
        there are no more."""
        ...

    def fit(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of another store as this one will give them back."""
        ...

    async def find_copy(self) -> CopyNote | None:
        """The note of this store; None: it is no copy."""
        ...

    async def begin_copy(self, copy: CopyNote) -> CopyNote:
        """Note that this store becomes a copy; an earlier note stays. Returns the note that stands. Raises
        StoreError if the store holds a crawl and no note. Repeating is safe, also at once."""
        ...

    async def append(self, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
        """Add rows that follow the key `after`, and note how far the table is now, which is returned. If it
        is somewhere else already, nothing is added. Repeating is safe, also at once."""
        ...

    async def end_copy(self, shapes: Sequence[TableShape]) -> None:
        """The copy is complete: new rows get ids of their own, and the store may be crawled. Repeating is
        safe."""
        ...


class RowBackend(Protocol):
    """A module `copying` of each folder of stores/."""

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
            f"The copy of a crawl into {place} is not complete. Run the same 'tenax copy' again to finish it."
        )


def refuse_occupied(place: Place, is_occupied: bool) -> None:
    if is_occupied:
        raise StoreError(f"{place} holds a crawl already; two are never mixed. Give an empty destination.")
