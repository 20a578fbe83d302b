"""API tokens: a user's own, and those of all users for administrators."""

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
IdPath = Annotated[int, Path(ge=1, lt=1 << 31, description="The id of the token.")]


class Token(Schema):
    id: int
    owner: str = Field(description="The name of the user who owns it.")
    name: str
    key: str = Field(description="The public part of the token.", examples=["k3jq7vhw2m5x"])
    scopes: list[TokenScope]
    created_at: datetime
    expires_at: datetime | None = Field(description="null: it does not expire.")
    last_used_at: datetime | None = Field(description="Accurate to the minute.")


class NewToken(BaseModel):
    name: NameField
    scopes: list[TokenScope] = Field(min_length=1, max_length=len(TokenScope), examples=[["read"]])
    expires_at: AwareDatetime | None = None


class MadeToken(Token):
    token: str = Field(description="The token for `Authorization: Bearer …`. It is shown only once.")


@router.get("/tokens", summary="List tokens", response_model=Part[Token], **allow(Role.USER))
async def list_tokens(
    service: ServiceDep,
    principal: PrincipalDep,
    everybody: Annotated[
        bool, Query(description="List the tokens of all users; administrators only.")
    ] = False,
    sort: Annotated[Sort, Query(description="A leading minus sorts newest first.")] = "created_at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Token]:
    """Returns your own tokens, or those of all users."""
    if everybody and not principal.may(Role.ADMIN, TokenScope.ADMIN):
        raise Problem(403, "Only administrators can list the tokens of other users.")
    # A caller with a JWT is not a user in the store and owns no tokens.
    owner = None if everybody else principal.user_id or 0
    found = await service.accounts.tokens.list(parse_slice(sort, limit, cursor), owner)
    items = [Token.model_validate(each) for each in found.items]
    return Part(items=items, next=format_cursor(found.next, sort))


@router.post(
    "/tokens",
    summary="Create a token",
    status_code=201,
    response_model=MadeToken,
    **allow(Role.USER, scope=TokenScope.WRITE, responses=(409,)),
)
async def add_token(
    service: ServiceDep, principal: PrincipalDep, request: Request, body: NewToken
) -> MadeToken:
    """Creates a token for a program. It can do what its scopes allow, and never more than you can. This
    requires a session: a token cannot create another one."""
    if principal.proof is not Proof.SESSION or principal.user_id is None:
        raise Problem(403, "Tokens can only be created in a session: log in first.")
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
    """Revokes the token at once. Administrators can also revoke the tokens of other users."""
    token = await service.accounts.tokens.get(token_id)
    if not _may_revoke(principal, token.user_id):
        raise NoSuchToken
    await service.accounts.tokens.revoke(name_actor(principal, find_address(request)), token)


def _may_revoke(principal: Principal, owner_id: int) -> bool:
    return principal.user_id == owner_id or principal.may(Role.ADMIN, TokenScope.ADMIN)
