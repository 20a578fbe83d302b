"""The contract for segments and the bodies in them. Which visit stored which body is written when a batch is
settled (Batch.places).
"""

from collections.abc import Sequence
from typing import Protocol

from tenax.records.bodies import KnownBody, Segment


class BodyStore(Protocol):
    async def open_segment(self, key: str, machine: str, worker_id: int) -> int:
        """Register a segment whose file its writer has created and locked; returns its id. Repeating is
        safe."""
        ...

    async def seal(self, segment_id: int) -> int:
        """No row will name more of an open segment; returns its size, to the end of the last frame that a row
        names. Repeating is safe."""
        ...

    async def list_unfinished(self) -> list[Segment]:
        """Segments that are open or dropped."""
        ...

    async def forget(self, segment_id: int) -> None:
        """Delete the row of a segment without bodies, whose file is gone. Repeating is safe."""
        ...

    async def note_file(self, segment_id: int, *, is_there: bool) -> None:
        """The file of a sealed segment was looked for. While it is not there, its bodies count as unknown, so
        that they are stored again. Repeating is safe."""
        ...

    async def find(self, digests: Sequence[bytes]) -> dict[bytes, KnownBody]:
        """Those of these bodies that are stored, by digest. Takes no lock."""
        ...
