"""A store for a server: many small queries and commands concurrently, over connections that stay open."""

from enum import StrEnum
from typing import Protocol, TypeVar

from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")

READERS = 6
READ_S = 15.0
# Short queries by an index, one with every request.
DOOR_READERS = 2
DOOR_READ_S = 5.0
# After the deadline, until the caller gets an error: running queries check the clock periodically.
GRACE_S = 1.0


class Lane(StrEnum):
    """Which readers a query waits for."""

    QUESTIONS = "questions"
    DOOR = "door"  # who the caller is, and whether the store answers: never delayed by other queries


class Access(Protocol):
    """`work` is a plain function of SQLAlchemy's connection; it must not keep the connection."""

    @property
    def vault(self) -> Vault:
        """Opens the secrets in its rows."""
        ...

    async def read(self, work: Work[T], lane: Lane = Lane.QUESTIONS) -> T:
        """Run `work` in one snapshot that cannot write. Raises StoreSlow after its deadline, which includes
        the wait for a reader; StoreError for all other errors of the store. Time that `work` spends in Python
        counts: the clock is checked with each statement, and by `deadlines.py` where many rows are
        processed."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction that is durable when this returns; raised errors wrote nothing.
        `work` is repeated if it conflicts with another transaction."""
        ...
