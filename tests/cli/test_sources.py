"""`tenax sources` and `tenax apply`."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import Ended, run_tenax

FILE = """\
- name: News
  seeds: [https://example.com/]
  headers: {X-Key: s3cret}
  schedule: {interval_minutes: 6, interval_type: hours}
- name: Shop
  enabled: false
  seeds: [https://shop.example/]
  limits: {max_depth: 7}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sources.yaml"
    path.write_text(FILE)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "crawl"


def run(data: Path, *words: str | Path) -> Ended:
    ended = run_tenax(*words, "--data", data)
    assert ended.code == 0, ended.err
    return ended


def list_sources(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(data, "sources", "--json").out.splitlines()]


def test_a_source_is_added_and_listed(data: Path) -> None:
    scope = ("--scope", "site", "--exclude", "/private/", "--without", ".clock", "--max-pages", "9")
    words = ("example.com", "--every", "6h", *scope)
    ended = run(data, "sources", "add", "News", *words)
    assert ended.out == f"Added the source News to {data}; it is enabled.\n"
    (source,) = list_sources(data)
    assert source["definition"] == {
        "name": "News",
        "seeds": ["https://example.com/"],
        "scope": {"kind": "site", "exclude": ["/private/"]},
        "limits": {"max_pages": 9},
        "extract": {"without": [".clock"]},
        "schedule": {"interval_minutes": 6, "interval_type": "hours"},
    }
    assert source["job"]["state"] == "scheduled"
    listed = run(data, "sources", "list").out.splitlines()
    assert listed[1].split()[:6] == ["News", "enabled", "1", "6", "hours", "scheduled"]


def test_one_day_is_no_days(data: Path) -> None:
    run(data, "sources", "add", "News", "example.com", "--every", "1d")
    assert " 1 day  " in run(data, "sources", "list").out


def test_what_cannot_be_crawled_is_refused(data: Path) -> None:
    for words, complaint in (
        (("a", "ftp://example.com/"), "does not start with http"),
        (("a", "example.com", "--every", "soon"), "'soon' is not an interval: write 30m, 6h or 2d."),
        (("a", "example.com", "--only", "a ~ b"), "The selector 'a ~ b' cannot be used from '~ b' on"),
        (("a", "example.com", "--exclude", "("), "'(' is not a valid RE2 pattern"),
        ((" a", "example.com"), "without leading or trailing spaces"),
    ):
        ended = run_tenax("sources", "add", *words, "--data", data)
        assert (ended.code, complaint in ended.err) == (2, True), ended.err
    assert not data.exists()


def test_a_name_that_is_taken_is_refused(data: Path) -> None:
    run(data, "sources", "add", "News", "example.com")
    ended = run_tenax("sources", "add", "NEWS", "example.org", "--data", data)
    assert (ended.code, ended.err) == (1, "tenax: A source named News already exists.\n")


def test_a_source_is_disabled_and_enabled(data: Path) -> None:
    run(data, "sources", "add", "News", "example.com", "--every", "1d")
    assert "News is disabled: its job was paused" in run(data, "sources", "disable", "news").out
    assert list_sources(data)[0]["job"]["state"] == "paused"
    assert run(data, "sources", "enable", "news").out == "News is enabled: its job was resumed.\n"
    assert list_sources(data)[0]["job"]["state"] == "scheduled"


def test_an_unknown_source_is_named(data: Path) -> None:
    run(data, "sources", "add", "News", "example.com")
    for command in ("show", "enable", "disable", "remove"):
        ended = run_tenax("sources", command, "nws\x1b", "--data", data)
        assert (ended.code, "There is no source nws\\x1b in" in ended.err) == (2, True)


def test_a_source_is_removed(data: Path) -> None:
    run(data, "sources", "add", "News", "example.com")
    assert run(data, "sources", "remove", "news").out == f"Removed the source News from {data}.\n"
    assert run(data, "sources").out.startswith("No sources.")


def test_sync_says_what_it_did(data: Path, file: Path) -> None:
    run(data, "apply", "-f", file)
    assert run(data, "sources", "sync").out == "2 sources: 2 unchanged.\n"


def test_listing_creates_no_store(data: Path, file: Path) -> None:
    for words in (("sources",), ("sources", "sync")):
        assert run_tenax(*words, "--data", data).code == 1
    assert not data.exists()


# --- a file --------------------------------------------------------------------------------------------


def test_a_file_is_applied_and_applied_again(data: Path, file: Path) -> None:
    out = run(data, "apply", "-f", file).out
    assert out.splitlines()[0] == "+ News"
    assert "2 sources: 2 added.\n" in out
    assert "Warning for Shop: max_depth is 7" in out
    assert run(data, "apply", "-f", file).out.splitlines()[0] == "2 sources: 2 unchanged."


def test_a_dry_run_needs_no_store(tmp_path: Path, file: Path) -> None:
    ended = run_tenax("apply", "--dry-run", "-f", file, "--data", tmp_path / "none")
    assert ended.code == 0
    assert "nothing was changed" in ended.out
    assert not (tmp_path / "none").exists()


def test_a_dry_run_shows_the_difference_and_does_nothing(data: Path, file: Path) -> None:
    run(data, "apply", "-f", file)
    file.write_text("- {name: news, seeds: [https://example.com/, https://example.org/], delay_s: 2}\n")
    expected = """\
~ news
    delay_s: – → 2.0
    headers.X-Key: *** → –
    name: News → news
    schedule.interval_minutes: 6 → –
    schedule.interval_type: hours → –
    seeds: +https://example.org/
- Shop
2 sources: 1 changed, 1 removed (dry run: nothing was changed).
"""
    before = list_sources(data)
    assert run(data, "apply", "-f", file, "--prune", "--dry-run").out == expected
    assert list_sources(data) == before
    run(data, "apply", "-f", file, "--prune")
    assert [source["name"] for source in list_sources(data)] == ["news"]


def test_every_mistake_is_reported_and_nothing_is_written(data: Path, file: Path) -> None:
    file.write_text("- name: fine\n  seeds: [https://example.com/]\n- name: a\n  seed: []\n")
    ended = run_tenax("apply", "-f", file, "--data", data)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        f"{file}:3: The field seeds is missing.",
        f"{file}:4: Unknown field seed: did you mean seeds?",
    ]
    assert not data.exists()


def test_what_is_exported_changes_nothing_when_it_is_applied(
    data: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(data, "apply", "-f", file)
    exported = run(data, "sources", "export").out
    assert "s3cret" not in exported
    monkeypatch.setattr("sys.stdin", io.StringIO(exported))
    assert run(data, "apply", "-f", "-", "--prune").out.startswith("2 sources: 2 unchanged.")
    assert "X-Key: s3cret" in run(data, "sources", "export", "--with-headers").out


def test_no_secret_is_shown(data: Path, file: Path) -> None:
    for words in (("apply", "-f", file), ("sources", "show", "news"), ("sources", "show", "news", "--json")):
        assert "s3cret" not in run(data, *words).out
    assert "s3cret" not in run(data, "sources", "--json").out


def test_a_change_is_shown_as_json(data: Path, file: Path) -> None:
    told = json.loads(run(data, "apply", "-f", file, "--json").out)
    assert told["is_done"] is True
    assert [(each["change"], each["name"]) for each in told["sources"]] == [
        ("added", "News"),
        ("added", "Shop"),
    ]


@pytest.mark.parametrize(("text", "complaint"), [(b"\xff", "is not UTF-8"), (None, "Cannot read")])
def test_a_file_that_cannot_be_read_is_named(
    data: Path, file: Path, text: bytes | None, complaint: str
) -> None:
    file.unlink() if text is None else file.write_bytes(text)
    ended = run_tenax("apply", "-f", file, "--data", data)
    assert (ended.code, complaint in ended.err, str(file) in ended.err) == (2, True, True)


def test_a_source_that_cannot_be_read_is_shown_as_such_beside_the_others(data: Path, file: Path) -> None:
    run(data, "apply", "-f", file)
    newer = """UPDATE sources SET definition = '{"name": "News", "colour": 7}' WHERE name = 'News'"""
    asyncio.run(write_store(Place(folder=data), lambda connection: connection.exec_driver_sql(newer).close()))
    _, news, shop, sentence = run(data, "sources").out.splitlines()
    assert news.split()[:4] == ["News", "unreadable", "–", "–"]
    assert shop.split()[:3] == ["Shop", "disabled", "1"]
    assert sentence.startswith("The source 'News' cannot be read by this version of Tenax. ")
    assert sentence in run(data, "sources", "show", "news").out
    described = [json.loads(line) for line in run(data, "sources", "--json").out.splitlines()]
    assert [each["unreadable"] for each in described] == [sentence, None]
    assert f"News: {sentence}\n2 sources: 1 unchanged, 1 unreadable." in run(data, "sources", "sync").out
    assert "Shop" in run(data, "sources", "export").out
