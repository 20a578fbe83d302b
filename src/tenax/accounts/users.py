"""Users: adding, changing and removing them. Whoever calls has made sure that the actor may."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tenax.accounts.orders import write
from tenax.accounts.passwords import Hasher, check_password
from tenax.accounts.permissions import Role
from tenax.clock import Clock
from tenax.errors import AdministratorExists, BadName, NoSuchUser
from tenax.stores import users
from tenax.stores.access import Access
from tenax.stores.audit import Actor, Deed, note
from tenax.stores.users import NewUser, User

MAX_NAME_CHARS: Final = 64


def check_name(name: str) -> None:
    """Raises BadName."""
    is_good = 1 <= len(name) <= MAX_NAME_CHARS and name.isprintable() and name == name.strip()
    if not is_good or not users.fold_name(name):
        raise BadName


class Users:
    def __init__(self, access: Access, hasher: Hasher, clock: Clock) -> None:
        self._access = access
        self._hasher = hasher
        self._clock = clock

    async def has_admin(self) -> bool:
        return await self._access.read(users.has_admin)

    async def find(self, name: str) -> User | None:
        return await self._access.read(partial(users.find_user, name=name))

    async def get(self, user_id: int) -> User:
        """Raises NoSuchUser."""
        found = await self._access.read(partial(users.find_user_by_id, user_id=user_id))
        if found is None:
            raise NoSuchUser
        return found

    async def list(self, *, after: str = "", limit: int) -> list[User]:
        return await self._access.read(partial(users.list_users, after=after, limit=limit))

    async def add(self, actor: Actor, name: str, password: str, role: Role) -> User:
        """Raises BadName, WeakPassword, NameTaken and HashingBusy."""
        new = await self._prepare(name, password, role)
        return await write(self._access, lambda connection: self._add(connection, actor, new))

    async def add_first(self, actor: Actor, name: str, password: str) -> User:
        """The first administrator. Raises AdministratorExists, also for all but one who do so at once, and what
        `add` raises."""
        new = await self._prepare(name, password, Role.ADMIN)

        def work(connection: Any) -> User:
            if users.has_admin(connection):
                raise AdministratorExists
            return self._add(connection, actor, new)

        return await write(self._access, work)

    async def set_password(self, actor: Actor, user: User, password: str) -> User:
        """Raises WeakPassword, HashingBusy and NoSuchUser."""
        check_password(password, user.name)
        password_hash = await self._hasher.hash(password)
        change = partial(users.set_password, password_hash=password_hash)
        return await self._change(actor, user, change, Deed(action="user.password"))

    async def set_role(self, actor: Actor, user: User, role: Role) -> User:
        """Raises LastAdministrator and NoSuchUser."""
        deed = Deed(action="user.role", detail={"role": role, "was": user.role})
        return await self._change(actor, user, partial(users.set_role, role=role), deed)

    async def disable(self, actor: Actor, user: User) -> User:
        """Raises LastAdministrator and NoSuchUser."""
        change = partial(users.set_disabled, disabled_at=self._clock.now())
        return await self._change(actor, user, change, Deed(action="user.disable"))

    async def enable(self, actor: Actor, user: User) -> User:
        """Raises NoSuchUser."""
        change = partial(users.set_disabled, disabled_at=None)
        return await self._change(actor, user, change, Deed(action="user.enable"))

    async def end_sessions(self, actor: Actor, user: User) -> User:
        """Raises NoSuchUser."""
        return await self._change(actor, user, users.end_sessions, Deed(action="user.sessions"))

    async def remove(self, actor: Actor, user: User) -> None:
        """With tokens and sessions. Raises LastAdministrator and NoSuchUser."""
        await self._change(actor, user, users.remove_user, Deed(action="user.remove"))

    async def _prepare(self, name: str, password: str, role: Role) -> NewUser:
        check_name(name)
        check_password(password, name)
        return NewUser(name=name, role=role, password_hash=await self._hasher.hash(password))

    def _add(self, connection: Any, actor: Actor, new: NewUser) -> User:
        now = self._clock.now()
        user = users.add_user(connection, new, now)
        note(connection, actor, Deed(action="user.add", target=new.name, detail={"role": new.role}), now)
        return user

    async def _change(self, actor: Actor, user: User, change: Callable[..., Any], deed: Deed) -> Any:
        told = Deed(action=deed.action, target=user.name, detail=deed.detail)

        def work(connection: Any) -> Any:
            changed = change(connection, user.id)
            note(connection, actor, told, self._clock.now())
            return changed

        return await write(self._access, work)
