"""Marks that servers agree by. Whoever holds one is alone with it until the end of the transaction."""

from sqlalchemy import Connection, select, text, update

from tenax.stores.schema.marks import marks

_CREATE = text("INSERT INTO marks (name, position) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING")


def hold_cursor(connection: Connection, name: str) -> int:
    """Its position; others who want it wait. 0: it was never moved."""
    position = _lock(connection, name)
    if position is None:
        # Of two who make it at once, one waits for the other and then finds it.
        connection.execute(_CREATE, {"name": name})
        position = _lock(connection, name)
    return position or 0


def _lock(connection: Connection, name: str) -> int | None:
    # A write that changes nothing: both databases make the next one wait.
    is_named = marks.c.name == name
    touched = update(marks).where(is_named).values(position=marks.c.position).returning(marks.c.position)
    position: int | None = connection.scalar(touched)
    return position


def find_cursor(connection: Connection, name: str) -> int:
    return connection.scalar(select(marks.c.position).where(marks.c.name == name)) or 0


def move_cursor(connection: Connection, name: str, position: int) -> None:
    """It is held."""
    connection.execute(update(marks).where(marks.c.name == name).values(position=position))
