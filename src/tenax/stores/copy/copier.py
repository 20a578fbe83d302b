"""Copies a crawl from one store to another: resumable, a consistent snapshot, and verified.

1. The source must be at rest. Its fingerprint is recorded in the destination, which is empty or holds this
   copy.
2. Tables are copied in chunks. A chunk and the record of how far its table was copied are one transaction.
3. The source must be unchanged, and both stores must hold the same rows: only then is the copy complete.
"""

from collections.abc import AsyncIterator, Callable, Sequence

from tenax.errors import StoreError
from tenax.record import record
from tenax.stores.copy.base import CopyNote, Row, RowStore, TableShape
from tenax.stores.copy.rows import FINGERPRINT_SHAPES, SEEDS, SHAPES, WORKERS, Digest, free_rows, key_of
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import HEARD_S, find_signs

ROWS_AT_ONCE = 5000

# The step, the table, how many rows are done, and how many there are.
Report = Callable[[str, str, int, int], None]


@record
class TableCheck:
    """The digests of a table in both stores."""

    table: str
    source: Digest
    destination: Digest

    @property
    def is_same(self) -> bool:
        return self.source == self.destination


class Copier:
    """Copies and compares. It never changes the source, and can be repeated whatever happened the
    last time."""

    def __init__(
        self, source: RowStore, destination: RowStore, report: Report, rows_at_once: int = ROWS_AT_ONCE
    ) -> None:
        self._source = source
        self._destination = destination
        self._report = report
        self._rows_at_once = rows_at_once

    async def copy(self) -> list[TableCheck]:
        """Copy what is missing, and compare. The copy is complete only if all checks are the same."""
        copy = await self._begin()
        if copy.ended_at is not None:
            return await self._compare(SHAPES, copy)
        for shape in SHAPES:
            await self._copy_table(shape, copy)
        checks = await self._compare(SHAPES, copy)
        if await _compute_fingerprint(self._source) != copy.fingerprint:
            raise StoreError(
                f"{self._source.place} was crawled while it was being copied, so the copy is not consistent. "
                "Stop the workers there, and copy it into an empty destination."
            )
        if all(check.is_same for check in checks):
            await self._destination.end_copy(SHAPES)
        return checks

    async def compare(self) -> list[TableCheck]:
        """Compare without copying. Raises StoreError unless the destination is a complete copy of
        this crawl."""
        place = self._destination.place
        copy = await self._destination.find_copy()
        if copy is None or copy.source != await _identify(self._source):
            raise StoreError(f"{place} is not a copy of the crawl in {self._source.place}.")
        if copy.ended_at is None:
            raise StoreError(f"The copy into {place} is incomplete: run it without --verify-only.")
        return await self._compare(SHAPES, copy)

    async def _begin(self) -> CopyNote:
        """The note of the copy to make, or of a complete one. Raises StoreError if it cannot be made."""
        await _refuse_live(self._source)
        wanted = CopyNote(
            source=await _identify(self._source),
            fingerprint=await _compute_fingerprint(self._source),
            started_at=self._destination.clock.now(),
        )
        copy = await self._destination.begin_copy(wanted)
        source, destination = self._source.place, self._destination.place
        if copy.source != wanted.source:
            raise StoreError(f"{destination} holds a copy of another crawl. Choose an empty destination.")
        if copy.fingerprint != wanted.fingerprint:
            raise StoreError(
                f"The crawl in {source} has changed since its copy into {destination} began. "
                "Choose an empty destination."
            )
        if copy.ended_at is not None:
            checks = await self._compare(FINGERPRINT_SHAPES, copy)
            if not all(check.is_same for check in checks):
                raise StoreError(
                    f"{destination} was crawled after it was copied from {source}, and that is never "
                    "overwritten. Choose an empty destination."
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
        """Rows of the source as the destination holds them."""
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
                    f"Process {worker['pid']} on {worker['host']} is crawling in {store.place}. Stop it "
                    "first, as a copy must be consistent. "
                    f"(A killed process counts as gone after {HEARD_S:g} s.)"
                )


async def _identify(store: RowStore) -> str:
    """The identity of a crawl, shared by all its copies and no other crawl: its first seed and when it was
    added."""
    rows = await store.read(SEEDS, SEEDS.origin, 1)
    if not rows:
        raise StoreError(f"There is no crawl in {store.place} to copy.")
    return str(Digest().plus(rows))


async def _compute_fingerprint(store: RowStore) -> str:
    """A digest that differs after anything that a crawl writes."""
    digest = Digest()
    for shape in FINGERPRINT_SHAPES:
        async for rows in _read_all(store, shape, ROWS_AT_ONCE):
            digest = digest.plus(rows)
    return str(digest)
