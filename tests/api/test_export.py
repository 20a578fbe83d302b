"""Exports over HTTP."""

import asyncio
import contextlib
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tenax.accounts.permissions import Role
from tenax.api import exporting
from tenax.runtime import find_backend
from tenax.stores.exports import EXPORTS, Noun, iter_rows
from tenax.stores.reading import read_store
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, long_ago
from tests.support.store import SharedStore, StoreWorker, make_fetched, make_visit

# More than a socket and its buffers take by themselves.
PAGES, PAGE_CHARS = 40, 1_000_000


@pytest.mark.parametrize("noun", list(Noun))
def test_every_row_is_written(aged: ApiServer, reader: httpx.Client, noun: Noun) -> None:
    export = EXPORTS[noun]
    rows = read_store(aged.place, lambda connection: list(iter_rows(connection, export)))
    answer = reader.get(f"/api/v1/export/{noun}")
    assert [orjson.loads(line) for line in answer.text.splitlines()] == [
        dict(zip(export.columns, row, strict=True)) for row in rows
    ]


def test_a_file_is_named_by_the_server_and_never_taken_for_a_page(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/export/urls")
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["content-disposition"] == 'attachment; filename="tenax-urls.jsonl"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-encoding"] == "gzip"
    assert "etag" not in answer.headers


def test_formulas_are_neutralised_in_csv(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/export/links", params={"format": "csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    cells = [cell for row in csv.reader(answer.text.splitlines()) for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert not any(cell.startswith("=") for cell in cells)


@pytest.mark.parametrize("path", ["passwords", "urls?format=parquet", "urls?format=../../x"])
def test_what_cannot_be_exported_is_refused(reader: httpx.Client, path: str) -> None:
    assert reader.get(f"/api/v1/export/{path}").status_code == 422


@pytest.fixture(scope="module", params=KINDS)
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedStore]:
    with empty_store(request.param, tmp_path_factory.mktemp("export") / "crawl") as store:
        fill_with_long_pages(store)
        yield store


@pytest.fixture
def server(large: SharedStore) -> Iterator[ApiServer]:
    with run_api(large.place) as server:
        yield server


def test_so_many_exports_and_no_more_go_on_at_the_same_time(server: ApiServer) -> None:
    with server.client(Role.USER) as client:
        with downloading(client), downloading(client):
            refused = client.get("/api/v1/export/pages")
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) > 0
        # Those who went away have ended the reading.
        assert_soon_free(client)


def test_whoever_takes_nothing_makes_room_for_others(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PATIENCE_S", 0.2)
    with server.client(Role.USER) as client, downloading(client) as first, downloading(client):
        assert_soon_free(client)
        # What it has of the file is not taken for the whole.
        with pytest.raises(httpx.RemoteProtocolError):
            first.read()


def test_a_server_stops_although_somebody_downloads(large: SharedStore) -> None:
    with run_api(large.place) as server, server.client(Role.USER) as client, downloading(client):
        started_at = time.monotonic()
        server.close()
        assert time.monotonic() - started_at < 60


def test_an_export_that_breaks_is_broken_off(tmp_path: Path) -> None:
    with empty_store("sqlite", tmp_path / "crawl") as store:
        fill_with_long_pages(store)
        store.query(f"UPDATE pages SET text = x'00' WHERE url_id = {PAGES}")
        with run_api(store.place) as server, server.client(Role.USER) as client:
            with downloading(client) as answer, pytest.raises(httpx.RemoteProtocolError):
                answer.read()
            assert_soon_free(client)


@contextlib.contextmanager
def downloading(client: httpx.Client) -> Iterator[httpx.Response]:
    """The first bytes have come, and nobody takes the next ones."""
    headers = {"Accept-Encoding": "identity"}
    with client.stream("GET", "/api/v1/export/pages", headers=headers) as answer:
        assert answer.status_code == 200
        yield answer


def assert_soon_free(client: httpx.Client) -> None:
    until = time.monotonic() + 10
    while client.get("/api/v1/export/urls").status_code == 429:
        assert time.monotonic() < until
        time.sleep(0.05)


def fill_with_long_pages(store: SharedStore) -> None:
    with long_ago(store) as clock:
        asyncio.run(_fill(store, clock))


async def _fill(store: SharedStore, clock: Any) -> None:
    async with find_backend(store.place).open_stores(store.place, clock) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, clock).start()
        await worker.add(*(f"https://long.example/{number}" for number in range(PAGES)))
        lease = await worker.claim_one()
        visits = [
            make_visit(target, make_fetched(f"{target.id} " * (PAGE_CHARS // 3)), at=clock.now())
            for target in (await worker.head(lease)).targets
        ]
        await worker.settle_visits(lease, visits)
        await worker.release(lease)
