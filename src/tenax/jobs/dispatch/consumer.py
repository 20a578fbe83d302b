"""A Celery worker that has crews work on the runs which messages name.

A message is acknowledged when a crew has joined the run and the store says so, not when the run is over:
brokers take back what is not acknowledged within half an hour, and runs last for days. From then on the store
knows that the run has workers, and when it has lost them; see outbox.py.

There is one thread, and no child of Celery's: a crew is a program of its own. While all places for crews are
taken, the worker does not listen to its queue, so that no message waits here for what another machine could
do."""

import contextlib
import time
from collections.abc import Callable
from typing import Any, Protocol

from celery import Celery, bootsteps
from celery.exceptions import Reject
from celery.worker import WorkController, state
from celery.worker.consumer import Consumer

from tenax.config.service import DispatchSettings
from tenax.errors import StoreError
from tenax.failpoints import reach
from tenax.jobs.dispatch.celery import TASK, make_app, make_dead_queue
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.jobs.dispatch.planning import JOIN_S, Bury, Drop
from tenax.record import record
from tenax.telemetry import log

TEND_S = 0.5
LOOK_S = 0.1
# While the store is away.
REST_S = 1.0
FIRST_RETRY_S = 1.0
LONGEST_RETRY_S = 3.0


class RunProgram(Protocol):
    """A program that works on one run."""

    def ended(self) -> bool: ...

    def read_error(self) -> str | None:
        """Of one that has ended: why, if that was not the end of its work."""
        ...

    def stop(self) -> None:
        """Let it end its requests and give everything back. Repeating is safe."""
        ...


@record
class Assignment:
    task_id: int
    run_id: int
    program: RunProgram


class TaskConsumer:
    """Takes messages, and looks after the crews that work because of them."""

    def __init__(
        self,
        settings: DispatchSettings,
        inbox: TaskInbox,
        start_program: Callable[[int], RunProgram],
        *,
        places: int,
        say: Callable[[str], None],
    ) -> None:
        self._queue = settings.queue
        self._inbox = inbox
        self._start_program = start_program
        self._places = places
        self._say = say
        self._assignments: list[Assignment] = []
        self._consumer: Any = None
        self._is_listening = True
        self._app = self._build(settings)

    def run(self) -> None:
        """Until `stop`; then the crews are gone, too."""
        worker = WorkController(
            app=self._app,
            pool_cls="solo",
            consumer_cls=PatientConsumer,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
        self._dismiss()

    def stop(self) -> None:
        """May be called in a signal handler."""
        state.should_stop = 0

    # --- messages --------------------------------------------------------------------------------

    def _build(self, settings: DispatchSettings) -> Celery:
        app = make_app(settings)
        app.task(name=TASK)(self._take)
        app.steps["consumer"].add(_make_step(self))
        return app

    def _take(self, *, task_id: Any, run_id: Any, store: Any) -> None:
        """Whatever is raised but Reject sends the message to the dead letters."""
        if not (isinstance(task_id, int) and isinstance(run_id, int) and isinstance(store, str)):
            raise Reject("It names no task.", requeue=False)
        if len(self._assignments) >= self._places:
            raise Reject("All places are taken.", requeue=True)
        try:
            self._work(task_id, run_id, store)
        except StoreError as error:
            log.warning("message_put_back", run=run_id, error=str(error))
            self._say(f"{error} Waiting for it.")
            # Nobody else would fare better at once.
            time.sleep(REST_S)
            raise Reject(str(error), requeue=True) from error

    def _work(self, task_id: int, run_id: int, store: str) -> None:
        match self._inbox.receive(task_id, run_id, store):
            case Bury(reason=reason):
                log.error("message_buried", task=task_id, run=run_id, reason=reason)
                raise Reject(reason, requeue=False)
            case Drop(reason=reason):
                log.info("message_dropped", task=task_id, run=run_id, reason=reason)
            case _:
                reach("consumer.admitted")
                assignment = self._join(task_id, run_id)
                reach("consumer.joined")
                if assignment.program.ended() and self._release(assignment):
                    raise Reject("The run cannot be worked on.", requeue=False)

    def _join(self, task_id: int, run_id: int) -> Assignment:
        self._say(f"Joining run {run_id}.")
        assignment = Assignment(task_id=task_id, run_id=run_id, program=self._start_program(run_id))
        self._assignments.append(assignment)
        if len(self._assignments) >= self._places:
            self._listen(False)
        deadline = time.monotonic() + JOIN_S
        while not assignment.program.ended() and not self._inbox.confirm(task_id):
            if time.monotonic() > deadline or state.should_stop is not None:
                # The store expects nobody any more, and has it published again.
                assignment.program.stop()
                break
            time.sleep(LOOK_S)
        return assignment

    # --- crews -----------------------------------------------------------------------------------

    def tend(self) -> None:
        """Called every moment while the broker is there."""
        try:
            for assignment in [each for each in self._assignments if each.program.ended()]:
                self._release(assignment)
        except StoreError as error:
            log.warning("task_not_given_back", error=str(error))
        if len(self._assignments) < self._places:
            self._listen(True)

    def attend(self, consumer: Any) -> None:
        """Called for every connection to the broker."""
        self._consumer = consumer
        make_dead_queue()(consumer.connection.default_channel).queue_declare()
        self._say(f"Waiting for runs from the queue {self._queue} at {consumer.conninfo.as_uri()}.")

    def _release(self, assignment: Assignment) -> bool:
        """Whether the task has failed."""
        error = assignment.program.read_error()
        has_failed = self._inbox.give_back(assignment.task_id, error)
        self._assignments.remove(assignment)
        self._say(f"Left run {assignment.run_id}. {error or ''}".rstrip())
        return has_failed

    def _listen(self, is_wanted: bool) -> None:
        if is_wanted == self._is_listening:
            return
        self._is_listening = is_wanted
        if is_wanted:
            self._consumer.add_task_queue(self._queue)
        else:
            self._consumer.cancel_task_queue(self._queue)

    def _dismiss(self) -> None:
        for assignment in self._assignments:
            assignment.program.stop()
        while self._assignments:
            time.sleep(LOOK_S)
            for assignment in [each for each in self._assignments if each.program.ended()]:
                self._assignments.remove(assignment)
                # Without the store, others will find out that nobody is at the run any more.
                with contextlib.suppress(StoreError):
                    self._inbox.give_back(assignment.task_id, assignment.program.read_error())


def _make_step(consumer: TaskConsumer) -> type[bootsteps.StartStopStep]:
    class MessageStep(bootsteps.StartStopStep):  # type: ignore[misc]
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def start(self, celery_consumer: Any) -> None:
            consumer.attend(celery_consumer)

        def stop(self, celery_consumer: Any) -> None: ...

        def register_with_event_loop(self, celery_consumer: Any, hub: Any) -> None:
            hub.timer.call_repeatedly(TEND_S, consumer.tend)

    return MessageStep


class PatientConsumer(Consumer):  # type: ignore[misc]
    def on_decode_error(self, message: Any, error: Exception) -> None:
        """Celery acknowledges what it cannot read, and it is gone; here it becomes a dead letter."""
        log.error("message_unreadable", error=str(error))
        message.reject()

    def ensure_connected(self, connection: Any) -> Any:
        """Celery's pauses grow to half a minute; a broker that is back is to be found within seconds."""

        def tell(error: Exception, interval_s: float) -> None:
            log.warning("broker_lost", error=str(error), again_in_s=interval_s)

        return connection.ensure_connection(
            tell,
            interval_start=FIRST_RETRY_S,
            interval_step=FIRST_RETRY_S,
            interval_max=LONGEST_RETRY_S,
            callback=state.maybe_shutdown,
        )
