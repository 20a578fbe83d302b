import contextlib
import csv
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tenax.clock import format_instant
from tenax.stores.queries.export.rows import EXPORTS
from tests.support.command import COMMAND, run_tenax
from tests.support.stores import ESCAPE_TITLE, FORMULA_ANCHOR, IMAGES, SHOP


def show_instant(value: Any) -> Any:
    return format_instant(value.timestamp()) if isinstance(value, datetime) else value


def export_json(data: Path, noun: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run_tenax("export", noun, "--data", data).out.splitlines()]


def test_pages_are_exported_with_their_text(data: Path) -> None:
    home, a = export_json(data, "pages")
    assert (home["url"], home["domain"], home["title"]) == (f"{SHOP}/", "shop.example", ESCAPE_TITLE)
    assert a["text"] == "=1+1 says the first line\nand the second"
    assert (a["fetched_at"], a["depth"], len(a["content_hash"])) == ("2025-06-15T15:06:44.000Z", 1, 16)


def test_urls_are_exported_with_fate_reason_and_parent(data: Path) -> None:
    rows = {row["url"]: row for row in export_json(data, "urls")}
    assert len(rows) == 10
    refused = rows[f"{SHOP}/secret/plans"]
    assert (refused["fate"], refused["reason"], refused["detail"]) == (
        "refused",
        "robots",
        "line 2: Disallow: /secret/",
    )
    assert refused["discovered_from"] == f"{SHOP}/"
    assert rows[f"{SHOP}/"]["is_seed"] is True


def test_visits_are_exported_with_robots_requests_among_them(data: Path) -> None:
    rows = export_json(data, "visits")
    assert [(row["kind"], row["url"]) for row in rows[:2]] == [("robots", None), ("page", f"{SHOP}/")]
    assert {row["error_kind"] for row in rows} == {None, "http_status", "no_such_host"}


def test_links_are_exported_one_per_row(data: Path) -> None:
    rows = export_json(data, "links")
    assert [(row["to_url"], row["rel"], row["anchor"]) for row in rows] == [
        (f"{SHOP}/a", "", FORMULA_ANCHOR),
        (f"{SHOP}/gone", "nofollow", "gone"),
    ]


def test_images_are_exported_with_where_they_were_seen_first(data: Path) -> None:
    rows = sorted(export_json(data, "images"), key=lambda row: str(row["url"]))
    assert [(row["url"], row["alt"]) for row in rows] == [image[:2] for image in IMAGES]
    assert (rows[0]["page"], rows[0]["domain"], rows[0]["run"]) == (f"{SHOP}/", "shop.example", 1)
    assert (rows[0]["discovery"], rows[0]["first_seen_at"]) == ("discovery", "2025-06-15T15:06:42.000Z")


def test_placements_are_exported_one_per_row(data: Path) -> None:
    rows = export_json(data, "placements")
    assert [tuple(row.values()) for row in rows] == [(f"{SHOP}/", *image) for image in IMAGES]


def test_pages_are_exported_with_how_many_images_they_show(data: Path) -> None:
    assert [row["images_count"] for row in export_json(data, "pages")] == [2, 0]


@pytest.mark.parametrize("noun", ["images", "placements"])
def test_images_are_exported_in_every_format(data: Path, tmp_path: Path, noun: str) -> None:
    text = run_tenax("export", noun, "--format", "csv", "--data", data).out
    assert "'=A boat" in {row["alt"] for row in csv.DictReader(io.StringIO(text, newline=""))}
    run_tenax("export", noun, "--format", "parquet", "--output", tmp_path / "x.parquet", "--data", data)
    rows = parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert [{name: show_instant(value) for name, value in row.items()} for row in rows] == export_json(
        data, noun
    )


def test_rows_are_all_there_when_they_are_read_one_at_a_time(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = export_json(data, "urls")
    small = {noun: replace(export, rows_at_once=1) for noun, export in EXPORTS.items()}
    monkeypatch.setattr("tenax.stores.queries.export.item_columns.EXPORTS", small)
    assert export_json(data, "urls") == whole


def test_csv_has_a_header_and_safe_cells(data: Path) -> None:
    text = run_tenax("export", "pages", "--format", "csv", "--data", data).out
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["title"] for row in rows] == [ESCAPE_TITLE, "'-2+3"]
    assert rows[1]["text"] == "'=1+1 says the first line\nand the second"


def test_raw_csv_has_the_cells_as_they_are(data: Path) -> None:
    text = run_tenax("export", "pages", "--format", "csv", "--csv-raw", "--data", data).out
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["title"] for row in rows] == [ESCAPE_TITLE, "-2+3"]
    assert rows[1]["text"] == "=1+1 says the first line\nand the second"


def test_only_csv_can_be_raw(data: Path) -> None:
    ended = run_tenax("export", "pages", "--csv-raw", "--data", data)
    assert (ended.code, ended.err) == (2, "tenax: --csv-raw needs --format csv.\n")


def test_parquet_has_types_and_all_rows(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "urls.parquet"
    ended = run_tenax("export", "urls", "--format", "parquet", "--output", file, "--data", data)
    assert ended.err.startswith("Wrote 10 urls to ")
    table = parquet.read_table(file)
    assert (table.num_rows, str(table.schema.field("depth").type)) == (10, "int64")


def test_instants_of_parquet_are_timestamps(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "pages.parquet"
    run_tenax("export", "pages", "--format", "parquet", "--output", file, "--data", data)
    table = parquet.read_table(file)
    assert str(table.schema.field("fetched_at").type) == "timestamp[us, tz=UTC]"
    assert table.column("fetched_at").to_pylist()[1] == datetime(2025, 6, 15, 15, 6, 44, tzinfo=UTC)


def test_parquet_goes_into_a_pipe(data: Path) -> None:
    command: list[str | Path] = [COMMAND, "export", "urls", "--format", "parquet", "--data", data]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    assert parquet.read_table(io.BytesIO(out)).num_rows == 10


def test_parquet_is_not_sent_to_a_terminal(data: Path) -> None:
    command: list[str | Path] = [COMMAND, "export", "urls", "--format", "parquet", "--data", data]
    ours, theirs = pty.openpty()
    ended = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    os.close(ours)
    assert ended.returncode == 2
    assert ended.stderr == b"tenax: Parquet cannot be shown on a terminal: give a file with --output.\n"


def test_urls_are_exported_with_the_end_of_their_redirects(data: Path) -> None:
    ends = {row["url"]: row["final_url"] for row in export_json(data, "urls") if row["final_url"]}
    assert ends == {f"{SHOP}/old": f"{SHOP}/a"}


def test_missing_pyarrow_is_explained(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = run_tenax("export", "urls", "--format", "parquet", "--output", tmp_path / "x", "--data", data)
    assert ended.code == 2
    assert "install Tenax with its 'parquet' extra" in ended.err


def test_a_failed_export_leaves_the_old_file_and_no_other(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text("the export of yesterday")

    def fail(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tenax.cli.commands.export.write_rows", fail)
    ended = run_tenax("export", "pages", "--output", file, "--data", data)
    assert ended.code == 1
    assert ended.err == f"tenax: Cannot write {file}: No space left on device.\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the export of yesterday"]


def test_an_unwritable_place_gets_one_sentence(data: Path, tmp_path: Path) -> None:
    ended = run_tenax("export", "urls", "--output", tmp_path / "missing" / "x.csv", "--data", data)
    assert ended.code == 1
    assert ended.err.endswith("No such file or directory.\n")


def test_a_full_disk_behind_standard_output_gets_one_sentence(data: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [COMMAND, "export", "urls", "--data", data], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr == b"tenax: Cannot write standard output: No space left on device.\n"


def test_a_reader_that_leaves_early_is_no_error(data: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "export", "urls", "--data", data], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_what_a_killed_export_left_is_removed_by_the_next(data: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "pages.jsonl"
    output.parent.mkdir()
    (output.parent / ".pages.jsonl.4711.part").write_bytes(b"half of it")
    run_tenax("export", "pages", "--data", data, "--output", output)
    assert [path.name for path in output.parent.iterdir()] == ["pages.jsonl"]


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_a_terminal_is_sent_nothing_that_it_would_obey(data: Path, format: str) -> None:
    command: list[str | Path] = [COMMAND, "export", "pages", "--format", format, "--data", data]
    shown = run_on_terminal(command)
    assert "owned" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_csv_for_a_program_stays_as_it_is_and_json_reads_back(data: Path) -> None:
    assert ESCAPE_TITLE in run_tenax("export", "pages", "--format", "csv", "--data", data).out
    lines = run_tenax("export", "pages", "--data", data).out
    assert not {"\x1b", "\x07", "\u202e"} & set(lines)
    assert ESCAPE_TITLE in {json.loads(line)["title"] for line in lines.splitlines()}


def run_on_terminal(command: Sequence[str | Path]) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how Linux reports that the other end is closed
            while chunk := os.read(ours, 65_536):
                shown += chunk
        os.close(ours)
    assert process.returncode == 0
    return shown.decode()


def list_exported(data: Path, *options: str) -> list[str]:
    ended = run_tenax("export", *options, "--data", data)
    assert (ended.code, ended.err) == (0, "")
    return sorted(json.loads(line)["url"] for line in ended.out.splitlines())


def test_a_part_is_exported(data: Path) -> None:
    assert list_exported(data, "urls", "--fate", "gone") == [f"{SHOP}/gone"]
    assert list_exported(data, "urls", "--domain", "https://www.shop.example/x", "--run", "1") == [
        f"{SHOP}/{path}" for path in ("", "a", "flaky", "gone", "old", "secret/plans")
    ]
    assert list_exported(data, "pages", "--since", "2025-06-15T15:06:44", "--source", "shop") == [f"{SHOP}/a"]
    assert list_exported(data, "pages", "--until", "2025-06-15T15:06:44Z") == [f"{SHOP}/"]
    assert list_exported(data, "pages", "--since", "2025-06-16") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("visits", "--fate", "gone"),
            "Visits cannot be filtered by fate; only pages, urls, links, placements, markdown, chunks can.",
        ),
        (("urls", "--run", "9"), "There is no run 9 in this store."),
        (("urls", "--source", "typo"), "There is no source or crawl 'typo' in this store"),
        (("urls", "--domain", "typo.example"), "There is no domain 'typo.example' in this store."),
        (("urls", "--fate", "lost"), "'lost' is not one of 'queued', 'retrying', 'fetched'"),
        (("urls", "--since", "soon"), "'soon' is not a time"),
        (("urls", "--since", "2d", "--until", "3d"), "This time span is empty"),
    ],
)
def test_a_filter_that_cannot_be_used_is_refused(
    data: Path, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    output = tmp_path / "out.jsonl"
    ended = run_tenax("export", *options, "--data", data, "--output", output)
    assert (ended.code, ended.out) == (2, "")
    assert sentence in " ".join(ended.err.split())
    assert list(tmp_path.iterdir()) == []


def test_pages_without_markdown_are_told(data: Path, tmp_path: Path) -> None:
    ended = run_tenax("export", "markdown", "--output", tmp_path / "out", "--data", data)
    assert (
        "have no Markdown: it is kept of pages that are fetched in full while extract.markdown" in ended.err
    )
    assert "Wrote 0 files" in ended.err
    assert run_tenax("export", "chunks", "--data", data).out == ""


def test_markdown_needs_a_directory_or_a_format(data: Path) -> None:
    ended = run_tenax("export", "markdown", "--data", data)
    assert ended.code == 2
    assert "Give a directory for the files with --output DIR, or --format jsonl." in ended.err


def test_chunks_of_impossible_size_are_refused(data: Path) -> None:
    ended = run_tenax("export", "chunks", "--max-chars", "5", "--data", data)
    assert ended.code == 2
    assert "A chunk may have 200 to 1000000 characters, not 5." in ended.err
