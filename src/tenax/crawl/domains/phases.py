"""The phases of a leased domain in its worker, and which may follow which.

Two aspects are independent, so each is an enum of its own: what the domain itself waits for, and its
robots.txt, whose request may still be in flight while the domain drains or after its lease is lost. How many
visits are in flight is a number, `LeasedDomain.in_flight`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Phase(StrEnum):
    """Where a domain is in the pool. Only the pool moves it."""

    CLAIMED = "claimed"  # leased and loaded, not in the pool yet
    SCHEDULED = "scheduled"  # on a heap until the instant of its next request
    BUSY = "busy"  # something has to end first: a request, the commit of a new delay, a renewal of the lease
    HUNGRY = "hungry"  # its queue is empty: the store is to be asked for more urls
    REFILLING = "refilling"  # the store is being asked
    STARVED = "starved"  # the store has nothing more until the domain's visits are settled
    DRAINING = "draining"  # nothing more starts; it is given back once everything is durable
    GIVEN_BACK = "given_back"  # out of the pool, to be released in the store
    LOST = "lost"  # the lease is gone: whatever still arrives is ignored


class RobotsPhase(StrEnum):
    """What happens with the robots.txt of a domain. The domain moves it."""

    IDLE = "idle"
    FETCHING = "fetching"  # a request, or a look-up of another worker's copy, is in flight
    UNSETTLED = "unsettled"  # it asks for a longer delay: nothing starts before that is durable


GONE: Final = frozenset({Phase.GIVEN_BACK, Phase.LOST})

NEXT_PHASES: Final[Mapping[Phase, frozenset[Phase]]] = {
    Phase.CLAIMED: frozenset({Phase.BUSY}),
    # Taken off its heap when its time has come, or because its rules have changed.
    Phase.SCHEDULED: GONE | {Phase.BUSY, Phase.DRAINING},
    Phase.BUSY: GONE | {Phase.SCHEDULED, Phase.HUNGRY, Phase.STARVED, Phase.DRAINING},
    # A url that could not be requested goes back into the queue: that is enough to go on with.
    Phase.HUNGRY: GONE | {Phase.REFILLING, Phase.SCHEDULED, Phase.DRAINING},
    Phase.REFILLING: GONE | {Phase.SCHEDULED, Phase.BUSY, Phase.STARVED, Phase.DRAINING},
    Phase.STARVED: GONE | {Phase.HUNGRY, Phase.SCHEDULED, Phase.DRAINING},
    Phase.DRAINING: GONE,
    Phase.GIVEN_BACK: frozenset(),
    Phase.LOST: frozenset(),
}

NEXT_ROBOTS_PHASES: Final[Mapping[RobotsPhase, frozenset[RobotsPhase]]] = {
    RobotsPhase.IDLE: frozenset({RobotsPhase.FETCHING}),
    RobotsPhase.FETCHING: frozenset({RobotsPhase.IDLE, RobotsPhase.UNSETTLED}),
    RobotsPhase.UNSETTLED: frozenset({RobotsPhase.IDLE}),
}


class IllegalPhase(AssertionError):
    """A phase cannot follow another one: a bug in this program."""


def check_phase(earlier: Phase, later: Phase) -> None:
    """Raises IllegalPhase."""
    if later not in NEXT_PHASES[earlier]:
        raise IllegalPhase(f"A domain that is {earlier} cannot become {later}.")


def check_robots_phase(earlier: RobotsPhase, later: RobotsPhase) -> None:
    """Raises IllegalPhase."""
    if later not in NEXT_ROBOTS_PHASES[earlier]:
        raise IllegalPhase(f"A robots.txt that is {earlier} cannot become {later}.")
