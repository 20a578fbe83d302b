"""Streams of events over HTTP."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tenax.accounts.permissions import Role
from tenax.records.items import ItemChangeKind
from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.crawler import DEADLINE_S
from tests.support.item_rows import ItemRows
from tests.support.stores import SHOP


@contextmanager
def listening(server: ApiServer, name: str, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    with (
        server.client(Role.USER) as client,
        client.stream("GET", f"/sse/{name}/events", headers=headers) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield read_events(answer)


def read_events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    deadline = time.monotonic() + DEADLINE_S
    for line in answer.iter_lines():  # at the latest, a heartbeat
        assert time.monotonic() < deadline, f"no event within {DEADLINE_S} s"
        name, _, value = line.partition(": ")
        if not line and "data" in event:
            yield event
            event = {}
        elif name == "data":
            event["data"] = orjson.loads(value)
        elif name in ("id", "event"):
            event[name] = value


def test_the_crawl_streams_its_progress(filled: ApiServer) -> None:
    with listening(filled, "crawler") as events:
        first = next(event for event in events if event["event"] == "progress")
    assert first["data"]["pages"] == 2
    assert first["data"]["run"]["state"] == "stopped"


def test_ids_grow(filled: ApiServer) -> None:
    with listening(filled, "crawler") as events:
        ids = [tuple(map(int, next(events)["id"].split("-"))) for _ in range(4)]
    assert ids == sorted(set(ids))


def test_a_client_that_reconnects_receives_what_it_missed(filled: ApiServer) -> None:
    with listening(filled, "crawler") as events:
        first, second, third = (next(events) for _ in range(3))
        with listening(filled, "crawler", **{"Last-Event-ID": first["id"]}) as again:
            assert [next(again)["id"], next(again)["id"]] == [second["id"], third["id"]]


def test_the_server_streams_its_health(filled: ApiServer) -> None:
    with listening(filled, "health") as events:
        assert next(events)["data"]["status"] == "ok"


@pytest.mark.parametrize("given", ["nonsense", "-1-0", "1-2-3", "9" * 39])
def test_an_unknown_id_starts_from_the_newest_event(filled: ApiServer, given: str) -> None:
    with listening(filled, "crawler", **{"Last-Event-ID": given}) as events:
        assert "id" in next(events)


def test_streams_require_an_account(filled: ApiServer) -> None:
    with filled.client(Role.ANONYMOUS) as client:
        assert client.get("/sse/crawler/events").status_code == 401


def test_one_account_has_so_many_streams_and_no_more(filled: ApiServer) -> None:
    with filled.client(Role.USER) as client:
        streams = [client.build_request("GET", "/sse/health/events") for _ in range(20)]
        answers = [client.send(request, stream=True) for request in streams]
        try:
            assert {answer.status_code for answer in answers} == {200}
            assert client.get("/sse/health/events").status_code == 429
        finally:
            for answer in answers:
                answer.close()


@pytest.mark.parametrize("kind", KINDS)
def test_changes_of_items_are_streamed(kind: str, tmp_path: Path) -> None:
    with empty_store(kind, tmp_path / "crawl") as store:
        fill(store)
        with run_api(store.place) as server, listening(server, "items") as events:
            heard = threading.Event()
            changing = threading.Thread(target=change_items, args=(store.place, heard))
            changing.start()
            event = next(events)
            heard.set()
            changing.join()
    assert (event["event"], event["data"]["key"], event["data"]["kind"]) == (
        "item.changed",
        "boat",
        "product",
    )
    assert event["data"]["fields"] == {"price": [1, 2]}
    assert event["data"]["cursor"]


def change_items(place: Place, heard: threading.Event) -> None:
    """Again and again, as it is unknown when the stream begins."""

    def change(connection: Any) -> None:
        rows = ItemRows(connection, 0, 1, start=time.time())
        url = f"{SHOP}/"
        item_id = rows.add_item(url, "boat", {"price": 2}) if not added else added[0]
        added.append(item_id)
        rows.change(url, item_id, ItemChangeKind.CHANGED, {"price": [1, 2]}, at=0.0)

    added: list[int] = []
    for _ in range(300):
        asyncio.run(write_store(place, change))
        if heard.wait(0.1):
            return


def test_a_server_that_stops_ends_its_streams(tmp_path: Path) -> None:
    with run_api(Place(folder=tmp_path / "crawl")) as server:
        closing = threading.Timer(0.3, server.close)
        with listening(server, "crawler") as events:
            closing.start()
            heard = list(events)
    assert heard
