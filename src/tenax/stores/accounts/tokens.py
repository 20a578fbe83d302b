"""API tokens. Only their hashes are stored, not the tokens themselves."""

from collections.abc import Collection
from dataclasses import field
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from tenax.clock import Instant
from tenax.errors import NameTaken, NoSuchUser, TooManyTokens
from tenax.record import record
from tenax.stores.accounts.users import User, detect_conflict, read_user
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.accounts import tokens, users

PER_USER = 100
USE_IS_NOTED_S = 60.0

_SELECT = select(tokens, users.c.name.label("owner")).join(users, users.c.id == tokens.c.user_id)
# Every request runs it; building it each time costs more than running it.
_FIND_BEARER = (
    select(users, *(column.label(f"token_{column.name}") for column in tokens.c))
    .join(tokens, tokens.c.user_id == users.c.id)
    .where(tokens.c.key == bindparam("key"))
)
_ORDER = SortOrder(keys={"name": tokens.c.name, "created_at": tokens.c.created_at}, number=tokens.c.id)


@record
class Token:
    id: int
    user_id: int
    owner: str
    name: str
    key: str
    scopes: tuple[str, ...]
    created_at: Instant
    expires_at: Instant | None
    last_used_at: Instant | None


@record
class NewToken:
    user_id: int
    name: str
    key: str
    secret_hash: bytes = field(repr=False)
    scopes: Collection[str]
    expires_at: Instant | None


@record
class BearerToken:
    """A token with what is needed to verify it."""

    token: Token
    secret_hash: bytes = field(repr=False)
    user: User


def find_bearer(connection: Connection, key: str) -> BearerToken | None:
    row = connection.execute(_FIND_BEARER, {"key": key}).one_or_none()
    if row is None:
        return None
    return BearerToken(
        token=_read(row, "token_", row.name), secret_hash=row.token_secret_hash, user=read_user(row)
    )


def slice_tokens(connection: Connection, wanted: SliceRequest, user_id: int | None) -> ListSlice[Token]:
    """`user_id` None: of all users."""
    statement = _SELECT if user_id is None else _SELECT.where(tokens.c.user_id == user_id)
    return load_slice(connection, statement, _ORDER, wanted, lambda row: _read(row, "", row.owner))


def find_token(connection: Connection, token_id: int) -> Token | None:
    row = connection.execute(_SELECT.where(tokens.c.id == token_id)).one_or_none()
    return None if row is None else _read(row, "", row.owner)


def add_token(connection: Connection, new: NewToken, now: Instant) -> Token:
    """Raises NoSuchUser, NameTaken and TooManyTokens, and InsertConflict if the caller should try again."""
    # Locked, so that concurrent additions are counted right, and the user still exists when they are made.
    statement = select(users.c.name).where(users.c.id == new.user_id).with_for_update()
    owner = connection.scalar(statement)
    if owner is None:
        raise NoSuchUser
    mine = tokens.c.user_id == new.user_id
    if connection.scalar(select(tokens.c.id).where(mine, tokens.c.name == new.name)) is not None:
        raise NameTaken(f"You already have a token named {new.name}.")
    if (connection.scalar(select(func.count()).where(mine)) or 0) >= PER_USER:
        raise TooManyTokens(f"A user can have at most {PER_USER} tokens: revoke one that is not needed.")
    values = {
        "user_id": new.user_id,
        "name": new.name,
        "key": new.key,
        "secret_hash": new.secret_hash,
        "scopes": " ".join(sorted(new.scopes)),
        "created_at": now,
        "expires_at": new.expires_at,
    }
    with detect_conflict():
        row = connection.execute(insert(tokens).values(values).returning(tokens)).one()
    return _read(row, "", owner)


def remove_token(connection: Connection, token_id: int) -> None:
    """Repeating is safe."""
    connection.execute(delete(tokens).where(tokens.c.id == token_id))


def note_use(connection: Connection, token_id: int, now: Instant) -> None:
    """Record that a token was used, at most once a minute however many processes use it."""
    is_older = or_(tokens.c.last_used_at.is_(None), tokens.c.last_used_at <= now - USE_IS_NOTED_S)
    connection.execute(update(tokens).where(tokens.c.id == token_id, is_older).values(last_used_at=now))


def _read(row: Any, prefix: str, owner: str) -> Token:
    def get(name: str) -> Any:
        return getattr(row, f"{prefix}{name}")

    return Token(
        id=get("id"),
        user_id=get("user_id"),
        owner=owner,
        name=get("name"),
        key=get("key"),
        scopes=tuple(get("scopes").split()),
        created_at=get("created_at"),
        expires_at=get("expires_at"),
        last_used_at=get("last_used_at"),
    )
