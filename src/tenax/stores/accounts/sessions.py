"""Sessions that are kept in the store, and records that a session has ended, wherever it is kept."""

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.accounts.users import User, detect_conflict, read_user
from tenax.stores.schema.accounts import sessions, users

KEPT_PER_USER = 50  # a script that logs in repeatedly would fill the table otherwise


@record
class Session:
    key: bytes  # SHA-256 of the cookie's value
    user_id: int
    version: int  # of the user when it began
    expires_at: Instant


# Every request runs one of these; building a statement each time costs more than running it.
_FIND = (
    select(users, sessions.c.expires_at)
    .join(sessions, sessions.c.user_id == users.c.id)
    .where(
        sessions.c.key == bindparam("key"),
        sessions.c.version == users.c.version,
        sessions.c.expires_at > bindparam("now"),
        sessions.c.ended_at.is_(None),
        users.c.disabled_at.is_(None),
    )
)
_FIND_HOLDER = select(users).where(
    users.c.id == bindparam("user_id"),
    users.c.version == bindparam("version"),
    users.c.disabled_at.is_(None),
    ~exists().where(sessions.c.key == bindparam("key"), sessions.c.ended_at.isnot(None)),
)


def find_session(connection: Connection, key: bytes, now: Instant) -> tuple[Session, User] | None:
    """A valid session, with its user."""
    row = connection.execute(_FIND, {"key": key, "now": now}).one_or_none()
    if row is None:
        return None
    session = Session(key=key, user_id=row.id, version=row.version, expires_at=row.expires_at)
    return session, read_user(row)


def find_holder(connection: Connection, session: Session) -> User | None:
    """The user of a session that was found elsewhere; None: it has ended."""
    values = {"key": session.key, "user_id": session.user_id, "version": session.version}
    row = connection.execute(_FIND_HOLDER, values).one_or_none()
    return None if row is None else read_user(row)


def add_session(connection: Connection, session: Session) -> None:
    """Add a session. The user's oldest ones are deleted if there are more than KEPT_PER_USER."""
    connection.execute(
        insert(sessions).values(
            key=session.key,
            user_id=session.user_id,
            version=session.version,
            expires_at=session.expires_at,
        )
    )
    newest = (
        select(sessions.c.id)
        .where(sessions.c.user_id == session.user_id, sessions.c.ended_at.is_(None))
        .order_by(sessions.c.id.desc())
        .limit(KEPT_PER_USER)
    )
    connection.execute(
        delete(sessions).where(
            sessions.c.user_id == session.user_id, sessions.c.ended_at.is_(None), sessions.c.id.not_in(newest)
        )
    )


def end_session(connection: Connection, session: Session, now: Instant) -> None:
    """End a session, even one that is kept elsewhere and perhaps cannot be deleted there now. Repeating is
    safe. Raises InsertConflict if the caller should try again."""
    ended = connection.execute(update(sessions).where(sessions.c.key == session.key).values(ended_at=now))
    if ended.rowcount:
        return
    with detect_conflict():
        connection.execute(
            insert(sessions).values(
                key=session.key,
                user_id=session.user_id,
                version=session.version,
                expires_at=session.expires_at,
                ended_at=now,
            )
        )


def prune_sessions(connection: Connection, now: Instant) -> None:
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
