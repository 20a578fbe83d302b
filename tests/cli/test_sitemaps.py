"""`tenax sitemaps`, and how urls were found in `tenax domains show` and exports."""

import json
from pathlib import Path

import pytest

from tests.support.command import run_tenax
from tests.support.running import crawl
from tests.support.scripted import Reply, ScriptedWeb, page, text

HOST = "a.test"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A crawl, and the name of its domain."""
    data = tmp_path_factory.mktemp("site")
    body = b"<urlset><url><loc>/x</loc></url><url><loc>http://other.test/</loc></url>"
    paths = {
        "/": page("Home", "/l"),
        "/l": page("Link"),
        "/x": page("Listed"),
        "/robots.txt": text("Sitemap: /map.xml\nSitemap: /missing.xml\n"),
        "/map.xml": Reply(body=body, headers={"Content-Type": "application/xml"}),
    }
    with ScriptedWeb({HOST: paths}) as web:
        crawl(data, [web.url(HOST)])
        return data, f"{HOST}:{web.port}"


def test_sitemaps_are_listed_with_what_is_wrong(site: tuple[Path, str]) -> None:
    data, _ = site
    header, *rows = run_tenax("sitemaps", "--data", data).out.splitlines()
    assert header.split()[:4] == ["URL", "FOUND", "IN", "KIND"]
    assert rows[0].split()[1:7] == ["robots", "urls", "read", "2", "1", "1"]
    assert rows[1] == "  └─ broken XML in line 1: no element found"
    assert rows[2].split()[1:4] == ["robots", "–", "gone"]
    assert rows[3] == "  └─ the server answered 404"


def test_sitemaps_of_one_domain_are_listed_as_json(site: tuple[Path, str]) -> None:
    data, domain = site
    lines = run_tenax("sitemaps", domain, "--json", "--data", data).out.splitlines()
    assert [json.loads(line)["entries"] for line in lines] == [2, 0]
    assert run_tenax("sitemaps", "b.test", "--data", data).out == "No sitemaps.\n"


def test_a_domain_shows_how_its_urls_were_found(site: tuple[Path, str]) -> None:
    data, domain = site
    shown = run_tenax("domains", "show", domain, "--data", data).out
    assert "link 1 (1 pages), seed 1 (1 pages), sitemap 1 (1 pages)" in shown
    report = json.loads(run_tenax("domains", "show", domain, "--json", "--data", data).out)
    assert {each["way"]: each["urls"] for each in report["found_by"]} == {
        "link": 1, "seed": 1, "sitemap": 1, "feed": 0, "archive": 0, "pagination": 0, "probe": 0,
    }  # fmt: skip


def test_exports_say_how_urls_were_found(site: tuple[Path, str]) -> None:
    data, _ = site
    lines = run_tenax("export", "urls", "--data", data).out.splitlines()
    found = {json.loads(line)["url"].rpartition("/")[2]: json.loads(line)["found_by"] for line in lines}
    assert (found[""], found["l"], found["x"]) == ("seed", "link", "sitemap")
    (domain,) = run_tenax("export", "domains", "--data", data).out.splitlines()
    assert json.loads(domain)["sitemap_pages"] == 1


def test_sitemaps_can_be_switched_off(site: tuple[Path, str]) -> None:
    assert "--no-sitemaps" in run_tenax("crawl", "--help").out
