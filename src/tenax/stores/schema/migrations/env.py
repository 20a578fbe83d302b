"""Alembic's entry point. The transaction belongs to the caller that provides the connection."""

from alembic import context

from tenax.stores.schema.ddl import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
context.run_migrations()
