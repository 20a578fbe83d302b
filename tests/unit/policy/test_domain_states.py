"""The states of a domain: every transition that is allowed, and every other one refused."""

from itertools import product

import pytest

from tenax.policy.domain_states import TRANSITIONS, ForbiddenTransition, check_transition, move
from tenax.records.domains import Cause, DomainState, DomainStatus, Transition

T = 1_000_000.0
PENDING, ACTIVE, EXHAUSTED = DomainStatus.PENDING, DomainStatus.ACTIVE, DomainStatus.EXHAUSTED
BLOCKED, UNREACHABLE = DomainStatus.BLOCKED, DomainStatus.UNREACHABLE

TURNED_AWAY = {"login_required", "rate_limited", "forbidden", "bot_wall", "robots_denied"}
SILENT = {"dns_failure", "connection_failed", "server_error", "robots_unreachable"}
AGAIN = {"cooldown_over", "asked_again", "unblocked", "reset"}

# Written down a second time, so that a change of the table has to be meant.
ALLOWED = {
    (PENDING, PENDING): {"reset"},
    (PENDING, ACTIVE): {"answered"},
    (PENDING, EXHAUSTED): {"all_done"},
    (PENDING, BLOCKED): TURNED_AWAY | {"manual"},
    (PENDING, UNREACHABLE): SILENT,
    (ACTIVE, PENDING): {"reset"},
    (ACTIVE, EXHAUSTED): {"all_done"},
    (ACTIVE, BLOCKED): TURNED_AWAY | {"manual"},
    (ACTIVE, UNREACHABLE): SILENT,
    (EXHAUSTED, PENDING): {"reset"},
    (EXHAUSTED, ACTIVE): {"new_urls", "refresh", "answered"},
    (EXHAUSTED, BLOCKED): TURNED_AWAY | {"manual"},
    (EXHAUSTED, UNREACHABLE): SILENT,
    (BLOCKED, PENDING): AGAIN,
    (BLOCKED, BLOCKED): {"manual"},
    (UNREACHABLE, PENDING): AGAIN,
    (UNREACHABLE, BLOCKED): {"manual"},
}
EVERY = list(product(DomainStatus, DomainStatus, Cause))


def is_allowed(from_status: DomainStatus, to_status: DomainStatus, cause: Cause) -> bool:
    return cause in ALLOWED.get((from_status, to_status), set())


@pytest.mark.parametrize(("from_status", "to_status", "cause"), [each for each in EVERY if is_allowed(*each)])
def test_a_domain_may_move(from_status: DomainStatus, to_status: DomainStatus, cause: Cause) -> None:
    moved = move(DomainState(status=from_status), to_status, cause, detail="why", at=T)
    assert moved.status is to_status
    assert moved.transitions == (
        Transition(at=T, from_status=from_status, to_status=to_status, cause=cause, detail="why"),
    )


@pytest.mark.parametrize("from_status", DomainStatus)
@pytest.mark.parametrize("to_status", DomainStatus)
def test_every_other_move_is_refused(from_status: DomainStatus, to_status: DomainStatus) -> None:
    for cause in Cause:
        if not is_allowed(from_status, to_status, cause):
            with pytest.raises(ForbiddenTransition, match=f"{from_status} cannot become {to_status}"):
                check_transition(from_status, to_status, cause)


def test_the_table_has_no_move_beyond_these() -> None:
    assert set(TRANSITIONS) == set(ALLOWED)


def test_every_cause_leads_somewhere() -> None:
    assert set(Cause) == set().union(*TRANSITIONS.values())


def test_a_state_remembers_its_moves_in_their_order() -> None:
    active = move(DomainState(), ACTIVE, Cause.ANSWERED, detail="a", at=T)
    done = move(active, EXHAUSTED, Cause.ALL_DONE, detail="b", at=T + 1)
    assert [each.to_status for each in done.transitions] == [ACTIVE, EXHAUSTED]
