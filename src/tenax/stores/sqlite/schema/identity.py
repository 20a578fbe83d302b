"""The identity of a store, under which data outside of it is kept."""

import secrets
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase


async def identify(database: SqliteDatabase) -> str:
    """The same for all processes that open this file; a new file in its place, or a copy of it, has another
    one."""
    return format_identity(database.path, await database.write(_read_or_draw))


def format_identity(path: Path, number: int) -> str:
    place = path.stat()
    return xxh3_64_hexdigest(f"{place.st_dev}:{place.st_ino}:{number}".encode())


def _read_or_draw(connection: Connection) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if not number:
        number = secrets.randbelow(2**31 - 1) + 1
        connection.execute(f"PRAGMA user_version = {number}")
    return number


def forget_identity(connection: Connection) -> None:
    """Forget the identity: data kept outside refers to urls that are gone."""
    connection.execute("PRAGMA user_version = 0")
