"""Crawls of long seed lists: the same pages as of the same seeds by hand, in little memory."""

from pathlib import Path
from typing import Any

import pytest

from tenax.crawl.worker import seed_roots as seed_roots
from tenax.records.runs import RunState
from tests.support.command import run_tenax
from tests.support.running import Crawled, crawl, explain, query
from tests.support.scripted import ScriptedWeb, moved, page

HOSTS = ("a.org", "www.a.org", "blog.a.org", "b.org", "c.org")
SEEDED = ("a.org", "b.org")


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every list is too long to be held."""
    monkeypatch.setattr(seed_roots, "MAX_HELD", 0)
    monkeypatch.setattr(seed_roots, "_NAMED", 0)


def build_web() -> ScriptedWeb:
    """Every host links to a page of each host; homes have no other links."""
    web = ScriptedWeb({})
    deep = [web.url(host, "/deep") for host in HOSTS]
    for host in HOSTS:
        web.hosts[host] = {"/": page(f"Home of {host}", *deep), "/deep": page(f"Deep in {host}")}
    return web


def import_seeds(web: ScriptedWeb, data: Path, *hosts: str) -> None:
    path = data.with_name("seeds.txt")
    path.write_text("".join(f"{web.url(host)}\n" for host in hosts))
    assert run_tenax("seeds", "import", path, "--data", data).code == 0


def crawl_list(web: ScriptedWeb, data: Path, **sections: Any) -> Crawled:
    import_seeds(web, data, *SEEDED)
    return crawl(data, [], **sections)


@pytest.mark.parametrize(
    ("kind", "hosts"),
    [
        ("host", {"a.org", "b.org"}),
        ("domain", {"a.org", "www.a.org", "b.org"}),
        ("site", {"a.org", "www.a.org", "blog.a.org", "b.org"}),
        ("any", set(HOSTS)),
    ],
)
def test_a_long_list_has_the_scope_of_its_seeds(kind: str, hosts: set[str], tmp_path: Path) -> None:
    with build_web() as web:
        crawled = crawl_list(web, tmp_path / "data", scope={"kind": kind})
    homes = {web.url(host) for host in SEEDED}
    assert crawled.fetched == homes | {web.url(host, "/deep") for host in hosts}
    assert crawled.ended.state is RunState.DONE


def test_explain_agrees_with_the_crawl(tmp_path: Path) -> None:
    with build_web() as web:
        crawled = crawl_list(web, tmp_path / "data")
    assert explain(crawled, web.url("b.org", "/never")).fate == "never seen"
    refused = explain(crawled, web.url("c.org", "/deep"))
    assert refused.reason == "out_of_scope"
    assert "(none and 2 more)" in refused.because


def test_a_link_outside_is_not_kept(tmp_path: Path) -> None:
    with build_web() as web:
        crawled = crawl_list(web, tmp_path / "data")
    assert "c.org" not in {name.partition(":")[0] for name in crawled.domains}


def test_a_listed_seed_that_redirects_takes_the_scope_along(tmp_path: Path) -> None:
    with ScriptedWeb({"a.org": {}, "b.org": {"/": page("Home", "/more"), "/more": page("More")}}) as web:
        web.hosts["a.org"]["/"] = moved(web.url("b.org"))
        import_seeds(web, tmp_path / "data", "a.org")
        crawled = crawl(tmp_path / "data", [])
    assert crawled.fetched == {web.url("b.org"), web.url("b.org", "/more")}


def test_a_narrower_scope_refuses_what_waits_and_a_wider_one_fetches_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with build_web() as web:
        crawl_list(web, data, scope={"kind": "any"}, limits={"max_pages": 2})
        narrow = crawl(data, [])
        outside = web.url("c.org", "/deep")
        assert narrow.urls[outside].reason == "out_of_scope"
        wide = crawl(data, [], scope={"kind": "any"})
    assert wide.fate(outside) == "fetched"


def test_an_imported_list_is_crawled_without_naming_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with build_web() as web:
        crawl_list(web, data)
    assert query(data, "SELECT DISTINCT source FROM domains WHERE source IS NOT NULL") == [("seeds",)]
