"""Stored bodies of a crawl: read, checked, copied with their store, tidied after a purge."""

import asyncio
import shutil
import socket
from collections.abc import Iterator

from tenax.blobs.base import BlobMissing
from tenax.blobs.frames import BodyDamaged, unpack_body
from tenax.blobs.local import LocalBlobs
from tenax.clock import SystemClock
from tenax.crawl.worker.body_keeper import tidy_segments
from tenax.errors import StoreError
from tenax.part_files import replace_file
from tenax.private_files import FILE_MODE, make_folder
from tenax.record import record
from tenax.records.bodies import Segment, SegmentState
from tenax.runtime.backends import find_backend
from tenax.stores.backend import Stores
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.layout import BODIES_NAME
from tenax.stores.place import Place
from tenax.stores.queries.bodies import VisitBody, iter_bodies, list_segments
from tenax.wording import count_of


@record
class SegmentCheck:
    """What is wrong with a segment; with nothing wrong, how many bodies it has."""

    segment: Segment
    bodies: int = 0
    damaged: int = 0
    is_missing: bool = False
    is_elsewhere: bool = False  # another machine wrote it, and has it


def open_blobs(place: Place) -> LocalBlobs:
    return LocalBlobs(place.folder / BODIES_NAME)


def read_body(place: Place, found: VisitBody) -> bytes:
    """The bytes of a stored body. Raises StoreError with one sentence."""
    body, segment = found.body, found.segment
    try:
        frame = open_blobs(place).read(body.key, body.position, body.length)
        return unpack_body(frame, body.digest)
    except BlobMissing as error:
        if segment.machine != socket.gethostname():
            raise StoreError(
                f"The body is in the file {segment.key} of the machine {segment.machine}: ask there."
            ) from error
        raise StoreError(f"The body is lost: the file {segment.key} that held it is missing.") from error
    except BodyDamaged as error:
        raise StoreError(
            f"The body is damaged: its bytes in the file {segment.key} are not those that were stored."
        ) from error


def check_bodies(place: Place) -> list[SegmentCheck]:
    """Read every stored body of this machine. A file that is missing is marked as lost in the store, and one
    that is there again is not."""
    checks = read_store(place, lambda connection: list(_check_segments(place, connection)))
    asyncio.run(_note_files(place, checks))
    return checks


def _check_segments(place: Place, connection: Connection) -> Iterator[SegmentCheck]:
    blobs = open_blobs(place)
    for segment in list_segments(connection):
        if blobs.find_size(segment.key) is not None:
            yield _check_segment(blobs, connection, segment)
        elif segment.machine == socket.gethostname():
            yield SegmentCheck(segment=segment, is_missing=True)
        else:
            yield SegmentCheck(segment=segment, is_elsewhere=True)


def _check_segment(blobs: LocalBlobs, connection: Connection, segment: Segment) -> SegmentCheck:
    bodies = damaged = 0
    for body in iter_bodies(connection, segment):
        bodies += 1
        try:
            unpack_body(blobs.read(body.key, body.position, body.length), body.digest)
        except BodyDamaged:
            damaged += 1
    return SegmentCheck(segment=segment, bodies=bodies, damaged=damaged)


def list_body_warnings(connection: Connection, place: Place) -> list[str]:
    """What is wrong with the files of this machine, without reading them."""
    blobs, machine = open_blobs(place), socket.gethostname()
    gone = 0
    for segment in list_segments(connection):
        size = blobs.find_size(segment.key)
        is_short = size is not None and size < segment.size
        gone += is_short or (size is None and segment.machine == machine and segment.size > 0)
    if not gone:
        return []
    files = count_of(gone, "file")
    return [f"{files} with stored bodies missing or cut off; 'tenax bodies --check' says which."]


async def _note_files(place: Place, checks: list[SegmentCheck]) -> None:
    changed = [
        check
        for check in checks
        if not check.is_elsewhere and check.is_missing != (check.segment.state is SegmentState.LOST)
    ]
    if not changed:
        return
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        for check in changed:
            await stores.bodies.note_file(check.segment.id, is_there=not check.is_missing)


async def tidy_bodies(place: Place, stores: Stores) -> None:
    """Delete the files of segments whose bodies were all purged."""
    await tidy_segments(open_blobs(place), stores.bodies, socket.gethostname())


def copy_bodies(source: Place, destination: Place) -> None:
    """Copy the files of segments that this machine has, before a copy of the store names them. Repeating is
    safe: what is there already is left out."""
    there, here = source.folder / BODIES_NAME, destination.folder / BODIES_NAME
    if not there.is_dir() or (here.exists() and there.samefile(here)):
        return
    make_folder(here)
    for segment in read_store(source, list_segments):
        original, copy = there / segment.key, here / segment.key
        if not original.exists() or (copy.exists() and copy.stat().st_size == original.stat().st_size):
            continue
        with original.open("rb") as reading, replace_file(copy, mode=FILE_MODE) as writing:
            shutil.copyfileobj(reading, writing)
