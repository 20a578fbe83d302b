"""Marks that servers agree by. Whoever holds one is alone with it until the end of the transaction."""

from sqlalchemy import Connection, insert, select, update

from tenax.stores.feed_tables import marks


def hold_mark(connection: Connection, name: str) -> int:
    """Its position; others who want it wait. 0: it was never moved."""
    # A write that changes nothing: both databases make the next one wait.
    row = connection.execute(
        update(marks)
        .where(marks.c.name == name)
        .values(position=marks.c.position)
        .returning(marks.c.position)
    ).one_or_none()
    if row is not None:
        return int(row.position)
    connection.execute(insert(marks).values(name=name, position=0))
    return 0


def find_mark(connection: Connection, name: str) -> int:
    return connection.scalar(select(marks.c.position).where(marks.c.name == name)) or 0


def move_mark(connection: Connection, name: str, position: int) -> None:
    """It is held."""
    connection.execute(update(marks).where(marks.c.name == name).values(position=position))
