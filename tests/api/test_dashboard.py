"""The dashboard's files: what is served where, under which policy."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from tenax.accounts.permissions import Role
from tenax.api.dashboard import MISSING, POLICY, DashboardFiles
from tests.support.api import ApiServer

INDEX = "<!doctype html><title>Tenax</title>"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "assets" / "index-abc.js").write_text("export {}")
    (tmp_path / ".manifest.json").write_text("{}")
    (tmp_path.parent / "secret.txt").write_text("secret")
    return tmp_path


class DashboardClient:
    """Asks for the pages of a folder."""

    def __init__(self, folder: Path) -> None:
        app = Starlette()
        app.router.default = DashboardFiles(app.router.default, folder)
        self._transport = httpx.ASGITransport(app=app)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return asyncio.run(self._ask("GET", path, headers))

    def post(self, path: str) -> httpx.Response:
        return asyncio.run(self._ask("POST", path, None))

    async def _ask(self, method: str, path: str, headers: Mapping[str, str] | None) -> httpx.Response:
        async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)


@pytest.fixture
def pages(built: Path) -> DashboardClient:
    return DashboardClient(built)


@pytest.mark.parametrize("path", ["/", "/index.html", "/domains", "/domains/example.com", "/runs/1?tab=log"])
def test_every_screen_has_the_same_document(pages: DashboardClient, path: str) -> None:
    answer = pages.get(path)
    assert (answer.status_code, answer.text) == (200, INDEX)


def test_the_policy_forbids_all_that_is_not_the_servers_own(pages: DashboardClient) -> None:
    policy = pages.get("/").headers["content-security-policy"]
    assert policy == POLICY
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_assets_are_cached_forever_and_the_document_is_revalidated(pages: DashboardClient) -> None:
    assert "immutable" in pages.get("/assets/index-abc.js").headers["cache-control"]
    assert pages.get("/").headers["cache-control"] == "no-cache"


def test_what_has_not_changed_is_not_sent_again(pages: DashboardClient) -> None:
    tag = pages.get("/").headers["etag"]
    assert pages.get("/", headers={"If-None-Match": tag}).status_code == 304


def test_scripts_are_sent_as_scripts(pages: DashboardClient) -> None:
    assert pages.get("/assets/index-abc.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/assets/gone.js", "/api/v1/nothing", "/sse/nothing"])
def test_programs_never_get_a_page(pages: DashboardClient, path: str) -> None:
    assert pages.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/assets/..%2f..%2fsecret.txt", "/..%2fsecret.txt", "/.manifest.json"])
def test_nothing_outside_the_dashboard_can_be_requested(pages: DashboardClient, path: str) -> None:
    answer = pages.get(path)
    assert "secret" not in answer.text
    assert answer.text in (INDEX, "Not Found")


def test_nothing_can_be_sent_to_a_page(pages: DashboardClient) -> None:
    assert pages.post("/domains").status_code == 404


@pytest.mark.parametrize("path", ["/", "/setup", "/domains"])
def test_a_missing_dashboard_says_how_to_build_it(tmp_path: Path, path: str) -> None:
    answer = DashboardClient(tmp_path / "none").get(path)
    assert (answer.status_code, answer.text) == (404, MISSING)
    assert "make dashboard" in MISSING


def test_programs_get_no_word_about_a_missing_dashboard(tmp_path: Path) -> None:
    answer = DashboardClient(tmp_path / "none").get("/api/v1/nothing")
    assert (answer.status_code, answer.text) == (404, "Not Found")


def test_the_service_answers_unknown_addresses_of_the_api_with_a_problem(filled: ApiServer) -> None:
    with filled.client(Role.ANONYMOUS) as client:
        answer: httpx.Response = client.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_service_still_names_a_wrong_method(filled: ApiServer) -> None:
    with filled.client(Role.ADMIN) as client:
        assert client.put("/api/v1/domains").status_code == 405
