"""What happens to a task, depending on the state of its run."""

from itertools import pairwise

import pytest

from tenax.jobs.dispatch.planning import (
    JOIN_S,
    LONGEST_WAIT_S,
    LOST_AFTER_S,
    MOST_DELIVERIES,
    Advance,
    DropMessage,
    JoinRun,
    Publish,
    RefuseMessage,
    Wait,
    plan_delivery,
    plan_next_check,
    plan_rest,
    plan_task,
)
from tenax.records.jobs import ExecutionState, Task, TaskState
from tenax.records.runs import RunState
from tenax.stores.jobs.tasks import TaskFacts

NOW = 1000.0
LEASE_S = 60.0


def make_facts(
    run_state: RunState | None = RunState.RUNNING,
    *,
    heard_at: float | None = None,
    execution: ExecutionState | None = None,
    state: TaskState = TaskState.QUEUED,
    deliveries: int = 0,
    started_at: float | None = None,
) -> TaskFacts:
    task = Task(
        id=1,
        run_id=7,
        queue="crawl",
        priority=5,
        state=state,
        deliveries=deliveries,
        error=None,
        created_at=0.0,
        publish_after=NOW,
        queued_at=None,
        started_at=started_at,
        ended_at=None,
    )
    return TaskFacts(task=task, run_state=run_state, lease_s=LEASE_S, heard_at=heard_at, execution=execution)


@pytest.mark.parametrize(
    ("facts", "plan"),
    [
        (make_facts(), Publish()),
        (make_facts(heard_at=NOW - LEASE_S - 1), Publish()),
        (make_facts(heard_at=NOW - 1), Wait(is_worked_on=True)),
        (make_facts(RunState.PAUSED), Wait(is_worked_on=False)),
        (make_facts(RunState.DONE), Advance(state=TaskState.COMPLETED)),
        (make_facts(RunState.BUDGET), Advance(state=TaskState.COMPLETED)),
        (make_facts(RunState.DONE, execution=ExecutionState.RUNNING), Advance(state=TaskState.DOWNLOADED)),
        (make_facts(RunState.DONE, execution=ExecutionState.COMPLETED), Advance(state=TaskState.COMPLETED)),
    ],
)
def test_a_task_is_published_while_its_run_needs_workers(facts: TaskFacts, plan: object) -> None:
    assert plan_task(facts, NOW) == plan


@pytest.mark.parametrize("run_state", [RunState.STOPPED, RunState.FAILED, None])
def test_a_task_whose_run_did_not_end_well_has_failed_and_says_why(run_state: RunState | None) -> None:
    plan = plan_task(make_facts(run_state), NOW)
    assert isinstance(plan, Advance)
    assert plan.state is TaskState.FAILED
    assert plan.error


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        (make_facts(), JoinRun),
        (make_facts(state=TaskState.PENDING), JoinRun),
        (make_facts(state=TaskState.CRAWLING, started_at=NOW - 1), JoinRun),
        (make_facts(started_at=NOW - JOIN_S - 1), JoinRun),
        (make_facts(started_at=NOW - 1), DropMessage),
        (make_facts(heard_at=NOW), DropMessage),
        (make_facts(RunState.DONE), DropMessage),
        (make_facts(RunState.PAUSED), DropMessage),
        (make_facts(state=TaskState.COMPLETED), DropMessage),
        (make_facts(state=TaskState.FAILED), DropMessage),
        (make_facts(deliveries=MOST_DELIVERIES - 1), JoinRun),
        (make_facts(deliveries=MOST_DELIVERIES), RefuseMessage),
        (None, RefuseMessage),
    ],
)
def test_a_message_is_followed_only_while_its_run_needs_workers(
    facts: TaskFacts | None, kind: type[object]
) -> None:
    assert isinstance(plan_delivery(facts, 7, NOW), kind)


def test_a_message_that_names_another_run_than_its_task_is_buried() -> None:
    assert isinstance(plan_delivery(make_facts(), 8, NOW), RefuseMessage)


def test_the_longer_a_task_waits_the_less_often_it_is_published() -> None:
    looks = [0.0]
    while looks[-1] < 4 * 3600:
        looks.append(plan_next_check(0.0, looks[-1]))
    gaps = [later - earlier for earlier, later in pairwise(looks)]
    assert gaps[0] == LOST_AFTER_S
    assert gaps == sorted(gaps)
    assert gaps[-1] == LONGEST_WAIT_S
    assert len(looks) < 25


def test_a_task_that_cannot_be_taken_rests_longer_each_time() -> None:
    assert [plan_rest(deliveries) for deliveries in (1, 2, 3, 4, 20)] == [1.0, 2.0, 4.0, 8.0, 60.0]
