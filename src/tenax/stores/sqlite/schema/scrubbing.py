"""Rewrites a file so that nothing is left of its former content."""

from contextlib import closing
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.stores.sqlite.connection.errors import WRITING_DENIED, translate

BUSY_TIMEOUT_S = 30.0
_MARK = "secrets.unscrubbed"


def is_unscrubbed(connection: sqlite.Connection) -> bool:
    return connection.execute("SELECT 1 FROM marks WHERE name = ?", (_MARK,)).fetchone() is not None


def scrub_file(path: Path) -> bool:
    """Write every page again, which needs space for a second copy of the file. False: another process reads
    an earlier state, so the log cannot be emptied yet. Repeating is safe. Raises StoreError."""
    try:
        with closing(sqlite.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as connection:
            return _scrub(connection)
    except sqlite.Error as error:
        raise translate(error, path, WRITING_DENIED) from error


def _scrub(connection: sqlite.Connection) -> bool:
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("VACUUM")
    is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if is_busy:
        return False
    connection.execute("DELETE FROM marks WHERE name = ?", (_MARK,))
    return True
