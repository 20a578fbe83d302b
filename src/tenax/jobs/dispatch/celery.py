"""RabbitMQ, through Celery and its libraries: the app that servers and workers share, and the server's side.

A message is a Celery task with one fixed name and a JSON body. Nothing else is accepted. Celery is an
optional package and slow to import, so the functions here import it (and kombu) when they run.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from celery import Celery
from kombu import Exchange, Queue

from tenax.config.masking import hide_password
from tenax.config.service import DispatchSettings
from tenax.errors import ServiceError
from tenax.jobs.dispatch.base import DeadLetter, TaskMessage

T = TypeVar("T")

TASK = "tenax.crawl_run"
DEAD_QUEUE = "tenax.dead"
MOST_DEAD = 10_000
PRIORITIES = 10
CONNECT_S = 5.0
ANSWER_S = 10.0  # the longest wait for a reply from the broker
HEARTBEAT_S = 20
BODY_CHARS = 1000


def make_queue(name: str) -> Any:
    """Both sides declare it identically: a broker refuses a queue of the same name with other arguments."""

    return Queue(
        name,
        Exchange(""),
        routing_key=name,
        durable=True,
        queue_arguments={
            "x-max-priority": PRIORITIES,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": DEAD_QUEUE,
        },
    )


def make_dead_queue() -> Any:
    """A record of what went wrong; the store knows what to try again."""

    return Queue(
        DEAD_QUEUE,
        Exchange(""),
        routing_key=DEAD_QUEUE,
        durable=True,
        queue_arguments={"x-max-length": MOST_DEAD},
    )


def make_app(settings: DispatchSettings) -> Any:

    app = Celery("tenax", broker=settings.broker, set_as_current=False)
    app.conf.update(
        task_queues=[make_queue(settings.queue)],
        task_default_queue=settings.queue,
        task_create_missing_queues=False,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        task_acks_on_failure_or_timeout=False,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_concurrency=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_enable_prefetch_count_reduction=False,
        worker_detect_quorum_queues=False,
        broker_connection_timeout=CONNECT_S,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_heartbeat=HEARTBEAT_S,
        broker_transport_options={
            "confirm_publish": True,
            "read_timeout": ANSWER_S,
            "write_timeout": ANSWER_S,
        },
    )
    return app


def to_broker_priority(priority: int) -> int:
    """Ours runs from 1, the most urgent, up; for a broker, the largest number is the most urgent."""
    return min(max(PRIORITIES - priority, 0), PRIORITIES - 1)


class CeleryBroker:
    """See base.Broker."""

    def __init__(self, settings: DispatchSettings) -> None:
        self._app = make_app(settings)
        self._name = hide_password(settings.broker or "")
        self._connection: Any | None = None
        self._declared: set[str] = set()

    def publish(self, message: TaskMessage) -> None:
        def work(connection: Any) -> None:
            self._declare(connection, message.queue)
            with self._app.amqp.Producer(connection, auto_declare=False) as producer:
                self._app.send_task(
                    TASK,
                    kwargs={"task_id": message.task_id, "run_id": message.run_id, "store": message.store},
                    task_id=f"{message.store}-{message.task_id}",
                    producer=producer,
                    queue=make_queue(message.queue),
                    priority=to_broker_priority(message.priority),
                    delivery_mode="persistent",
                    mandatory=True,
                    retry=False,
                    confirm_timeout=ANSWER_S,
                )

        self._do(work)

    def check(self) -> None:
        self._do(lambda connection: make_dead_queue()(connection.default_channel).queue_declare())

    def list_dead(self, limit: int) -> list[DeadLetter]:
        def work(connection: Any) -> list[DeadLetter]:
            # A separate channel: messages it received and did not acknowledge return when it closes.
            with connection.channel() as channel:
                queue = make_dead_queue()(channel)
                queue.queue_declare()
                found = iter(lambda: queue.get(), None)
                return [read_dead(message) for _, message in zip(range(limit), found, strict=False)]

        return self._do(work)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        self._declared.clear()
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.collect(socket_timeout=CONNECT_S)

    def _declare(self, connection: Any, name: str) -> None:
        if name not in self._declared:
            for queue in (make_dead_queue(), make_queue(name)):
                queue(connection.default_channel).queue_declare()
            self._declared.add(name)

    def _do(self, work: Callable[[Any], T]) -> T:
        with self._translated():
            if self._connection is None:
                self._connection = self._connect()
            return work(self._connection)

    def _connect(self) -> Any:
        connection = self._app.connection_for_write(heartbeat=0)
        connection.connect()
        # The deadline of every wait for a reply that has none of its own.
        connection.connection.transport.sock.settimeout(ANSWER_S)
        return connection

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # Any of three libraries may have raised it; the state of the connection is unknown.
            self.close()
            raise ServiceError(
                f"The broker {self._name} is not accepting messages: {str(error) or type(error).__name__}"
            ) from error


def read_dead(message: Any) -> DeadLetter:
    headers = message.headers or {}
    deaths = headers.get("x-death") or [{}]
    body = message.body
    died_at = deaths[0].get("time")
    return DeadLetter(
        task=headers.get("task"),
        body=(body if isinstance(body, str) else bytes(body).decode(errors="replace"))[:BODY_CHARS],
        reason=deaths[0].get("reason"),
        queue=deaths[0].get("queue"),
        died_at=died_at.timestamp() if died_at else None,
    )
