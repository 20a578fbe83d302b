"""The contract of a place for segments: append-only objects with frames, each known by its key.

Frames are durable before a row names them, so a segment may have frames at its end that no row names: those
of a batch that was never settled. Whoever takes over from a dead writer cuts them off.
"""

from collections.abc import Sequence
from typing import Protocol

from tenax.errors import StoreError


class BlobMissing(StoreError):
    """The file with the body is missing."""


class SegmentWriter(Protocol):
    """The only writer of a segment. It dies with its process."""

    @property
    def key(self) -> str: ...

    @property
    def size(self) -> int: ...

    def append(self, frames: Sequence[bytes]) -> list[int]:
        """Append frames and make them durable; returns their positions. Blocks. Raises StoreError, and then
        nothing was appended."""
        ...

    def trim(self, size: int) -> None:
        """Cut off what follows this size."""
        ...

    def close(self) -> None: ...


class Blobs(Protocol):
    def create(self, key: str) -> SegmentWriter:
        """Raises StoreError."""
        ...

    def take_over(self, key: str) -> SegmentWriter | None:
        """Become the writer of a segment whose writer has died. None: it lives, or there is no segment."""
        ...

    def read(self, key: str, position: int, length: int) -> bytes:
        """Raises BlobMissing, StoreError. The result is shorter if the segment is."""
        ...

    def find_size(self, key: str) -> int | None:
        """None: there is no such segment."""
        ...

    def remove(self, key: str) -> None:
        """Repeating is safe."""
        ...
