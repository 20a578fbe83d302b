"""Every command shows the same for a crawl in PostgreSQL and in a directory."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenax.stores.place import Place
from tenax.stores.postgres.connection import foreign_transactions as foreign_transactions
from tests.support.clock import FakeClock
from tests.support.command import Ended, run_tenax
from tests.support.postgres import Console, create_empty, drop, fresh_database, use_fake_clock, use_real_clock
from tests.support.stores import SHOP, fill_place

SECRET = "t0p-secret"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with fresh_database() as url, closing(Console(url)) as console:
        clock = FakeClock()
        use_fake_clock(console, clock)
        fill_place(Place(folder=Path("/nowhere"), url=url), clock)
        use_real_clock(console)
        yield url


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where this machine's notes go."""
    folder = tmp_path_factory.mktemp("state")
    earlier = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(folder)
    yield folder
    if earlier is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = earlier


def compare(data: Path, url: str, *arguments: str) -> tuple[Ended, Ended]:
    return run_tenax(*arguments, "--data", data), run_tenax(*arguments, "--store", url)


@pytest.mark.parametrize("noun", ["pages", "urls", "visits", "links"])
@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_exports_are_the_same(data: Path, url: str, noun: str, format: str) -> None:
    file, server = compare(data, url, "export", noun, "--format", format)
    assert (server.code, sorted(server.out.splitlines())) == (0, sorted(file.out.splitlines()))


@pytest.mark.parametrize("options", [(), ("--json", "--since", "2020-01-01", "--domain", "shop.example")])
def test_changes_are_the_same(data: Path, url: str, options: tuple[str, ...]) -> None:
    file, server = compare(data, url, "changes", *options)
    assert (server.code, server.out) == (0, file.out)
    assert file.out.count("new") >= 2


@pytest.mark.parametrize("path", ["", "gone", "flaky", "secret/plans", "wait-1", "never"])
def test_explanations_are_the_same(data: Path, url: str, path: str) -> None:
    file, server = compare(data, url, "explain", f"{SHOP}/{path}")
    assert (server.code, server.out) == (0, file.out)


@pytest.mark.parametrize("arguments", [(), ("--status", "unreachable"), ("--json",)])
def test_lists_of_domains_are_the_same(data: Path, url: str, arguments: tuple[str, ...]) -> None:
    file, server = compare(data, url, "domains", *arguments)
    assert (server.code, server.out) == (0, file.out)


def test_receipts_are_the_same(data: Path, url: str) -> None:
    file, server = compare(data, url, "domains", "show", "shop.example", "--json")
    assert (server.code, json.loads(server.out)) == (0, json.loads(file.out))


def test_the_store_may_be_named_before_a_subcommand(url: str) -> None:
    assert run_tenax("domains", "--store", url, "show", "shop.example").code == 0


def test_the_status_is_the_same_but_for_the_place_and_its_size(data: Path, url: str) -> None:
    file, server = (json.loads(ended.out) for ended in compare(data, url, "status", "--json"))
    assert server.pop("data") == url
    assert server.pop("store_bytes") > 1_000_000
    del file["data"], file["store_bytes"]
    assert server == file


def test_the_setting_names_the_store_too(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_STORE__URL", url)
    assert "2 pages of 10 urls" in run_tenax("status").out


def test_a_directory_may_be_named_as_a_store(data: Path) -> None:
    for name in (str(data), f"sqlite:///{data}", f"sqlite:///{data}/tenax.db"):
        assert "2 pages of 10 urls" in run_tenax("status", "--store", name).out


def test_another_kind_of_store_gets_one_sentence() -> None:
    for address in ("mysql://u{}@h/d", "postgresql://u{}@h:99999/d", "postgresql://u{}@h:x/d"):
        ended = run_tenax("status", "--store", address.format(f":{SECRET}"))
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert address.format(":***") in ended.err


def test_a_database_without_tables_says_what_to_do_and_migrate_does_it() -> None:
    url = create_empty("tenax_cli_migrate")
    try:
        for command in (("status",), ("crawl", "https://a.test/")):
            ended = run_tenax(*command, "--store", url)
            assert ended.code == 1
            assert "Run 'tenax migrate --store …' once" in ended.err
        assert run_tenax("migrate", "--store", url).code == 0
        assert "start with 'tenax crawl URL'" in run_tenax("status", "--store", url).out
        assert run_tenax("crawl", "--store", url).code == 2, "there is nothing to go on with"
    finally:
        drop("tenax_cli_migrate")


def test_the_password_is_shown_nowhere(url: str, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    secret = url.replace("tenax@", f"tenax:{SECRET}@")
    refused = f"postgresql://tenax:{SECRET}@127.0.0.1:1/tenax"
    commands = [["status"], ["status", "--json"], ["domains", "show", "nobody.example"], ["migrate"]]
    said = [run_tenax(*command, "--store", address) for address in (secret, refused) for command in commands]
    monkeypatch.setenv("TENAX_STORE__URL", secret)
    said.append(run_tenax("config", "show"))
    assert not any(SECRET in ended.out + ended.err for ended in said)
    assert not any(SECRET in path.read_text() for path in home.rglob("*.log"))


def test_status_names_a_transaction_of_another_program_that_is_open_for_long(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("status", "--store", url)
    assert "notice" not in run_tenax(*asked).out
    monkeypatch.setattr(foreign_transactions, "LONG_S", 0.0)
    with closing(Console(url)) as console:
        console.execute("SET application_name = 'a report'; BEGIN")
        shown = run_tenax(*asked).out
        found = json.loads(run_tenax(*asked, "--json").out)["foreign_transaction"]
    assert "(tenax, a report), open for" in shown
    assert (found["is_blocking"], found["age_s"] >= 0) == (False, True)
