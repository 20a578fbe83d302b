"""Moves a crawl from one store to another: resumable, of one moment, and verified.

1. The source must be at rest. Its fingerprint is noted in the destination, which is empty or holds this copy.
2. Tables go over in chunks. A chunk and the note how far its table is are one transaction.
3. The source must still be what it was, and both must hold the same rows: only then the copy is complete.
"""

from collections.abc import AsyncIterator, Callable, Sequence

from tenax.errors import StoreError
from tenax.record import record
from tenax.stores.copy.base import CopyNote, Row, RowStore, TableShape
from tenax.stores.copy.rows import SEEDS, SHAPES, TELLING_SHAPES, WORKERS, Digest, free_rows, key_of
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import HEARD_S, find_signs

ROWS_AT_ONCE = 5000

# What is done with which table, how many rows are done, how many there are.
Report = Callable[[str, str, int, int], None]


@record
class TableCheck:
    """A table as both sides hold it."""

    table: str
    source: Digest
    destination: Digest

    @property
    def is_same(self) -> bool:
        return self.source == self.destination


class Copier:
    """Nothing of the source is changed. Copying may be repeated, whatever became of it the last time."""

    def __init__(
        self, source: RowStore, destination: RowStore, report: Report, rows_at_once: int = ROWS_AT_ONCE
    ) -> None:
        self._source = source
        self._destination = destination
        self._report = report
        self._rows_at_once = rows_at_once

    async def copy(self) -> list[TableCheck]:
        """Copy what is not there yet, and compare. The copy is complete only if all checks are the same."""
        copy = await self._begin()
        if copy.ended_at is not None:
            return await self._compare(SHAPES, copy)
        for shape in SHAPES:
            await self._copy_table(shape, copy)
        checks = await self._compare(SHAPES, copy)
        if await _take_fingerprint(self._source) != copy.fingerprint:
            raise StoreError(
                f"{self._source.place} was crawled while it was copied, so the copy is of no single moment. "
                "Stop whoever crawls there, and copy it into an empty destination."
            )
        if all(check.is_same for check in checks):
            await self._destination.end_copy(SHAPES)
        return checks

    async def compare(self) -> list[TableCheck]:
        """Only look. Raises StoreError unless the destination is a complete copy of this crawl."""
        place = self._destination.place
        copy = await self._destination.find_copy()
        if copy is None or copy.source != await _identify(self._source):
            raise StoreError(f"{place} is no copy of the crawl in {self._source.place}.")
        if copy.ended_at is None:
            raise StoreError(f"The copy into {place} is not complete: run it without --verify-only.")
        return await self._compare(SHAPES, copy)

    async def _begin(self) -> CopyNote:
        """The note of the copy that is to be made, or is complete. Raises StoreError if it cannot be."""
        await _refuse_live(self._source)
        wanted = CopyNote(
            source=await _identify(self._source),
            fingerprint=await _take_fingerprint(self._source),
            started_at=self._destination.clock.now(),
        )
        copy = await self._destination.begin_copy(wanted)
        source, destination = self._source.place, self._destination.place
        if copy.source != wanted.source:
            raise StoreError(f"{destination} holds a copy of another crawl. Give an empty destination.")
        if copy.fingerprint != wanted.fingerprint:
            raise StoreError(
                f"The crawl in {source} is not where it was when its copy into {destination} began. "
                "Give an empty destination."
            )
        if copy.ended_at is not None:
            telling = await self._compare(TELLING_SHAPES, copy)
            if not all(check.is_same for check in telling):
                raise StoreError(
                    f"{destination} was crawled after it had been copied from {source}, which is not to be "
                    "overwritten. Give an empty destination."
                )
        return copy

    async def _copy_table(self, shape: TableShape, copy: CopyNote) -> None:
        total = await self._source.count(shape)
        reached = copy.reached.get(shape.name, shape.origin)
        done = await self._destination.count(shape) if reached != shape.origin else 0
        self._report("Copying", shape.name, done, total)
        while rows := await self._source.read(shape, reached, self._rows_at_once):
            adapted = self._adapt(shape, rows, copy)
            reached = await self._destination.append(shape, reached, adapted)
            done += len(rows)
            self._report("Copying", shape.name, done, total)

    def _adapt(self, shape: TableShape, rows: Sequence[Row], copy: CopyNote) -> Sequence[Row]:
        """Rows of the source as the destination is to hold them."""
        return self._destination.fit(free_rows(shape, rows, copy.started_at))

    async def _compare(self, shapes: Sequence[TableShape], copy: CopyNote) -> list[TableCheck]:
        return [await self._compare_table(shape, copy) for shape in shapes]

    async def _compare_table(self, shape: TableShape, copy: CopyNote) -> TableCheck:
        total = await self._source.count(shape) + await self._destination.count(shape)
        there, here = Digest(), Digest()
        async for rows in _read_all(self._source, shape, self._rows_at_once):
            there = there.plus(self._adapt(shape, rows, copy))
            self._report("Comparing", shape.name, there.rows, total)
        async for rows in _read_all(self._destination, shape, self._rows_at_once):
            here = here.plus(rows)
            self._report("Comparing", shape.name, there.rows + here.rows, total)
        return TableCheck(table=shape.name, source=there, destination=here)


async def _read_all(store: RowStore, shape: TableShape, rows_at_once: int) -> AsyncIterator[list[Row]]:
    after = shape.origin
    while rows := await store.read(shape, after, rows_at_once):
        yield rows
        after = key_of(shape, rows[-1])


async def _refuse_live(store: RowStore) -> None:
    signs = find_signs(store.place.folder / WORKERS_NAME)
    now = store.clock.now()
    async for rows in _read_all(store, WORKERS, ROWS_AT_ONCE):
        for row in rows:
            worker = dict(zip(WORKERS.columns, row, strict=True))
            if worker["ended_at"] is None and signs.is_alive(worker["uuid"], worker["heartbeat_at"], now):
                raise StoreError(
                    f"Process {worker['pid']} on {worker['host']} crawls in {store.place}. Stop it first: "
                    f"a copy is of one moment. (One that was killed is taken for gone after {HEARD_S:g} s.)"
                )


async def _identify(store: RowStore) -> str:
    """What all copies of a crawl have in common, and no two crawls: their first seed and when it came."""
    rows = await store.read(SEEDS, SEEDS.origin, 1)
    if not rows:
        raise StoreError(f"There is no crawl in {store.place} that could be copied.")
    return str(Digest().plus(rows))


async def _take_fingerprint(store: RowStore) -> str:
    """Another one after everything that a crawl writes."""
    digest = Digest()
    for shape in TELLING_SHAPES:
        async for rows in _read_all(store, shape, ROWS_AT_ONCE):
            digest = digest.plus(rows)
    return str(digest)
