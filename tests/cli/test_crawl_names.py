"""Several crawls in one store: their names, which one is resumed, and notices about the others."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.support.command import Ended, run_tenax
from tests.support.scripted import Reply, ScriptedWeb, page

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0")
USAGE, ERROR = 2, 1


def site(*sections: str, pages: int = 4) -> dict[str, Reply]:
    """A section is a page that links to others; no section leads to another one."""
    found: dict[str, Reply] = {}
    for name in sections:
        links = [f"/{name}/{number}" for number in range(pages)]
        found |= {f"/{name}": page(name, *links)} | {link: page(link) for link in links}
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_WORKER__PROCESSES", "1")
    return tmp_path


def crawl(*arguments: str) -> Ended:
    return run_tenax("crawl", *arguments, *QUICK)


def change_runs(assignments: str) -> None:
    with closing(sqlite.connect("crawl/tenax.db", isolation_level=None)) as connection:
        connection.execute(f"UPDATE runs SET {assignments}")


def asked(web: ScriptedWeb, host: str = "a.test") -> list[str]:
    return [path for path in web.paths(host) if path != "/robots.txt"]


def test_other_seeds_do_not_bring_the_queue_of_an_ended_run_back() -> None:
    with ScriptedWeb({"a.test": site("docs"), "b.test": site("blog")}) as web:
        assert crawl(web.url("a.test", "/docs"), "--max-pages", "2").code == 0
        before = asked(web)
        ended = crawl(web.url("b.test", "/blog"))
        assert ended.code == 0, ended.err
        assert asked(web) == before, "what waits of another crawl waits"
        assert f"1 other crawl with work left stays untouched: {web.url('a.test', '/docs')}." in ended.out
        assert crawl(web.url("a.test", "/docs")).code == 0
    assert sorted(asked(web)) == sorted(site("docs")), "each page once"


def test_two_crawls_of_one_domain_take_turns() -> None:
    with ScriptedWeb({"a.test": site("docs", "blog")}) as web:
        docs, blog = web.url("a.test", "/docs"), web.url("a.test", "/blog")
        crawl(docs, "--max-pages", "2")
        ended = crawl(blog, "--max-pages", "2")
        domain = web.url("a.test").removeprefix("http://").rstrip("/")
        said = f"{domain} belonged to crawl {docs} until now; 3 urls of it will wait until that continues."
        assert said in ended.out
        assert [path.split("/")[1] for path in asked(web)] == ["docs", "docs", "blog", "blog"]
        left = next(path for path in site("docs") if path not in asked(web))
        explained = run_tenax("explain", web.url("a.test", left)).out
        assert (
            f"It waits until crawl {docs} continues, because its domain belongs to crawl {blog} now"
            in explained
        )
        ended = crawl(docs)
        assert ended.code == 0, "nothing of its own is left"
        assert "fetched 7" in ended.out
        assert crawl(blog).code == 0
    assert sorted(asked(web)) == sorted(site("docs", "blog")), "each page once"


def test_without_a_url_the_only_crawl_with_work_left_is_resumed() -> None:
    with ScriptedWeb({"a.test": site("docs"), "b.test": site("blog")}) as web:
        crawl(web.url("a.test", "/docs"), "--max-pages", "2")
        crawl(web.url("b.test", "/blog"))
        ended = crawl()
        assert ended.out.startswith(f"Resuming the crawl {web.url('a.test', '/docs')} in crawl")
    assert sorted(asked(web)) == sorted(site("docs"))


def test_of_several_that_wait_one_has_to_be_named() -> None:
    with ScriptedWeb({"a.test": site("docs"), "b.test": site("blog")}) as web:
        crawl(web.url("a.test", "/docs"), "--name", "docs", "--max-pages", "1")
        crawl(web.url("b.test", "/blog"), "--name", "blog", "--max-pages", "1")
        ended = crawl()
        assert (ended.code, ended.out) == (USAGE, "")
        assert ended.err == (
            "tenax: There are several crawls in crawl: docs, blog. Choose one with --name, or give a URL.\n"
        )
        assert crawl("--name", "BLOG").code == 0
        assert run_tenax("refresh", *QUICK).code == USAGE
    assert len(asked(web)) == 1
    assert sorted(asked(web, "b.test")) == sorted(site("blog"))
    names = [json.loads(line)["source_name"] for line in run_tenax("runs", "--json").out.splitlines()]
    assert names == ["blog", "blog", "docs"]


def test_an_unknown_name_is_refused() -> None:
    with ScriptedWeb({"a.test": site("docs")}) as web:
        crawl(web.url("a.test", "/docs"), "--name", "docs", "--max-pages", "1")
        ended = crawl("--name", "dosc")
    assert ended.code == USAGE
    assert "There is no crawl dosc in crawl; it has docs." in ended.err


@pytest.mark.parametrize("name", ["", " docs", "a\nb", "x" * 201])
def test_a_bad_name_is_refused(name: str, folder: Path) -> None:
    ended = crawl("https://a.test/", "--name", name)
    assert ended.code == USAGE
    assert "The name of a crawl has 1 to 200 printable characters" in ended.err
    assert not (folder / "crawl").exists(), "before anything is made"


def test_a_very_long_seed_names_its_crawl_by_its_beginning() -> None:
    with ScriptedWeb({"a.test": {}}) as web:
        seed = web.url("a.test", "/" + "x" * 1500)
        first, second = crawl(seed, "--json"), crawl(f"{seed}y", "--json")
    names = [json.loads(each.out)["crawl"] for each in (first, second)]
    assert len(set(names)) == 2
    assert all(len(name) <= 200 for name in names)


def test_a_domain_of_an_active_run_is_refused_with_its_name() -> None:
    with ScriptedWeb({"a.test": site("docs", "blog")}) as web:
        crawl(web.url("a.test", "/docs"), "--name", "docs", "--max-pages", "1")
        # As a process leaves it that was killed.
        change_runs("state = 'running', ended_at = NULL")
        before = asked(web)
        ended = crawl(web.url("a.test", "/blog"))
        assert (ended.code, ended.out) == (ERROR, "")
        assert "is being crawled by run 1 of crawl docs: wait for its end, or cancel it first." in ended.err
        assert asked(web) == before
        assert run_tenax("runs", "cancel").code == 0
        assert crawl(web.url("a.test", "/blog")).code == 0


def test_a_paused_run_does_not_block_its_domain_and_resumes_later() -> None:
    with ScriptedWeb({"a.test": site("docs", "blog")}) as web:
        crawl(web.url("a.test", "/docs"), "--name", "docs", "--max-pages", "1")
        change_runs("state = 'paused', ended_at = NULL, paused_at = started_at + 1")
        assert crawl(web.url("a.test", "/blog")).code == 0
        resumed = run_tenax("runs", "resume", "1")
        assert "Run 1 is now active." in resumed.out
        assert "belonged to crawl" in resumed.out
        assert crawl(web.url("a.test", "/docs"), "--name", "docs").code == 0
    assert sorted(asked(web)) == sorted(site("docs", "blog"))


def test_imported_seeds_are_a_crawl_of_their_own(folder: Path) -> None:
    with ScriptedWeb({"a.test": site("docs"), "b.test": {"/": page("b")}}) as web:
        (folder / "list.txt").write_text(f"{web.url('b.test')}\n")
        assert run_tenax("seeds", "import", "list.txt").code == 0
        ended = crawl(web.url("a.test", "/docs"))
        assert "1 other crawl with work left stays untouched: default." in ended.out
        assert asked(web, "b.test") == []
        assert crawl().code == 0
    assert asked(web, "b.test") == ["/"]
