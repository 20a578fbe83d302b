"""`tenax secrets`: lists of keys, new keys, and scrubbed stores."""

import json
from pathlib import Path

import pytest

from tenax.config.loading import KEY_VARIABLE
from tenax.stores.secrets.keys import parse_key
from tests.support.command import run_tenax
from tests.support.stores import fill_store, make_empty_store


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(KEY_VARIABLE)
    make_empty_store(tmp_path / "crawl")
    return tmp_path / "crawl"


def add_secret(crawl: Path, folder: Path) -> None:
    file = folder / "sources.yaml"
    file.write_text(
        "- name: news\n  seeds: [https://example.com/]\n  enabled: false\n  headers: {X-Key: s3cret}\n"
    )
    ended = run_tenax("apply", "-f", file, "--data", crawl)
    assert ended.code == 0, ended.err


def test_keys_are_listed_with_what_they_seal(crawl: Path, tmp_path: Path) -> None:
    assert run_tenax("secrets", "--data", crawl).out == "No keys and no secrets.\n"
    add_secret(crawl, tmp_path)
    header, row = run_tenax("secrets", "--data", crawl).out.splitlines()
    assert (header.split(), row.split()[1:]) == (["KEY", "SECRETS"], ["1", "here"])
    shown = json.loads(run_tenax("secrets", "--json", "--data", crawl).out)
    assert (shown["secrets"], shown["is_here"]) == (1, True)
    assert (crawl / "secret.key").read_text().strip() not in run_tenax("secrets", "--data", crawl).out


def test_a_new_key_is_one(crawl: Path) -> None:
    first, second = (run_tenax("secrets", "new-key").out.strip() for _ in range(2))
    assert parse_key(first) != parse_key(second)


def test_secrets_are_resealed_and_scrubbed(crawl: Path, tmp_path: Path) -> None:
    add_secret(crawl, tmp_path)
    before = (crawl / "secret.key").read_text()
    ended = run_tenax("secrets", "rotate", "--data", crawl)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("1 secret resealed; all 1 now use the key ")
    assert (crawl / "secret.key").read_text() != before
    shown = run_tenax("sources", "export", "--with-headers", "--data", crawl)
    assert "X-Key: s3cret" in shown.out
    assert "Mind" not in run_tenax("doctor", "--data", crawl).out
    assert run_tenax("secrets", "scrub", "--data", crawl).code == 0


def test_where_there_are_no_secrets_nothing_is_done(crawl: Path) -> None:
    assert "There are no secrets in" in run_tenax("secrets", "rotate", "--data", crawl).out
    assert not (crawl / "secret.key").exists()


def test_a_missing_key_is_reported_by_commands_that_need_it(crawl: Path, tmp_path: Path) -> None:
    add_secret(crawl, tmp_path)
    (crawl / "secret.key").unlink()
    assert run_tenax("secrets", "--data", crawl).out.split()[-1] == "missing"
    ended = run_tenax("sources", "export", "--with-headers", "--data", crawl)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "The secret of sources 1 is sealed with key" in ended.err
    assert "X-Key: '***'" in run_tenax("sources", "export", "--data", crawl).out


def test_a_copy_says_which_key_is_to_be_brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    fill_store(tmp_path / "crawl")
    add_secret(tmp_path / "crawl", tmp_path)
    ended = run_tenax("copy", "--from", tmp_path / "crawl", "--to", tmp_path / "copy")
    assert ended.code == 0, ended.err
    assert "Note: the key " in ended.out
    assert not (tmp_path / "copy" / "secret.key").exists()
