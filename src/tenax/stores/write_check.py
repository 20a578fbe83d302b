"""What keeps a store from taking anything at all, found out by trying. Its rows cannot tell: whoever could
not write for want of room could not write that down either.
"""

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Protocol, cast

from tenax.record import record
from tenax.stores.disks import DiskTrouble
from tenax.stores.place import Place

# A disk that is gone may keep whoever asks it waiting for ever.
LONGEST_S = 15.0


@record
class WriteObstacle:
    is_disk: bool  # otherwise the store itself
    sentence: str
    advice: str


class WriteChecker(Protocol):
    """A module `probing` of each folder of stores/."""

    def probe(self, place: Place) -> WriteObstacle | None:
        """Try whether the store takes something, and leave nothing behind. None: it does, or that cannot be
        told. It may take a few seconds."""
        ...


def check_writable(place: Place, limit_s: float = LONGEST_S) -> tuple[WriteObstacle, ...]:
    """At most one. It blocks, but never for longer than the limit."""
    prober = cast(WriteChecker, import_module(f"tenax.stores.{place.backend}.write_check"))
    found = _within(limit_s, lambda: prober.probe(place))
    if found is None:
        return (_describe_silence(place, limit_s),)
    return tuple(obstacle for obstacle in found if obstacle is not None)


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
        advice=f"{advice}; a crawl that waits for it goes on by itself, another one with the same command.",
    )


def _describe_silence(place: Place, limit_s: float) -> WriteObstacle:
    return WriteObstacle(
        is_disk=False,
        sentence=f"{place} has not answered for {limit_s:g} s.",
        advice="Look at the disk and the system's log." if place.url is None else "Look at the server.",
    )


def _within(limit_s: float, work: Callable[[], WriteObstacle | None]) -> list[WriteObstacle | None] | None:
    """What it found, alone in a list; None: it is not done yet. Raises what it raised."""
    found: list[WriteObstacle | None] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            errors.append(error)

    # No executor: its threads are waited for when the process ends.
    thread = threading.Thread(target=run, daemon=True, name="store-probe")
    thread.start()
    thread.join(limit_s)
    if errors:
        raise errors[0]
    return found or None
