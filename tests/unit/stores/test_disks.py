"""What a disk says of itself, and what becomes of errors that it caused."""

import errno
import os
from pathlib import Path

import asyncpg
import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.errors import StoreError, StoreFailing, StoreFull, StoreReadOnly
from tenax.stores.disks import DiskTrouble, find_trouble, probe_disk
from tenax.stores.postgres.connection.errors import translate as translate_postgres
from tenax.stores.sqlite.connection.errors import WRITING_DENIED, translate


@pytest.mark.parametrize(
    ("number", "trouble"),
    [
        (errno.ENOSPC, DiskTrouble.FULL),
        (errno.EDQUOT, DiskTrouble.FULL),
        (errno.EROFS, DiskTrouble.READ_ONLY),
        (errno.EIO, DiskTrouble.FAILING),
        (errno.EACCES, None),
        (errno.ENOENT, None),
    ],
)
def test_errors_of_the_system_say_what_ails_a_disk(number: int, trouble: DiskTrouble | None) -> None:
    assert find_trouble(OSError(number, "")) is trouble


def test_a_disk_with_room_takes_a_probe_and_keeps_nothing_of_it(tmp_path: Path) -> None:
    assert probe_disk(tmp_path) is None
    assert os.listdir(tmp_path) == []


def test_where_nothing_is_nothing_can_be_told(tmp_path: Path) -> None:
    assert probe_disk(tmp_path / "missing") is None


def make_error(code: int) -> sqlite.OperationalError:
    error = sqlite.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (DiskTrouble.FULL, StoreFull),
        (DiskTrouble.READ_ONLY, StoreReadOnly),
        (DiskTrouble.FAILING, StoreFailing),
        (None, StoreFailing),
    ],
)
def test_an_error_of_input_and_output_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: DiskTrouble | None, kind: type[StoreError]
) -> None:
    monkeypatch.setattr("tenax.stores.sqlite.connection.errors.probe_disk", lambda folder: trouble)
    found = translate(make_error(sqlite.SQLITE_IOERR), tmp_path / "tenax.db", WRITING_DENIED)
    assert (type(found), found.is_transient) == (kind, True)


def test_a_file_that_may_not_be_written_is_not_waited_for(tmp_path: Path) -> None:
    found = translate(make_error(sqlite.SQLITE_READONLY), tmp_path / "tenax.db", WRITING_DENIED)
    assert not found.is_transient


def test_a_server_whose_disk_fails_is_waited_for() -> None:
    error = asyncpg.PostgresIOError('could not extend file "base/5/1": Read-only file system')
    found = translate_postgres(error, "db")
    assert (type(found), found.is_transient) == (StoreFailing, True)
