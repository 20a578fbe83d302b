"""Deadlines of queries, including the time in Python between statements and rows. The databases end single
statements by themselves; see access.py of each."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from sqlalchemy import Connection

from tenax.errors import StoreSlow

T = TypeVar("T")

LOOK_EVERY: Final = 500  # rows
_ENDS_AT: Final = "tenax_ends_at"


def set_deadline(connection: Connection, ends_at: float | None) -> None:
    """By the monotonic clock; None: none."""
    connection.info[_ENDS_AT] = ends_at


def check_deadline(connection: Connection, *_: Any) -> None:
    """Raises StoreSlow after the deadline. Also called by SQLAlchemy, before each statement."""
    ends_at = connection.info.get(_ENDS_AT)
    if ends_at is not None and time.monotonic() > ends_at:
        raise StoreSlow


def iter_in_time(connection: Connection, rows: Iterable[T]) -> Iterator[T]:
    """Iterate over many rows, and raise StoreSlow in between after the deadline."""
    for number, row in enumerate(rows):
        if number % LOOK_EVERY == 0:
            check_deadline(connection)
        yield row
