"""Where a crawl is kept: in a file of a directory, or in the database of a server."""

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from tenax.config.masking import hide_password
from tenax.errors import UsageError
from tenax.record import record
from tenax.stores.layout import STORE_NAME

DEFAULT_DATA = Path("crawl")

_SERVER = re.compile(r"postgres(ql)?://")
_FILE = "sqlite:///"


@record
class Place:
    """The place of a store. Its `str` may be displayed: it has no password."""

    folder: Path  # of the store's file; with a server, of this machine's logs and signs of life
    url: str | None = None  # of the server's database; None: a file

    @property
    def backend(self) -> str:
        """The folder of stores/ with its code."""
        return "sqlite" if self.url is None else "postgres"

    @property
    def option(self) -> str:
        """How a user names it to a command."""
        return f"--data {self.folder}" if self.url is None else f"--store {self}"

    def __str__(self) -> str:
        return str(self.folder) if self.url is None else hide_password(self.url)


def find_place(url: str | None, data: Path | None) -> Place:
    """From what --store (or the setting store.url) and --data say; None: nothing."""
    if url is None:
        return Place(folder=data or DEFAULT_DATA)
    if _SERVER.match(url) and has_good_port(url):
        return Place(folder=data or find_state_folder(url), url=url)
    if "://" in url and not url.startswith(_FILE):
        raise UsageError(
            f"{hide_password(url)!r} is not a store: give postgresql://USER@HOST/DATABASE, or a directory."
        )
    folder = Path(url.removeprefix(_FILE))
    return Place(folder=data or (folder.parent if folder.name == STORE_NAME else folder))


def has_good_port(url: str) -> bool:
    """Of every host: `db1:5432,db2:5432` names a server and its standby."""
    hosts = urlsplit(url).netloc.rpartition("@")[2].split(",")
    try:
        return all(urlsplit(f"//{host}").port != 0 for host in hosts)
    except ValueError:
        return False


def find_state_folder(url: str) -> Path:
    """Where this machine records what it does in a database, whatever the user."""
    home = os.environ.get("XDG_STATE_HOME")
    parts = urlsplit(url)
    database = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
    name = hashlib.sha256(database.encode()).hexdigest()[:16]
    return (Path(home) if home else Path.home() / ".local" / "state") / "tenax" / name
