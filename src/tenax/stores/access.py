"""A store for a server: many small questions and orders at once, over connections that stay open."""

from enum import StrEnum
from typing import Protocol, TypeVar

from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")

READERS = 6
READ_S = 15.0
# Short questions by the index, of which there is one with every request.
DOOR_READERS = 2
DOOR_READ_S = 5.0
# After its time, until whoever asked is told so: what runs looks at the clock now and then.
GRACE_S = 1.0


class Lane(StrEnum):
    """Which readers a question waits for."""

    QUESTIONS = "questions"
    DOOR = "door"  # who is asking, and whether the store answers: no question stands in their way


class Access(Protocol):
    """`work` is a plain function of SQLAlchemy's connection; it must not keep the connection."""

    @property
    def vault(self) -> Vault:
        """For the secrets in its rows."""
        ...

    async def read(self, work: Work[T], lane: Lane = Lane.QUESTIONS) -> T:
        """In one snapshot that cannot write. Raises StoreSlow after its time, in which it also waits for a
        reader; StoreError for all else that goes wrong with the store. What `work` does in Python counts:
        it looks at the clock with each statement, and by `deadlines.py` where it works through many rows."""
        ...

    async def write(self, work: Work[T]) -> T:
        """In one transaction, durable when this returns; raised errors wrote nothing. `work` is run again
        when another transaction was in its way."""
        ...
