"""Exports over HTTP."""

import asyncio
import contextlib
import csv
import io
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import httpx
import orjson
import pytest
from pyarrow import parquet

from tenax.accounts.permissions import Role
from tenax.api import exporting
from tenax.clock import format_instant
from tenax.runtime.backends import find_backend
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.export.fields import FieldKind
from tenax.stores.queries.export.formats import ParquetMissing
from tenax.stores.queries.export.rows import EXPORTS, Noun, iter_rows
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, long_ago
from tests.support.store import SharedStore, StoreWorker, make_fetched, make_visit

# More than a socket and its buffers take by themselves, compressed as well.
PAGES, PAGE_CHARS = 40, 1_000_000


@pytest.mark.parametrize("noun", list(Noun))
def test_every_row_is_written(aged: ApiServer, reader: httpx.Client, noun: Noun) -> None:
    export = EXPORTS[noun]
    rows = read_store(aged.place, lambda connection: list(iter_rows(connection, export)))
    answer = reader.get(f"/api/v1/export/{noun}")
    assert [orjson.loads(line) for line in answer.text.splitlines()] == [
        {
            name: show_value(value, kind)
            for (name, kind), value in zip(export.columns.items(), row, strict=True)
        }
        for row in rows
    ]


def show_value(value: Any, kind: FieldKind) -> Any:
    if kind is FieldKind.JSON and value is not None:
        return orjson.loads(value)
    return format_instant(value) if kind is FieldKind.INSTANT else value


@pytest.mark.parametrize("noun", [noun for noun in Noun if noun is not Noun.ITEMS])
def test_every_row_is_written_as_parquet(aged: ApiServer, reader: httpx.Client, noun: Noun) -> None:
    export = EXPORTS[noun]
    rows = read_store(aged.place, lambda connection: list(iter_rows(connection, export)))
    table = read_parquet(reader, noun)
    assert table.column_names == list(export.columns)
    for at, kind in enumerate(export.columns.values()):
        column = table.column(at)
        assert (str(column.type) == "timestamp[us, tz=UTC]") is (kind is FieldKind.INSTANT)
        expected = [row[at] for row in rows]
        read = [show_seconds(value) for value in column.to_pylist()]
        assert read == (pytest.approx(expected, abs=1e-6) if kind is FieldKind.INSTANT else expected)


def read_parquet(reader: httpx.Client, noun: Noun) -> Any:
    return parquet.read_table(io.BytesIO(reader.get(f"/api/v1/export/{noun}?format=parquet").content))


def test_fields_of_items_are_columns(reader: httpx.Client) -> None:
    table = read_parquet(reader, Noun.ITEMS)
    assert [name for name in table.column_names if name.startswith("data.")] == [
        "data.name",
        "data.price",
        "data.sku",
        "data.sold",
        "data.*",
    ]
    rows = {row["key"]: row for row in table.to_pylist()}
    assert rows.keys() == {"boat", "late"}  # the car is gone
    boat = rows["boat"]
    assert (boat["data.price"], boat["data.sku"], boat["data.sold"]) == (12.5, "10", False)
    assert (rows["late"]["data.price"], rows["late"]["data.sku"]) == (30.0, None)


def test_items_are_exported_by_kind(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/export/items", params={"kind": "article"}).text == ""
    assert len(reader.get("/api/v1/export/items", params={"kind": "product"}).text.splitlines()) == 2
    refused = reader.get("/api/v1/export/pages", params={"kind": "product"})
    assert refused.status_code == 422
    assert "Pages cannot be filtered by kind; only items can." in refused.text


def show_seconds(value: Any) -> Any:
    return value.timestamp() if isinstance(value, datetime) else value


def test_parquet_is_compressed_once(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/export/urls", params={"format": "parquet"})
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert answer.headers["content-disposition"] == 'attachment; filename="tenax-urls.parquet"'
    assert len(answer.content) > 1000
    assert "content-encoding" not in answer.headers


def test_a_server_without_pyarrow_says_what_it_lacks(
    reader: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = reader.get("/api/v1/export/urls", params={"format": "parquet"})
    assert answer.status_code == 501
    assert answer.json()["detail"] == str(ParquetMissing())


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


def test_raw_csv_has_the_cells_as_they_are(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/export/links", params={"format": "csv", "raw": "true"})
    cells = [cell for row in csv.reader(answer.text.splitlines()) for cell in row]
    assert any(cell.startswith("=HYPERLINK") for cell in cells)
    assert not any(cell.startswith("'=") for cell in cells)


def test_only_csv_can_be_raw(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/export/links", params={"raw": "true"})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "raw only applies to CSV, not to jsonl."


@pytest.mark.parametrize("path", ["passwords", "urls?format=xlsx", "urls?format=../../x"])
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


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_each_client_has_one_export_at_a_time(server: ApiServer, format: str) -> None:
    with server.client(Role.USER, "bob") as bob, server.client(Role.USER, "eve") as eve:
        with downloading(bob, format):
            refused = bob.get("/api/v1/export/urls")
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
            assert (
                refused.json()["detail"] == "You already have a running export: wait until it has finished."
            )
            assert eve.get("/api/v1/export/urls").status_code == 200
        # Those who went away have ended the reading.
        assert_soon_free(bob)


def test_the_last_place_is_kept_for_administrators(server: ApiServer) -> None:
    with contextlib.ExitStack() as stack:
        users = [stack.enter_context(server.client(Role.USER, f"user{number}")) for number in range(4)]
        for user in users[:3]:
            stack.enter_context(downloading(user))
        refused = users[3].get("/api/v1/export/urls")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        admin = stack.enter_context(server.client(Role.ADMIN))
        assert admin.get("/api/v1/export/urls").status_code == 200


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_stalled_download_makes_room_for_others(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(exporting, "LONGEST_WAIT_S", 0.2)
    with server.client(Role.USER) as client, downloading(client, format) as first:
        assert_soon_free(client)
        # What it has of the file is not taken for the whole.
        with pytest.raises(httpx.RemoteProtocolError):
            first.read()


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_download_that_is_too_slow_is_aborted(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(exporting, "LONGEST_WAIT_S", 0.3)
    monkeypatch.setattr(exporting, "MIN_BYTES_PER_S", 1e9)
    with server.client(Role.USER) as client, downloading(client, format) as answer:
        chunks = answer.iter_raw()
        with pytest.raises(httpx.RemoteProtocolError):  # noqa: PT012
            for _ in chunks:
                time.sleep(0.01)


def test_a_server_stops_during_a_download(large: SharedStore) -> None:
    with run_api(large.place) as server, server.client(Role.USER) as client, downloading(client):
        started_at = time.monotonic()
        server.close()
        assert time.monotonic() - started_at < 60


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_an_export_that_breaks_is_broken_off(tmp_path: Path, format: str) -> None:
    with empty_store("sqlite", tmp_path / "crawl") as store:
        fill_with_long_pages(store)
        store.query(f"UPDATE pages SET content = x'00' WHERE url_id = {PAGES}")
        with run_api(store.place) as server, server.client(Role.USER) as client:
            with downloading(client, format) as answer, pytest.raises(httpx.RemoteProtocolError):
                answer.read()
            assert_soon_free(client)


@contextlib.contextmanager
def downloading(client: httpx.Client, format: str = "jsonl") -> Iterator[httpx.Response]:
    """The first bytes have arrived, and the client does not read the next ones."""
    headers = {"Accept-Encoding": "identity"}
    with client.stream("GET", f"/api/v1/export/pages?format={format}", headers=headers) as answer:
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
            make_visit(
                target, make_fetched(Random(target.id).randbytes(PAGE_CHARS // 2).hex()), at=clock.now()
            )
            for target in (await worker.head(lease)).targets
        ]
        await worker.settle_visits(lease, visits)
        await worker.release(lease)
