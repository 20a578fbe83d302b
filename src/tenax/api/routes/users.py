"""User management, for administrators."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.audited_store import name_actor
from tenax.accounts.permissions import Role, TokenScope
from tenax.accounts.users import MAX_NAME_CHARS
from tenax.api.errors import invalid
from tenax.api.middleware.guarding import allow, find_address, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.routes.auth import NameField, NewPasswordField
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.stores.accounts.users import User as StoredUser
from tenax.stores.accounts.users import UserFilter

router = new_router("users")

Sort = Literal["name", "created_at", "-created_at"]
AccountRole = Literal["user", "admin"]
IdPath = Annotated[int, Path(ge=1, lt=1 << 31, description="The id of the user.")]


class User(Schema):
    id: int
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None = Field(description="When the user was disabled; null: the user is enabled.")


class NewUser(BaseModel):
    name: NameField
    password: NewPasswordField
    role: AccountRole = "user"


class UserChange(BaseModel):
    """Omitted fields stay unchanged."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "admin"}, {"disabled": True}]})

    role: AccountRole | None = None
    password: NewPasswordField | None = None
    disabled: bool | None = None


@router.get(
    "/users", summary="List users", response_model=Part[User], **allow(Role.ADMIN, scope=TokenScope.ADMIN)
)
async def list_users(
    service: ServiceDep,
    role: Annotated[AccountRole | None, Query(description="Only users with this role.")] = None,
    q: Annotated[
        str | None, Query(max_length=MAX_NAME_CHARS, description="Only names that contain this text.")
    ] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts newest first.")] = "name",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[User]:
    """Returns all users."""
    wanted = parse_slice(sort, limit, cursor)
    found = await service.accounts.users.list(wanted, UserFilter(role=role, text=q))
    items = [User.model_validate(each) for each in found.items]
    return Part(items=items, next=format_cursor(found.next, sort))


@router.post(
    "/users",
    summary="Add a user",
    status_code=201,
    response_model=User,
    **allow(Role.ADMIN, scope=TokenScope.ADMIN, responses=(409,)),
)
async def add_user(
    service: ServiceDep, principal: PrincipalDep, request: Request, body: NewUser
) -> StoredUser:
    """Names must be unique, regardless of case."""
    actor = name_actor(principal, find_address(request))
    return await service.accounts.users.add(actor, body.name, body.password, Role(body.role))


@router.get(
    "/users/{user_id}",
    summary="Get a user",
    response_model=User,
    **allow(Role.ADMIN, scope=TokenScope.ADMIN, responses=(404,)),
)
async def get_user(service: ServiceDep, user_id: IdPath) -> StoredUser:
    """Returns one user."""
    return await service.accounts.users.get(user_id)


@router.patch(
    "/users/{user_id}",
    summary="Change a user",
    response_model=User,
    **allow(Role.ADMIN, scope=TokenScope.ADMIN, responses=(404, 409)),
)
async def change_user(
    service: ServiceDep, principal: PrincipalDep, request: Request, user_id: IdPath, body: UserChange
) -> StoredUser:
    """Changes one field per request and ends all sessions of the user. The last administrator cannot be
    demoted or disabled."""
    if len(body.model_fields_set) != 1:
        raise invalid("Change exactly one of role, password and disabled.", "body")
    users, actor = service.accounts.users, name_actor(principal, find_address(request))
    user = await users.get(user_id)
    if body.role is not None:
        return await users.set_role(actor, user, Role(body.role))
    if body.password is not None:
        return await users.set_password(actor, user, body.password)
    if body.disabled is not None:
        return await (users.disable if body.disabled else users.enable)(actor, user)
    raise invalid("The field must not be null.", "body")


@router.delete(
    "/users/{user_id}",
    summary="Remove a user",
    status_code=204,
    **allow(Role.ADMIN, scope=TokenScope.ADMIN, responses=(404, 409)),
)
async def remove_user(
    service: ServiceDep, principal: PrincipalDep, request: Request, user_id: IdPath
) -> None:
    """Removes the user with all tokens and sessions. The last administrator cannot be removed."""
    users = service.accounts.users
    await users.remove(name_actor(principal, find_address(request)), await users.get(user_id))


@router.delete(
    "/users/{user_id}/sessions",
    summary="End a user's sessions",
    status_code=204,
    **allow(Role.ADMIN, scope=TokenScope.ADMIN, responses=(404,)),
)
async def end_sessions(
    service: ServiceDep, principal: PrincipalDep, request: Request, user_id: IdPath
) -> None:
    """Ends the user's sessions in all browsers. Tokens stay valid."""
    users = service.accounts.users
    await users.end_sessions(name_actor(principal, find_address(request)), await users.get(user_id))
