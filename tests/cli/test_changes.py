"""`tenax changes`: what it lists, in which order, and what it refuses."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tenax.clock import format_instant
from tenax.config.settings import Settings
from tenax.records.visits import Gone, Outcome
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.stores.place import Place
from tenax.stores.queries import changes
from tests.support.clock import START, FakeClock
from tests.support.command import COMMAND, run_tenax
from tests.support.store import LEASE_S, StoreWorker, make_fetched
from tests.support.stores import ESCAPE_TITLE

A, B = "https://a.example/", "https://b.example/"
WEEKS_S = 40 * 86_400.0
SHORT, LONG = "short", "a much longer text"


async def fill(place: Place, clock: FakeClock) -> None:
    """Of a.example one page changes and then goes; b.example has one that is new and stays."""
    async with find_backend(place).open_stores(place, clock) as stores:
        worker = StoreWorker(stores.frontier, stores.runs, clock)
        worker.run_id = (await stores.runs.open_run(Settings().model_dump_json())).id
        added = await stores.runs.add_worker(worker.run_id, "worker-of-changes", "localhost", 1, LEASE_S)
        assert added is not None
        worker.id = added
        await worker.add(A)
        outcomes: list[Outcome] = [
            make_fetched(SHORT, title="First"),
            make_fetched(LONG, title=ESCAPE_TITLE),
            Gone(status=404),
            Gone(status=404),
        ]
        for outcome in outcomes:
            lease = await worker.claim_one()
            await worker.visit_next(lease, outcome)
            await worker.release(lease)
            clock.advance(WEEKS_S)
            await stores.refresh.promote(RefreshBudget(domains=10, per_domain=10, limit=10, idle_s=1.0))
        for lease in await worker.claim():
            await worker.visit_next(lease, Gone(status=404))
            await worker.release(lease)
        await worker.add(B)
        lease = await worker.claim_one()
        await worker.visit_next(lease, make_fetched("=1+1", title=None))
        await worker.release(lease)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed") / "crawl"
    asyncio.run(fill(Place(folder=folder), FakeClock()))
    return folder


def list_json(data: Path, *options: str) -> list[dict[str, Any]]:
    ended = run_tenax("changes", "--data", data, "--json", *options)
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def test_changes_come_the_newest_first(changed: Path) -> None:
    assert [(each["kind"], each["url"]) for each in list_json(changed)] == [
        ("new", B),
        ("gone", A),
        ("changed", A),
        ("new", A),
    ]


def test_a_change_has_its_title_and_both_sizes_and_hashes(changed: Path) -> None:
    gone, moved = list_json(changed, "--domain", "a.example")[:2]
    assert moved["at"] == format_instant(START + WEEKS_S)
    assert (moved["title"], moved["domain"]) == (ESCAPE_TITLE, "a.example")
    assert (moved["old_bytes"], moved["new_bytes"]) == (len(SHORT), len(LONG))
    assert moved["old_hash"] != moved["new_hash"]
    assert (gone["old_bytes"], gone["new_bytes"], gone["title"]) == (len(LONG), None, ESCAPE_TITLE)
    assert (gone["old_hash"], gone["new_hash"]) == (moved["new_hash"], None)


@pytest.mark.parametrize("kind", ["new", "changed", "gone"])
def test_only_one_kind_is_listed(kind: str, changed: Path) -> None:
    assert {each["kind"] for each in list_json(changed, "--kind", kind)} == {kind}


def test_several_kinds_are_listed(changed: Path) -> None:
    found = list_json(changed, "--kind", "gone", "--kind", "changed")
    assert [each["kind"] for each in found] == ["gone", "changed"]


def test_only_what_is_later_is_listed(changed: Path) -> None:
    since = str(format_instant(START + WEEKS_S + 1))
    assert [each["kind"] for each in list_json(changed, "--since", since)] == ["new", "gone"]
    assert list_json(changed, "--since", "1s") == []


def test_no_more_than_the_limit_is_listed(changed: Path) -> None:
    assert [each["kind"] for each in list_json(changed, "--limit", "2")] == ["new", "gone"]


def test_a_url_names_its_domain(changed: Path) -> None:
    assert [each["url"] for each in list_json(changed, "--domain", B)] == [B]


def test_all_are_there_when_they_are_read_one_at_a_time(
    changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list_json(changed)
    monkeypatch.setattr(changes, "ROWS_AT_ONCE", 1)
    assert list_json(changed) == whole


def test_a_change_is_shown_with_sizes_and_hashes_and_a_clean_title(changed: Path) -> None:
    out = run_tenax("changes", "--data", changed).out
    assert "5 B → 18 B (+13 B), text " in out
    assert "changed  https://a.example/  “\\x1b]0;owned\\x07 [bold]markup" in out
    assert "\x1b" not in out


def test_no_changes_get_one_sentence(changed: Path) -> None:
    ended = run_tenax("changes", "--data", changed, "--since", "1s")
    assert (ended.code, ended.out) == (0, "No changes match.\n")


def test_an_unknown_domain_is_refused(changed: Path) -> None:
    ended = run_tenax("changes", "--data", changed, "--domain", "typo.example")
    assert (ended.code, ended.out) == (2, "")
    assert "There is no domain 'typo.example'" in ended.err


@pytest.mark.parametrize("since", ["yesterday", "2d ago", "", "2025-13-01"])
def test_a_moment_that_is_none_is_refused(since: str, changed: Path) -> None:
    ended = run_tenax("changes", "--data", changed, "--since", since)
    assert (ended.code, ended.out) == (2, "")
    assert "is not a time" in ended.err


def test_a_directory_without_a_crawl_is_refused(tmp_path: Path) -> None:
    ended = run_tenax("changes", "--data", tmp_path / "typo")
    assert ended.code == 1
    assert "There is no crawl in" in ended.err


def test_a_reader_that_has_had_enough_is_no_error(changed: Path) -> None:
    command = f"{COMMAND} changes --data {changed} --json | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


def test_pages_that_are_gone_are_not_exported_as_pages(changed: Path) -> None:
    exported = run_tenax("export", "pages", "--data", changed).out
    assert [json.loads(line)["url"] for line in exported.splitlines()] == [B]
    fates = {
        row["url"]: row["fate"]
        for row in map(json.loads, run_tenax("export", "urls", "--data", changed).out.splitlines())
    }
    assert fates == {A: "gone", B: "fetched"}
