"""The backend of a store, by its place."""

from tenax.stores.backend import Backend
from tenax.stores.place import Place
from tenax.stores.postgres import backend as postgres
from tenax.stores.sqlite import backend as sqlite

_BACKENDS: dict[str, Backend] = {"sqlite": sqlite, "postgres": postgres}


def find_backend(place: Place) -> Backend:
    return _BACKENDS[place.backend]
