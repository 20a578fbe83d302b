"""Bodies of answers that are stored, and the segments that hold them."""

from enum import StrEnum

from tenax.record import record


class SegmentState(StrEnum):
    OPEN = "open"  # a worker appends to it, or has died
    SEALED = "sealed"  # it is complete and never written again
    LOST = "lost"  # its file was not found where it was written
    DROPPED = "dropped"  # no body of it is wanted any more; its file is about to be deleted


@record
class PackedBody:
    """A body as it waits to be stored."""

    digest: bytes  # SHA-256 of the body as it was decoded
    frame: bytes  # the body, compressed
    size: int  # of the body
    heads: bytes  # what was sent and received before the body, compressed


@record
class BodyPlace:
    """Where the frame of a body is."""

    segment_id: int
    position: int
    length: int
    is_new: bool = True  # False: the store names it already


@record
class KnownBody:
    """A body that the store holds already."""

    place: BodyPlace
    key: str  # of its segment
    machine: str


@record
class Segment:
    id: int
    key: str  # the name of its file
    machine: str  # the host that wrote it
    state: SegmentState
    size: int  # in bytes, to the end of the last frame that a row has named
