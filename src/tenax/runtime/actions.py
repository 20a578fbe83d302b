"""Actions of users on a store that any number of workers may be using."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenax.clock import Clock, SystemClock
from tenax.runtime.backends import find_backend
from tenax.stores.access import Access
from tenax.stores.commands.secrets import begin_rotation, end_rotation, reseal_secrets
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")


async def write_store(place: Place, work: Work[T]) -> T:
    """Run `work` in one transaction; workers may be crawling meanwhile."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with open_access(place, readers=1) as access:
        return await access.write(work)


async def write_in_steps(place: Place, work: Callable[[Access, Clock], Awaitable[T]]) -> T:
    """Run `work`, which takes many transactions; workers may be crawling meanwhile. It gets the store's
    clock."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with (
        backend.open_stores(place, SystemClock()) as stores,
        open_access(place, readers=1) as access,
    ):
        return await work(access, stores.clock)


async def rotate_secrets(place: Place) -> int:
    """Seal all secrets with a new key, or with the first key in the environment; returns how many were sealed
    with another one. Repeating is safe, also after a crash at any point. Raises SecretError."""
    find_backend(place).refuse_missing(place)
    begin_rotation(place)
    vault = Vault.of(place)
    number = await write_store(place, lambda connection: reseal_secrets(connection, vault))
    end_rotation(place)
    return number


async def scrub_secrets(place: Place) -> bool:
    """See Backend.scrub."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    return await backend.scrub(place)
