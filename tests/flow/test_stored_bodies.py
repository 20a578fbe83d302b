"""Bodies are stored while workers are killed: no row points to a missing body, and every page has its own."""

import os
import subprocess
from pathlib import Path

import pytest

from tenax.blobs.frames import unpack_heads
from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.command import COMMAND
from tests.support.crawler import Where, assert_complete, assert_sound, query
from tests.support.pdfs import text_pdf
from tests.support.scripted import Reply, ScriptedWeb, page
from tests.support.stored_bodies import assert_bodies_sound, assert_bodies_tidy
from tests.support.web import TestWeb

SMALL = {"TENAX_WORKER__BATCH_PAGES": "4", "TENAX_WORKER__CONCURRENCY": "2"}
QUICK = ("--delay", "0", "--store-bodies")
POINTS = [
    *(f"bodies.{step}:{time}" for step in ("write", "written", "synced") for time in (1, 3)),
    "bodies.seal:1",
    *(
        f"{step}.{side}:{time}"
        for step in ("settle", "commit")
        for side in ("before", "after")
        for time in (1, 3)
    ),
]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Where, tuple[str, ...], Path]:
    """Where the store is, the option for it, and the folder of the bodies."""
    folder = tmp_path / "data"
    if request.param == "sqlite":
        return folder, (), folder / "bodies"
    url = request.getfixturevalue("url")
    return url, ("--store", url), folder / "bodies"


def run_tenax(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(COMMAND), *arguments], capture_output=True, env=dict(os.environ), timeout=60)


@pytest.mark.parametrize("point", POINTS)
def test_death_at_a_point_leaves_no_dangling_body(
    make_crawler: MakeCrawler, place: tuple[Where, tuple[str, ...], Path], point: str
) -> None:
    where, store, folder = place
    with TestWeb(hosts=2, pages_per_host=8) as web:
        crawler = make_crawler(web, *QUICK, *store)
        assert crawler.run(**SMALL, TENAX_FAILPOINT=point).code == EXIT_CODE
        assert_sound(where)
        assert_bodies_sound(where, folder)
        assert crawler.run(**SMALL).code == 0
        assert_complete(where, web)
        found = assert_bodies_sound(where, folder)
        assert_bodies_tidy(where, folder)
        # A page whose visit was settled has its body; what was not settled was visited again.
        assert set(found) == {
            url for (url,) in query(where, "SELECT u.url FROM pages p JOIN urls u ON u.id = p.url_id")
        }


def test_every_body_is_as_the_server_sent_it(
    make_crawler: MakeCrawler, place: tuple[Where, tuple[str, ...], Path], tmp_path: Path
) -> None:
    where, store, folder = place
    with TestWeb(hosts=3, pages_per_host=10, cross_host=True) as web:
        assert make_crawler(web, *QUICK, *store, workers=2).run(**SMALL).code == 0
        found = assert_bodies_sound(where, folder)
        assert_bodies_tidy(where, folder)
        url = sorted(found)[-1]
        option = ("--data", str(tmp_path / "data"), *store)
        shown = run_tenax("body", url, *option)
        assert shown.returncode == 0, shown.stderr
        assert shown.stdout == found[url]
        heads = run_tenax("body", url, "--headers", *option).stdout.decode()
        assert heads.startswith("GET /")
        assert "\n\nHTTP/1.1 200" in heads
        ((packed,),) = query(where, "SELECT heads FROM visit_bodies ORDER BY id LIMIT 1")
        assert unpack_heads(bytes(packed))[1].startswith(b"HTTP/1.1 200")
        checked = run_tenax("bodies", "--check", *option)
        assert (checked.returncode, checked.stderr) == (0, b"")


def test_pdfs_are_stored_where_they_are_read(make_crawler: MakeCrawler) -> None:
    pdf = text_pdf("A report of two islands.", title="Report")
    served = Reply(body=pdf, headers={"Content-Type": "application/pdf"})
    with ScriptedWeb({"docs.test": {"/": page("Home", "/report"), "/report": served}}) as web:
        crawler = make_crawler(web, *QUICK, "--pdf", seeds=[web.url("docs.test")])
        assert crawler.run(**SMALL).code == 0
        found = assert_bodies_sound(crawler.data, crawler.data / "bodies")
        assert found[web.url("docs.test", "/report")] == pdf


def test_the_same_body_is_stored_once(
    make_crawler: MakeCrawler, place: tuple[Where, tuple[str, ...], Path]
) -> None:
    where, store, folder = place
    with TestWeb(hosts=2, pages_per_host=6) as web:
        crawler = make_crawler(web, *QUICK, *store)
        assert crawler.run(**SMALL).code == 0
        ((bodies, size),) = query(where, "SELECT count(*), sum(length) FROM bodies")
        ((visits,),) = query(where, "SELECT count(*) FROM visit_bodies")
        assert crawler.run("--recrawl", "all", **SMALL, TENAX_FETCH__HEADERS="[]").code == 0
        ((bodies_after, size_after),) = query(where, "SELECT count(*), sum(length) FROM bodies")
        assert (bodies_after, size_after) == (bodies, size)
        assert_bodies_sound(where, folder)
        assert query(where, "SELECT count(*) FROM visit_bodies") >= [(visits,)]


def test_damage_is_found_and_said(
    make_crawler: MakeCrawler, place: tuple[Where, tuple[str, ...], Path], tmp_path: Path
) -> None:
    where, store, folder = place
    option = ("--data", str(tmp_path / "data"), *store)
    with TestWeb(hosts=1, pages_per_host=4) as web:
        crawler = make_crawler(web, *QUICK, *store)
        assert crawler.run(**SMALL).code == 0
        ((url, key, position),) = query(
            where,
            "SELECT u.url, s.key, b.position FROM visit_bodies v JOIN bodies b ON b.id = v.body_id"
            " JOIN segments s ON s.id = b.segment_id JOIN urls u ON u.id = v.url_id"
            " ORDER BY b.position DESC LIMIT 1",
        )
        file = folder / key
        content = bytearray(file.read_bytes())
        content[position + 20] ^= 255
        file.write_bytes(content)
        shown = run_tenax("body", url, *option)
        assert (shown.returncode, shown.stdout) == (1, b"")
        assert b"is damaged" in shown.stderr
        checked = run_tenax("bodies", "--check", *option)
        assert checked.returncode == 1
        assert b"1 stored body damaged" in checked.stderr
        file.unlink()
        assert b"is missing" in run_tenax("body", url, *option).stderr
        assert b"missing or cut off" in run_tenax("doctor", *option).stdout
        checked = run_tenax("bodies", "--check", *option)
        assert b"1 file with stored bodies missing" in checked.stderr
        assert query(where, "SELECT state FROM segments") == [("lost",)]
        assert b"1 file lost" in run_tenax("status", *option).stdout


def test_a_crawl_without_bodies_has_none(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=3) as web:
        crawler = make_crawler(web, "--delay", "0")
        assert crawler.run(**SMALL).code == 0
        assert not (tmp_path / "data" / "bodies").exists()
        shown = run_tenax("body", web.seeds()[0], "--data", str(tmp_path / "data"))
        assert (shown.returncode, shown.stdout) == (2, b"")
        assert b"is stored. A crawl with --store-bodies stores those of its pages." in shown.stderr


def test_bodies_move_with_their_crawl(make_crawler: MakeCrawler, tmp_path: Path, url: str) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with TestWeb(hosts=2, pages_per_host=5) as web:
        crawler = make_crawler(web, *QUICK)
        assert crawler.run(**SMALL, TENAX_FAILPOINT="settle.after:2").code == EXIT_CODE
        copied = subprocess.run(
            [str(COMMAND), "copy", "--from", str(crawler.data), "--to", str(tmp_path / "copy")],
            capture_output=True,
            env={**os.environ, **state},
            timeout=60,
        )
        assert copied.returncode == 0, copied.stderr
        assert make_crawler(web, *QUICK, data=tmp_path / "copy").run(**SMALL).code == 0
        found = assert_bodies_sound(tmp_path / "copy", tmp_path / "copy" / "bodies")
        assert_bodies_tidy(tmp_path / "copy", tmp_path / "copy" / "bodies")
        assert len(found) == 10
        assert_bodies_sound(crawler.data, crawler.data / "bodies")
