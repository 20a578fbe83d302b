"""Which part of a page counts, in whole crawls: a change elsewhere is none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.config.settings import Settings
from tenax.failpoints import EXIT_CODE
from tenax.jobs.sources.definition import check_definition, to_settings
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import read_pages, wait_until
from tests.support.running import Crawled, build_settings, crawl, pass_time, refresh
from tests.support.scripted import HTML, Reply, ScriptedWeb, status
from tests.support.service import Service, set_up, wait_for
from tests.support.web import TestWeb

API = "/api/v1"
HOST = "a.test"
WITHOUT_CLOCK = {"without": [".clock"]}


def show(time: str, price: int = 9, etag: str | None = None) -> Reply:
    body = f"<!doctype html><title>Boat</title><p class=clock>{time}</p><p class=price>It costs {price}.</p>"
    return Reply(body=body.encode(), headers={"Content-Type": HTML} | ({"ETag": etag} if etag else {}))


def visit_again(data: Path, **sections: dict[str, Any]) -> Crawled:
    pass_time(data, 40 * 86_400)
    return refresh(data, **sections)


def read_texts(data: Path) -> list[str]:
    return [page.text for page in read_pages(data).values()]


def build_sections(extract: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
    """What a source makes of the settings."""
    definition = check_definition({"name": "boats", "seeds": ["http://a.test/"], "extract": extract})
    settings: Settings = to_settings(definition, build_settings())
    return {"extract": settings.extract.model_dump()}


@pytest.mark.parametrize("extract", [WITHOUT_CLOCK, {"only": [".price"]}], ids=["without", "only"])
def test_a_change_where_nobody_looks_is_none(tmp_path: Path, extract: dict[str, list[str]]) -> None:
    sections = build_sections(extract)
    with ScriptedWeb({HOST: {"/": show("12:00")}}) as web:
        crawl(tmp_path, [web.url(HOST)], **sections)
        web.hosts[HOST]["/"] = show("12:01")
        assert visit_again(tmp_path, **sections).tally.changes == {"unchanged": 1}
        web.hosts[HOST]["/"] = show("12:02", price=8)
        assert visit_again(tmp_path, **sections).tally.changes == {"changed": 1}
    assert read_texts(tmp_path) == ["It costs 8."]


def test_without_a_profile_every_change_is_one(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": show("12:00")}}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST]["/"] = show("12:01")
        assert visit_again(tmp_path).tally.changes == {"changed": 1}


def test_a_new_profile_counts_when_a_page_is_read_again(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": show("12:00")}}) as web:
        crawl(tmp_path, [web.url(HOST)])
        assert read_texts(tmp_path) == ["12:00\nIt costs 9."]
        assert visit_again(tmp_path, extract=WITHOUT_CLOCK).tally.changes == {"changed": 1}
    assert read_texts(tmp_path) == ["It costs 9."]


def test_a_page_that_the_server_calls_unchanged_keeps_its_text(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": show("12:00", etag='"1"')}}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST]["/"] = status(304)
        assert visit_again(tmp_path, extract=WITHOUT_CLOCK).tally.changes == {"unchanged": 1}
    assert read_texts(tmp_path) == ["12:00\nIt costs 9."]


def test_a_suspect_page_is_read_by_the_same_profile(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=3) as web:
        crawler = make_crawler(web, "--delay", "0", "--only", "h1")
        assert crawler.run(TENAX_FAILPOINT="read@/p/1.html").code == EXIT_CODE
        assert crawler.run().code == 0
        pages = read_pages(crawler.data)
        assert len(pages) == 3
        assert {page.text.count("\n") for page in pages.values()} == {0}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    service = Service(tmp_path / "data")
    with set_up(service.start(TENAX_JOBS__POLL_S="0.2")) as client:
        yield client
    service.close()


def run_job(client: httpx.Client, job: int, web: ScriptedWeb) -> None:
    """Until it has asked once more."""
    asked = len(web.paths(HOST))
    assert client.post(f"{API}/jobs/{job}/force-run").is_success
    wait_until(lambda: len(web.paths(HOST)) > asked, "it runs")
    wait_for(
        client,
        f"{API}/jobs/{job}/executions",
        lambda found: {each["status"] for each in found["items"]} == {"completed"},
    )


def test_runs_of_a_source_go_by_its_profile(client: httpx.Client, tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": show("12:00")}}) as web:
        body = {
            "name": "boats",
            "seeds": [web.url(HOST)],
            "delay_s": 0,
            "recrawl": "all",
            "extract": WITHOUT_CLOCK,
            "schedule": {"interval_minutes": 300},
        }
        added = client.post(f"{API}/sources", json=body)
        assert added.status_code == 201, added.text
        assert added.json()["definition"]["extract"] == {
            "only": None,
            "response_headers": None,
            "article": None,
            "detect_language": None,
            "markdown": None,
            "content_types": None,
            "pdf_pages": None,
            **WITHOUT_CLOCK,
        }
        job = added.json()["job"]["id"]
        run_job(client, job, web)
        web.hosts[HOST]["/"] = show("12:01")
        run_job(client, job, web)
        assert web.paths(HOST).count("/") >= 2
        assert [each["kind"] for each in client.get(f"{API}/changes").json()["items"]] == ["new"]
    assert read_texts(tmp_path / "data") == ["It costs 9."]
