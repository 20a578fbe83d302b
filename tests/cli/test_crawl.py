"""`tenax crawl` as its users meet it: bad input, what it prints, its exit codes."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.support.command import COMMAND, Ended, run_tenax
from tests.support.scripted import ScriptedWeb, page, status

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0")
SITE = {"/": page("Home", "/one"), "/one": page("One")}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in an empty directory, with one worker: a process with threads cannot fork more."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_WORKER__PROCESSES", "1")
    return tmp_path


def crawl(web: ScriptedWeb, *options: str) -> Ended:
    return run_tenax("crawl", web.url("a.test"), *QUICK, *options)


def expect_complaint(ended: Ended, code: int) -> str:
    """One line on stderr, nothing on stdout."""
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("tenax: ")
    assert ended.err.count("\n") == 1
    return ended.err.removeprefix("tenax: ").strip()


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Nothing to crawl: give a URL, as in 'tenax crawl https://example.com/'."),
        (["htp://a.test/"], "'htp://a.test/' does not start with http:// or https://."),
        (["ftp://a.test/"], "'ftp://a.test/' does not start with http:// or https://."),
        (["example"], "'example' is not a web address; write it like https://example.com/."),
        (["exa mple.com"], "'exa mple.com' is not a web address; write it like https://example.com/."),
        (["https://"], "'https://' is not a web address; write it like https://example.com/."),
        ([""], "'' is not a web address; write it like https://example.com/."),
        (["a.test", "--include", "("], "--include '(' is not a valid RE2 pattern: missing ): (."),
        (["a.test", "--exclude", ""], "--exclude is empty, which would match every URL."),
        (
            ["a.test", "--without", "h1, .clock"],
            "The selector 'h1, .clock' cannot be used because of its comma. Give each selector separately.",
        ),
        (
            ["a.test", "--ignore-parameter", ""],
            "The setting scope.merge_rules.0.ignore_parameters.0 is not valid: string should have at least 1"
            " character (got '').",
        ),
        (
            ["a.test", "--resolve", "a.test"],
            '"a.test" is not a HOST:IP pair. Write, for example, shop.example:192.0.2.7'
            " or *:[2001:db8::7], without a port.",
        ),
        (
            ["a.test", "--delay", "-1"],
            "The setting politeness.delay_s is not valid: input should be greater than or equal to 0"
            " (got -1.0).",
        ),
        (
            ["a.test", "--user-agent", "me\r\nHost: b.test"],
            "The user agent and the contact must be one line of printable characters.",
        ),
        (["--seeds", "no.txt"], "Cannot read the file no.txt: No such file or directory."),
        (
            ["a.test", "--config", "no.toml"],
            "Cannot read the settings file no.toml: No such file or directory.",
        ),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_nothing_behind(
    arguments: list[str], complaint: str, folder: Path
) -> None:
    assert expect_complaint(run_tenax("crawl", *arguments), 2) == complaint
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["--bogus"], ["a.test", "--max-pages", "many"], ["a.test", "--scope", "galaxy"]]
)
def test_a_wrong_option_is_a_usage_error(arguments: list[str], folder: Path) -> None:
    ended = run_tenax("crawl", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert arguments[-1] in ended.err or "integer" in ended.err
    assert list(folder.iterdir()) == []


def test_bad_lines_of_a_seeds_file_are_skipped_and_named(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        (folder / "seeds.txt").write_text(f"{web.url('a.test')}\n\n# a comment\nnot an address\n")
        ended = run_tenax("crawl", "--seeds", "seeds.txt", *QUICK, "--json")
    assert (ended.code, json.loads(ended.out)["pages"]) == (0, 2)
    assert ended.err.startswith(
        "Skipped 1 bad line of seeds.txt:\n"
        "  line 4: 'not an address' is not a web address; write it like https://example.com/\n"
    )


def test_of_many_bad_lines_the_first_are_named(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        (folder / "seeds.txt").write_text("not one\n" * 50 + web.url("a.test"))
        ended = run_tenax("crawl", "--seeds", "seeds.txt", *QUICK, "--json")
    assert ended.err.startswith("Skipped 50 bad lines of seeds.txt:\n  line 1: ")
    assert re.search(r"^  and [0-9]+ more$", ended.err, re.MULTILINE)


def test_a_seeds_file_without_a_usable_line_is_refused(folder: Path) -> None:
    (folder / "seeds.txt").write_text("not an address\n")
    complaint = expect_complaint(run_tenax("crawl", "--seeds", "seeds.txt"), 2)
    assert complaint.startswith("seeds.txt holds no seeds; line 1: 'not an address' is not a web address")


def test_a_seeds_file_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "seeds.bin").write_bytes(b"\xff\xfe\x00")
    complaint = expect_complaint(run_tenax("crawl", "--seeds", "seeds.bin"), 2)
    assert complaint.endswith("is not UTF-8 text.")


def test_what_a_rule_forbids_is_not_advised_to_be_tried_again() -> None:
    ended = run_tenax("crawl", "http://127.0.0.1:9/")
    assert ended.code == 4
    assert "  next     run the same command with --allow-private if the address is yours" in ended.out


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[politenes]\ndelay_s = 1", "Unknown setting politenes: did you mean 'politeness'?"),
        ("[politeness]\ndelay = 1", "Unknown setting politeness.delay: did you mean 'delay_s'?"),
        ("x =", "The settings file c.toml is not valid TOML: Invalid value (at end of document)."),
    ],
)
def test_a_wrong_settings_file_is_refused_with_a_hint(toml: str, complaint: str, folder: Path) -> None:
    (folder / "c.toml").write_text(toml)
    assert expect_complaint(run_tenax("crawl", "a.test", "--config", "c.toml"), 2) == complaint


def test_a_wrong_environment_variable_is_refused_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_POLITENES__DELAY_S", "1")
    complaint = expect_complaint(run_tenax("crawl", "a.test"), 2)
    assert "TENAX_POLITENES__DELAY_S" in complaint
    assert complaint.endswith("did you mean 'politeness'?")


# --- data directories ------------------------------------------------------------------------------


def test_a_data_directory_that_is_a_file_is_refused(folder: Path) -> None:
    (folder / "taken").write_text("mine")
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--data", "taken", "--quiet"), 1)
    assert complaint == "Cannot use the data directory taken: Not a directory."
    assert (folder / "taken").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_directory_that_cannot_be_written_is_refused(folder: Path) -> None:
    (folder / "fixed").mkdir(mode=0o500)
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--data", "fixed/crawl", "--quiet"), 1)
    assert complaint == "Cannot use the data directory fixed/crawl: Permission denied."


def test_a_file_that_is_no_database_is_refused_and_kept(folder: Path) -> None:
    store = folder / "crawl" / "tenax.db"
    store.parent.mkdir()
    store.write_text("These are my holiday notes, and they are longer than a header." * 10)
    before = store.read_bytes()
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--quiet"), 1)
    assert complaint.startswith("crawl/tenax.db is not a Tenax store or is damaged")
    assert "Choose another --data directory" in complaint
    assert store.read_bytes() == before


def test_a_database_of_another_program_is_refused(folder: Path) -> None:
    (folder / "crawl").mkdir()
    connection = sqlite.connect(folder / "crawl" / "tenax.db")
    connection.execute("CREATE TABLE holidays (place)")
    connection.close()
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--quiet"), 1)
    assert complaint == "crawl/tenax.db is a database of another program. Choose another --data directory."


def test_a_store_of_a_newer_version_is_refused(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
    connection = sqlite.connect(folder / "crawl" / "tenax.db")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--quiet"), 1)
    assert "was written by a newer Tenax (schema 9999" in complaint
    assert "Upgrade Tenax" in complaint


# --- what it prints --------------------------------------------------------------------------------


def test_the_report_shows_what_was_done_and_what_to_do_next() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web)
    first, done, urls, stored, following = ended.out.splitlines()
    assert first.startswith(f"Crawling {web.url('a.test')} into crawl, no pause between requests.")
    assert done.startswith("Done after ")
    assert done.split(": ", 1)[1].startswith("2 pages, 3 requests, ")
    assert urls.split() == ["urls", "fetched", "2"]
    assert stored.split() == ["stored", "2", "pages", "in", "crawl"]
    assert "tenax status" in following
    assert (ended.code, ended.err) == (0, "")


def test_json_is_one_object_on_stdout() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web, "--json")
    report = json.loads(ended.out)
    assert ended.out.count("\n") == 1
    assert (report["state"], report["pages"], report["requests"]) == ("done", 2, 3)
    assert report["fates"] == {"fetched": 2}
    assert report["peak_rss_bytes"] > 0
    assert report["cpu_s"] > 0


def test_quiet_prints_nothing() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web, "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


# --- what is left --------------------------------------------------------------------------------


def test_a_site_with_more_pages_than_a_run_takes_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_LIMITS__PAGES_PER_DOMAIN", "2")
    names = [f"/{number}" for number in range(5)]
    with ScriptedWeb({"a.test": {"/": page("Home", *names), **{name: page(name) for name in names}}}) as web:
        ended = crawl(web)
        assert ended.code == 3
        assert "Ended with work left" in ended.out
        assert "  left     4 urls for the next run: a run fetches at most 2 pages per domain" in ended.out
        assert "(--pages-per-domain; 0: no limit)" in ended.out
        assert [crawl(web).code, crawl(web).code] == [3, 0]


def test_pages_per_domain_is_an_option() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web, "--pages-per-domain", "1", "--json")
    assert (ended.code, json.loads(ended.out)["leftover"]["capped"]) == (3, 1)


@pytest.mark.parametrize(
    ("options", "cap"),
    [
        ((), 1000),
        (("--max-pages", "1500"), 0),
        (("--max-pages", "1500", "--pages-per-domain", "20"), 20),
        (("--max-pages", "1500", "b.test"), 1000),
    ],
)
def test_for_one_seed_domain_max_pages_rules_alone(options: tuple[str, ...], cap: int, folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        assert crawl(web, *options).code in (0, 3)
    with sqlite.connect(folder / "crawl" / "tenax.db") as connection:
        ((settings,),) = connection.execute("SELECT settings FROM runs")
    assert json.loads(settings)["limits"]["pages_per_domain"] == cap


def test_a_url_that_is_tried_again_in_an_hour_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_RETRY__BASE_S", "3600")
    with ScriptedWeb({"a.test": {"/": page("Home", "/p"), "/p": status(500)}}) as web:
        ended = crawl(web)
    assert ended.code == 3
    assert "  left     1 url to retry, the first at " in ended.out
    assert "(75 s, politeness.longest_retry_wait_s)" in ended.out


def test_a_page_limit_for_the_run_is_no_early_stop() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web, "--max-pages", "1", "--json")
    report = json.loads(ended.out)
    assert (ended.code, report["state"], report["leftover"]["due"] + report["leftover"]["later"]) == (
        0,
        "budget",
        1,
    )


def test_nothing_of_another_site_is_no_success_because_of_earlier_pages() -> None:
    with ScriptedWeb({"a.test": SITE, "b.test": {"/": status(404)}}) as web:
        assert crawl(web).code == 0
        ended = run_tenax("crawl", web.url("b.test"), *QUICK)
        assert ended.code == 4
        assert ended.out.splitlines()[1].startswith("Nothing could be fetched after ")
        assert crawl(web).code == 0, "all that was asked for is there"


def test_without_arguments_a_crawl_is_resumed() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web, "--max-pages", "1")
        ended = run_tenax("crawl", *QUICK, "--json")
    assert json.loads(ended.out)["pages_stored"] == 2


def test_fresh_forgets_what_was_there() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        ended = crawl(web, "--fresh", "--json")
    assert json.loads(ended.out)["pages"] == 2


def test_fresh_keeps_the_accounts_of_the_service(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        monkeypatch.setattr(sys, "stdin", io.StringIO("a password of alice"))
        assert run_tenax("users", "add", "alice", "--role", "admin", "--password-stdin").code == 0
        crawl(web, "--fresh")
    assert "alice" in run_tenax("users").out


def test_fresh_replaces_a_damaged_file(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        (folder / "crawl" / "tenax.db").write_bytes(b"no store at all" * 1000)
        assert crawl(web, "--fresh").code == 0


def test_fresh_without_a_url_deletes_nothing(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
    assert run_tenax("crawl", "--fresh").code == 2
    assert (folder / "crawl" / "tenax.db").exists()


def test_seeds_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(web.url("a.test").encode())))
        ended = run_tenax("crawl", "--seeds", "-", *QUICK, "--json")
    assert json.loads(ended.out)["pages"] == 2


# --- crawls that fetch nothing -----------------------------------------------------------------------


def test_an_unreachable_seed_ends_with_code_4_and_its_reason() -> None:
    ended = run_tenax("crawl", "http://127.0.0.1:9/", "--allow-private", "--delay", "0")
    assert ended.code == 4
    assert "Nothing could be fetched" in ended.out
    assert "1 url of 127.0.0.1:9: the connection was refused or could not be made" in ended.out


def test_a_forbidden_address_ends_with_code_4_and_the_way_out() -> None:
    ended = run_tenax("crawl", "http://127.0.0.1:9/", "--delay", "0")
    assert ended.code == 4
    assert "reason   http://127.0.0.1:9/: A rule forbids it (private_address)" in ended.out
    assert "--allow-private, or fetch.allow_private, allows it." in ended.out


def test_the_way_out_of_a_forbidden_address_works() -> None:
    with ScriptedWeb({"127.0.0.1": SITE}) as web:
        assert run_tenax("crawl", web.url("127.0.0.1"), "--delay", "0").code == 4
        assert run_tenax("crawl", web.url("127.0.0.1"), "--delay", "0", "--allow-private").code == 0


def test_a_seed_that_is_turned_away_ends_with_code_4_and_its_reason() -> None:
    with ScriptedWeb({"a.test": {"/": status(403)}}) as web:
        ended = crawl(web)
    assert ended.code == 4
    assert "It was given up: the server answered 403." in ended.out


def test_json_names_what_waits_and_why() -> None:
    with ScriptedWeb({"a.test": {"/": status(429, Retry_After="7200")}}) as web:
        ended = crawl(web, "--json")
    assert ended.code == 4
    (waiting,) = json.loads(ended.out)["waiting"]
    assert (waiting["domain"], waiting["queued"]) == (f"a.test:{web.port}", 1)
    assert waiting["reason"] == "it asked for rest"


# --- terminals ---------------------------------------------------------------------------------------


def run_on_terminal(*arguments: str) -> tuple[int, str]:
    """Return the exit code and everything that was drawn on a terminal."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(
        [COMMAND, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
    )
    os.close(slave)
    drawn = b""
    while select.select([master], [], [], 30)[0]:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        drawn += piece
    os.close(master)
    return process.wait(30), drawn.decode()


def test_a_terminal_shows_a_live_panel_and_then_the_report() -> None:
    pages = {f"/{number}": page(f"Page {number}", delay_s=0.2) for number in range(6)}
    with ScriptedWeb({"a.test": {"/": page("Home", *pages), **pages}}) as web:
        code, drawn = run_on_terminal("crawl", web.url("a.test"), *QUICK)
    assert code == 0
    for word in ("pages", "queue", "visits", "domains", "time", "requests in progress", "active"):
        assert word in drawn
    assert "\x1b[" in drawn
    assert drawn.rindex("Done after") > drawn.rindex("requests in progress")


def test_a_pipe_gets_lines_without_escapes() -> None:
    pages = {f"/{number}": page(f"Page {number}", delay_s=1.0) for number in range(7)}
    with ScriptedWeb({"a.test": {"/": page("Home", *pages), **pages}}) as web:
        ended = crawl(web)
    assert "\x1b" not in ended.out
    (line,) = [line for line in ended.out.splitlines() if line.startswith("5 s  ")]
    assert " pages  " in line
    assert " queued  " in line


# --- several workers -----------------------------------------------------------------------------------


def run_with_workers(*arguments: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [COMMAND, "crawl", *arguments, "--workers", "2"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_workers_complain_with_one_sentence(folder: Path) -> None:
    (folder / "taken").write_text("mine")
    ended = run_with_workers("a.test", "--data", "taken", "--quiet")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "tenax: Cannot use the data directory taken: Not a directory.\n"
    assert (folder / "taken").read_text() == "mine"


def test_a_terminal_shows_the_workers_added_up() -> None:
    pages = {f"/{number}": page(f"Page {number}", delay_s=0.3) for number in range(6)}
    site = {"/": page("Home", *pages), **pages}
    with ScriptedWeb({"a.test": site, "b.test": site}) as web:
        seeds = [web.url(host) for host in ("a.test", "b.test")]
        code, drawn = run_on_terminal("crawl", *seeds, *QUICK, "--workers", "2")
    assert code == 0
    assert "workers" in drawn
    assert "2 requests in progress" in drawn
    assert "Done after" in drawn


def test_json_adds_workers_up(folder: Path) -> None:
    with ScriptedWeb({"a.test": SITE, "b.test": SITE}) as web:
        ended = run_with_workers(web.url("a.test"), web.url("b.test"), *QUICK, "--json")
    report = json.loads(ended.stdout)
    assert (report["state"], report["is_resumed"], report["workers"]) == ("done", False, 2)
    assert (report["pages"], report["outcomes"]["fetched"], report["pages_stored"]) == (4, 4, 4)
    assert (report["requests"], report["statuses"]["200"]) == (6, 4)
    assert report["peak_rss_bytes"] < report["peak_rss_sum_bytes"] < 2 * report["peak_rss_bytes"] + 1
    assert "crawler_pages_fetched_total 4.0" in (folder / "crawl" / "metrics.prom").read_text()


def test_a_crawl_of_one_domain_starts_one_worker() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = run_with_workers(web.url("a.test"), *QUICK, "--json")
    assert json.loads(ended.stdout)["workers"] == 1


def test_merge_rules_are_options_and_explained() -> None:
    links = ["/list?sort=a", "/list?sort=b", "/about", "/about/"]
    site = {"/": page("Home", *links), **{link: page(link) for link in links}}
    with ScriptedWeb({"a.test": site}) as web:
        options = ("--ignore-parameter", "sort", "--merge-trailing-slash", "--json")
        ended = crawl(web, *options)
        assert json.loads(ended.out)["fates"] == {"fetched": 3, "duplicate": 2}
        told = [run_tenax("explain", web.url("a.test", link)).out for link in links]
        assert sum("The merge rule “ignore sort” makes it the same url as" in each for each in told) == 1
        assert sum("“ignore the trailing slash” makes it the same" in each for each in told) == 1
        exported = run_tenax("export", "urls", "--format", "jsonl").out
        rows = [json.loads(line) for line in exported.splitlines()]
        merged = {row["detail"]: row["to_url"] for row in rows if row["reason"] == "merged"}
        assert merged.keys() == {"ignore sort", "ignore the trailing slash"}
        assert set(merged.values()) <= {row["url"] for row in rows if row["fate"] == "fetched"}

        assert json.loads(crawl(web, "--json").out)["fates"] == {"fetched": 5}


def test_merge_rules_come_from_a_settings_file(folder: Path) -> None:
    (folder / "tenax.toml").write_text('[[scope.merge_rules]]\nunder = "b c"\nignore_trailing_slash = true\n')
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--config", "tenax.toml"), 2)
    assert complaint == "'b c' is not valid here. Write example.com, example.com/list or /list."
    (folder / "tenax.toml").write_text('[[scope.merge_rules]]\nname = "nothing"\n')
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--config", "tenax.toml"), 2)
    assert "a merge rule must ignore something" in complaint
    (folder / "tenax.toml").write_text('[[scope.merge_rules]]\nignore_parameters = ["sort"]\n')
    shown = run_tenax("config", "show", "--config", "tenax.toml").out
    assert "ignore_parameters" in shown


# --- parsers ---------------------------------------------------------------------------------------

YAML = "name: heading\npatterns: [/one]\nfields:\n  heading: {css: FIELD}\n"
CODE = """from tenax import Page, Parser


class Length(Parser):
    name = "length"

    def parse(self, page: Page):
        return {"chars": len(page.title or "")}


class Unused(Length):
    name = "unused"
"""


def list_items(*options: str) -> list[dict[str, object]]:
    ended = run_tenax("items", "--json", *options)
    return [json.loads(line)["data"] for line in ended.out.splitlines()]


def test_all_parsers_of_a_file_make_items(folder: Path) -> None:
    (folder / "heading.yaml").write_text(YAML.replace("FIELD", "title"))
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = crawl(web, "--parsers", "heading.yaml")
        assert "2 pages, 1 item, " in ended.out
        assert list_items() == [{"heading": "One"}]


def test_an_edited_parser_sees_known_pages_when_all_are_visited_again(folder: Path) -> None:
    file = folder / "heading.yaml"
    file.write_text(YAML.replace("FIELD", "title"))
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web, "--parsers", "heading.yaml")
        file.write_text(YAML.replace("FIELD", '"body a"'))
        web.hosts["a.test"]["/one"] = page("One", "/", text="a link")
        assert crawl(web, "--parsers", "heading.yaml").code == 0
        assert list_items() == [{"heading": "One"}], "known pages are not visited unless that is asked for"
        assert crawl(web, "--parsers", "heading.yaml", "--recrawl", "all").code == 0
        assert list_items() != [{"heading": "One"}]


def test_one_parser_of_a_file_may_be_chosen(folder: Path) -> None:
    (folder / "lengths.py").write_text(CODE)
    with ScriptedWeb({"a.test": SITE}) as web:
        assert crawl(web, "--parsers", "lengths.py", "--parser", "length").code == 0
    assert list_items("--kind", "unused") == []
    assert sorted(map(str, list_items("--kind", "length"))) == ["{'chars': 3}", "{'chars': 4}"]


def test_files_of_parsers_that_nothing_uses_are_pointed_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "heading.yaml").write_text(YAML.replace("FIELD", "title"))
    monkeypatch.setenv("TENAX_PARSERS__FILES", '["heading.yaml"]')
    with ScriptedWeb({"a.test": SITE}) as web:
        assert "No parser runs: parsers.files names files" in crawl(web).out
        assert "No parser runs" not in crawl(web, "--parser", "heading").out


def test_a_file_of_parsers_that_is_missing_is_refused(folder: Path) -> None:
    complaint = expect_complaint(run_tenax("crawl", "a.test", "--parsers", "none.yaml"), 2)
    assert complaint == "The file none.yaml cannot be read: No such file or directory."
    assert list(folder.iterdir()) == []
