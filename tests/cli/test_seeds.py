"""`tenax seeds` and `tenax seeds import`."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tenax.cli.seeds import imports as seed_imports
from tests.support.command import COMMAND, run_tenax
from tests.support.postgres import Console, fresh_database
from tests.support.redis_server import RedisServer
from tests.support.running import query


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "list.csv") -> str:
    Path(name).write_text(text)
    return name


def import_json(*arguments: str) -> dict[str, Any]:
    ended = run_tenax("seeds", "import", *arguments, "--json")
    assert ended.code == 0, ended.err
    report: dict[str, Any] = json.loads(ended.out)
    return report


def list_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_tenax("seeds", *arguments, "--json").out)
    return found


def complain(*arguments: str) -> str:
    ended = run_tenax("seeds", "import", *arguments)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


# --- import ------------------------------------------------------------------------------------------


def test_a_rank_list_is_imported_and_reported() -> None:
    ended = run_tenax("seeds", "import", write("1,a.test\n2,b.test\n"), "--source", "tranco_20260205")
    assert ended.out.splitlines() == [
        "Imported 2 new seeds from tranco_20260205 into crawl.",
        "  new domains      2",
        "  better rank      0",
        "  already known    0",
        "  bad lines        0",
    ]
    assert query(Path("crawl"), "SELECT name, status, source, seed_rank FROM domains ORDER BY id") == [
        ("a.test", "pending", "tranco_20260205", 1),
        ("b.test", "pending", "tranco_20260205", 2),
    ]


def test_importing_twice_says_so() -> None:
    name = write("1,a.test\n")
    run_tenax("seeds", "import", name)
    ended = run_tenax("seeds", "import", name)
    assert ended.code == 0
    assert ended.out.startswith("Nothing new: crawl already has all seeds of list.\n")


def test_the_first_bad_lines_are_named_and_the_rest_counted() -> None:
    name = write("a.test\n" + "no address\n" * 9 + "b.test\n")
    report = import_json(name)
    assert (report["seeds"], report["usable"], report["bad"], report["lines"]) == (2, 2, 9, 11)
    assert [bad["number"] for bad in report["bad_lines"]] == [2, 3, 4, 5, 6]
    shown = run_tenax("seeds", "import", name).out
    assert "    line 2: 'no address' is not a web address; write it like https://example.com/\n" in shown


def test_bytes_of_any_kind_can_be_shown(folder: Path) -> None:
    (folder / "list.csv").write_bytes(b"a.test\n\xff\xfe\0\x1b[31m\n")
    assert import_json("list.csv")["bad"] == 1
    assert "\x1b" not in run_tenax("seeds", "import", "list.csv").out


def test_a_list_without_seeds_is_one_sentence_and_makes_no_store(folder: Path) -> None:
    complaint = complain(write("no address\nword\n"))
    assert complaint == (
        "tenax: list.csv holds no seeds; line 1: 'no address' is not a web address;"
        " write it like https://example.com/.\n"
    )
    assert not (folder / "crawl").exists()


def test_an_empty_list_is_one_sentence() -> None:
    assert complain(write("# nothing yet\n\n")) == "tenax: list.csv holds no seeds: it is empty.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--key", "list"],
        ["--redis", "redis://127.0.0.1:1"],
        ["list.csv", "--redis", "redis://h", "--key", "k"],
    ],
)
def test_where_the_list_is_must_be_clear(arguments: list[str]) -> None:
    assert complain(*arguments).count("\n") == 1


@pytest.mark.parametrize("source", ["", "x" * 101, "a\nb"])
def test_a_list_has_a_name_that_can_be_shown(source: str) -> None:
    assert "--source" in complain(write("a.test\n"), "--source", source)


def test_a_list_is_called_after_its_file_or_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    assert import_json(write("a.test\n", "top-1m.csv.gz.txt"))["source"] == "top-1m"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"b.test\n")))
    assert import_json("-")["source"] == "stdin"


def test_a_list_is_imported_chunk_by_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed_imports, "SEEDS_AT_ONCE", 2)
    report = import_json(write("".join(f"{rank},s{rank}.test\n" for rank in range(1, 8))))
    assert (report["seeds"], report["domains"]) == (7, 7)


def test_data_may_stand_before_import(folder: Path) -> None:
    run_tenax("seeds", "--data", "other", "import", write("a.test\n"))
    assert (folder / "other" / "tenax.db").exists()


def test_a_list_goes_into_a_database() -> None:
    with fresh_database() as url, closing(Console(url)) as console:
        run_tenax("migrate", "--store", url)
        name = write("3,a.test\n")
        assert import_json(name, "--store", url)["seeds"] == 1
        assert import_json(name, "--store", url)["seeds"] == 0
        assert list_json("--store", url)["seeds"][0]["rank"] == 3
        assert console.query("SELECT source, seed_rank FROM domains") == [("list", 3)]


LINES = "".join(f"{rank},s{rank}.test\n" for rank in range(1, 20_001))


def end_midway(folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Import most of the lines from a pipe, and send a signal while it waits for the rest of them."""
    process = subprocess.Popen(
        [COMMAND, "seeds", "import", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(LINES[: len(LINES) * 3 // 4].encode())
        process.stdin.flush()
        wait_for_seeds(folder / "crawl", process)
        process.send_signal(number)
        code = process.wait(30)
        return code, process.stderr.read().decode()


def test_an_import_that_waits_can_be_stopped(folder: Path) -> None:
    code, said = end_midway(folder, signal.SIGINT)
    assert code == 3
    # On a slow machine it has reported its progress before.
    assert said.splitlines()[-1] == "Stopped. Run the same command to continue."


def test_an_import_that_is_killed_continues_when_it_is_repeated(folder: Path) -> None:
    end_midway(folder, signal.SIGKILL)
    before = query(folder / "crawl", "SELECT count(*) FROM seeds")[0][0]
    assert before % seed_imports.SEEDS_AT_ONCE == 0
    assert import_json(write(LINES))["seeds"] == 20_000 - before
    assert query(folder / "crawl", "SELECT count(*), sum(queued), sum(pages_discovered) FROM domains") == [
        (20_000, 20_000, 20_000)
    ]


def wait_for_seeds(data: Path, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        is_ready = (data / "tenax.db").exists() and query(data, "SELECT 1 FROM sqlite_master LIMIT 1")
        if is_ready and query(data, "SELECT count(*) FROM seeds") > [(0,)]:
            return
    raise AssertionError("it ended by itself")


# --- Redis -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


def import_key(redis: RedisServer, key: str) -> dict[str, Any]:
    return import_json("--redis", redis.url, "--key", key)


def test_a_list_in_redis_is_read_and_left_there(redis: RedisServer) -> None:
    redis.ask("RPUSH", "list", *(f"https://s{number}.test/" for number in range(2500)))
    report = import_key(redis, "list")
    assert (report["source"], report["seeds"]) == ("list", 2500)
    assert redis.ask("LLEN", "list") == 2500


def test_the_redis_may_be_named_in_the_settings(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_REDIS__URL", redis.url)
    redis.ask("RPUSH", "one", "a.test")
    assert import_json("--key", "one")["seeds"] == 1


def test_a_set_in_redis_is_read_and_left_there(redis: RedisServer) -> None:
    redis.ask("SADD", "set", *(f"s{number}.test" for number in range(2500)))
    assert import_key(redis, "set")["seeds"] == 2500
    assert redis.ask("SCARD", "set") == 2500


def test_scores_of_a_sorted_set_are_ranks_where_they_can_be(redis: RedisServer) -> None:
    redis.ask("ZADD", "zset", 7, "a.test", 0.5, "b.test", 9, "3,c.test")
    import_key(redis, "zset")
    ranks = query(Path("crawl"), "SELECT name, seed_rank FROM domains ORDER BY name")
    assert ranks == [("a.test", 7), ("b.test", None), ("c.test", 3)]


def test_members_that_are_no_seeds_are_counted(redis: RedisServer) -> None:
    redis.ask("RPUSH", "mixed", "a.test", "no address", b"\xff\0")
    report = import_key(redis, "mixed")
    assert (report["seeds"], report["bad"]) == (1, 2)


def test_a_key_that_is_not_there_is_one_sentence(redis: RedisServer) -> None:
    complaint = complain("--redis", redis.url, "--key", "nothing")
    assert complaint == f"tenax: There is no key 'nothing' in Redis at 127.0.0.1:{redis.port}.\n"


def test_a_key_of_another_kind_is_one_sentence(redis: RedisServer) -> None:
    redis.ask("SET", "word", "a.test")
    assert "is a string, not a list or a set" in complain("--redis", redis.url, "--key", "word")


def test_a_redis_that_is_not_there_is_one_sentence() -> None:
    ended = run_tenax("seeds", "import", "--redis", "redis://:hush@127.0.0.1:1", "--key", "list")
    assert ended.code == 1
    assert ended.err.startswith("tenax: Redis at 127.0.0.1:1 cannot be read: ")
    assert ended.err.count("\n") == 1


# --- list --------------------------------------------------------------------------------------------


@pytest.fixture
def filled() -> None:
    run_tenax("seeds", "import", write("5,a.test\n6,b.test\n"), "--source", "one")
    run_tenax("seeds", "import", write("1,c.test\n2,b.test\nplain.test\n"), "--source", "two")


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("command", [["seeds"], ["seeds", "list"]])
def test_seeds_are_listed_by_rank_under_their_sources(command: list[str]) -> None:
    lines = [line.split()[:3] for line in run_tenax(*command).out.splitlines()]
    assert lines == [
        ["SOURCE", "SEEDS", "RANKS"],
        ["two", "3", "1–2"],
        ["one", "1", "5–5"],
        [],
        ["RANK", "SEED", "SOURCE"],
        ["1", "https://c.test/", "two"],
        ["2", "https://b.test/", "two"],
        ["5", "https://a.test/", "one"],
        ["https://plain.test/", "two", *lines[-1][2:]],
    ]


@pytest.mark.usefixtures("filled")
def test_seeds_of_one_source_are_listed_alone() -> None:
    found = list_json("--source", "one")
    assert [seed["url"] for seed in found["seeds"]] == ["https://a.test/"]
    assert [(each["source"], each["seeds"]) for each in found["sources"]] == [("one", 1)]


@pytest.mark.usefixtures("filled")
def test_a_limit_says_how_many_are_left_out() -> None:
    assert run_tenax("seeds", "--limit", "1").out.endswith("… and 3 more: --limit 4 shows all.\n")


def test_seeds_given_as_arguments_have_no_source(data: Path) -> None:
    assert "(manual)" in run_tenax("seeds", "--data", data).out


def test_a_crawl_takes_a_rank_list_too() -> None:
    name = write("1,a.invalid\n")
    ended = run_tenax("crawl", "--seeds", name, "--resolve", "*:127.0.0.1", "--json")
    assert ended.code == 4
    assert query(Path("crawl"), "SELECT url, cause FROM seeds") == [("https://a.invalid/", "user")]
