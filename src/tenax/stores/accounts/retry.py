"""Retries writes that conflict with a concurrent insert."""

from typing import TypeVar

from tenax.stores.access import Access
from tenax.stores.accounts.users import InsertConflict
from tenax.stores.reading import Work

T = TypeVar("T")

ATTEMPTS = 3


async def write_with_retry(access: Access, work: Work[T]) -> T:
    """Raises InsertConflict if all attempts conflict."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await access.write(work)
        except InsertConflict:
            # The next attempt finds the row that the other transaction inserted.
            continue
    return await access.write(work)
