"""Logging in with a password, changing it, and setting up the first administrator."""

import hmac
import secrets

from tenax.accounts.audited_store import AuditedStore, name_anonymous
from tenax.accounts.devices import find_device
from tenax.accounts.limits import LoginAttempt, LoginThrottle
from tenax.accounts.passwords import Hasher
from tenax.accounts.permissions import Proof
from tenax.accounts.sessions import Login, Sessions
from tenax.accounts.users import Users
from tenax.errors import BadCredentials, HashingBusy
from tenax.record import record
from tenax.stores.accounts.audit import Actor, AuditAction, AuditOutcome
from tenax.stores.accounts.users import User


@record
class LoginClient:
    """The browser that sends a login request."""

    address: str | None
    cookie: str | None = None  # of its previous session, which ends
    device: str | None = None  # what it was given at an earlier login


class SetupToken:
    """Shown to the user who starts the server. It admits the first administrator and is void afterwards."""

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
        audited_store: AuditedStore,
        users: Users,
        sessions: Sessions,
        hasher: Hasher,
        throttle: LoginThrottle,
    ) -> None:
        self._audited_store = audited_store
        self._users = users
        self._sessions = sessions
        self._hasher = hasher
        self._throttle = throttle
        self.setup_token = SetupToken()

    async def log_in(self, name: str, password: str, client: LoginClient) -> Login:
        """Log in and begin a session. Raises BadCredentials with the same message for every reason,
        TooManyAttempts and HashingBusy."""
        user = await self._check(name, password, client)
        return await self._begin(user, client)

    async def change_password(self, user: User, current: str, new: str, client: LoginClient) -> Login:
        """End all sessions of the user and begin a new one. Raises BadCredentials if `current` is wrong,
        WeakPassword, TooManyAttempts and HashingBusy."""
        checked = await self._check(user.name, current, client)
        actor = Actor(name=user.name, kind=Proof.SESSION, address=client.address)
        changed = await self._users.set_password(actor, checked, new)
        return await self._begin(changed, client)

    async def set_up(self, token: str, name: str, password: str, address: str | None) -> Login:
        """Add the first administrator and log in. Raises BadCredentials for a wrong token,
        AdministratorExists, BadName, WeakPassword and HashingBusy."""
        if not self.setup_token.matches(token):
            raise BadCredentials("The setup token is not valid.")
        user = await self._users.add_first(name_anonymous(address), name, password)
        self.setup_token.spend()
        return await self._begin(user, LoginClient(address=address))

    async def _begin(self, user: User, client: LoginClient) -> Login:
        actor = Actor(name=user.name, kind=Proof.SESSION, address=client.address)
        return await self._sessions.begin(
            actor, user, AuditAction(action="auth.login", target=user.name), client.cookie
        )

    async def _check(self, name: str, password: str, client: LoginClient) -> User:
        user = await self._users.find(name)
        attempt = LoginAttempt(name=name, address=client.address, device=find_device(user, client.device))
        await self._throttle.enter(attempt)
        try:
            is_correct = await self._hasher.verify(None if user is None else user.password_hash, password)
        except HashingBusy:
            self._throttle.undo_attempt(attempt)
            raise
        if user is None or not is_correct or not user.is_enabled:
            await self._record_failure(user, client.address, is_correct=is_correct)
            raise BadCredentials("The name or password is incorrect.")
        self._throttle.clear_failures(attempt)
        return user

    async def _record_failure(self, user: User | None, address: str | None, *, is_correct: bool) -> None:
        if not self._throttle.should_record_failure():
            return
        action = AuditAction(
            action="auth.login",
            # An unknown name may be a password typed into the wrong field, so it is not recorded.
            target=None if user is None else user.name,
            detail={"reason": _find_reason(user, is_correct)},
            outcome=AuditOutcome.REFUSED,
        )
        await self._audited_store.write_audited(name_anonymous(address), action, lambda connection, now: None)


def _find_reason(user: User | None, is_correct: bool) -> str:
    if user is None:
        return "unknown user"
    return "disabled user" if is_correct else "wrong password"
