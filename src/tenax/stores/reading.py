"""The contract of readers, which see a store from outside and change nothing of the crawl."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.connection import Connection
from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.place import Place

T = TypeVar("T")
Work = Callable[[Any], T]  # what is done with SQLAlchemy's connection


@record
class StoreLoad:
    """What a store has to bear besides the crawl."""

    size_bytes: int
    foreign: ForeignTransaction | None  # the one that matters most


class Reader(Protocol):
    """The module `reader` of each database. See databases/reader.py."""

    def read(self, place: Place, work: Work[T]) -> T: ...

    def measure(self, place: Place, connection: Connection) -> int: ...

    def tell_time(self, connection: Connection) -> Instant: ...

    def tell_store_time(self, connection: Connection) -> Instant: ...

    def find_foreign(self, place: Place, connection: Connection) -> ForeignTransaction | None: ...

    def identify(self, place: Place, connection: Connection) -> str | None: ...
