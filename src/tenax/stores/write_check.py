"""What keeps a store from being written at all. Its rows cannot say it: a worker that finds no room on the
disk cannot write that down either.
"""

from typing import Protocol

from tenax.record import record
from tenax.stores.disks import DiskTrouble
from tenax.stores.place import Place


@record
class WriteObstacle:
    is_disk: bool  # otherwise the store itself
    sentence: str
    advice: str


class WriteChecker(Protocol):
    """The module `write_check` of each database."""

    def probe(self, place: Place) -> WriteObstacle | None:
        """Try to write to the store, and leave nothing behind. None: it can be written, or that cannot be
        found out. It may take a few seconds."""
        ...


def describe_disk(trouble: DiskTrouble, where: str, how: str = "") -> WriteObstacle:
    """`where`: whose disk it is; `how`: more about it, in brackets."""
    sentence, advice = {
        DiskTrouble.FULL: ("is full", "Free some space"),
        DiskTrouble.READ_ONLY: ("is read-only", "Look at the system's log, and make it writable again"),
        DiskTrouble.FAILING: ("fails", "Look at the system's log"),
    }[trouble]
    return WriteObstacle(
        is_disk=True,
        sentence=f"The disk of {where} {sentence}{how and f' ({how})'}: nothing can be stored.",
        advice=f"{advice}; a crawl that waits for it continues by itself, another one with the same command.",
    )
