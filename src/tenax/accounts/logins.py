"""Coming in with a password, changing it, and the first administrator, who has none yet."""

import hmac
import secrets
from typing import Any, Final

from tenax.accounts.limits import Throttle
from tenax.accounts.orders import write
from tenax.accounts.passwords import Hasher
from tenax.accounts.permissions import ANONYMOUS, Proof
from tenax.accounts.sessions import Login, Sessions
from tenax.accounts.users import Users
from tenax.clock import Clock
from tenax.coordination.memory_gate import MemoryGate
from tenax.errors import BadCredentials, HashingBusy
from tenax.stores.access import Access
from tenax.stores.audit import Actor, AuditOutcome, Deed, note
from tenax.stores.users import User

# Whoever tries names from many addresses must not fill the disk with the notes of it.
NOTED_FAILURES_PER_MIN: Final = 60


class SetupToken:
    """Shown to whoever started the server. It lets in the first administrator, and dies with that."""

    def __init__(self) -> None:
        self.text = secrets.token_urlsafe(32)
        self._is_spent = False

    def matches(self, text: str) -> bool:
        is_same = hmac.compare_digest(self.text.encode(), text.encode("utf-8", "surrogatepass"))
        return is_same and not self._is_spent

    def spend(self) -> None:
        self._is_spent = True


class Logins:
    def __init__(
        self,
        access: Access,
        users: Users,
        sessions: Sessions,
        hasher: Hasher,
        throttle: Throttle,
        memory: MemoryGate,
        clock: Clock,
    ) -> None:
        self._access = access
        self._users = users
        self._sessions = sessions
        self._hasher = hasher
        self._throttle = throttle
        self._memory = memory
        self._clock = clock
        self.setup_token = SetupToken()

    async def log_in(self, name: str, password: str, address: str | None, cookie: str | None) -> Login:
        """`cookie`: what the browser came with, which ends. Raises BadCredentials for every reason alike,
        TooManyAttempts and HashingBusy."""
        user = await self._check(name, password, address)
        actor = Actor(name=user.name, kind=Proof.SESSION, address=address)
        return await self._sessions.begin(actor, user, Deed(action="auth.login", target=user.name), cookie)

    async def change_password(
        self, user: User, current: str, new: str, address: str | None, cookie: str | None
    ) -> Login:
        """All sessions of the user end, and a new one begins. Raises BadCredentials if `current` is wrong,
        WeakPassword, TooManyAttempts and HashingBusy."""
        checked = await self._check(user.name, current, address)
        actor = Actor(name=user.name, kind=Proof.SESSION, address=address)
        changed = await self._users.set_password(actor, checked, new)
        return await self._sessions.begin(actor, changed, Deed(action="auth.login", target=user.name), cookie)

    async def set_up(self, token: str, name: str, password: str, address: str | None) -> Login:
        """The first administrator. Raises BadCredentials for a wrong token, AdministratorExists, BadName,
        WeakPassword and HashingBusy."""
        if not self.setup_token.matches(token):
            raise BadCredentials("The set-up token is not valid.")
        actor = Actor(name=ANONYMOUS.name, kind=ANONYMOUS.proof, address=address)
        user = await self._users.add_first(actor, name, password)
        self.setup_token.spend()
        actor = Actor(name=user.name, kind=Proof.SESSION, address=address)
        return await self._sessions.begin(actor, user, Deed(action="auth.login", target=user.name), None)

    async def needs_setup(self) -> bool:
        return not await self._users.has_admin()

    async def _check(self, name: str, password: str, address: str | None) -> User:
        await self._throttle.enter(name, address)
        user = await self._users.find(name)
        try:
            is_right = await self._hasher.verify(user and user.password_hash, password)
        except HashingBusy:
            self._throttle.take_back(name, address)
            raise
        if user is None or not is_right or not user.is_enabled:
            await self._note_failure(user, address, is_right)
            raise BadCredentials("The name or the password is wrong.")
        self._throttle.forgive(name, address)
        return user

    async def _note_failure(self, user: User | None, address: str | None, is_right: bool) -> None:
        if not self._memory.hit("failed logins", NOTED_FAILURES_PER_MIN, 60).allowed:
            return
        # A name that does not exist is perhaps a password in the wrong field: it is not written down.
        reason = "unknown user" if user is None else "disabled user" if is_right else "wrong password"
        deed = Deed(
            action="auth.login",
            target=user and user.name,
            detail={"reason": reason},
            outcome=AuditOutcome.REFUSED,
        )
        actor = Actor(name=ANONYMOUS.name, kind=ANONYMOUS.proof, address=address)

        def work(connection: Any) -> None:
            note(connection, actor, deed, self._clock.now())

        await write(self._access, work)
