"""Users, as functions of a connection. Functions that change something must be called in a transaction.

The rules that hold for all callers are enforced here: names are unique, and an administrator always remains.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

from sqlalchemy import Connection, delete, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from tenax.clock import Instant
from tenax.errors import AdministratorExists, LastAdministrator, NameTaken, NoSuchUser, StoreBusy
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.accounts import sessions, tokens, users
from tenax.wording import fold_name

ADMIN: Final = "admin"
_ORDER = SortOrder(keys={"name": users.c.key, "created_at": users.c.created_at}, number=users.c.id)


@record
class User:
    id: int
    name: str
    role: str
    password_hash: str = field(repr=False)
    version: int
    created_at: Instant
    disabled_at: Instant | None

    @property
    def is_enabled(self) -> bool:
        return self.disabled_at is None


@record
class NewUser:
    name: str
    role: str
    password_hash: str = field(repr=False)


@record
class UserFilter:
    """None in a field: no restriction."""

    role: str | None = None
    text: str | None = None  # in the name


class InsertConflict(StoreBusy):
    """Another transaction has just inserted the same row: try again to see its effect."""


def find_user(connection: Connection, name: str) -> User | None:
    return _find(connection, users.c.key == fold_name(name))


def find_user_by_id(connection: Connection, user_id: int) -> User | None:
    return _find(connection, users.c.id == user_id)


def has_admin(connection: Connection) -> bool:
    return bool(connection.scalar(select(exists().where(users.c.role == ADMIN))))


def slice_users(connection: Connection, wanted: SliceRequest, only: UserFilter) -> ListSlice[User]:
    statement = select(users)
    if only.role is not None:
        statement = statement.where(users.c.role == only.role)
    if only.text is not None:
        statement = statement.where(users.c.key.contains(fold_name(only.text), autoescape=True))
    return load_slice(connection, statement, _ORDER, wanted, read_user)


def add_user(connection: Connection, new: NewUser, now: Instant) -> User:
    """Raises NameTaken, and InsertConflict if the caller should try again."""
    is_first = new.role == ADMIN and not has_admin(connection)
    return _add(connection, new, now, is_first=is_first)


def add_first_admin(connection: Connection, new: NewUser, now: Instant) -> User:
    """Raises AdministratorExists, and whatever `add_user` raises."""
    if has_admin(connection):
        raise AdministratorExists
    return _add(connection, new, now, is_first=True)


def _add(connection: Connection, new: NewUser, now: Instant, *, is_first: bool) -> User:
    key = fold_name(new.name)
    if _find(connection, users.c.key == key) is not None:
        raise NameTaken(f"A user named {new.name} already exists.")
    values = {
        "name": new.name,
        "key": key,
        "role": new.role,
        "password_hash": new.password_hash,
        "founder": 1 if is_first else None,
        "created_at": now,
    }
    with detect_conflict():
        added = connection.execute(insert(users).values(values).returning(users)).one()
    return read_user(added)


def set_password(connection: Connection, user_id: int, password_hash: str) -> User:
    """Ends the user's sessions, like every change of a user. Raises NoSuchUser."""
    return _change(connection, user_id, password_hash=password_hash)


def set_role(connection: Connection, user_id: int, role: str) -> User:
    """Raises NoSuchUser and LastAdministrator."""
    if role != ADMIN:
        _require_another_admin(connection, user_id)
    return _change(connection, user_id, role=role)


def set_disabled(connection: Connection, user_id: int, disabled_at: Instant | None) -> User:
    """Raises NoSuchUser and LastAdministrator."""
    if disabled_at is not None:
        _require_another_admin(connection, user_id)
    return _change(connection, user_id, disabled_at=disabled_at)


def end_sessions(connection: Connection, user_id: int) -> User:
    """Raises NoSuchUser."""
    return _change(connection, user_id)


def remove_user(connection: Connection, user_id: int) -> None:
    """Remove a user with sessions and tokens. Raises NoSuchUser and LastAdministrator."""
    _require_another_admin(connection, user_id)
    if not connection.execute(delete(users).where(users.c.id == user_id)).rowcount:
        raise NoSuchUser
    connection.execute(delete(sessions).where(sessions.c.user_id == user_id))
    connection.execute(delete(tokens).where(tokens.c.user_id == user_id))


@contextlib.contextmanager
def detect_conflict() -> Iterator[None]:
    """Wraps an insert after a check that the row does not exist. Raises InsertConflict if it does by now."""
    try:
        yield
    except IntegrityError as error:
        raise InsertConflict from error


def read_user(row: Any) -> User:
    return User(
        id=row.id,
        name=row.name,
        role=row.role,
        password_hash=row.password_hash,
        version=row.version,
        created_at=row.created_at,
        disabled_at=row.disabled_at,
    )


def _find(connection: Connection, condition: Any) -> User | None:
    row = connection.execute(select(users).where(condition)).one_or_none()
    return None if row is None else read_user(row)


def _change(connection: Connection, user_id: int, **values: Any) -> User:
    statement = (
        update(users)
        .where(users.c.id == user_id)
        .values({**values, "version": users.c.version + 1})
        .returning(users)
    )
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise NoSuchUser
    # Sessions in Redis have the old version, which ends them; rows in the store are no longer needed.
    connection.execute(delete(sessions).where(sessions.c.user_id == user_id, sessions.c.ended_at.is_(None)))
    return read_user(row)


def _require_another_admin(connection: Connection, user_id: int) -> None:
    # Locked in a fixed order: if two administrators remove each other at once, the second waits here and then
    # finds that only one is left.
    statement = (
        select(users.c.id)
        .where(users.c.role == ADMIN, users.c.disabled_at.is_(None))
        .order_by(users.c.id)
        .with_for_update()
    )
    if list(connection.scalars(statement)) == [user_id]:
        raise LastAdministrator
