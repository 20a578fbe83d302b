"""Stored bodies over HTTP: the bytes of a site, which no browser shows."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.accounts.permissions import Role
from tests.support.api import ApiServer, run_api
from tests.support.bodied import BODY, URL, store_body
from tests.support.copying import KINDS, empty_store


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ApiServer, int]]:
    with empty_store(request.param, tmp_path / "crawl") as store:
        url_id = store_body(store.place, socket.gethostname())
        with run_api(store.place) as server:
            yield server, url_id


def test_a_body_is_a_file_to_save_and_goes_with_its_page(served: tuple[ApiServer, int]) -> None:
    server, url_id = served
    folder = server.place.folder / "bodies"
    with server.client(Role.USER) as user:
        answer = user.get(f"/api/v1/pages/{url_id}/body")
        assert (answer.status_code, answer.content) == (200, BODY)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"] == f'attachment; filename="page-{url_id}.body"'
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("sandbox;")
        heads = user.get(f"/api/v1/pages/{url_id}/body/headers").json()
        assert heads["sent"] == ["GET / HTTP/1.1", "Host: bodied.example"]
        assert heads["received"] == ["HTTP/1.1 200 OK", "Content-Type: text/html"]
        page = user.get(f"/api/v1/pages/{url_id}").json()
        assert page["url"] == URL
        assert page["stored_body"]["bytes"] == len(BODY)
        (visit,) = user.get(f"/api/v1/pages/{url_id}/visits").json()["items"]
        assert user.get(f"/api/v1/pages/{url_id}/body", params={"visit": visit["id"]}).content == BODY
        assert user.get(f"/api/v1/pages/{url_id}/body", params={"visit": visit["id"] + 1}).status_code == 404
        assert user.get(f"/api/v1/pages/{url_id + 1}/body").status_code == 404
        assert len(list(folder.iterdir())) == 1
    with server.client(Role.ADMIN) as admin:
        assert admin.delete("/api/v1/admin/pages", params={"confirm": True}).json() == {"pages": 1}
        assert list(folder.iterdir()) == []
        assert admin.get(f"/api/v1/pages/{url_id}/body").status_code == 404


def test_who_is_not_logged_in_sees_none(served: tuple[ApiServer, int]) -> None:
    server, url_id = served
    with server.client(Role.ANONYMOUS) as nobody:
        assert nobody.get(f"/api/v1/pages/{url_id}/body").status_code == 401


def test_a_lost_file_is_said_without_its_name(served: tuple[ApiServer, int]) -> None:
    server, url_id = served
    (file,) = (server.place.folder / "bodies").iterdir()
    file.unlink()
    with server.client(Role.USER) as user:
        answer = user.get(f"/api/v1/pages/{url_id}/body")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "The file with this body is lost, damaged or on another machine."
    with server.client(Role.ADMIN) as admin:
        assert "missing or cut off" in admin.get("/api/v1/doctor").json()["warnings"][-1]
