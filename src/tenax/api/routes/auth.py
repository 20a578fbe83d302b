"""Log in and out, set up the first administrator, change your own password."""

from datetime import datetime
from typing import Annotated

from fastapi import Request, Response
from pydantic import BaseModel, Field

from tenax.accounts.audited_store import name_actor
from tenax.accounts.logins import LoginClient
from tenax.accounts.passwords import MAX_CHARS, MIN_CHARS
from tenax.accounts.permissions import Principal, Proof, Role, TokenScope
from tenax.accounts.sessions import Login
from tenax.accounts.users import MAX_NAME_CHARS
from tenax.api.errors import Problem
from tenax.api.middleware.cookies import clear_cookie, find_cookie, find_device_cookie, set_cookies
from tenax.api.middleware.guarding import allow, find_address, new_router
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, Service, ServiceDep
from tenax.clock import Instant

router = new_router("auth")

NameField = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS, examples=["alice"])]
PasswordField = Annotated[str, Field(min_length=1, max_length=MAX_CHARS, examples=["four words are enough"])]
NewPasswordField = Annotated[
    str,
    Field(
        min_length=MIN_CHARS,
        max_length=MAX_CHARS,
        description="The password must not be the user name.",
        examples=["four words are enough"],
    ),
]


class Credentials(BaseModel):
    name: NameField
    password: PasswordField


class Setup(BaseModel):
    token: str = Field(
        max_length=100,
        description="The setup token that the server printed when it started.",
        examples=["kzTn0v2rD1qXo4bY"],
    )
    name: NameField
    password: NewPasswordField


class PasswordChange(BaseModel):
    current: PasswordField
    new: NewPasswordField


class Session(Schema):
    name: str
    role: Role
    proof: Proof = Field(description="How the caller was authenticated.")
    scopes: list[TokenScope] = Field(description="The scopes of the token; all scopes without a token.")
    csrf_token: str | None = Field(
        description="Send it as X-CSRF-Token with every request that changes something; null: no session."
    )
    expires_at: datetime | None = Field(
        None, description="When the session expires; only set when it has just started."
    )
    needs_setup: bool = Field(
        description="Whether there is no administrator yet; create one with POST /api/v1/auth/setup."
    )


@router.get(
    "/auth/session", summary="Get the current session", response_model=Session, **allow(Role.ANONYMOUS)
)
async def get_session(service: ServiceDep, principal: PrincipalDep) -> Session:
    """Returns who the caller is; available without authentication."""
    return _describe(principal, needs_setup=not await service.accounts.users.has_admin())


@router.post(
    "/auth/login",
    summary="Log in",
    response_model=Session,
    **allow(Role.ANONYMOUS, scope=TokenScope.WRITE),
)
async def log_in(service: ServiceDep, request: Request, response: Response, body: Credentials) -> Session:
    """Starts a session, which is kept in a cookie. A previous session of the same browser ends. After several
    failed logins, further attempts from the address, with that name or with any, have to wait: 429."""
    login = await service.accounts.logins.log_in(body.name, body.password, _describe_client(request))
    return _begin_session(service, request, response, login)


@router.post(
    "/auth/setup",
    summary="Add the first administrator",
    response_model=Session,
    **allow(Role.ANONYMOUS, scope=TokenScope.WRITE, responses=(409,)),
)
async def set_up(service: ServiceDep, request: Request, response: Response, body: Setup) -> Session:
    """Works once, with the setup token that the server printed when it started, and starts a session."""
    login = await service.accounts.logins.set_up(body.token, body.name, body.password, find_address(request))
    return _begin_session(service, request, response, login)


@router.post(
    "/auth/logout", summary="Log out", status_code=204, **allow(Role.ANONYMOUS, scope=TokenScope.WRITE)
)
async def log_out(service: ServiceDep, principal: PrincipalDep, request: Request, response: Response) -> None:
    """Ends this browser's session. Repeating is safe."""
    cookie = find_cookie(request)
    if cookie is not None:
        await service.accounts.sessions.end(name_actor(principal, find_address(request)), cookie)
    clear_cookie(request, response)


@router.post(
    "/auth/password",
    summary="Change your password",
    response_model=Session,
    **allow(Role.USER, scope=TokenScope.WRITE),
)
async def change_password(
    service: ServiceDep, principal: PrincipalDep, request: Request, response: Response, body: PasswordChange
) -> Session:
    """Ends all your sessions and starts a new one in this browser. Tokens stay valid."""
    if principal.proof is not Proof.SESSION or principal.user_id is None:
        raise Problem(403, "A password can only be changed in a session: log in first.")
    user = await service.accounts.users.get(principal.user_id)
    client = _describe_client(request)
    login = await service.accounts.logins.change_password(user, body.current, body.new, client)
    return _begin_session(service, request, response, login)


def _describe_client(request: Request) -> LoginClient:
    return LoginClient(
        address=find_address(request), cookie=find_cookie(request), device=find_device_cookie(request)
    )


def _begin_session(service: Service, request: Request, response: Response, login: Login) -> Session:
    set_cookies(request, response, login, service.settings.server.session_s)
    principal = Principal(
        name=login.user.name,
        role=Role(login.user.role),
        proof=Proof.SESSION,
        csrf_token=login.csrf_token,
    )
    return _describe(principal, needs_setup=False, expires_at=login.expires_at)


def _describe(principal: Principal, *, needs_setup: bool, expires_at: Instant | None = None) -> Session:
    return Session(
        name=principal.name,
        role=principal.role,
        proof=principal.proof,
        scopes=sorted(principal.scopes),
        csrf_token=principal.csrf_token,
        expires_at=expires_at,
        needs_setup=needs_setup,
    )
