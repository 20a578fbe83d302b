"""Writes the bodies of a batch to the worker's segment, before the batch is settled that names them."""

import asyncio
import contextlib
import socket
import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final

from tenax import failpoints
from tenax.blobs.base import Blobs, SegmentWriter
from tenax.clock import Clock, Instant
from tenax.config.bodies import BodySettings
from tenax.crawl.visits.context import RunContext
from tenax.record import record
from tenax.records.bodies import BodyPlace, KnownBody, PackedBody, SegmentState
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.bodies import BodyStore
from tenax.telemetry import log

SUFFIX: Final = ".zst"
_MEGABYTE = 1_000_000

Places = dict[bytes, BodyPlace]


@record
class SegmentOwner:
    machine: str
    worker_id: int


@record
class OpenSegment:
    id: int
    writer: SegmentWriter
    opened_at: Instant


class BodyKeeper:
    """Every method may be repeated after a StoreError, except `close`, which raises none."""

    def __init__(
        self,
        blobs: Blobs,
        store: BodyStore,
        settings: BodySettings,
        clock: Clock,
        owner: SegmentOwner,
    ) -> None:
        self._blobs = blobs
        self._store = store
        self._settings = settings
        self._clock = clock
        self._owner = owner
        self._writer: SegmentWriter | None = None
        self._segment: OpenSegment | None = None
        self._is_tidy = False

    async def write(self, works: Iterable[DomainWork]) -> Places:
        """Make the bodies of visits durable; returns where they are, by digest. A body that is stored already
        is not written again."""
        packed = {visit.body.digest: visit.body for work in works for visit in work.visits if visit.body}
        if not packed:
            return {}
        await self._tidy()
        known = await self._store.find(list(packed))
        places = {digest: found.place for digest, found in known.items() if self._is_there(found)}
        missing = [body for digest, body in packed.items() if digest not in places]
        if missing:
            places |= await self._append(missing)
        return places

    async def end_batch(self) -> None:
        """Seal the segment if it is large or old. The batch that named its bodies is settled."""
        segment = self._segment
        if segment is None:
            return
        is_large = segment.writer.size >= self._settings.segment_mb * _MEGABYTE
        if is_large or self._clock.now() - segment.opened_at >= self._settings.segment_age_s:
            await self.seal()

    async def seal(self) -> None:
        """Finish the segment, so that no other worker has to take it over."""
        await self._tidy()
        segment = self._segment
        if segment is None:
            return
        failpoints.reach("bodies.seal")
        await finish_segment(self._blobs, self._store, segment.id, segment.writer)
        self._segment = self._writer = None

    def close(self) -> None:
        """Leave an open segment to whoever takes over."""
        if self._writer is not None:
            self._writer.close()
            self._segment = self._writer = None

    async def _tidy(self) -> None:
        if not self._is_tidy:
            await tidy_segments(self._blobs, self._store, self._owner.machine)
            self._is_tidy = True

    async def _append(self, bodies: Sequence[PackedBody]) -> Places:
        segment = self._segment or await self._open()
        positions = await asyncio.to_thread(segment.writer.append, [body.frame for body in bodies])
        return {
            body.digest: BodyPlace(segment_id=segment.id, position=position, length=len(body.frame))
            for body, position in zip(bodies, positions, strict=True)
        }

    async def _open(self) -> OpenSegment:
        # The file first, and locked: otherwise another worker would take it for one that a dead worker left.
        if self._writer is None:
            self._writer = self._blobs.create(f"{uuid.uuid4().hex}{SUFFIX}")
        writer, owner = self._writer, self._owner
        segment_id = await self._store.open_segment(writer.key, owner.machine, owner.worker_id)
        self._segment = OpenSegment(id=segment_id, writer=writer, opened_at=self._clock.now())
        return self._segment

    def _is_there(self, known: KnownBody) -> bool:
        """Of another machine that is what its row says."""
        size = self._blobs.find_size(known.key)
        if size is None:
            return known.machine != self._owner.machine
        return size >= known.place.position + known.place.length


@contextlib.asynccontextmanager
async def open_keeper(
    blobs: Blobs, store: BodyStore, settings: BodySettings, context: RunContext
) -> AsyncIterator[BodyKeeper | None]:
    """Yields None if the run stores no bodies."""
    if not settings.store:
        yield None
        return
    owner = SegmentOwner(machine=socket.gethostname(), worker_id=context.worker_id)
    with contextlib.closing(BodyKeeper(blobs, store, settings, context.clock, owner)) as keeper:
        yield keeper


async def tidy_segments(blobs: Blobs, store: BodyStore, machine: str) -> None:
    """Finish what dead workers have left on this machine: cut off what no row names, and delete the files of
    segments whose bodies were all purged. Repeating is safe, even concurrently."""
    for segment in await store.list_unfinished():
        if segment.state is SegmentState.DROPPED:
            if segment.machine == machine or blobs.find_size(segment.key) is not None:
                blobs.remove(segment.key)
                await store.forget(segment.id)
        elif (writer := blobs.take_over(segment.key)) is not None:
            orphaned = await finish_segment(blobs, store, segment.id, writer)
            log.info("segment_taken_over", key=segment.key, orphaned_bytes=orphaned)


async def finish_segment(blobs: Blobs, store: BodyStore, segment_id: int, writer: SegmentWriter) -> int:
    """Seal a segment, and cut off what no row names; an empty one is deleted. Returns how many bytes were cut
    off."""
    size = await store.seal(segment_id)
    orphaned = max(writer.size - size, 0)
    writer.trim(size)
    writer.close()
    if not size:
        blobs.remove(writer.key)
        await store.forget(segment_id)
    return orphaned
