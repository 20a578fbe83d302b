"""The backend of a store, by where it is."""

from importlib import import_module
from typing import cast

from tenax.stores.backend import Backend
from tenax.stores.place import Place


def find_backend(place: Place) -> Backend:
    # Found by name: a crawl into a file need not import the driver of a server.
    return cast(Backend, import_module(f"tenax.stores.{place.backend}.backend"))
