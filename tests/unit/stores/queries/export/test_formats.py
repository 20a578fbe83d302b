"""Rows as files."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pyarrow import parquet

from tenax.stores.queries.export import formats
from tenax.stores.queries.export.fields import FieldKind, Values
from tenax.stores.queries.export.formats import Format, iter_chunks, write_rows

COLUMNS = {"number": FieldKind.INTEGER, "at": FieldKind.INSTANT, "text": FieldKind.TEXT}


def test_parquet_is_made_a_row_group_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "GROUP_ROWS", 10)
    taken = 0

    def rows() -> Iterator[Values]:
        nonlocal taken
        for number in range(45):
            taken += 1
            yield [number, float(number), "text"]

    chunks = []
    for count, chunk in enumerate(iter_chunks(Format.PARQUET, COLUMNS, rows()), start=1):
        assert taken == min(10 * count, 45)
        chunks.append(chunk)
    file = parquet.ParquetFile(io.BytesIO(b"".join(chunks)))
    assert (file.num_row_groups, file.read().column("number").to_pylist()) == (5, list(range(45)))


def test_a_row_group_ends_where_its_texts_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "GROUP_CHARS", 100)
    out = io.BytesIO()
    assert write_rows(Format.PARQUET, COLUMNS, ([n, None, "x" * 60] for n in range(6)), out) == 6
    assert parquet.ParquetFile(out).num_row_groups == 3


def test_parquet_without_rows_is_a_file() -> None:
    out = io.BytesIO()
    assert write_rows(Format.PARQUET, COLUMNS, [], out) == 0
    assert parquet.read_table(out).schema.names == list(COLUMNS)


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        (1_750_000_004.123456, datetime(2025, 6, 15, 15, 6, 44, 123456, tzinfo=UTC)),
        (-0.5, datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)),
        (None, None),
    ],
)
def test_an_instant_is_a_timestamp_to_the_microsecond(
    instant: float | None, expected: datetime | None
) -> None:
    out = io.BytesIO()
    write_rows(Format.PARQUET, {"at": FieldKind.INSTANT}, [[instant]], out)
    assert parquet.read_table(out).column("at").to_pylist() == [expected]


@pytest.mark.parametrize(("format", "lines"), [(Format.JSONL, 3), (Format.CSV, 4)])
def test_rows_are_counted_without_the_header(format: Format, lines: int) -> None:
    out = io.BytesIO()
    rows: list[Values] = [[1, 0.0, "a"], [2, None, None], [3, 1.5, "b"]]
    assert write_rows(format, COLUMNS, rows, out) == 3
    assert out.getvalue().count(b"\n") == lines
    assert b"1970-01-01T00:00:01.500Z" in out.getvalue()
