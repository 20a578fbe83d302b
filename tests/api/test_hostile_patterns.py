"""Patterns that take long to be compiled: refused after a few, and never compiled on the loop."""

import threading
from collections.abc import Iterator
from typing import Any

import httpx
import orjson
import pytest

from tenax.policy import patterns
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api

API = "/api/v1"
HOSTILE = [rf"[\p{{L}}\p{{N}}]{{1,900}}N{number}" for number in range(150)]
SOURCE = {"name": "Hostile", "seeds": ["https://example.com/"], "scope": {"exclude": HOSTILE}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with run_api(Place(folder=tmp_path_factory.mktemp("patterns") / "crawl")) as server:
        yield server


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Where each pattern was compiled."""
    where: list[threading.Thread] = []
    compile_plainly = patterns._compile

    def compile_noted(pattern: str, max_bytes: int | None, *, captures: bool) -> Any:
        where.append(threading.current_thread())
        return compile_plainly(pattern, max_bytes, captures=captures)

    monkeypatch.setattr(patterns, "_compile", compile_noted)
    return where


def send_source(client: httpx.Client) -> httpx.Response:
    return client.post(f"{API}/sources", json=SOURCE)


def send_file(client: httpx.Client) -> httpx.Response:
    lines = orjson.dumps([{**SOURCE, "name": f"Hostile {number}"} for number in range(20)])  # JSON is YAML
    return client.post(f"{API}/sources/apply", content=lines, headers={"Content-Type": "application/yaml"})


def send_run(client: httpx.Client) -> httpx.Response:
    order = {"urls": ["https://example.com/"], "scope": {"exclude": HOSTILE}}
    return client.post(f"{API}/runs", json=order)


@pytest.mark.parametrize("send", [send_source, send_file, send_run])
def test_hostile_patterns_are_refused_after_a_few_and_beside_the_loop(
    server: ApiServer, compiling: list[threading.Thread], send: Any
) -> None:
    with server.client() as client:
        answer = send(client)
    assert answer.status_code == 422
    assert "is too large" in answer.text
    assert 0 < len(compiling) <= 150
    assert server._thread not in compiling


def test_a_stored_source_is_shown_without_compiling_its_patterns(
    server: ApiServer, compiling: list[threading.Thread]
) -> None:
    with server.client() as client:
        fine = {**SOURCE, "scope": {"exclude": ["/private/"]}, "enabled": False}
        assert client.post(f"{API}/sources", json=fine).status_code == 201
        del compiling[:]
        assert len(client.get(f"{API}/sources").json()["items"]) == 1
    assert compiling == []
