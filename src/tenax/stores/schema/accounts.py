"""User accounts: users, their sessions and API tokens, and the audit log."""

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, Table, Text, text

from tenax.stores.schema.columns import Id, metadata

users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the name in the form used for comparison
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),  # argon2id
    # the fence of its sessions: a session with an older version has ended
    Column("version", Integer, nullable=False, server_default=text("0")),
    # 1: the administrator that was added when there was none; unique, so two at once cannot both be
    Column("founder", Integer, unique=True),
    Column("created_at", Double, nullable=False),
    Column("disabled_at", Double),
    sqlite_autoincrement=True,  # an id must never be reused for another user
)

sessions = Table(
    "sessions",
    metadata,
    # Sessions that are not in Redis, and those that were ended early, wherever they are.
    Column("id", Id, primary_key=True),
    Column("key", LargeBinary, nullable=False, unique=True),  # SHA-256 of the cookie's value
    Column("user_id", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("ended_at", Double),
)
Index("sessions_user", sessions.c.user_id)
Index("sessions_expiry", sessions.c.expires_at)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the part that may be shown
    Column("secret_hash", LargeBinary, nullable=False),  # SHA-256
    Column("scopes", Text, nullable=False),  # separated by spaces
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
    Column("last_used_at", Double),  # to the minute
    sqlite_autoincrement=True,
)
Index("tokens_name", tokens.c.user_id, tokens.c.name, unique=True)

audit = Table(
    "audit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("kind", Text, nullable=False),  # session, token, jwt, cli, anonymous
    Column("address", Text),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("detail", Text, nullable=False),  # JSON
    Column("outcome", Text, nullable=False),
)
Index("audit_at", audit.c.at)
