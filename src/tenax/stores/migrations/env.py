"""Alembic's entry point: runs the migrations in one transaction on the configured database."""

from alembic import context
from pysqlite3 import dbapi2
from sqlalchemy import create_engine

from tenax.stores.tables import metadata

url = context.config.get_main_option("sqlalchemy.url") or ""
engine = create_engine(url, module=dbapi2)
with engine.connect() as connection:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transactional_ddl=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
engine.dispose()
