"""Finds out by trying what keeps a store from being written."""

import threading
from collections.abc import Callable

from tenax.stores.place import Place
from tenax.stores.postgres import write_check as postgres
from tenax.stores.sqlite import write_check as sqlite
from tenax.stores.write_check import WriteChecker, WriteObstacle

# A disk that is gone may block its readers forever.
LONGEST_S = 15.0

_CHECKERS: dict[str, WriteChecker] = {"sqlite": sqlite, "postgres": postgres}


def check_writable(place: Place, limit_s: float = LONGEST_S) -> tuple[WriteObstacle, ...]:
    """At most one obstacle. It blocks, but never for longer than the limit."""
    checker = _CHECKERS[place.backend]
    found = _within(limit_s, lambda: checker.probe(place))
    if found is None:
        return (_describe_silence(place, limit_s),)
    return tuple(obstacle for obstacle in found if obstacle is not None)


def _describe_silence(place: Place, limit_s: float) -> WriteObstacle:
    return WriteObstacle(
        is_disk=False,
        sentence=f"{place} has not answered for {limit_s:g} s.",
        advice="Look at the disk and the system's log." if place.url is None else "Look at the server.",
    )


def _within(limit_s: float, work: Callable[[], WriteObstacle | None]) -> list[WriteObstacle | None] | None:
    """The result of `work`, alone in a list; None: it is not done yet. Raises what it raised."""
    found: list[WriteObstacle | None] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            errors.append(error)

    # No executor: the process would wait for its threads when it ends.
    thread = threading.Thread(target=run, daemon=True, name="store-probe")
    thread.start()
    thread.join(limit_s)
    if errors:
        raise errors[0]
    return found or None
