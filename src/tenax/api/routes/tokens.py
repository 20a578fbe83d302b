"""API tokens: everybody's own, and all of them for administrators."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query, Request
from pydantic import AwareDatetime, BaseModel, Field

from tenax.accounts.audited_store import name_actor
from tenax.accounts.permissions import Principal, Proof, Role, TokenScope
from tenax.api.errors import Problem
from tenax.api.middleware.guarding import allow, find_address, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.routes.auth import NameField
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.errors import NoSuchToken

router = new_router("tokens")

Sort = Literal["name", "created_at", "-created_at"]
IdPath = Annotated[int, Path(ge=1, lt=1 << 31, description="Of the token.")]


class Token(Schema):
    id: int
    owner: str = Field(description="The name of its user.")
    name: str
    key: str = Field(description="The part of it that may be shown.", examples=["k3jq7vhw2m5x"])
    scopes: list[TokenScope]
    created_at: datetime
    expires_at: datetime | None = Field(description="null: it does not.")
    last_used_at: datetime | None = Field(description="To the minute.")


class NewToken(BaseModel):
    name: NameField
    scopes: list[TokenScope] = Field(min_length=1, max_length=len(TokenScope), examples=[["read"]])
    expires_at: AwareDatetime | None = None


class MadeToken(Token):
    token: str = Field(description="For `Authorization: Bearer …`. It is not shown again.")


@router.get("/tokens", summary="List tokens", response_model=Part[Token], **allow(Role.USER))
async def list_tokens(
    service: ServiceDep,
    principal: PrincipalDep,
    everybody: Annotated[bool, Query(description="Of all users; for administrators.")] = False,
    sort: Annotated[Sort, Query(description="A minus: the newest first.")] = "created_at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Token]:
    """Yours, or everybody's."""
    if everybody and not principal.may(Role.ADMIN, TokenScope.ADMIN):
        raise Problem(403, "Only administrators see the tokens of others.")
    # Whoever comes with a JWT is no user, and has none.
    owner = None if everybody else principal.user_id or 0
    found = await service.accounts.tokens.list(parse_slice(sort, limit, cursor), owner)
    items = [Token.model_validate(each) for each in found.items]
    return Part(items=items, next=format_cursor(found.next, sort))


@router.post(
    "/tokens",
    summary="Make a token",
    status_code=201,
    response_model=MadeToken,
    **allow(Role.USER, scope=TokenScope.WRITE, responses=(409,)),
)
async def add_token(
    service: ServiceDep, principal: PrincipalDep, request: Request, body: NewToken
) -> MadeToken:
    """For a program of yours. It can do what its scopes say, and never more than you. Needs a session: no
    token makes another one."""
    if principal.proof is not Proof.SESSION or principal.user_id is None:
        raise Problem(403, "Tokens are made by users: log in.")
    owner = await service.accounts.users.get(principal.user_id)
    expires_at = None if body.expires_at is None else body.expires_at.timestamp()
    token, text = await service.accounts.tokens.add(
        name_actor(principal, find_address(request)), owner, body.name, frozenset(body.scopes), expires_at
    )
    return MadeToken(**Token.model_validate(token).model_dump(), token=text)


@router.delete(
    "/tokens/{token_id}",
    summary="Revoke a token",
    status_code=204,
    **allow(Role.USER, scope=TokenScope.WRITE, responses=(404,)),
)
async def revoke_token(
    service: ServiceDep, principal: PrincipalDep, request: Request, token_id: IdPath
) -> None:
    """It is refused from now on. Administrators revoke those of others, too."""
    token = await service.accounts.tokens.get(token_id)
    if not _may_revoke(principal, token.user_id):
        raise NoSuchToken
    await service.accounts.tokens.revoke(name_actor(principal, find_address(request)), token)


def _may_revoke(principal: Principal, owner_id: int) -> bool:
    return principal.user_id == owner_id or principal.may(Role.ADMIN, TokenScope.ADMIN)
