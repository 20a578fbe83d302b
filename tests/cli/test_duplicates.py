"""`tenax duplicates`, and what `export` and `explain` say about near-duplicates."""

import asyncio
import json
from pathlib import Path

import pytest

from tenax.runtime.backends import find_backend
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import run_tenax
from tests.support.store import StoreWorker, make_fetched, make_visit

NEWS = "https://news.example"
LONG = "the same text again. " * 20


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages that nearly repeat a fourth, a page with the same text as another, and one of its own."""
    data = tmp_path_factory.mktemp("similar") / "crawl"
    asyncio.run(_fill(data))
    return data


async def _fill(data: Path) -> None:
    pages = {
        "a": make_fetched("a", title="First", simhash=0b1000),
        "b": make_fetched("b", simhash=0b1001),
        "c": make_fetched("c", simhash=0b1011),
        "d": make_fetched(LONG, simhash=None),
        "e": make_fetched(LONG, simhash=None),
        "f": make_fetched("f", simhash=-1),
    }
    async with find_backend(Place(folder=data)).open_stores(Place(folder=data), FakeClock()) as stores:
        own = stores.of_source((await stores.crawls.ensure("news")).id)
        worker = await StoreWorker(own.frontier, own.runs, FakeClock()).start()
        for name in pages:
            await worker.add(f"{NEWS}/{name}")
        lease = await worker.claim_one()
        targets = {target.url.rpartition("/")[2]: target for target in (await worker.head(lease)).targets}
        visits = [make_visit(targets[name], pages[name], at=worker.clock.now()) for name in pages]
        await worker.settle_visits(lease, visits)


def test_clusters_are_listed_with_their_members(crawled: Path) -> None:
    ended = run_tenax("duplicates", "--data", crawled)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        f"{NEWS}/a  “First”",
        f"    near      {NEWS}/b  (1 of 64 bits differ)",
        f"    near      {NEWS}/c  (2 of 64 bits differ)",
        f"{NEWS}/d  “A title”",
        f"    exact     {NEWS}/e",
    ]


@pytest.mark.parametrize(
    ("options", "originals"),
    [
        (("--kind", "near"), ["a"]),
        (("--kind", "exact"), ["d"]),
        (("--domain", "news.example"), ["a", "d"]),
        (("--domain", "other.example"), []),
        (("--source", "news"), ["a", "d"]),
        (("--limit", "1"), ["a"]),
    ],
)
def test_clusters_are_filtered(crawled: Path, options: tuple[str, ...], originals: list[str]) -> None:
    lines = run_tenax("duplicates", "--json", *options, "--data", crawled).out.splitlines()
    assert [json.loads(line)["url"] for line in lines] == [f"{NEWS}/{name}" for name in originals]


def test_json_has_sizes_and_members(crawled: Path) -> None:
    first = json.loads(run_tenax("duplicates", "--json", "--data", crawled).out.splitlines()[0])
    assert (first["size"], first["near"], first["exact"]) == (3, 2, 0)
    assert [(each["likeness"], each["bits"]) for each in first["members"]] == [("near", 1), ("near", 2)]


def test_a_list_that_goes_on_says_so(crawled: Path) -> None:
    ended = run_tenax("duplicates", "--limit", "1", "--data", crawled)
    assert ended.out.splitlines()[-1] == "The first 1 cluster. Use --limit for more."


def test_a_crawl_without_duplicates_says_so(data: Path) -> None:
    assert run_tenax("duplicates", "--data", data).out == "No page repeats another.\n"


def test_an_unknown_source_is_refused(crawled: Path) -> None:
    ended = run_tenax("duplicates", "--source", "typo", "--data", crawled)
    assert (ended.code, ended.out) == (2, "")
    assert "There is no source or crawl 'typo' in this store" in ended.err


def test_exported_pages_have_their_fingerprint_and_their_original(crawled: Path) -> None:
    lines = run_tenax("export", "pages", "--data", crawled).out.splitlines()
    found = {page["url"].rpartition("/")[2]: page for page in map(json.loads, lines)}
    assert (found["a"]["simhash"], found["a"]["near_duplicate_of"]) == ("0000000000000008", None)
    assert (found["b"]["simhash"], found["b"]["near_duplicate_of"]) == ("0000000000000009", f"{NEWS}/a")
    assert found["f"]["simhash"] == "ffffffffffffffff"
    assert found["d"]["simhash"] is None


def test_explain_names_the_original(crawled: Path) -> None:
    told = run_tenax("explain", f"{NEWS}/c", "--data", crawled).out
    assert f"It is nearly the same as {NEWS}/a (2 of 64 bits differ)." in told
