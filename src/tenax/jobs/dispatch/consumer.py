"""A Celery worker that starts worker programs for the runs that messages name.

A message is acknowledged once a program has joined the run and the store confirms it, not when the run ends:
brokers redeliver what is not acknowledged within half an hour, and runs can last for days. From then on the
store knows whether the run has workers and when it has lost them; see outbox.py.

There is one thread and no child process of Celery's: each run gets a separate program. While all slots for
programs are in use, the worker stops listening to its queue, so no message waits here that another machine
could handle. Celery is imported by the functions that need it; see celery.py.
"""

import contextlib
import time
from collections.abc import Callable
from typing import Any, Protocol

from celery import bootsteps
from celery.exceptions import Reject
from celery.worker import WorkController, state
from celery.worker.consumer import Consumer

from tenax.config.service import DispatchSettings
from tenax.errors import StoreError
from tenax.failpoints import reach
from tenax.jobs.dispatch.celery import TASK, make_app, make_dead_queue
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.jobs.dispatch.planning import JOIN_S, DropMessage, RefuseMessage
from tenax.record import record
from tenax.telemetry import log

RELEASE_EVERY_S = 0.5
POLL_S = 0.1
STORE_RETRY_S = 1.0
FIRST_RETRY_S = 1.0
LONGEST_RETRY_S = 3.0


class RunProgram(Protocol):
    """A program that works on one run."""

    def ended(self) -> bool: ...

    def read_error(self) -> str | None:
        """Why the program ended, unless its work was done. Only for a program that has ended."""
        ...

    def stop(self) -> None:
        """Let it finish its requests and release everything. Repeating is safe."""
        ...


@record
class Assignment:
    task_id: int
    run_id: int
    program: RunProgram


class MessageRejected(Exception):
    """The message goes back to the queue, or to the dead letters."""

    def __init__(self, reason: str, *, requeue: bool) -> None:
        super().__init__(reason)
        self.requeue = requeue


class TaskConsumer:
    """Receives messages and manages the programs they start."""

    def __init__(
        self,
        settings: DispatchSettings,
        inbox: TaskInbox,
        start_program: Callable[[int], RunProgram],
        *,
        capacity: int,
        report: Callable[[str], None],
    ) -> None:

        self._queue = settings.queue
        self._inbox = inbox
        self._start_program = start_program
        self._capacity = capacity
        self._report = report
        self._assignments: list[Assignment] = []
        self._consumer: Any = None
        self._is_listening = True
        self._celery_state: Any = state
        self._app = self._build_app(settings)

    def run(self) -> None:
        """Run until `stop` is called; by then the programs have ended, too."""

        worker = WorkController(
            app=self._app,
            pool_cls="solo",
            consumer_cls=_make_consumer_class(),
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
        self._stop_programs()

    def stop(self) -> None:
        """May be called in a signal handler."""
        self._celery_state.should_stop = 0

    # --- messages --------------------------------------------------------------------------------

    def _build_app(self, settings: DispatchSettings) -> Any:
        app = make_app(settings)
        app.task(name=TASK)(self._receive)
        app.steps["consumer"].add(_make_step(self))
        return app

    def _receive(self, *, task_id: Any, run_id: Any, store: Any) -> None:
        """Any exception other than Celery's Reject sends the message to the dead letters."""

        try:
            self._check(task_id, run_id, store)
            self._handle(task_id, run_id, store)
        except MessageRejected as error:
            raise Reject(str(error), requeue=error.requeue) from error
        except StoreError as error:
            log.warning("message_put_back", run=run_id, error=str(error))
            self._report(f"{error} Waiting for it.")
            # Another worker would fare no better right now.
            time.sleep(STORE_RETRY_S)
            raise Reject(str(error), requeue=True) from error

    def _check(self, task_id: Any, run_id: Any, store: Any) -> None:
        if not (isinstance(task_id, int) and isinstance(run_id, int) and isinstance(store, str)):
            raise MessageRejected("The message names no task.", requeue=False)
        if len(self._assignments) >= self._capacity:
            raise MessageRejected("All slots for runs are in use.", requeue=True)

    def _handle(self, task_id: int, run_id: int, store: str) -> None:
        match self._inbox.receive(task_id, run_id, store):
            case RefuseMessage(reason=reason):
                log.error("message_buried", task=task_id, run=run_id, reason=reason)
                raise MessageRejected(reason, requeue=False)
            case DropMessage(reason=reason):
                log.info("message_dropped", task=task_id, run=run_id, reason=reason)
            case _:
                reach("consumer.admitted")
                assignment = self._join(task_id, run_id)
                reach("consumer.joined")
                if assignment.program.ended() and self._release(assignment):
                    raise MessageRejected("The run cannot be worked on.", requeue=False)

    def _join(self, task_id: int, run_id: int) -> Assignment:
        self._report(f"Joining run {run_id}.")
        assignment = Assignment(task_id=task_id, run_id=run_id, program=self._start_program(run_id))
        self._assignments.append(assignment)
        if len(self._assignments) >= self._capacity:
            self._set_listening(False)
        deadline = time.monotonic() + JOIN_S
        while not assignment.program.ended() and not self._inbox.confirm(task_id):
            if time.monotonic() > deadline or self._celery_state.should_stop is not None:
                # The store no longer expects a worker, and has the task published again.
                assignment.program.stop()
                break
            time.sleep(POLL_S)
        return assignment

    # --- programs --------------------------------------------------------------------------------

    def release_ended(self) -> None:
        """Release the tasks of programs that have ended. Called often while the broker is connected."""
        try:
            for assignment in [each for each in self._assignments if each.program.ended()]:
                self._release(assignment)
        except StoreError as error:
            log.warning("task_not_given_back", error=str(error))
        if len(self._assignments) < self._capacity:
            self._set_listening(True)

    def on_connected(self, consumer: Any) -> None:
        """Called for every connection to the broker."""
        self._consumer = consumer
        make_dead_queue()(consumer.connection.default_channel).queue_declare()
        self._report(f"Waiting for runs from the queue {self._queue} at {consumer.conninfo.as_uri()}.")

    def _release(self, assignment: Assignment) -> bool:
        """Returns whether the task has failed."""
        error = assignment.program.read_error()
        has_failed = self._inbox.release(assignment.task_id, error)
        self._assignments.remove(assignment)
        self._report(f"Left run {assignment.run_id}. {error or ''}".rstrip())
        return has_failed

    def _set_listening(self, should_listen: bool) -> None:
        if should_listen == self._is_listening:
            return
        self._is_listening = should_listen
        if should_listen:
            self._consumer.add_task_queue(self._queue)
        else:
            self._consumer.cancel_task_queue(self._queue)

    def _stop_programs(self) -> None:
        for assignment in self._assignments:
            assignment.program.stop()
        while self._assignments:
            time.sleep(POLL_S)
            for assignment in [each for each in self._assignments if each.program.ended()]:
                self._assignments.remove(assignment)
                # Without the store, servers will notice that the run has no workers left.
                with contextlib.suppress(StoreError):
                    self._inbox.release(assignment.task_id, assignment.program.read_error())


def _make_step(consumer: TaskConsumer) -> Any:

    class MessageStep(bootsteps.StartStopStep):  # type: ignore[misc]
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def start(self, celery_consumer: Any) -> None:
            consumer.on_connected(celery_consumer)

        def stop(self, celery_consumer: Any) -> None: ...

        def register_with_event_loop(self, celery_consumer: Any, hub: Any) -> None:
            hub.timer.call_repeatedly(RELEASE_EVERY_S, consumer.release_ended)

    return MessageStep


def _make_consumer_class() -> Any:

    class ReconnectingConsumer(Consumer):  # type: ignore[misc]
        def on_decode_error(self, message: Any, error: Exception) -> None:
            """Celery would acknowledge, and so lose, what it cannot read; here it becomes a dead letter."""
            log.error("message_unreadable", error=str(error))
            message.reject()

        def ensure_connected(self, connection: Any) -> Any:
            """Celery's pauses grow to half a minute; a broker that returns should be found within seconds."""
            return connection.ensure_connection(
                _log_retry,
                interval_start=FIRST_RETRY_S,
                interval_step=FIRST_RETRY_S,
                interval_max=LONGEST_RETRY_S,
                callback=state.maybe_shutdown,
            )

    return ReconnectingConsumer


def _log_retry(error: Exception, interval_s: float) -> None:
    log.warning("broker_lost", error=str(error), again_in_s=interval_s)
