"""Opens a store for a server."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tenax.stores.access import READ_S, READERS, Access
from tenax.stores.place import Place
from tenax.stores.postgres import access as postgres
from tenax.stores.sqlite import access as sqlite


class _Opener(Protocol):
    def open_access(
        self, place: Place, readers: int, read_s: float
    ) -> AbstractAsyncContextManager[Access]: ...


_OPENERS: dict[str, _Opener] = {"sqlite": sqlite, "postgres": postgres}


def open_access(
    place: Place, readers: int = READERS, read_s: float = READ_S
) -> AbstractAsyncContextManager[Access]:
    """Open a store that exists and is up to date. `readers`: queries that are answered concurrently.
    `read_s`: how long one may take."""
    return _OPENERS[place.backend].open_access(place, readers, read_s)
