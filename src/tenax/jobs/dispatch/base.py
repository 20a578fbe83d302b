"""The contract of dispatch: how an opened run reaches workers."""

from collections.abc import Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.connection import Connection


@record
class TaskMessage:
    """What goes through a broker. It names a task; the store decides whether there is anything to do."""

    task_id: int
    run_id: int
    store: str  # its identity: a broker may serve several stores
    queue: str
    priority: int  # from 1, the most urgent, to 10


@record
class DeadLetter:
    """A message that no worker could process, as the broker keeps it."""

    task: str | None  # the name of the Celery task
    body: str  # its beginning
    reason: str | None  # rejected, expired, …
    queue: str | None  # where it came from
    died_at: Instant | None


class Broker(Protocol):
    """Methods wait for the network, each with a deadline, and are called from one thread at a time. They
    raise ServiceError; the next call then opens a new connection."""

    def publish(self, message: TaskMessage) -> None:
        """Publish a message durably; the broker has confirmed it when this returns."""
        ...

    def check(self) -> None:
        """Check that the broker responds."""
        ...

    def list_dead(self, limit: int) -> list[DeadLetter]:
        """The oldest dead letters; they stay in their queue."""
        ...

    def close(self) -> None:
        """Repeating is safe."""
        ...


class Dispatch(Protocol):
    """Any number of servers may use one on the same store."""

    queue: str | None  # for new tasks; None: no tasks, workers poll the store
    trouble: str | None  # of the broker; None: it works
    failures: int  # messages that could not be published since the start

    def enqueue(self, connection: Connection, run_id: int, priority: int, now: Instant) -> None:
        """Request workers for a run. Call in the transaction that opens it; repeating is safe."""
        ...

    async def list_dead(self, limit: int) -> Sequence[DeadLetter]:
        """Raises ServiceError."""
        ...
