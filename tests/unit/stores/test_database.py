"""The file: what is ours is opened, what is not is left alone, and trouble gets one sentence."""

import asyncio
import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreTooNew
from tenax.stores.schema.migrations import REVISION
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tests.support.clock import FakeClock

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tenax.db"


def run(path: Path, *works: Callable[[Connection], Any], busy_timeout_s: float = 30.0) -> list[Any]:
    """Open the store and do these works in transactions of their own."""

    async def main() -> list[Any]:
        async with SqliteDatabase(path, FakeClock(), busy_timeout_s=busy_timeout_s) as database:
            return [await database.write(work) for work in works]

    return asyncio.run(main())


def count_domains(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM domains").fetchone()[0])


def add_domain(connection: Connection) -> None:
    name = f"d{count_domains(connection)}.example"
    connection.execute("INSERT INTO domains (name, status, first_seen_at) VALUES (?, 'pending', 0)", (name,))


# --- opening ---------------------------------------------------------------------------------


def test_a_new_store_is_made_with_its_directory(path: Path) -> None:
    assert run(path, count_domains) == [0]


def test_a_store_is_opened_again_with_what_it_holds(path: Path) -> None:
    run(path, add_domain)
    assert run(path, count_domains) == [1]


def test_committing_is_durable(path: Path) -> None:
    pragmas = run(
        path,
        lambda connection: connection.execute("PRAGMA journal_mode").fetchone()[0],
        lambda connection: connection.execute("PRAGMA synchronous").fetchone()[0],
    )
    assert pragmas == ["wal", 2]


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    # It is what a process leaves that was killed while it created the store.
    path.parent.mkdir()
    path.touch()
    assert run(path, count_domains) == [0]


def test_the_time_of_statements_is_the_clock_of_the_store(path: Path) -> None:
    clock = FakeClock(123.5)

    async def main() -> float:
        async with SqliteDatabase(path, clock) as database:
            found: float = await database.read(
                lambda connection: connection.execute("SELECT now_s()").fetchone()[0]
            )
            return found

    assert asyncio.run(main()) == 123.5


def test_a_store_that_could_not_be_opened_leaves_no_thread_behind(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, long enough to be seen as none " * 10)
    before = threading.active_count()
    with pytest.raises(StoreDamaged):
        run(path)
    assert threading.active_count() == before


# --- what is not ours ------------------------------------------------------------------------


def write_text(path: Path) -> None:
    path.write_text("Dear diary, this is not a database. " * 100)


def write_foreign_database(path: Path) -> None:
    with closing(sqlite.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


def write_foreign_alembic_database(path: Path) -> None:
    with closing(sqlite.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        connection.commit()


def write_truncated_store(path: Path) -> None:
    run(path, *[add_domain] * 50)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size // 2)


def write_stub(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + bytes(30))


@pytest.mark.parametrize(
    "write",
    [write_text, write_foreign_database, write_foreign_alembic_database, write_truncated_store, write_stub],
)
def test_what_is_no_store_is_refused_and_stays_untouched(write: Callable[[Path], None], path: Path) -> None:
    path.parent.mkdir()
    write(path)
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match=str(path)):
        run(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_of_a_newer_version_is_refused(path: Path) -> None:
    run(path, lambda connection: connection.execute("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreTooNew, match=f"schema 9999, this one knows {REVISION}"):
        run(path)


def test_a_page_that_is_damaged_later_is_named_as_damage(path: Path) -> None:
    run(path, *[add_domain] * 50)
    with path.open("rb+") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with pytest.raises(StoreDamaged):
        run(path, count_domains, add_domain)


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A directory that may not be written, also when root runs the tests."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_directory_gets_one_sentence(locked_folder: Path) -> None:
    for path in (locked_folder / "tenax.db", locked_folder / "new" / "tenax.db"):
        with pytest.raises(StoreError) as caught:
            run(path)
        message = str(caught.value)
        assert str(path) in message
        assert message.count(". ") == 0
        assert message.endswith(".")


# --- transactions ----------------------------------------------------------------------------


def test_work_that_raises_leaves_nothing(path: Path) -> None:
    def fail(connection: Connection) -> None:
        add_domain(connection)
        raise LookupError

    with pytest.raises(LookupError):
        run(path, fail)
    assert run(path, count_domains) == [0]


def test_after_a_failure_the_store_goes_on(path: Path) -> None:
    async def main() -> int:
        async with SqliteDatabase(path, FakeClock()) as database:
            with pytest.raises(StoreError, match="no such table"):
                await database.write(lambda connection: connection.execute("DELETE FROM nowhere"))
            await database.write(add_domain)
            return await database.read(count_domains)

    assert asyncio.run(main()) == 1


def hold_write_lock(path: Path, seconds: float) -> threading.Thread:
    """Another connection keeps a write transaction open for a while."""
    is_held = threading.Event()

    def hold() -> None:
        with closing(sqlite.connect(path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            is_held.set()
            threading.Event().wait(seconds)
            connection.execute("ROLLBACK")

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    return thread


def test_a_writer_waits_for_another_that_is_soon_done(path: Path) -> None:
    run(path)
    thread = hold_write_lock(path, 0.2)
    run(path, add_domain)
    thread.join()
    assert run(path, count_domains) == [1]


def test_a_writer_gives_up_on_another_that_holds_on(path: Path) -> None:
    run(path)
    with closing(sqlite.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="for too long"):
            run(path, add_domain, busy_timeout_s=0.05)
    assert run(path, add_domain, count_domains)[1] == 1


def test_the_loop_goes_on_while_a_writer_waits(path: Path) -> None:
    async def main() -> None:
        async with SqliteDatabase(path, FakeClock()) as database:
            with closing(sqlite.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                waiting = asyncio.create_task(database.write(add_domain))
                for _ in range(20):
                    await asyncio.sleep(0.002)
                assert not waiting.done()
                other.execute("ROLLBACK")
                await waiting
            assert await database.read(count_domains) == 1

    asyncio.run(main())


def test_no_writer_holds_the_lock_before_it_can_write(path: Path) -> None:
    """A lock that is taken while the loop is busy with something else keeps all other workers waiting."""

    async def main() -> None:
        async with SqliteDatabase(path, FakeClock()) as database:
            with closing(sqlite.connect(path, isolation_level=None, timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
                has_written = threading.Event()
                waiting = asyncio.create_task(database.write(lambda _: has_written.set()))
                await asyncio.sleep(0.01)
                other.execute("ROLLBACK")
                while not has_written.is_set():
                    other.execute("BEGIN IMMEDIATE")  # raises if the lock is taken
                    other.execute("ROLLBACK")
                    await asyncio.sleep(0)
                await waiting

    asyncio.run(main())


def test_reading_goes_on_while_another_writes(path: Path) -> None:
    run(path, add_domain)
    thread = hold_write_lock(path, 0.3)

    async def main() -> int:
        async with SqliteDatabase(path, FakeClock(), busy_timeout_s=0.05) as database:
            return await database.read(count_domains)

    assert asyncio.run(main()) == 1
    thread.join()


# --- a full disk -----------------------------------------------------------------------------


async def fill(database: SqliteDatabase) -> int:
    """Write until the disk is full; returns how many rows were committed."""
    for number in itertools.count():
        try:
            await database.write(partial(add_wide_url, number))
        except StoreFull:
            return number
    raise AssertionError("endless")


def add_wide_url(number: int, connection: Connection) -> None:
    connection.execute(
        "INSERT INTO urls (domain_id, key, url, depth, priority, fate, discovered_at)"
        " VALUES (1, ?, ?, 0, 1, 'queued', 0)",
        (number, "x" * 10_000),
    )


def check(connection: Connection) -> tuple[str, int]:
    (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
    (urls,) = connection.execute("SELECT count(*) FROM urls").fetchone()
    return verdict, urls


def test_writing_goes_on_when_a_full_file_may_grow_again(path: Path) -> None:
    async def main() -> None:
        async with SqliteDatabase(path, FakeClock()) as database:
            await database.write(lambda connection: connection.execute("PRAGMA max_page_count = 100"))
            written = await fill(database)
            await database.write(lambda connection: connection.execute("PRAGMA max_page_count = 100000"))
            await database.write(partial(add_wide_url, written))
            assert await database.read(check) == ("ok", written + 1)

    asyncio.run(main())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_writing_goes_on_when_a_full_disk_has_room_again(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))

    async def main() -> None:
        async with SqliteDatabase(small_disk / "tenax.db", FakeClock()) as database:
            written = await fill(database)
            assert await database.read(check) == ("ok", written)
            ballast.unlink()
            await database.write(partial(add_wide_url, written))
            assert await database.read(check) == ("ok", written + 1)

    asyncio.run(main())


def test_no_room_for_a_new_store_is_a_full_disk(small_disk: Path) -> None:
    with contextlib.suppress(OSError):
        (small_disk / "ballast").write_bytes(bytes(4_000_000))
    with pytest.raises(StoreFull):
        run(small_disk / "tenax.db")
