"""Secrets at rest, on both databases: sealed, rotated, migrated from older stores, and copied."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import SystemClock
from tenax.config.loading import KEY_VARIABLE
from tenax.config.settings import Settings
from tenax.coordination.memory import MemoryCoordination
from tenax.errors import SecretError
from tenax.jobs.sources.definition import check_definition
from tenax.jobs.sources.sources import Sources
from tenax.records.jobs import Source
from tenax.runtime.actions import rotate_secrets
from tenax.runtime.backends import find_backend
from tenax.runtime.source_headers import add_own_headers
from tenax.stores.access import Access
from tenax.stores.commands.secret_checks import list_warnings
from tenax.stores.commands.secrets import begin_rotation, list_key_uses
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.schema.migrations import run_migrations, upgrade_sqlite
from tenax.stores.secrets.keys import new_key, parse_key
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.deliveries import DeliveryState
from tenax.stores.webhooks.webhooks import owner_of
from tests.contract.test_webhooks import collect_now, end_run
from tests.support.clock import FakeClock
from tests.support.copying import copy, empty_store, fill
from tests.support.postgres import Console, create_empty, drop
from tests.support.store import Rows, SharedStore, StoreUnderTest
from tests.support.webhooks import SECRET, add_hook, list_deliveries, run_receiver, run_sender

SEEDS = ["https://example.com/"]
KINDS = ["sqlite", "postgres"]


@pytest.fixture(params=KINDS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedStore]:
    with empty_store(request.param, tmp_path / "kept") as store:
        yield store


async def add_source(place: Place, headers: dict[str, str]) -> Source:
    async with open_access(place) as access:
        sources = Sources(place, access, MemoryCoordination(SystemClock()))
        return await sources.add(check_definition({"name": "news", "seeds": SEEDS, "headers": headers}))


def list_headers(place: Place) -> tuple[str, ...]:
    """As a worker gets them."""
    ((number,),) = query(place, "SELECT id FROM sources WHERE kind = 'source'")
    return add_own_headers(place, number, Settings()).fetch.headers


def list_uses(place: Place) -> list[tuple[str, int, bool]]:
    uses = read_store(place, lambda connection: list_key_uses(connection, Vault.of(place)))
    return [(each.key_id, each.secrets, each.is_here) for each in uses]


def warn(place: Place) -> str:
    return " ".join(read_store(place, lambda connection: list_warnings(connection, place)))


# --- keys that are missing ---------------------------------------------------------------------------


def test_without_a_key_a_database_takes_no_secret_and_needs_none_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with empty_store("postgres", tmp_path) as store:
        with pytest.raises(SecretError, match="There is no key to seal a secret with"):
            asyncio.run(add_source(store.place, {"X-Key": "s3cret"}))
        assert store.query("SELECT * FROM sources") == []
        asyncio.run(add_source(store.place, {}))
        assert not list(tmp_path.rglob("secret.key"))


def test_a_worker_without_the_key_does_not_crawl_without_the_header(
    kept: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(add_source(kept.place, {"X-Key": "s3cret"}))
    assert list_headers(kept.place) == ("X-Key: s3cret",)
    (key_id,) = (id for id, secrets, _ in list_uses(kept.place) if secrets)
    monkeypatch.setenv(KEY_VARIABLE, new_key())
    with pytest.raises(SecretError, match=f"The secret of sources 1 is sealed with key {key_id}"):
        list_headers(kept.place)
    assert f"The key {key_id} of 1 secret is missing on this machine" in warn(kept.place)


async def test_a_message_that_cannot_be_signed_waits_and_says_why(
    store: StoreUnderTest, access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_receiver() as receiver:
        hook = await add_hook(access, clock, receiver.url)
        await end_run(access, clock)
        await collect_now(access, clock)
        async with run_sender(access, clock) as sender:
            monkeypatch.setenv(KEY_VARIABLE, new_key())
            await sender.send()
            (delivery,) = await list_deliveries(access, hook)
            assert (delivery.state, receiver.messages) == (DeliveryState.PENDING, [])
            assert "the message could not be signed: The secret of webhooks 1" in (delivery.last_error or "")
            monkeypatch.undo()
            clock.advance(60)
            await sender.send()
        assert len(receiver.messages) == 1
    assert SECRET not in str(store.query("SELECT * FROM webhooks"))


# --- other keys --------------------------------------------------------------------------------------


def test_all_secrets_are_sealed_with_the_first_key_of_the_environment(
    kept: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = new_key(), new_key()
    monkeypatch.setenv(KEY_VARIABLE, older)
    asyncio.run(add_source(kept.place, {"X-Key": "s3cret"}))
    monkeypatch.setenv(KEY_VARIABLE, f"{newer} {older}")
    assert list_uses(kept.place) == [(parse_key(newer).id, 0, True), (parse_key(older).id, 1, True)]
    assert [asyncio.run(rotate_secrets(kept.place)) for _ in range(2)] == [1, 0]
    monkeypatch.setenv(KEY_VARIABLE, newer)
    assert list_uses(kept.place) == [(parse_key(newer).id, 1, True)]
    assert list_headers(kept.place) == ("X-Key: s3cret",)
    assert "tenax secrets scrub" in warn(kept.place)
    assert asyncio.run(find_backend(kept.place).scrub(kept.place))
    assert "tenax secrets scrub" not in warn(kept.place)


def test_a_key_beside_the_file_is_replaced_and_the_old_one_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with empty_store("sqlite", tmp_path / "kept") as store:
        asyncio.run(add_source(store.place, {"X-Key": "s3cret"}))
        ((before, _, _),) = list_uses(store.place)
        # Killed before anything was sealed anew: everything still opens, and the next one ends it.
        begin_rotation(store.place)
        assert list_headers(store.place) == ("X-Key: s3cret",)
        assert [secrets for _, secrets, _ in list_uses(store.place)] == [0, 1]
        assert asyncio.run(rotate_secrets(store.place)) == 1
        ((after, secrets, _),) = list_uses(store.place)
        assert (before != after, secrets) == (True, 1)
        assert list_headers(store.place) == ("X-Key: s3cret",)
        key_file = tmp_path / "kept" / "secret.key"
        assert len(key_file.read_text().split()) == 1
        assert key_file.stat().st_mode & 0o777 == 0o600


def test_a_secret_that_cannot_be_opened_stops_the_change_of_all(
    kept: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(add_source(kept.place, {"X-Key": "s3cret"}))
    before = kept.query("SELECT headers FROM sources")
    monkeypatch.setenv(KEY_VARIABLE, new_key())
    with pytest.raises(SecretError, match="is sealed with key"):
        asyncio.run(rotate_secrets(kept.place))
    assert kept.query("SELECT headers FROM sources") == before


# --- copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_carries_secrets_sealed_and_never_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with (
        empty_store("sqlite", tmp_path / "source") as source,
        empty_store(kind, tmp_path / "copy") as destination,
    ):
        fill(source)
        asyncio.run(add_source(source.place, {"X-Key": "s3cret"}))
        copy(source, destination)
        assert not (tmp_path / "copy" / "secret.key").exists()
        with pytest.raises(SecretError, match="is sealed with key"):
            list_headers(destination.place)
        monkeypatch.setenv(KEY_VARIABLE, (tmp_path / "source" / "secret.key").read_text())
        assert list_headers(destination.place) == ("X-Key: s3cret",)


# --- older stores ------------------------------------------------------------------------------------

BEFORE = "0018"
DEFINITION = json.dumps({"name": "news", "seeds": SEEDS, "headers": {"X-Key": "s3cret-header"}})
OLD_ROWS = (
    "INSERT INTO sources (id, name, key, definition, enabled, created_at, updated_at)"
    f" VALUES (1, 'news', 'news', '{DEFINITION}', 1, 1, 1)",
    "INSERT INTO sources (id, name, key, definition, enabled, created_at, updated_at)"
    f" VALUES (2, 'gone', 'gone', '{DEFINITION.replace('s3cret-header', 's3cret-removed')}', 1, 1, 1)",
    "DELETE FROM sources WHERE id = 2",
    "INSERT INTO webhooks (id, name, url, secret, events, enabled, enabled_at, created_at, old_secret)"
    " VALUES (1, 'hook', 'https://receiver.example/', 's3cret-new', 'run.finished', 1, 1, 1, 's3cret-old')",
)


@contextlib.contextmanager
def older_store(kind: str, folder: Path, rows: tuple[str, ...] = OLD_ROWS) -> Iterator[Place]:
    if kind == "sqlite":
        folder.mkdir()
        upgrade_sqlite(folder / "tenax.db", BEFORE)
        with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {0x54454E58}")
            for row in rows:
                connection.execute(row)
        yield Place(folder=folder)
        return
    name = f"tenax_older_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    try:
        asyncio.run(_migrate_to(url, BEFORE))
        with closing(Console(url)) as console:
            for row in rows:
                console.execute(row)
        yield Place(folder=folder, url=url)
    finally:
        drop(name)


async def _migrate_to(url: str, revision: str) -> None:
    async with open_connection(url, "the database", {}) as connection, connection.begin():
        await connection.run_sync(run_migrations, revision)


def query(place: Place, sql: str) -> Rows:
    return read_store(place, lambda found: [tuple(row) for row in found.exec_driver_sql(sql)])


@pytest.mark.parametrize("kind", KINDS)
def test_secrets_of_older_stores_are_sealed_and_nothing_is_left_of_them(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old") as place:
        find_backend(place).migrate(place)
        assert list_headers(place) == ("X-Key: s3cret-header",)
        ((secret, old_secret),) = query(place, "SELECT secret, old_secret FROM webhooks")
        vault = Vault.of(place)
        assert [vault.open(each, owner_of(1)) for each in (secret, old_secret)] == [
            "s3cret-new",
            "s3cret-old",
        ]
        assert "s3cret" not in str(query(place, "SELECT * FROM sources"))
        assert query(place, "SELECT * FROM marks") == []
        for path in (tmp_path / "old").rglob("*"):
            assert b"s3cret" not in path.read_bytes(), path


def test_an_older_database_with_secrets_is_not_migrated_without_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with older_store("postgres", tmp_path) as place, closing(Console(place.url or "")) as console:
        with pytest.raises(SecretError, match="There is no key to seal a secret with"):
            find_backend(place).migrate(place)
        assert console.query("SELECT version_num FROM alembic_version") == [(BEFORE,)]
        console.execute("DELETE FROM sources; DELETE FROM webhooks")
        find_backend(place).migrate(place)
        assert console.query("SELECT version_num FROM alembic_version") != [(BEFORE,)]


def test_a_warning_names_what_could_not_be_scrubbed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with older_store("sqlite", tmp_path / "old") as place:
        with closing(sqlite.connect(place.folder / "tenax.db", isolation_level=None)) as reader:
            reader.execute("PRAGMA journal_mode=WAL")
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sources").fetchone()
            monkeypatch.setattr("tenax.stores.sqlite.schema.scrubbing.BUSY_TIMEOUT_S", 0.1)
            find_backend(place).migrate(place)
            assert f"tenax secrets scrub --data {place.folder}" in warn(place)
        assert asyncio.run(find_backend(place).scrub(place))
        assert "secrets scrub" not in warn(place)
        assert b"s3cret" not in (place.folder / "tenax.db").read_bytes()
