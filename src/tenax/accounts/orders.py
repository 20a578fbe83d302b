"""Changes of accounts in the store, each with its line in the audit log."""

from typing import TypeVar

from tenax.accounts.permissions import Principal
from tenax.stores.access import Access
from tenax.stores.audit import Actor
from tenax.stores.reading import Work
from tenax.stores.users import Overtaken

T = TypeVar("T")

ATTEMPTS = 3


async def write(access: Access, work: Work[T]) -> T:
    """Asks again when somebody else was faster: then there is something to be found."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await access.write(work)
        except Overtaken:
            continue
    return await access.write(work)


def name_actor(principal: Principal, address: str | None) -> Actor:
    return Actor(name=principal.name, kind=principal.proof, address=address)
