"""`tenax users`."""

import getpass
import io
import json
from pathlib import Path

import pytest

from tenax.stores.accounts.audit import AuditFilter, slice_audit
from tenax.stores.accounts.tokens import slice_tokens
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tests.support.accounts import PASSWORD, hash_fast
from tests.support.command import Ended, run_tenax


@pytest.fixture(autouse=True)
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n" * 5))


def add(data: Path, name: str, role: str = "admin") -> Ended:
    return run_tenax("users", "add", name, "--role", role, "--password-stdin", "--data", data)


def list_users(data: Path) -> list[dict[str, object]]:
    ended = run_tenax("users", "--data", data, "--json")
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.mark.usefixtures("pipe")
def test_a_user_is_added_and_listed(tmp_path: Path) -> None:
    ended = add(tmp_path, "alice")
    assert (ended.code, ended.out) == (0, f"Added the admin alice to {tmp_path}.\n")
    (user,) = list_users(tmp_path)
    assert (user["name"], user["role"], user["disabled_at"]) == ("alice", "admin", None)
    assert "password_hash" not in user
    assert "alice  admin" in run_tenax("users", "list", "--data", tmp_path).out


@pytest.mark.usefixtures("pipe")
def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    ended = add(tmp_path, "ALICE")
    assert (ended.code, ended.err) == (1, "tenax: A user named ALICE already exists.\n")


@pytest.mark.usefixtures("pipe")
def test_the_last_administrator_cannot_be_removed(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    add(tmp_path, "bob", "user")
    for command in ("remove", "disable"):
        ended = run_tenax("users", command, "alice", "--data", tmp_path)
        assert (ended.code, "the last administrator" in ended.err) == (1, True)
    assert run_tenax("users", "remove", "Bob", "--data", tmp_path).code == 0
    assert [user["name"] for user in list_users(tmp_path)] == ["alice"]


@pytest.mark.usefixtures("pipe")
def test_a_user_is_disabled_and_enabled(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    add(tmp_path, "bob")
    assert run_tenax("users", "disable", "bob", "--data", tmp_path).code == 0
    assert list_users(tmp_path)[1]["disabled_at"] is not None
    assert run_tenax("users", "enable", "bob", "--data", tmp_path).code == 0
    assert list_users(tmp_path)[1]["disabled_at"] is None


@pytest.mark.usefixtures("pipe")
def test_it_is_noted_who_did_it(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    newest = SliceRequest(key="at", is_descending=True, after=None, limit=10)
    found = read_store(
        Place(folder=tmp_path), lambda connection: slice_audit(connection, newest, AuditFilter())
    )
    (entry,) = found.items
    assert (entry.action, entry.target, entry.actor.kind) == ("user.add", "alice", "cli")
    assert entry.actor.name == getpass.getuser()


@pytest.mark.usefixtures("pipe")
def test_a_password_is_changed(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    ended = run_tenax("users", "passwd", "alice", "--password-stdin", "--data", tmp_path)
    assert (ended.code, "logged out everywhere" in ended.out) == (0, True)


def test_a_password_needs_a_terminal_or_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ended = run_tenax("users", "add", "alice", "--data", tmp_path)
    assert (ended.code, "--password-stdin" in ended.err) == (2, True)


def test_a_weak_password_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    ended = add(tmp_path, "alice")
    assert (ended.code, ended.err) == (1, "tenax: The password must have at least 12 characters.\n")
    assert list_users(tmp_path) == []


@pytest.mark.usefixtures("pipe")
def test_an_unknown_user_is_named(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    ended = run_tenax("users", "remove", "eve\x1b[31m", "--data", tmp_path)
    assert (ended.code, ended.err) == (2, f"tenax: There is no user eve\\x1b[31m in {tmp_path}.\n")


def test_listing_creates_no_store(tmp_path: Path) -> None:
    ended = run_tenax("users", "--data", tmp_path / "none")
    assert ended.code == 1
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("pipe")
def test_a_token_is_printed_and_works(tmp_path: Path) -> None:
    add(tmp_path, "alice")
    scopes = ("--scope", "read", "--scope", "write", "--days", "30")
    ended = run_tenax("users", "token", "ALICE", "laptop", *scopes, "--data", tmp_path)
    assert (ended.code, ended.err) == (0, "")
    place = Place(folder=tmp_path)
    wanted = SliceRequest(key="name", is_descending=False, after=None, limit=2)
    (token,) = read_store(place, lambda connection: slice_tokens(connection, wanted, None)).items
    assert (token.owner, token.name, token.scopes) == ("alice", "laptop", ("read", "write"))
    assert token.expires_at is not None
    assert ended.out.startswith(f"tnx_{token.key}_")


@pytest.mark.usefixtures("pipe")
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("carol", "laptop"), 2, "There is no user carol in "),
        (("bob", "laptop", "--scope", "admin"), 1, "Choose one or more of the scopes that your role allows"),
        (("bob", ""), 1, "A name must have 1 to 64 "),
        (("bob", "x", "--days", "0"), 2, "must be at least 1, not 0"),
    ],
)
def test_a_token_that_cannot_be_is_refused(
    arguments: tuple[str, ...], code: int, sentence: str, tmp_path: Path
) -> None:
    add(tmp_path, "alice")
    add(tmp_path, "bob", "user")
    ended = run_tenax("users", "token", *arguments, "--data", tmp_path)
    assert (ended.code, ended.out) == (code, "")
    assert sentence in ended.err
