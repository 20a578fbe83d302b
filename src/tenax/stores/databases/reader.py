"""Reads a store from outside, without changing anything of the crawl."""

from typing import TypeVar

from tenax.clock import Instant
from tenax.stores.connection import Connection
from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.place import Place
from tenax.stores.postgres import reader as postgres
from tenax.stores.reading import Reader, StoreLoad, Work
from tenax.stores.sqlite import reader as sqlite

T = TypeVar("T")

_READERS: dict[str, Reader] = {"sqlite": sqlite, "postgres": postgres}


def read_store(place: Place, work: Work[T]) -> T:
    """Run `work` with a connection that cannot write. Raises StoreError with one sentence, also for errors
    while `work` runs."""
    return _READERS[place.backend].read(place, work)


def measure_store(place: Place, connection: Connection) -> int:
    """Size of the store in bytes."""
    return _READERS[place.backend].measure(place, connection)


def tell_time(place: Place, connection: Connection) -> Instant:
    """Now, by the store's calendar: for what people plan and what has happened."""
    return _READERS[place.backend].tell_time(connection)


def tell_store_time(place: Place, connection: Connection) -> Instant:
    """Now, by the store's clock: for heartbeats, leases, rests and what is due."""
    return _READERS[place.backend].tell_store_time(connection)


def find_foreign(place: Place, connection: Connection) -> ForeignTransaction | None:
    """A transaction of another program that slows down the crawl; only a server has such."""
    return _READERS[place.backend].find_foreign(place, connection)


def find_load(place: Place, connection: Connection) -> StoreLoad:
    return StoreLoad(size_bytes=measure_store(place, connection), foreign=find_foreign(place, connection))


def find_identity(place: Place, connection: Connection) -> str | None:
    """The store's name for data outside of it; None: it has none, as nothing was ever kept outside."""
    return _READERS[place.backend].identify(place, connection)
