"""The log of a run over HTTP: in parts, as a stream, as a file."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.api.test_events import read_events
from tests.support.api import ApiServer

RUN = "/api/v1/runs/1/log"


@contextmanager
def following(client: httpx.Client, **headers: str) -> Iterator[Iterator[dict[str, object]]]:
    with client.stream("GET", f"{RUN}/stream", headers=headers) as answer:
        assert answer.status_code == 200
        yield read_events(answer)


def read_all(client: httpx.Client) -> list[dict[str, object]]:
    part = client.get(RUN, params={"limit": 500}).json()
    assert part["is_last"]
    items: list[dict[str, object]] = part["items"]
    return items


def test_the_log_has_every_visit(reader: httpx.Client) -> None:
    lines = read_all(reader)
    assert {"visit", "run", "worker"} <= {line["kind"] for line in lines}
    assert [line["at"] for line in lines] == sorted(str(line["at"]) for line in lines)


def test_parts_of_the_log_are_the_whole_log(reader: httpx.Client) -> None:
    found, cursor = [], None
    while True:
        part = reader.get(RUN, params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        found += part["items"]
        cursor = part["next"]
        if part["is_last"]:
            break
    assert len(found) == len(read_all(reader))


def test_the_log_is_followed_from_where_one_was(reader: httpx.Client) -> None:
    lines = read_all(reader)
    with following(reader) as events:
        heard = [next(events) for _ in lines]
    assert [event["data"] for event in heard] == lines
    assert "id" in heard[-1]


def test_the_log_is_a_file_of_lines(reader: httpx.Client) -> None:
    answer = reader.get(f"{RUN}/download")
    assert answer.headers["content-disposition"] == 'attachment; filename="run-1.log"'
    assert answer.headers["content-type"].startswith("text/plain")
    assert len(answer.text.splitlines()) == len(read_all(reader))


def test_a_position_that_is_none_is_refused(aged: ApiServer, reader: httpx.Client) -> None:
    assert reader.get(RUN, params={"cursor": "nonsense"}).status_code == 422


def test_an_unknown_run_has_no_log(reader: httpx.Client) -> None:
    for path in ("log", "log/download", "log/stream"):
        assert reader.get(f"/api/v1/runs/999/{path}").status_code == 404
