"""What to do with a task, judged by what the store knows about its run. Pure."""

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import ExecutionState, TaskState
from tenax.records.runs import RunState
from tenax.stores.jobs.tasks import ENDED, TaskFacts

MOST_DELIVERIES = 5
RECHECK_S = 5.0  # between two checks of a run that has workers or is paused
JOIN_S = 20.0  # a worker that has not joined by then has died on the way
# A message that no worker has taken for this long may be lost. It is sent again, then again after as long as
# the task is old by then: however long all workers are busy, the queue does not fill with copies.
LOST_AFTER_S = 60.0
LONGEST_WAIT_S = 900.0
LONGEST_REST_S = 60.0


@record
class Publish:
    """The run has no workers."""


@record
class Wait:
    is_worked_on: bool


@record
class Advance:
    """The run is over; `state` is the resulting state of the task."""

    state: TaskState
    error: str | None = None


Plan = Publish | Wait | Advance


def plan_task(facts: TaskFacts, now: Instant) -> Plan:
    """Plan for a task that is due and has not ended."""
    match facts.run_state:
        case None:
            return Advance(state=TaskState.FAILED, error="The run no longer exists.")
        case RunState.PAUSED:
            return Wait(is_worked_on=False)
        case RunState.RUNNING:
            return Wait(is_worked_on=True) if facts.is_worked_on(now) else Publish()
        case _ if facts.execution is ExecutionState.RUNNING:
            return Advance(state=TaskState.DOWNLOADED)
        case over:
            return plan_end(over)


def plan_end(run_state: RunState) -> Advance:
    """Plan for a task whose run has ended and was concluded."""
    match run_state:
        case RunState.STOPPED:
            return Advance(state=TaskState.FAILED, error="The run was stopped before it finished.")
        case RunState.FAILED:
            return Advance(state=TaskState.FAILED, error="The run failed.")
        case _:
            return Advance(state=TaskState.COMPLETED)


def plan_next_check(created_at: Instant, now: Instant) -> Instant:
    """When to check a published task again."""
    return now + min(max(LOST_AFTER_S, now - created_at), LONGEST_WAIT_S)


def plan_rest(deliveries: int) -> float:
    """Seconds before republishing a task that a worker could not take."""
    return min(2.0 ** (deliveries - 1), LONGEST_REST_S)


@record
class JoinRun:
    """The run needs workers."""


@record
class DropMessage:
    """The message is no longer needed, or not now."""

    reason: str


@record
class RefuseMessage:
    """The message can never be processed; it becomes a dead letter."""

    reason: str


DeliveryPlan = JoinRun | DropMessage | RefuseMessage


def plan_delivery(facts: TaskFacts | None, run_id: int, now: Instant) -> DeliveryPlan:
    """What a worker does with a message, delivered for the first time or again."""
    if facts is None or facts.task.run_id != run_id:
        return RefuseMessage(reason="There is no such task.")
    task = facts.task
    if task.state in ENDED or facts.run_state is not RunState.RUNNING:
        return DropMessage(reason=f"The task is {task.state} and its run {facts.run_state}.")
    if facts.is_worked_on(now):
        return DropMessage(reason="The run already has workers.")
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
