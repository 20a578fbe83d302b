"""Sources with parsers in whole runs: what their definitions find is in the store."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from tests.support.crawler import query
from tests.support.scripted import HTML, Reply, ScriptedWeb
from tests.support.service import Service, set_up, wait_for

API = "/api/v1"
HOST = "a.test"
BOAT = {
    "name": "boats",
    "patterns": "/boats/*",
    "kind": "boat",
    "key": "id",
    "fields": {
        "id": {"url": "/boats/([a-z]+)"},
        "name": "h1",
        "price": {"css": ".price", "type": "price", "required": True},
    },
}


def show(name: str, price: str) -> Reply:
    body = f"<!doctype html><title>{name}</title><h1>{name}</h1><p class=price>{price}</p>"
    return Reply(body=body.encode(), headers={"Content-Type": HTML})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    service = Service(tmp_path / "data")
    with set_up(service.start(TENAX_JOBS__POLL_S="0.2")) as client:
        yield client
    service.close()


def test_a_run_of_a_source_makes_items_by_its_definitions(client: httpx.Client, tmp_path: Path) -> None:
    links = "<!doctype html><p>Boats: <a href=/boats/ann>Ann</a> <a href=/boats/bob>Bob</a></p>"
    home = Reply(body=links.encode(), headers={"Content-Type": HTML})
    pages = {"/": home, "/boats/ann": show("Ann", "1.299,00 €"), "/boats/bob": show("Bob", "on request")}
    with ScriptedWeb({HOST: pages}) as web:
        body = {"name": "boats", "seeds": [web.url(HOST)], "delay_s": 0, "parsers": [BOAT]}
        added = client.post(f"{API}/sources", json=body)
        assert added.status_code == 201, added.text
        wait_for(
            client,
            f"{API}/jobs/{added.json()['job']['id']}/executions",
            lambda found: {each["status"] for each in found["items"]} == {"completed"},
        )
    ((kind, key, data, parser),) = query(tmp_path / "data", "SELECT kind, key, data, parser FROM items")
    assert (kind, key, parser) == ("boat", "ann", "boats")
    assert orjson.loads(data) == {"id": "ann", "name": "Ann", "price": {"amount": 1299, "currency": "EUR"}}
    ((key, faults),) = query(tmp_path / "data", "SELECT key, faults FROM invalid_items")
    assert (key, orjson.loads(faults)) == ("bob", ["The field price is missing."])


def test_the_faults_of_a_parser_are_those_of_the_request(client: httpx.Client) -> None:
    parser = {**BOAT, "fields": {**BOAT["fields"], "size": {"css": "a ~ b"}}}  # type: ignore[dict-item]
    body = {"name": "boats", "seeds": ["https://a.example/"], "parsers": [parser]}
    answer = client.post(f"{API}/sources", json=body)
    assert answer.status_code == 422
    assert "parsers.0.fields.size.css.0" in answer.text
