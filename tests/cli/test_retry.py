"""`tenax retry` as its users meet it."""

import asyncio
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenax.records.domains import DomainState, DomainStatus
from tenax.records.requests import FailureKind
from tenax.runtime.backends import find_backend
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import Ended, run_tenax
from tests.support.postgres import fresh_database
from tests.support.store import StoreWorker, make_failed, make_visit
from tests.support.stores import SHOP, fill_place

USAGE, ERROR = 2, 1
DOWN = "https://down.example/"
BROKEN = [f"https://broken.example/{number}" for number in range(3)]

Run = Callable[..., Ended]


async def _give_up(place: Place) -> None:
    """Two urls that timed out, one that was answered with 500, and one that killed its reader."""
    async with find_backend(place).open_stores(place, FakeClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, FakeClock()).start()
        await worker.add(*BROKEN, "https://crash.example/")
        kinds = {BROKEN[0]: FailureKind.TIMEOUT, BROKEN[1]: FailureKind.TIMEOUT}
        for lease in await worker.claim():
            if lease.domain not in ("broken.example", "crash.example"):
                continue
            last = FailureKind.CRASH if lease.domain == "crash.example" else FailureKind.HTTP_STATUS
            visits = [
                make_visit(each, make_failed(kind=kinds.get(each.url, last)), at=worker.clock.now())
                for each in (await worker.head(lease)).targets
            ]
            await worker.settle_visits(lease, visits, state=DomainState(status=DomainStatus.ACTIVE))
            await worker.release(lease)


@pytest.fixture(params=["sqlite", "postgres"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """Runs a command in a crawl of its own."""
    if request.param == "sqlite":
        place = Place(folder=tmp_path)
        options: tuple[str | Path, ...] = ("--data", tmp_path)
        yield from _fill(place, options)
        return
    with fresh_database() as url:
        yield from _fill(Place(folder=tmp_path, url=url), ("--store", url, "--data", tmp_path))


def _fill(place: Place, options: tuple[str | Path, ...]) -> Iterator[Run]:
    fill_place(place, FakeClock())
    asyncio.run(_give_up(place))
    yield lambda command, *words: run_tenax(command, *words, *options)


@pytest.fixture
def full(tmp_path: Path) -> Run:
    """The same where it is enough to try one store."""
    return next(_fill(Place(folder=tmp_path), ("--data", tmp_path)))


def find_fates(crawl: Run) -> dict[str, str]:
    lines = crawl("export", "urls").out.splitlines()
    return {row["url"]: row["fate"] for row in map(json.loads, lines)}


def test_dead_urls_wait_again_and_are_counted_by_what_they_were(crawl: Run) -> None:
    ended = crawl("retry", "--dead")
    assert ended.code == 0, ended.err
    first, *rest = ended.out.splitlines()
    assert first == "4 urls queued for another visit: 2 timeout, 1 http_status, 1 no_such_host."
    assert rest[0].startswith("1 url waits for domains that are blocked or unreachable (down.example):")
    assert rest[1] == "Run 2 will visit them."
    fates = find_fates(crawl)
    assert {fates[url] for url in (*BROKEN, DOWN)} == {"queued"}
    assert fates["https://crash.example/"] == "quarantined"
    assert "all counters are correct" in crawl("domains", "rebuild", "--dry-run").out


def test_repeating_finds_nothing_to_do_and_succeeds(crawl: Run) -> None:
    crawl("retry", "--dead")
    ended = crawl("retry", "--dead")
    assert (ended.code, ended.out) == (0, "Nothing to do: no dead urls match.\n")


def test_a_dry_run_counts_and_changes_nothing(crawl: Run) -> None:
    before = find_fates(crawl)
    ended = crawl("retry", "--dead", "--dry-run")
    assert ended.out.startswith(
        "4 urls would be queued for another visit: 2 timeout, 1 http_status, 1 no_such_host.\n"
    )
    assert "1 url would wait for domains that are blocked" in ended.out
    assert find_fates(crawl) == before


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--reason", "timeout"], BROKEN[:2]),
        (["--reason", "http_5xx", "--reason", "no_such_host"], [BROKEN[2], DOWN]),
        (["--reason", "quarantined"], ["https://crash.example/"]),
        (["--domain", "https://BROKEN.example/some/page"], BROKEN),
        (["--run", "1"], [DOWN]),
        (["--run", "2", "--reason", "http_status"], [BROKEN[2]]),
        (["--matching", "example/1"], [BROKEN[1]]),
    ],
)
def test_filters_choose_what_was_given_up(crawl: Run, options: list[str], found: list[str]) -> None:
    before = find_fates(crawl)
    ended = crawl("retry", *options, "--json")
    assert json.loads(ended.out)["urls"] == len(found)
    after = find_fates(crawl)
    assert {url for url in after if after[url] != before[url]} == set(found)


def test_named_urls_are_visited_again_whatever_became_of_them(crawl: Run) -> None:
    ended = crawl("retry", f"{SHOP}/a", f"{SHOP}/gone", "https://crash.example/", f"{SHOP}/secret/plans")
    assert ended.code == 0, ended.err
    wait = "4 urls queued for another visit: 1 fetched, 1 gone, 1 quarantined, 1 refused."
    assert ended.out.splitlines() == [wait, "Run 2 will visit them."]
    assert find_fates(crawl)[f"{SHOP}/a"] == "fetched", "its page is still there"
    told = crawl("explain", f"{SHOP}/a").out
    assert "It is queued for another visit." in told


def test_explain_says_that_a_user_requested_it(full: Run) -> None:
    full("retry", BROKEN[2])
    told = full("explain", BROKEN[2]).out
    assert "queued: A user requested another visit; it is queued, the next one of its domain." in told
    assert "Before that it was dead: the server answered 500." in told


def test_urls_come_from_a_file_whose_bad_lines_are_skipped(full: Run, tmp_path: Path) -> None:
    file = tmp_path / "urls.txt"
    file.write_text("\n".join([BROKEN[0], "", "not an address", "# a remark", f"{SHOP}/wait-1", DOWN + "no"]))
    ended = full("retry", "--from", str(file), BROKEN[1])
    assert ended.code == 0
    assert "Skipped 1 bad line" in ended.err
    assert "line 3: 'not an address'" in ended.err
    assert ended.out.splitlines()[:4] == [
        "2 urls queued for another visit: 2 timeout.",
        "1 url already queued.",
        "1 url is not in this store:",
        f"  {DOWN}no",
    ]


def test_urls_come_from_standard_input(full: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{BROKEN[0]}\n".encode())))
    assert full("retry", "--from", "-").out.startswith("1 url queued for another visit: 1 timeout.\n")


def test_many_unknown_urls_are_counted_and_the_first_shown(full: Run) -> None:
    ended = full("retry", BROKEN[0], *(f"https://typo.example/{number}" for number in range(8)))
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[1] == "8 urls are not in this store:"
    assert lines[2:8] == [*(f"  https://typo.example/{number}" for number in range(5)), "  and 3 more"]


def test_it_fails_when_not_one_url_is_known(crawl: Run) -> None:
    ended = crawl("retry", "https://typo.example/", f"{SHOP}/typo")
    assert (ended.code, ended.out) == (ERROR, "")
    assert f": https://typo.example/, {SHOP}/typo;" in ended.err
    assert ended.err.startswith("tenax: None of 2 urls is in ")


def test_without_an_active_run_it_says_what_starts_one(full: Run, tmp_path: Path) -> None:
    full("runs", "cancel", "2")
    ended = full("retry", *BROKEN)
    assert f"or 'tenax refresh --data {tmp_path}', to visit them." in ended.out


@pytest.mark.parametrize(
    ("words", "complaint", "code"),
    [
        ([], "Give urls or --from FILE, or select dead urls with --dead,", USAGE),
        (["--dry-run"], "Give urls or --from FILE", USAGE),
        ([f"{SHOP}/a", "--kind", "product"], "Either name urls", USAGE),
        (["--source", "shop"], "--source needs --items, --kind or --invalid.", USAGE),
        (["--item", "1", "--kind", "product"], "Give --item alone, without --items, --kind and", USAGE),
        (["--item", "1", "--invalid"], "Give --item alone, without --items, --kind and --invalid.", USAGE),
        (["--item", "1", "--items"], "Give --item alone, without --items, --kind and --invalid.", USAGE),
        (["--items", "--dead"], "Either name urls", USAGE),
        (["--items", "--domain", "typo.example"], "There is no domain 'typo.example' in this store.", USAGE),
        ([f"{SHOP}/a", "--dead"], "Either name urls, or select dead ones with", USAGE),
        (["--from", "no.txt", "--run", "1"], "Either name urls", USAGE),
        (["--from", "no.txt"], "Cannot read the file no.txt: No such file or directory.", USAGE),
        (["ftp://a.example/"], "'ftp://a.example/' does not start with http:// or https://.", USAGE),
        (["--domain", "http://["], "is neither a domain nor a URL", USAGE),
        (["--domain", "typo.example"], "There is no domain typo.example in", ERROR),
        (["--run", "99"], "There is no run 99 in", ERROR),
        (["--reason", "bad-luck"], "is not one of 'dns', 'no_such_host',", USAGE),
        (["--run", "0"], "Invalid value for '--run'", USAGE),
        (["--run", "99999999999"], "Invalid value for '--run'", USAGE),
    ],
)
def test_what_cannot_be_done_gets_one_sentence(
    full: Run, words: list[str], complaint: str, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    before = find_fates(full)
    ended = full("retry", *words)
    assert (ended.code, ended.out) == (code, "")
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert find_fates(full) == before


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "contains no urls: it is empty."), ("not an address", "contains no urls; line 1:")],
)
def test_a_list_without_urls_is_refused(full: Run, tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "urls.txt"
    file.write_text(text)
    ended = full("retry", "--from", str(file))
    assert (ended.code, ended.out) == (USAGE, "")
    assert complaint in ended.err


def test_a_directory_without_a_crawl_is_not_made_one(tmp_path: Path) -> None:
    ended = run_tenax("retry", "--dead", "--data", tmp_path / "none")
    assert (ended.code, ended.out) == (ERROR, "")
    assert not (tmp_path / "none").exists()


def test_a_program_gets_one_object(full: Run) -> None:
    found = json.loads(full("retry", "--dead", "--json").out)
    assert found == {
        "urls": 4,
        "before": {"timeout": 2, "http_status": 1, "no_such_host": 1},
        "resting": 1,
        "resting_domains": ["down.example"],
        "trapped": 0,
        "closed": [],
        "waiting": 0,
        "unknown": 0,
        "first_unknown": [],
        "runs": [2],
        "bad_lines": 0,
        "dry_run": False,
    }
