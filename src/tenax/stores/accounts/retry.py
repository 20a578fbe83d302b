"""Orders that are given again when somebody else was faster."""

from typing import TypeVar

from tenax.stores.access import Access
from tenax.stores.accounts.users import InsertConflict
from tenax.stores.reading import Work

T = TypeVar("T")

ATTEMPTS = 3


async def write_with_retry(access: Access, work: Work[T]) -> T:
    for _ in range(ATTEMPTS - 1):
        try:
            return await access.write(work)
        except InsertConflict:
            # Now there is something to be found.
            continue
    return await access.write(work)
