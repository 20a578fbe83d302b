"""The contract: how a run that was opened reaches workers."""

from collections.abc import Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.connection import Connection


@record
class TaskMessage:
    """What goes through a broker. It names a task; whether something is to be done, the store says."""

    task_id: int
    run_id: int
    store: str  # its identity: a broker may serve several
    queue: str
    priority: int  # 1 is the most wanted, 10 the least


@record
class DeadLetter:
    """A message that nobody could use, as the broker keeps it."""

    task: str | None  # the name of what it asks for
    body: str  # the beginning of it
    reason: str | None  # rejected, expired, …
    queue: str | None  # that it came from
    died_at: Instant | None


class Broker(Protocol):
    """Methods wait for the network, each with a deadline; all are called from one thread at a time. They
    raise ServiceError, after which the next call begins with a new connection."""

    def publish(self, message: TaskMessage) -> None:
        """Have the broker keep it on disk; it has confirmed that when this returns."""
        ...

    def check(self) -> None:
        """Ask it something, to know that it is there."""
        ...

    def list_dead(self, limit: int) -> list[DeadLetter]:
        """The oldest; they stay where they are."""
        ...

    def close(self) -> None:
        """Repeating is safe."""
        ...


class Dispatch(Protocol):
    """Any number of servers may have one on the same store."""

    queue: str | None  # of new tasks; None: there are none, workers poll the store
    trouble: str | None  # of the broker; None: it does its part
    failures: int  # messages that could not be published since the start

    def enqueue(self, connection: Connection, run_id: int, priority: int, now: Instant) -> None:
        """Have a run worked on. To be called in the transaction that opens it; repeating is safe."""
        ...

    async def list_dead(self, limit: int) -> Sequence[DeadLetter]:
        """Raises ServiceError."""
        ...
