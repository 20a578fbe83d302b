"""Secrets, the keys they are sealed with, and where keys come from."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tenax.config.loading import KEY_FILE_VARIABLE, KEY_VARIABLE
from tenax.errors import SecretError
from tenax.stores.secrets.keys import load_keys, make_own_key, new_key, parse_key
from tenax.stores.secrets.sealing import SecretOwner, Vault, read_key_id

OWNER = SecretOwner(table="webhooks", id=7)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)


def test_a_secret_comes_back_and_is_not_to_be_seen(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    sealed = vault.seal("s3cret ü", OWNER)
    assert vault.open(sealed, OWNER) == "s3cret ü"
    assert "s3cret" not in sealed
    assert sealed != vault.seal("s3cret ü", OWNER)


def test_it_names_its_form_and_its_key(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    sealed = vault.seal("s3cret", OWNER)
    assert sealed.startswith(f"enc:v1:{vault.load_keys()[0].id}:")
    assert read_key_id(sealed) == vault.load_keys()[0].id


@pytest.mark.parametrize("other", [SecretOwner(table="webhooks", id=8), SecretOwner(table="sources", id=7)])
def test_it_does_not_open_in_another_row(tmp_path: Path, other: SecretOwner) -> None:
    vault = Vault(tmp_path)
    with pytest.raises(SecretError, match="cannot be opened"):
        vault.open(vault.seal("s3cret", OWNER), other)


def test_one_that_was_changed_does_not_open(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    form, _, packed = vault.seal("s3cret", OWNER).rpartition(":")
    swapped = packed.swapcase()
    for changed in (swapped, packed[:8], "", "no base64!"):
        with pytest.raises(SecretError, match="cannot be opened"):
            vault.open(f"{form}:{changed}", OWNER)


@pytest.mark.parametrize("text", ["s3cret", "", "enc:v2:abcdef12:AAAA", "enc:v1"])
def test_what_was_never_sealed_is_no_secret(tmp_path: Path, text: str) -> None:
    with pytest.raises(SecretError, match="is not sealed") as caught:
        Vault(tmp_path).open(text, OWNER)
    assert "s3cret" not in str(caught.value)


def test_a_missing_key_is_named_with_where_to_put_it(tmp_path: Path) -> None:
    sealed = Vault(tmp_path).seal("s3cret", OWNER)
    (tmp_path / "secret.key").unlink()
    with pytest.raises(SecretError, match=f"sealed with key {read_key_id(sealed)}.*secret.key"):
        Vault(tmp_path).open(sealed, OWNER)
    with pytest.raises(SecretError) as caught:
        Vault(None).open(sealed, OWNER)
    assert "secret.key" not in str(caught.value)


# --- keys --------------------------------------------------------------------------------------------


def test_a_key_is_stored_beside_the_file_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    earlier = os.umask(0)
    try:
        Vault(tmp_path).seal("s3cret", OWNER)
    finally:
        os.umask(earlier)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600


def test_to_open_makes_no_key(tmp_path: Path) -> None:
    with pytest.raises(SecretError):
        Vault(tmp_path).open("enc:v1:abcdef12:AAAA", OWNER)
    assert list(tmp_path.iterdir()) == []


def test_of_several_who_make_the_first_key_all_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        for _ in threads.map(lambda _: Vault(tmp_path).seal("s3cret", OWNER), range(16)):
            pass
        keys = {tuple(each) for each in threads.map(lambda _: load_keys(tmp_path), range(8))}
    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_a_server_gets_no_key_by_itself(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match=f"There is no key .* {KEY_VARIABLE}.*{KEY_FILE_VARIABLE}"):
        Vault(None).seal("s3cret", OWNER)


def test_the_environment_comes_first_and_all_keys_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Vault(tmp_path).seal("beside", OWNER)
    newer, older, named = new_key(), new_key(), new_key()
    (tmp_path / "named").write_text(f"{named}\n")
    monkeypatch.setenv(KEY_VARIABLE, older)
    old = Vault(tmp_path).seal("old", OWNER)
    monkeypatch.setenv(KEY_VARIABLE, f"{newer}, {older}")
    monkeypatch.setenv(KEY_FILE_VARIABLE, str(tmp_path / "named"))
    vault = Vault(tmp_path)
    assert read_key_id(vault.seal("new", OWNER)) == parse_key(newer).id
    assert [vault.open(each, OWNER) for each in (own, old)] == ["beside", "old"]
    assert [key.id for key in load_keys(None)] == [parse_key(each).id for each in (newer, older, named)]


@pytest.mark.parametrize("text", ["hunter2", "A" * 36, f"{'A' * 43}= hunter2", "ü" * 44])
def test_an_invalid_key_is_refused_and_not_shown(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, text)
    with pytest.raises(SecretError, match=f"{KEY_VARIABLE} contains something that is not a key") as caught:
        load_keys(None)
    assert all(word not in str(caught.value) for word in text.split())


def test_a_missing_key_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FILE_VARIABLE, str(tmp_path / "missing"))
    with pytest.raises(SecretError, match=r"Cannot read the keys in .*missing: No such file"):
        load_keys(None)


def test_a_key_that_is_there_stays(tmp_path: Path) -> None:
    make_own_key(tmp_path)
    before = (tmp_path / "secret.key").read_bytes()
    make_own_key(tmp_path)
    assert (tmp_path / "secret.key").read_bytes() == before
    assert "value" not in repr(load_keys(tmp_path))
