"""Adding, changing and removing users. The caller has checked that the actor is allowed to."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from tenax.accounts.audited_store import AuditedStore
from tenax.accounts.passwords import Hasher, check_password
from tenax.accounts.permissions import Role
from tenax.clock import Instant
from tenax.errors import BadName, NoSuchUser
from tenax.stores.accounts import users
from tenax.stores.accounts.audit import Actor, AuditAction
from tenax.stores.accounts.users import NewUser, User, UserFilter
from tenax.stores.paging import ListSlice, SliceRequest
from tenax.wording import fold_name

T = TypeVar("T")

MAX_NAME_CHARS: Final = 64


def check_name(name: str) -> None:
    """Raises BadName."""
    is_good = 1 <= len(name) <= MAX_NAME_CHARS and name.isprintable() and name == name.strip()
    if not is_good or not fold_name(name):
        raise BadName


class Users:
    def __init__(self, audited_store: AuditedStore, hasher: Hasher) -> None:
        self._audited_store = audited_store
        self._hasher = hasher

    async def has_admin(self) -> bool:
        return await self._audited_store.read(users.has_admin)

    async def find(self, name: str) -> User | None:
        """None also if the text cannot be a name."""
        try:
            check_name(name)
        except BadName:
            return None
        return await self._audited_store.read(partial(users.find_user, name=name))

    async def get(self, user_id: int) -> User:
        """Raises NoSuchUser."""
        found = await self._audited_store.read(partial(users.find_user_by_id, user_id=user_id))
        if found is None:
            raise NoSuchUser
        return found

    async def list(self, wanted: SliceRequest, only: UserFilter) -> ListSlice[User]:
        return await self._audited_store.read(partial(users.slice_users, wanted=wanted, only=only))

    async def add(self, actor: Actor, name: str, password: str, role: Role) -> User:
        """Add a user. Raises BadName, WeakPassword, NameTaken and HashingBusy."""
        return await self._add(actor, await self._prepare(name, password, role), users.add_user)

    async def add_first(self, actor: Actor, name: str, password: str) -> User:
        """Add the first administrator. Raises AdministratorExists for all but one of several concurrent
        calls, and whatever `add` raises."""
        new = await self._prepare(name, password, Role.ADMIN)
        return await self._add(actor, new, users.add_first_admin)

    async def set_password(self, actor: Actor, user: User, password: str) -> User:
        """Set a new password; all sessions of the user end. Raises WeakPassword, HashingBusy and
        NoSuchUser."""
        check_password(password, user.name)
        password_hash = await self._hasher.hash(password)
        change = partial(users.set_password, password_hash=password_hash)
        return await self._change(actor, user, change, "user.password")

    async def set_role(self, actor: Actor, user: User, role: Role) -> User:
        """Raises LastAdministrator and NoSuchUser."""
        change = partial(users.set_role, role=role)
        return await self._change(actor, user, change, "user.role", {"role": role, "was": user.role})

    async def disable(self, actor: Actor, user: User) -> User:
        """Raises LastAdministrator and NoSuchUser."""
        change = partial(users.set_disabled, disabled_at=self._audited_store.now())
        return await self._change(actor, user, change, "user.disable")

    async def enable(self, actor: Actor, user: User) -> User:
        """Raises NoSuchUser."""
        return await self._change(actor, user, partial(users.set_disabled, disabled_at=None), "user.enable")

    async def end_sessions(self, actor: Actor, user: User) -> User:
        """Raises NoSuchUser."""
        return await self._change(actor, user, users.end_sessions, "user.sessions")

    async def remove(self, actor: Actor, user: User) -> None:
        """Remove a user with all tokens and sessions. Raises LastAdministrator and NoSuchUser."""
        await self._change(actor, user, users.remove_user, "user.remove")

    async def _prepare(self, name: str, password: str, role: Role) -> NewUser:
        check_name(name)
        check_password(password, name)
        return NewUser(name=name, role=role, password_hash=await self._hasher.hash(password))

    async def _add(self, actor: Actor, new: NewUser, add: Callable[[Any, NewUser, Instant], User]) -> User:
        action = AuditAction(action="user.add", target=new.name, detail={"role": new.role})
        return await self._audited_store.write_audited(
            actor, action, lambda connection, now: add(connection, new, now)
        )

    async def _change(
        self,
        actor: Actor,
        user: User,
        change: Callable[[Any, int], T],
        action: str,
        detail: dict[str, Any] | None = None,
    ) -> T:
        audited = AuditAction(action=action, target=user.name, detail=detail or {})
        return await self._audited_store.write_audited(
            actor, audited, lambda connection, _: change(connection, user.id)
        )
