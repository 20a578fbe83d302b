"""The state machine of a domain: which status may follow which, and for which cause."""

from collections.abc import Mapping
from typing import Final

from tenax.clock import Instant
from tenax.record import replace
from tenax.records.domains import Cause, DomainState, DomainStatus, Transition

_PENDING, _ACTIVE, _EXHAUSTED = DomainStatus.PENDING, DomainStatus.ACTIVE, DomainStatus.EXHAUSTED
_BLOCKED, _UNREACHABLE = DomainStatus.BLOCKED, DomainStatus.UNREACHABLE

RESTING: Final = (_BLOCKED, _UNREACHABLE)

TURNED_AWAY: Final = frozenset(
    {Cause.LOGIN_REQUIRED, Cause.RATE_LIMITED, Cause.FORBIDDEN, Cause.BOT_WALL, Cause.ROBOTS_DENIED}
)
SILENT: Final = frozenset(
    {Cause.DNS_FAILURE, Cause.CONNECTION_FAILED, Cause.SERVER_ERROR, Cause.ROBOTS_UNREACHABLE}
)
_ANOTHER_TRY: Final = frozenset({Cause.COOLDOWN_OVER, Cause.ASKED_AGAIN, Cause.UNBLOCKED, Cause.RESET})
_MANUAL: Final = frozenset({Cause.MANUAL})

TRANSITIONS: Final[Mapping[tuple[DomainStatus, DomainStatus], frozenset[Cause]]] = {
    (_PENDING, _PENDING): frozenset({Cause.RESET}),
    (_PENDING, _ACTIVE): frozenset({Cause.ANSWERED}),
    # Rules may refuse all known urls of a domain before anything is requested.
    (_PENDING, _EXHAUSTED): frozenset({Cause.ALL_DONE}),
    (_PENDING, _BLOCKED): TURNED_AWAY | _MANUAL,
    (_PENDING, _UNREACHABLE): SILENT,
    (_ACTIVE, _EXHAUSTED): frozenset({Cause.ALL_DONE}),
    (_ACTIVE, _BLOCKED): TURNED_AWAY | _MANUAL,
    (_ACTIVE, _UNREACHABLE): SILENT,
    (_ACTIVE, _PENDING): frozenset({Cause.RESET}),
    (_EXHAUSTED, _ACTIVE): frozenset({Cause.NEW_URLS, Cause.REFRESH, Cause.ANSWERED}),
    (_EXHAUSTED, _PENDING): frozenset({Cause.RESET}),
    # Known urls of an exhausted domain may be requested again.
    (_EXHAUSTED, _BLOCKED): TURNED_AWAY | _MANUAL,
    (_EXHAUSTED, _UNREACHABLE): SILENT,
    (_BLOCKED, _PENDING): _ANOTHER_TRY,
    (_UNREACHABLE, _PENDING): _ANOTHER_TRY,
    # A manual block replaces an existing one.
    (_BLOCKED, _BLOCKED): _MANUAL,
    (_UNREACHABLE, _BLOCKED): _MANUAL,
}


class ForbiddenTransition(ValueError):
    """A status cannot follow another one for this cause: a bug."""


def check_transition(from_status: DomainStatus, to_status: DomainStatus, cause: Cause) -> None:
    """Raises ForbiddenTransition."""
    if cause not in TRANSITIONS.get((from_status, to_status), ()):
        raise ForbiddenTransition(f"{from_status} cannot become {to_status} for {cause}")


def move(
    state: DomainState, to_status: DomainStatus, cause: Cause, *, detail: str, at: Instant
) -> DomainState:
    """Move to another status. The state remembers the transition until it is stored. Raises
    ForbiddenTransition."""
    check_transition(state.status, to_status, cause)
    transition = Transition(at=at, from_status=state.status, to_status=to_status, cause=cause, detail=detail)
    return replace(state, status=to_status, transitions=(*state.transitions, transition))
