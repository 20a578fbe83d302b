"""Cursors that servers share, in the table `marks`. Locking one gives a server exclusive use of it until its
transaction ends.
"""

from sqlalchemy import Connection, select, text, update

from tenax.stores.schema.marks import marks

_CREATE = text(
    """
    INSERT INTO marks (name, position)
    VALUES (:name, 0)
    ON CONFLICT (name) DO NOTHING
    """
)


def hold_cursor(connection: Connection, name: str) -> int:
    """Lock the cursor until the transaction ends and return its position; 0: it was never moved. Other
    transactions that want it wait."""
    position = _lock(connection, name)
    if position is None:
        # If two transactions create it at once, one waits for the other and then finds it.
        connection.execute(_CREATE, {"name": name})
        position = _lock(connection, name)
    return position or 0


def _lock(connection: Connection, name: str) -> int | None:
    # A write that changes nothing locks the row: both databases make the next writer wait.
    is_named = marks.c.name == name
    touched = update(marks).where(is_named).values(position=marks.c.position).returning(marks.c.position)
    position: int | None = connection.scalar(touched)
    return position


def find_cursor(connection: Connection, name: str) -> int:
    return connection.scalar(select(marks.c.position).where(marks.c.name == name)) or 0


def move_cursor(connection: Connection, name: str, position: int) -> None:
    """The caller holds the cursor."""
    connection.execute(update(marks).where(marks.c.name == name).values(position=position))
