"""Opens a store as rows, to copy it."""

from contextlib import AbstractAsyncContextManager

from tenax.clock import MachineClock
from tenax.stores.copy.base import RowBackend, RowStore
from tenax.stores.place import Place
from tenax.stores.postgres import copying as postgres
from tenax.stores.sqlite import copying as sqlite

_BACKENDS: dict[str, RowBackend] = {"sqlite": sqlite, "postgres": postgres}


def open_rows(place: Place, clock: MachineClock) -> AbstractAsyncContextManager[RowStore]:
    """`clock`: this machine's."""
    return _BACKENDS[place.backend].open_rows(place, clock)
