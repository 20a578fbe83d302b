"""Lists that are read part by part."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from tenax.record import replace
from tenax.stores.connection import Connection
from tenax.stores.paging import ListSlice, SliceRequest

T = TypeVar("T")

AT_ONCE = 500


def iter_slices(
    connection: Connection, wanted: SliceRequest, load: Callable[[SliceRequest], ListSlice[T]]
) -> Iterator[T]:
    """All entries, in slices of at most as many as are wanted."""
    wanted = replace(wanted, limit=min(wanted.limit, AT_ONCE))
    while True:
        found = load(wanted)
        # A snapshot of each slice: a long one would keep the log of the store from being written back.
        connection.commit()
        yield from found.items
        if found.next is None:
            return
        wanted = replace(wanted, after=found.next)
