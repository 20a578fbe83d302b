"""Users, their sessions and tokens, and the audit log."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0012"
down_revision = "0011"

Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "users",
        Column("id", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("role", Text, nullable=False),
        Column("password_hash", Text, nullable=False),
        Column("version", Integer, server_default=text("0"), nullable=False),
        Column("founder", Integer),
        Column("created_at", Double, nullable=False),
        Column("disabled_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("key"),
        UniqueConstraint("founder"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        Column("id", Id, nullable=False),
        Column("key", LargeBinary, nullable=False),
        Column("user_id", Integer, nullable=False),
        Column("version", Integer, nullable=False),
        Column("expires_at", Double, nullable=False),
        Column("ended_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("key"),
    )
    op.create_index("sessions_user", "sessions", ["user_id"])
    op.create_index("sessions_expiry", "sessions", ["expires_at"])
    op.create_table(
        "tokens",
        Column("id", Integer, nullable=False),
        Column("user_id", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("secret_hash", LargeBinary, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("created_at", Double, nullable=False),
        Column("expires_at", Double),
        Column("last_used_at", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("key"),
        sqlite_autoincrement=True,
    )
    op.create_index("tokens_name", "tokens", ["user_id", "name"], unique=True)
    op.create_table(
        "audit",
        Column("id", Id, nullable=False),
        Column("at", Double, nullable=False),
        Column("actor", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("address", Text),
        Column("action", Text, nullable=False),
        Column("target", Text),
        Column("detail", Text, nullable=False),
        Column("outcome", Text, nullable=False),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("audit_at", "audit", ["at"])
