from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.cli.show import steps
from tenax.stores.place import find_place
from tests.support.command import run_tenax
from tests.support.copying import copy, empty_store
from tests.support.store import SharedStore
from tests.support.stores import SHOP

SECRET = "t0p-secret"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SharedStore]:
    with empty_store("postgres", tmp_path / "server") as store:
        yield store


def address(store: SharedStore) -> str:
    assert store.place.url is not None
    return store.place.url


def test_a_copy_is_proved_by_a_table(data: Path, server: SharedStore) -> None:
    ended = run_tenax("copy", "--from", data, "--to", address(server))
    assert (ended.code, ended.err) == (0, "")
    header, *rows, said = ended.out.splitlines()
    assert header.split() == ["TABLE", "ROWS", "COPIED", "HASH", "HASH", "OF", "COPY"]
    (urls,) = (row.split() for row in rows if row.startswith("urls"))
    assert urls[:3] == ["urls", "10", "10"]
    assert (urls[3], urls[5]) == (urls[4], "same")
    assert said == f"{address(server)} is a copy of {data}: all rows are the same."


def test_commands_show_the_same_of_a_copy(data: Path, tmp_path: Path) -> None:
    assert run_tenax("copy", "--from", f"sqlite:///{data}", "--to", f"sqlite:///{tmp_path}/copy").code == 0
    for command in (["export", "pages"], ["explain", f"{SHOP}/gone"], ["domains"]):
        assert run_tenax(*command, "--data", tmp_path / "copy").out == run_tenax(*command, "--data", data).out


def test_verify_only_copies_nothing(data: Path, tmp_path: Path) -> None:
    arguments = ("copy", "--from", data, "--to", tmp_path / "copy")
    ended = run_tenax(*arguments, "--verify-only")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert not (tmp_path / "copy").exists()
    copied = run_tenax(*arguments)
    assert run_tenax(*arguments, "--verify-only") == copied


def test_a_difference_is_named(data: Path, server: SharedStore) -> None:
    arguments = ("copy", "--from", data, "--to", address(server))
    assert run_tenax(*arguments).code == 0
    server.query("UPDATE pages SET title = 'another' WHERE url_id = 1")
    ended = run_tenax(*arguments, "--verify-only")
    assert (ended.code, ended.err) == (1, f"tenax: {address(server)} differs from {data} in pages.\n")
    assert "different" in ended.out


def test_an_unfinished_copy_is_neither_crawled_nor_copied(data: Path, tmp_path: Path) -> None:
    def die(step: str, table: str, done: int, total: int) -> None:
        if table == "urls":
            raise KeyError

    with empty_store("sqlite", tmp_path / "copy") as unfinished, pytest.raises(KeyError):
        copy(SharedStore(place=find_place(str(data), None), query=lambda sql: []), unfinished, die)
    commands: list[list[str | Path]] = [
        ["crawl", "--data", tmp_path / "copy"],
        ["copy", "--from", tmp_path / "copy", "--to", tmp_path / "second"],
    ]
    for command in commands:
        ended = run_tenax(*command)
        assert (ended.code, ended.err) == (
            1,
            f"tenax: The copy of a crawl into {tmp_path / 'copy'} is incomplete. "
            "Run the same 'tenax copy' again to finish it.\n",
        )
    assert not (tmp_path / "second").exists()
    assert run_tenax("copy", "--from", data, "--to", tmp_path / "copy").code == 0


def test_bad_places_get_one_sentence(data: Path, tmp_path: Path) -> None:
    nowhere = f"postgresql://u:{SECRET}@127.0.0.1:1/d"
    for code, source, destination in (
        (2, data, data),
        (2, data, data.parent / ".." / data.parent.name / data.name),
        (2, data, f"mysql://u:{SECRET}@h/d"),
        (1, tmp_path / "missing", tmp_path / "copy"),
        (1, data, nowhere),
        (1, nowhere, tmp_path / "copy"),
    ):
        ended = run_tenax("copy", "--from", source, "--to", destination)
        assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1), (ended.err, source)
        assert SECRET not in ended.err
        assert not (tmp_path / "copy").exists()


def test_the_password_is_not_shown(data: Path, server: SharedStore) -> None:
    secret = address(server).replace("tenax@", f"tenax:{SECRET}@")
    ended = run_tenax("copy", "--from", data, "--to", secret)
    assert ended.code == 0
    assert SECRET not in ended.out + ended.err
    assert SECRET not in str(server.query("SELECT * FROM copies"))


def test_progress_is_shown_in_lines(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LINE_EVERY_S", 0.0)
    ended = run_tenax("copy", "--from", data, "--to", tmp_path / "copy")
    assert "Copying urls: 10 of 10 rows\n" in ended.err
    assert "Comparing urls: 20 of 20 rows\n" in ended.err
