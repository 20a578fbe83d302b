"""What is to be done with a task, by what the store knows of its run. Pure."""

from tenax.clock import Instant
from tenax.job_records import ExecutionState, TaskState
from tenax.record import record
from tenax.records import RunState
from tenax.stores.jobs.tasks import ENDED, TaskFacts

MOST_DELIVERIES = 5
RECHECK_S = 5.0  # from look to look at a run that somebody works on, or that is paused
JOIN_S = 20.0  # a worker that has not joined after so long has died on the way
# A message that nobody has taken for so long may be lost. It is sent again, and again after as long as the
# task is old by then: however long all workers are busy, the queue does not fill with copies.
LOST_AFTER_S = 60.0
LONGEST_WAIT_S = 900.0
LONGEST_REST_S = 60.0


@record
class Publish:
    """Nobody works on its run."""


@record
class Wait:
    is_worked_on: bool


@record
class Advance:
    """Its run is over; `state` is where that leaves the task."""

    state: TaskState
    error: str | None = None


Plan = Publish | Wait | Advance


def plan_task(facts: TaskFacts, now: Instant) -> Plan:
    """Of one that is due and has not ended."""
    match facts.run_state:
        case None:
            return Advance(state=TaskState.FAILED, error="Its run is gone.")
        case RunState.PAUSED:
            return Wait(is_worked_on=False)
        case RunState.RUNNING:
            return Wait(is_worked_on=True) if facts.is_worked_on(now) else Publish()
        case _ if facts.execution is ExecutionState.RUNNING:
            return Advance(state=TaskState.DOWNLOADED)
        case over:
            return plan_end(over)


def plan_end(run_state: RunState) -> Advance:
    """Of a task whose run has ended and was concluded."""
    match run_state:
        case RunState.STOPPED:
            return Advance(state=TaskState.FAILED, error="The run was stopped before it was done.")
        case RunState.FAILED:
            return Advance(state=TaskState.FAILED, error="The run failed.")
        case _:
            return Advance(state=TaskState.COMPLETED)


def plan_next_check(created_at: Instant, now: Instant) -> Instant:
    """At a task that the broker has."""
    return now + min(max(LOST_AFTER_S, now - created_at), LONGEST_WAIT_S)


def plan_rest(deliveries: int) -> float:
    """Before a task is published again that a worker could not take."""
    return min(2.0 ** (deliveries - 1), LONGEST_REST_S)


@record
class JoinRun:
    """The run needs workers."""


@record
class DropMessage:
    """A message that is not needed any more, or not now."""

    reason: str


@record
class RefuseMessage:
    """A message that can never be of use."""

    reason: str


DeliveryPlan = JoinRun | DropMessage | RefuseMessage


def plan_delivery(facts: TaskFacts | None, run_id: int, now: Instant) -> DeliveryPlan:
    """What a worker does with a message that has come, for the first time or again."""
    if facts is None or facts.task.run_id != run_id:
        return RefuseMessage(reason="There is no such task.")
    task = facts.task
    if task.state in ENDED or facts.run_state is not RunState.RUNNING:
        return DropMessage(reason=f"The task is {task.state} and its run {facts.run_state}.")
    if facts.is_worked_on(now):
        return DropMessage(reason="The run has its workers.")
    if (
        task.state is not TaskState.CRAWLING
        and task.started_at is not None
        and task.started_at > now - JOIN_S
    ):
        return DropMessage(reason="Another worker is about to join the run.")
    if task.deliveries >= MOST_DELIVERIES:
        return RefuseMessage(
            reason=f"{task.deliveries} workers in a row could not join the run. {task.error or ''}".strip()
        )
    return JoinRun()
