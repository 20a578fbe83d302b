"""Every url gets exactly one fate, the right one, and `explain` tells it truthfully."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenax.config.settings import Settings
from tenax.runtime.crawls import explain_url
from tenax.runtime.engine import open_engine
from tenax.stores.place import Place
from tests.support.crawler import assert_sound
from tests.support.running import Crawled, build_settings, crawl, explain, query
from tests.support.scripted import Reply, Script, ScriptedWeb, moved, page, status, text

HOST = "a.test"
LONG = "The same words stand on two pages of this site. " * 10
PDF = Reply(body=b"%PDF-1.7", headers={"Content-Type": "application/pdf"})

SITE: dict[str, Script] = {
    "/": page(
        "Home",
        "/moved",
        "/pdf",
        "/missing",
        "/removed",
        "/noindex",
        "/broken",
        "/forbidden",
        "/private/x",
        "/canonical",
        "/twin-a",
        "/twin-b",
        "/nofollow",
        "/tagged",
        "/untyped",
        "/based",
        "mailto:x@a.test",
        "http://elsewhere.test/",
        "javascript:void(0)",
    ),
    "/robots.txt": text("User-agent: *\nDisallow: /private/\n"),
    "/moved": moved("/target"),
    "/target": page("Target"),
    "/pdf": PDF,
    "/removed": status(410),
    "/noindex": page("Not to be kept", "/from-noindex", head='<meta name="robots" content="noindex">'),
    "/from-noindex": page("Found on a page that is not kept"),
    "/nofollow": page("Do not follow", "/from-nofollow", head='<meta name="robots" content="nofollow">'),
    "/from-nofollow": page("Never found"),
    "/tagged": page("Tagged", "/from-tagged", headers={"X-Robots-Tag": "noindex, nofollow"}),
    "/broken": status(500),
    "/forbidden": status(403),
    "/canonical": page("A copy", head='<link rel="canonical" href="/target">'),
    "/twin-a": page("Twin", text=LONG),
    "/twin-b": page("Twin", text=LONG),
    "/untyped": Reply(body=b"<!doctype html><title>No type</title><p>Still a page."),
    "/based": page("Based", "relative", head='<base href="/deep/down/">'),
    "/deep/down/relative": page("Relative to the base"),
}

FATES = {
    "/": "fetched",
    "/moved": "redirected",
    "/target": "fetched",
    "/pdf": "skipped",
    "/missing": "gone",
    "/removed": "gone",
    "/noindex": "refused",
    "/from-noindex": "fetched",
    "/nofollow": "fetched",
    "/tagged": "refused",
    "/broken": "dead",
    "/forbidden": "dead",
    "/private/x": "refused",
    "/canonical": "duplicate",
    "/untyped": "fetched",
    "/based": "fetched",
    "/deep/down/relative": "fetched",
}


@dataclass(frozen=True)
class Crawl:
    crawled: Crawled
    web: ScriptedWeb

    def because(self, path: str) -> str:
        return explain(self.crawled, self.web.url(HOST, path)).because.replace(self.web.url(HOST, ""), "")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    with ScriptedWeb({HOST: SITE}) as web:
        return Crawl(crawl(tmp_path_factory.mktemp("fates"), [web.url(HOST)]), web)


@pytest.mark.parametrize(("path", "fate"), FATES.items())
def test_a_url_has_the_right_fate(path: str, fate: str, done: Crawl) -> None:
    assert done.crawled.fate(done.web.url(HOST, path)) == fate


def test_one_of_two_twins_is_the_duplicate_of_the_other(done: Crawl) -> None:
    twins = [done.crawled.urls[done.web.url(HOST, path)] for path in ("/twin-a", "/twin-b")]
    assert {twin.fate for twin in twins} == {"fetched", "duplicate"}
    (copy,) = [twin for twin in twins if twin.fate == "duplicate"]
    assert (copy.reason, copy.to_url) == ("content", next(twin.url for twin in twins if twin != copy))


def test_no_other_url_is_known(done: Crawl) -> None:
    paths = {*FATES, "/twin-a", "/twin-b"}
    assert set(done.crawled.urls) == {done.web.url(HOST, path) for path in paths}


def test_the_store_is_sound_and_nothing_is_left(done: Crawl) -> None:
    assert_sound(done.crawled.data)
    assert done.crawled.summary.leftover.urls == 0
    assert sum(done.crawled.summary.fates.values()) == len(done.crawled.urls)


def test_a_page_that_asks_not_to_be_kept_is_not_kept(done: Crawl) -> None:
    rows = query(done.crawled.data, "SELECT u.url FROM pages p JOIN urls u ON u.id = p.url_id")
    kept = {row[0] for row in rows}
    assert not kept & {done.web.url(HOST, path) for path in ("/noindex", "/tagged")}


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/moved", "It redirects to /target (status 302)."),
        (
            "/pdf",
            "It is not HTML but application/pdf: recorded, not downloaded. A crawl with --pdf"
            " (extract.content_types) reads the text of PDFs.",
        ),
        ("/missing", "The server says that it does not exist (status 404)."),
        ("/noindex", "A rule forbids it (noindex): the page asks not to be kept."),
        ("/broken", "It was given up after 4 attempts: the server answered 500."),
        ("/forbidden", "It was given up: the server answered 403."),
        ("/private/x", "A rule forbids it (robots): robots.txt line 2: Disallow: /private/."),
        (
            "/private/never",
            "A rule of this crawl forbids it (robots): robots.txt line 2: Disallow: /private/.",
        ),
        (
            "/never",
            "It was never seen: none of the followed links leads to it. The rules would admit it.",
        ),
    ],
)
def test_explain_tells_the_fate_in_a_sentence(path: str, sentence: str, done: Crawl) -> None:
    assert done.because(path) == sentence


def test_explain_tells_when_a_page_was_fetched(done: Crawl) -> None:
    assert done.because("/target").startswith("It was fetched at 20")


def test_explain_names_the_page_that_a_duplicate_repeats(done: Crawl) -> None:
    assert done.because("/canonical").endswith("its rel=canonical names /target.")


def test_explain_tells_where_a_url_was_found(done: Crawl) -> None:
    facts = explain(done.crawled, done.web.url(HOST, "/from-noindex")).facts
    assert any(fact.endswith(f"on {done.web.url(HOST, '/noindex')}, 2 links from a seed.") for fact in facts)


def test_explain_tells_which_links_are_not_followed(done: Crawl) -> None:
    assert explain(done.crawled, done.web.url(HOST, "/never")).facts[-1] == (
        "Links are not followed from pages 10 links from a seed, from pages that say nofollow,"
        " or beyond the first 1,000 links of a page."
    )


@pytest.mark.parametrize("address", ["mailto:x@a.test", "javascript:void(0)", "not a url", "", "http://["])
def test_explain_knows_what_is_no_web_address(address: str, done: Crawl) -> None:
    found = explain(done.crawled, address)
    assert (found.fate, found.reason) == ("not crawlable", "scheme")


def test_explain_names_the_scope_of_an_outsider(done: Crawl) -> None:
    found = explain(done.crawled, "http://elsewhere.test/")
    assert (found.fate, found.reason) == ("refused", "out_of_scope")
    assert HOST in found.because


def test_explain_agrees_with_the_store_about_every_url(done: Crawl) -> None:
    for url, stored in done.crawled.urls.items():
        found = explain(done.crawled, url)
        assert (found.url, found.fate, found.reason) == (url, stored.fate, stored.reason)
        assert found.because
        assert "None" not in found.because


# --- what is not over yet ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def half_done(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    hrefs = [f"/{number}" for number in range(6)]
    paths: dict[str, Script] = {"/": page("Home", *hrefs), **{href: page(href) for href in hrefs}}
    with ScriptedWeb({HOST: paths}) as web:
        data = tmp_path_factory.mktemp("half")
        return Crawl(crawl(data, [web.url(HOST)], limits={"max_pages": 3}), web)


def test_queued_urls_stand_behind_each_other(half_done: Crawl) -> None:
    waiting = [url for url in half_done.crawled.urls.values() if url.fate == "queued"]
    sentences = {explain(half_done.crawled, url.url).because for url in waiting}
    assert sentences == {
        "It is queued for its first visit, the next one of its domain.",
        "It is queued for its first visit, behind 1 other url of its domain.",
        "It is queued for its first visit, behind 2 other urls of its domain.",
        "It is queued for its first visit, behind 3 other urls of its domain.",
    }


def test_a_queued_url_of_an_ended_run_says_how_to_go_on(half_done: Crawl) -> None:
    (url, *_) = [url.url for url in half_done.crawled.urls.values() if url.fate == "queued"]
    facts = explain(half_done.crawled, url).facts
    assert "No run is active: run the same crawl command to continue." in facts


def test_a_url_of_a_resting_domain_says_until_when(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": status(429, Retry_After="7200")}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)])
    found = explain(crawled, web.url(HOST))
    assert found.fate == "retrying"
    assert "the server answered 429" in found.because
    assert any(fact.startswith("It asked for a pause until ") for fact in found.facts)


def test_a_url_of_an_unreachable_domain_says_why_and_until_when(tmp_path: Path) -> None:
    crawled = crawl(tmp_path, ["http://127.0.0.1:9/"], robots={"timeout_s": 0.2})
    found = explain(crawled, "http://127.0.0.1:9/")
    assert found.fate == "queued"
    assert any(fact.startswith("127.0.0.1:9 is unreachable (connection_failed): ") for fact in found.facts)


def test_a_leased_url_names_the_process_that_holds_its_domain(tmp_path: Path) -> None:
    slow: dict[str, Script] = {"/": page("Home", "/x"), "/x": page("Slow", delay_s=1.5)}

    async def scenario(web: ScriptedWeb) -> list[str]:
        async with open_engine(Place(folder=tmp_path), build_settings()) as engine:
            task = asyncio.create_task(engine.crawl([web.url(HOST)]))
            while "/x" not in web.asked(HOST):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            found = await explain_url(Place(folder=tmp_path), web.url(HOST, "/x"), Settings())
            engine.stop(ends_run=True)
            await task
        return list(found.facts)

    with ScriptedWeb({HOST: slow}) as web:
        facts = asyncio.run(scenario(web))
    assert any(f"{HOST}:{web.port} is leased by process " in fact for fact in facts)
