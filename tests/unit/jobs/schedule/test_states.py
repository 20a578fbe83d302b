"""Every state with every action, and every transition between states."""

import itertools

import pytest

from tenax.jobs.schedule.states import LEADS_TO, MOVES, VALID_FROM, JobAction, explain_refusal
from tenax.records.jobs import JobState

P, S, R = JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING
C, F, H, X = JobState.COMPLETED, JobState.FAILED, JobState.PAUSED, JobState.CANCELLED

ALLOWED = {
    (S, JobAction.PAUSE): H,
    (H, JobAction.RESUME): S,
    (S, JobAction.CANCEL): X,
    (R, JobAction.CANCEL): X,
    (H, JobAction.CANCEL): X,
    (P, JobAction.CANCEL): X,
    (F, JobAction.RETRY): P,
    (S, JobAction.FORCE_RUN): R,
}
FOLLOWS = {(P, S), (P, R), (P, X), (S, R), (S, H), (S, X), (H, S), (H, X), (C, S), (F, P)} | {
    (R, C),
    (R, F),
    (R, X),
    (R, S),
    (R, P),
}


@pytest.mark.parametrize(("state", "action"), [*itertools.product(JobState, JobAction)])
def test_an_action_is_applied_or_refused_with_a_reason(state: JobState, action: JobAction) -> None:
    refusal = explain_refusal(action, 7, state)
    if (state, action) in ALLOWED:
        assert refusal is None
        assert LEADS_TO[action] is ALLOWED[state, action]
        assert LEADS_TO[action] in MOVES[state]
    else:
        assert refusal is not None
        assert refusal.startswith(f"Job 7 is {state}: only a ")
        assert " job can be " in refusal


@pytest.mark.parametrize(("state", "following"), [*itertools.product(JobState, JobState)])
def test_a_state_follows_another_or_does_not(state: JobState, following: JobState) -> None:
    assert (following in MOVES[state]) is ((state, following) in FOLLOWS)


def test_a_refusal_names_all_states_that_would_do() -> None:
    assert explain_refusal(JobAction.CANCEL, 3, JobState.FAILED) == (
        "Job 3 is failed: only a scheduled, running, paused or pending job can be cancelled."
    )


@pytest.mark.parametrize("action", [JobAction.RETRY, JobAction.FORCE_RUN])
@pytest.mark.parametrize("state", [C, X])
def test_a_job_that_is_over_names_the_way_to_another_run(action: JobAction, state: JobState) -> None:
    refusal = explain_refusal(action, 3, state)
    assert refusal is not None
    assert refusal.endswith(
        " To crawl its source once more, create another job ('tenax jobs create SOURCE')."
    )


def test_every_sort_order_is_known() -> None:
    assert VALID_FROM.keys() == LEADS_TO.keys() == set(JobAction)
