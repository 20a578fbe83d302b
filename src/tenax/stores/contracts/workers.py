"""The contract for signs of life of workers on one machine."""

from typing import Protocol

from tenax.clock import Instant
from tenax.record import record


@record
class DeadWorker:
    """A worker whose process is gone, and what it left behind."""

    uuid: str
    last_alive_at: Instant
    reading_url_id: int | None  # the url whose document it was reading when it died
    exit_code: int | None = None  # of one that ended itself


class SignOfLife(Protocol):
    """A worker's signs of life. They outlive the process, for the workers that find it dead."""

    def note_alive(self, now: Instant) -> None: ...

    def note_reading(self, url_id: int) -> None:
        """The url whose document is being read; 0: none."""
        ...

    def note_exit(self, code: int) -> None:
        """The process ends itself with this code. May be called by any thread."""
        ...

    def find_dead(self) -> list[DeadWorker]:
        """Workers of this machine whose process is gone and that have not been removed yet."""
        ...

    def forget(self, dead: DeadWorker) -> None:
        """Do not find this worker again: it was removed."""
        ...
