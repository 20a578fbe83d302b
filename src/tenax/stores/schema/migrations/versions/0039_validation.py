"""Answers that are no pages: how domains answer where there is none, and rejections in the statistics."""

from alembic import op
from sqlalchemy import Column, Text, text

revision = "0039"
down_revision = "0037"


def upgrade() -> None:
    op.add_column("domains", Column("soft_404", Text))
    op.add_column("stats", Column("rejections", Text, nullable=False, server_default=text("'{}'")))
