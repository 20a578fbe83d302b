"""A server in the test's process, on its own loop, and clients for it."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import uvloop

from tenax.accounts.authentication import Authenticator
from tenax.accounts.permissions import ANONYMOUS, Principal, Proof, Role, TokenScope
from tenax.api.server import MakeLaunch, Server, listen, open_service
from tenax.api.service import Service
from tenax.config.settings import Settings
from tenax.stores.place import Place

TIMEOUT_S = 60.0


class RoleAuthenticator(Authenticator):
    """Takes the name of a role for a token, optionally with a user name and scopes:
    `user@bob:read+write`."""

    def __init__(self) -> None:
        """Does not read a store."""

    async def authenticate(self, *, cookie: str | None, authorization: str | None) -> Principal:
        name, _, scopes = (authorization or "Bearer anonymous").removeprefix("Bearer ").partition(":")
        word, _, user = name.partition("@")
        role = Role(word)
        if role is Role.ANONYMOUS:
            return ANONYMOUS
        held = frozenset(map(TokenScope, scopes.split("+"))) if scopes else frozenset(TokenScope)
        return Principal(name=user or role, role=role, proof=Proof.TOKEN, scopes=held)


class ApiServer:
    """Serves until it is closed."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        *,
        knows_users: bool = False,
        make_launch: MakeLaunch | None = None,
    ) -> None:
        self.place = place
        self.service: Service | None = None
        self._knows_users = knows_users
        self._make_launch = make_launch
        self._settings = settings
        self._listener = listen(settings.server)
        host, port = self._listener.getsockname()[:2]
        self.url = f"http://{host}:{port}"
        self._is_up = threading.Event()
        self._error: BaseException | None = None
        self._server: Server | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._is_up.wait(TIMEOUT_S)
        if self._error is not None:
            raise self._error

    def client(self, role: Role = Role.ADMIN, name: str = "") -> httpx.Client:
        who = f"{role}@{name}" if name else role
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {who}"}, timeout=TIMEOUT_S)

    def close(self) -> None:
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join(TIMEOUT_S)
        self._listener.close()

    def _run(self) -> None:
        try:
            uvloop.run(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._is_up.set()

    async def _serve(self) -> None:
        async with open_service(self.place, self._settings, self._make_launch) as service:
            self.service = service
            if not self._knows_users:
                service = replace(service, authenticator=RoleAuthenticator())
            self._server = Server(service)
            # It listens already: early clients wait until it answers.
            self._is_up.set()
            await self._server.serve([self._listener])


MANY_PER_MIN = dict.fromkeys(("anonymous_per_min", "user_per_min", "admin_per_min", "seeds_per_min"), 100_000)


@contextlib.contextmanager
def run_api(
    place: Place,
    *,
    knows_users: bool = False,
    make_launch: MakeLaunch | None = None,
    **sections: dict[str, Any],
) -> Iterator[ApiServer]:
    """With limits that no test reaches, unless they are given. Takes the names of roles for tokens, unless it
    knows its users."""
    server = {"port": 0, **MANY_PER_MIN, **sections.pop("server", {})}
    settings = Settings.model_validate({**sections, "server": server})
    running = ApiServer(place, settings, knows_users=knows_users, make_launch=make_launch)
    try:
        yield running
    finally:
        running.close()
