"""A store seen from outside, by those who only read and change nothing of the crawl."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

from tenax.clock import Instant
from tenax.stores.base import ForeignTransaction
from tenax.stores.connection import Connection
from tenax.stores.place import Place

T = TypeVar("T")
Work = Callable[[Any], T]  # what is done with SQLAlchemy's connection


class Reader(Protocol):
    def read(self, place: Place, work: Work[T]) -> T: ...

    def measure(self, place: Place, connection: Connection) -> int: ...

    def tell_time(self, connection: Connection) -> Instant: ...

    def tell_store_time(self, connection: Connection) -> Instant: ...

    def find_foreign(self, place: Place, connection: Connection) -> ForeignTransaction | None: ...

    def identify(self, place: Place, connection: Connection) -> str | None: ...


def read_store(place: Place, work: Work[T]) -> T:
    """Run `work` with a connection that cannot write. Raises StoreError with one sentence, also for what goes
    wrong meanwhile."""
    return _find_reader(place).read(place, work)


def measure_store(place: Place, connection: Connection) -> int:
    """Bytes that the store takes."""
    return _find_reader(place).measure(place, connection)


def tell_time(place: Place, connection: Connection) -> Instant:
    """By the store's calendar: for what people plan and what has happened."""
    return _find_reader(place).tell_time(connection)


def tell_store_time(place: Place, connection: Connection) -> Instant:
    """By the store's clock: for heartbeats, leases, rests and what is due."""
    return _find_reader(place).tell_store_time(connection)


def find_foreign(place: Place, connection: Connection) -> ForeignTransaction | None:
    """A transaction of another program that the crawl suffers from; only a server has such."""
    return _find_reader(place).find_foreign(place, connection)


def find_identity(place: Place, connection: Connection) -> str | None:
    """The store's name for things outside of it; None: it has none, as nothing was ever kept outside."""
    return _find_reader(place).identify(place, connection)


def _find_reader(place: Place) -> Reader:
    # Found by name: whoever reads a file need not import the driver of a server.
    return cast(Reader, import_module(f"tenax.stores.{place.backend}.reader"))
