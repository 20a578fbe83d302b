"""Makes the stores that upgrades are tested with: `python -m tests.upgrades.make_stores`, once per release.

A tiny crawl of the test web into SQLite and into PostgreSQL, by the version of this tree. What is in the
folder of a version is never made again: no later tree can.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from contextlib import closing
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax import __version__
from tenax.config.loading import KEY_VARIABLE
from tenax.stores.layout import STORE_NAME
from tests.support.command import COMMAND
from tests.support.postgres import create_empty, drop
from tests.support.servers import find_programs
from tests.support.site import HostBehavior
from tests.support.web import TestWeb
from tests.upgrades.stored import KEY, STORES, Stored, read_stored

SOURCES = """\
- name: News
  seeds: [http://news.test/]
  headers: {X-Key: of-the-upgrade-tests}
  schedule: {interval_minutes: 6, interval_type: hours}
"""
BEHAVIOUR = HostBehavior(
    robots="User-agent: *\nDisallow: /p/4.html\n",
    has_validators=True,
    error_pages={3: 404, 5: 410},
    noindex_pages=(6,),
    redirects=(2,),
    has_loop=True,
    has_pdf=True,
)


def make_stores(folder: Path) -> None:
    if folder.exists():
        sys.exit(f"{folder} is there already: the stores of a released version stay as they are.")
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        sqlite_stored = make_sqlite(Path(scratch), folder)
        postgres_stored = make_postgres(Path(scratch), folder)
    (folder / "crawl.json").write_text(format_stored(sqlite_stored))
    (folder / "database.json").write_text(format_stored(postgres_stored))


def format_stored(stored: Stored) -> str:
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


def make_sqlite(scratch: Path, folder: Path) -> Stored:
    place = ("--data", str(scratch / "crawl"))
    fill(scratch, *place)
    database = scratch / "crawl" / STORE_NAME
    with closing(sqlite.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with database.open("rb") as whole, gzip.GzipFile(folder / "crawl.db.gz", "wb", mtime=0) as packed:
        shutil.copyfileobj(whole, packed)
    return read_stored(*place)


def make_postgres(scratch: Path, folder: Path) -> Stored:
    name = f"tenax_release_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    try:
        place = ("--store", url, "--data", str(scratch / "notes"))
        run("migrate", *place)
        fill(scratch, *place)
        dump = subprocess.run(
            [find_programs() / "pg_dump", "--no-owner", "--no-privileges", "--inserts", url],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        (folder / "database.sql").write_text(dump)
        return read_stored(*place)
    finally:
        drop(name)


def fill(scratch: Path, *place: str) -> None:
    """A crawl that its budget ends, so that some urls are queued; a source with a secret; an account."""
    with TestWeb(
        hosts=["a.test", "b.test"],
        pages_per_host=9,
        links_per_page=3,
        paragraphs_per_page=2,
        behaviors={"a.test": BEHAVIOUR},
    ) as web:
        run("crawl", *web.seeds(), "--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0.02",
            "--max-pages", "13", "--workers", "1", "--quiet", *place)  # fmt: skip
    sources = scratch / "sources.yaml"
    sources.write_text(SOURCES)
    run("apply", "-f", str(sources), *place)
    run("users", "add", "ada", "--role", "admin", "--password-stdin", *place, line="a long enough password\n")


def run(*arguments: str, line: str = "") -> None:
    subprocess.run([str(COMMAND), *arguments], input=line, text=True, check=True)


if __name__ == "__main__":
    os.environ[KEY_VARIABLE] = KEY
    make_stores(STORES / (sys.argv[1] if len(sys.argv) > 1 else __version__))
