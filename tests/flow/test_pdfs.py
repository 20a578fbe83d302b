"""Crawls that read PDFs, on both stores; hostile ones cost their own visit and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    Crawler,
    Ended,
    Where,
    assert_at_rest,
    assert_sound,
    query,
    read_pages,
    wait_until,
)
from tests.support.pdfs import (
    PdfPage,
    bomb_pdf,
    build_pdf,
    encrypted_pdf,
    nested_forms_pdf,
    scanned_pdf,
    slow_pdf,
    text_pdf,
)
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, page

HOST = "docs.test"
PDF = "application/pdf"
QUICK = ("--delay", "0")
TEXT = ("Annual report", "The ferry between the two islands returned on Monday after a year of repairs.")
GOOD = build_pdf(
    [PdfPage(lines=TEXT, links=("/from-pdf",)), PdfPage(lines=("The second page.",))], title="Report 2025"
)


def pdf(body: bytes, content_type: str = PDF, **headers: str) -> Reply:
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body=body, headers={"Content-Type": content_type, **said})


def serve(**pdfs: Script) -> ScriptedWeb:
    paths = {f"/{name}": script for name, script in pdfs.items()}
    return ScriptedWeb({HOST: {"/": page("Home", *paths), "/from-pdf": page("Found"), **paths}})


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    return tmp_path / "data" if request.param == "sqlite" else request.getfixturevalue("url")


def make(make_crawler: MakeCrawler, web: ScriptedWeb, where: Where, *options: str) -> Crawler:
    stored = ("--store", where) if isinstance(where, str) else ()
    return make_crawler(web, *QUICK, *stored, *options, seeds=[web.url(HOST)])


def check(ended: Ended, where: Where) -> dict[str, Any]:
    assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
    assert_sound(where)
    assert_at_rest(where)
    return ended.report


def list_fates(where: Where) -> dict[str, tuple[str, str | None, str | None]]:
    rows = query(where, "SELECT url, fate, reason, detail FROM urls")
    return {url.rpartition("/")[2]: (fate, reason, detail) for url, fate, reason, detail in rows}


@pytest.fixture
def good() -> Iterator[ScriptedWeb]:
    with serve(report=pdf(GOOD)) as web:
        yield web


def test_a_pdf_is_a_page_whose_links_are_followed(
    where: Where, make_crawler: MakeCrawler, good: ScriptedWeb
) -> None:
    check(make(make_crawler, good, where, "--pdf", "--markdown").run(), where)
    found = read_pages(where)[good.url(HOST, "/report")]
    assert found.text == "\n".join((*TEXT, "The second page."))
    assert [link.url for link in found.links] == [good.url(HOST, "/from-pdf")]
    ((title, kind),) = query(where, "SELECT title, content_type FROM pages WHERE title LIKE 'Report%'")
    assert (title, kind) == ("Report 2025", PDF)
    assert list_fates(where)["from-pdf"][0] == "fetched"


def test_by_default_pdfs_are_not_downloaded(
    where: Where, make_crawler: MakeCrawler, good: ScriptedWeb
) -> None:
    check(make(make_crawler, good, where).run(), where)
    assert list_fates(where)["report"] == ("skipped", "type", PDF)
    assert "from-pdf" not in list_fates(where)


def test_once_they_are_wanted_those_that_were_skipped_are_fetched(
    where: Where, make_crawler: MakeCrawler, good: ScriptedWeb
) -> None:
    check(make(make_crawler, good, where).run(), where)
    report = check(make(make_crawler, good, where, "--pdf").run(), where)
    assert report["pages"] == 2, "the PDF, and the page it links to"
    assert list_fates(where)["report"] == ("fetched", None, None)
    assert check(make(make_crawler, good, where, "--pdf").run(), where)["requests"] == 0


def test_what_cannot_be_read_costs_its_own_visit_and_says_why(
    where: Where, make_crawler: MakeCrawler
) -> None:
    hostile = {
        "encrypted": encrypted_pdf("secret"),
        "scan": scanned_pdf(),
        "broken": GOOD[:400],
        "login": b"<p>Please log in",
        "bomb": bomb_pdf(),
        "forms": nested_forms_pdf(),
        "slow": slow_pdf(),
    }
    with serve(good=pdf(GOOD), **{name: pdf(body) for name, body in hostile.items()}) as web:
        crawler = make(make_crawler, web, where, "--pdf")
        check(crawler.run(TENAX_READER__MEMORY_MB="200", TENAX_READER__CPU_S="2"), where)
    fates = list_fates(where)
    assert fates["good"][0] == fates["from-pdf"][0] == "fetched"
    assert {name: fates[name] for name in ("encrypted", "scan", "broken", "login")} == {
        "encrypted": ("dead", "content", "the PDF is encrypted with a password"),
        "scan": ("dead", "content", "the PDF has no text: its pages are probably scans"),
        "broken": ("dead", "content", "the PDF is damaged or cut off"),
        "login": ("dead", "content", "the server says that it is a PDF, and it is none"),
    }
    assert [fates[name][:2] for name in ("bomb", "forms", "slow")] == [
        ("dead", "reader_memory"),
        ("dead", "reader_memory"),
        ("dead", "reader_time"),
    ]
    assert query(where, "SELECT count(*) FROM urls WHERE crashes > 0") == [(0,)]
    assert query(where, "SELECT count(*) FROM workers") == [(1,)], "the worker was never replaced"


def test_one_that_crashes_its_reader_is_quarantined(where: Where, make_crawler: MakeCrawler) -> None:
    with serve(good=pdf(GOOD), crash=pdf(text_pdf("x"))) as web:
        check(make(make_crawler, web, where, "--pdf").run(TENAX_FAILPOINT="read@/crash!SIGSEGV"), where)
    fates = list_fates(where)
    assert fates["good"][0] == "fetched"
    assert fates["crash"] == ("quarantined", "crash", "twice, its reader died of SIGSEGV")


def test_headers_and_types_are_respected(where: Where, make_crawler: MakeCrawler) -> None:
    linked = {name: text_pdf(f"Text of {name}", links=(f"/by-{name}",)) for name in ("noindex", "nofollow")}
    tagged = {name: pdf(body, X_Robots_Tag=name) for name, body in linked.items()}
    unknown = pdf(text_pdf("No type"), "application/octet-stream")
    named = pdf(
        text_pdf("Named"), "application/octet-stream", Content_Disposition='attachment; filename="n.pdf"'
    )
    with serve(**tagged, **{"unknown.pdf": unknown, "program": unknown, "get": named}) as web:
        check(make(make_crawler, web, where, "--pdf").run(), where)
    fates = list_fates(where)
    assert fates["noindex"][:2] == ("refused", "noindex")
    assert "by-noindex" in fates
    assert fates["nofollow"][0] == "fetched"
    assert "by-nofollow" not in fates
    assert [fates[name][0] for name in ("unknown.pdf", "get", "program")] == ["fetched", "fetched", "skipped"]
    kinds = query(where, "SELECT content_type FROM pages WHERE title IN ('No type', 'Named')")
    assert {kind for (kind,) in kinds} == {PDF}


def test_a_revisit_is_conditional_and_notices_changes(where: Where, make_crawler: MakeCrawler) -> None:
    same = in_turn(pdf(text_pdf("The same"), ETag='"1"'), Reply(status=304))
    other = in_turn(pdf(text_pdf("The first text")), pdf(text_pdf("Another text")))
    with serve(same=same, other=other) as web:
        make(make_crawler, web, where, "--pdf").run()
        check(make(make_crawler, web, where, "--pdf", "--recrawl", "all").run(), where)
        asked = [each for each in web.requests() if each.path == "/same"]
        assert asked[1].if_none_match == '"1"'
    changes = query(
        where, "SELECT u.url, c.kind FROM changes c JOIN urls u ON u.id = c.url_id WHERE c.kind = 'changed'"
    )
    assert [(url.rpartition("/")[2], kind) for url, kind in changes] == [("other", "changed")]


def test_pdfs_with_the_same_text_are_duplicates(where: Where, make_crawler: MakeCrawler) -> None:
    lines = (TEXT[1],) * 5
    with serve(one=pdf(text_pdf(*lines, title="One")), two=pdf(text_pdf(*lines, title="Two"))) as web:
        check(make(make_crawler, web, where, "--pdf").run(), where)
    fates = list_fates(where)
    assert {fates[name][0] for name in ("one", "two")} == {"fetched", "duplicate"}


def test_a_crawl_that_is_killed_while_a_pdf_is_read_loses_nothing(
    where: Where, make_crawler: MakeCrawler, good: ScriptedWeb
) -> None:
    crawler = make(make_crawler, good, where, "--pdf")
    process = crawler.start(TENAX_FAILPOINT="reader.answer@/report!SIGSTOP")
    wait_until(lambda: "/report" in good.paths(HOST), "the PDF was asked for")
    wait_until(process.list_readers, "it is being read")
    process.kill()
    check(crawler.run(), where)
    assert list_fates(where)["report"] == ("fetched", None, None)
    assert len(read_pages(where)) == 3


def test_parsers_do_not_see_pdfs(where: Where, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    parsers = tmp_path / "parsers.yaml"
    parsers.write_text("name: titles\nfields:\n  title: {css: title}\n")
    same = in_turn(pdf(text_pdf("The same"), ETag='"1"'), Reply(status=304))
    with serve(same=same) as web:
        options = ("--pdf", "--parsers", str(parsers))
        check(make(make_crawler, web, where, *options).run(), where)
        check(make(make_crawler, web, where, *options, "--recrawl", "all").run(), where)
        asked = [each for each in web.requests() if each.path == "/same"]
        assert asked[1].if_none_match == '"1"', "it is not requested again for parsers"
    items = query(where, "SELECT key FROM items")
    assert [key.rpartition(":")[2].partition("/")[2] for (key,) in items] == [""]
