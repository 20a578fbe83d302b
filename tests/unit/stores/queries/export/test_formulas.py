"""Which cells of CSV a spreadsheet would calculate."""

import csv
import io

import pytest

from tenax.stores.queries.export.fields import FieldKind
from tenax.stores.queries.export.formats import Format, iter_chunks
from tenax.stores.queries.export.formulas import neutralize

RUN = [
    # Whatever follows, these begin a formula, or shift a cell.
    *("=1", "=cmd|' /C calc'!A0", "@A1", "@SUM(1)", "＝1", "＠A1", " =1", "\u00a0\t@x"),
    *("\tx", "\rx", "\nx", "\0x", "\t-foo"),
    # Calls, other programs, other files, other sheets.
    *("-SUM(1)", "--SUM(A1)", "+HYPERLINK(A1)", "- foo (1)", "-foo(1)", "-WEBSERVICE (A1)", "--with-lto(1)"),
    *("-1+cmd|' /C calc'!A0", "+cmd|'/C calc'!A0", "-foo|bar!x"),
    *("-Sheet1!A1", "+[Book.xlsx]Sheet1!A1", "-'x'#A1"),
    *("－SUM（1）", "－１＋cmd｜x！A0", '-"text"', "-{1}", "-foo&bar", "-foo*2", "-$A$1", "-A:A", "-foo@bar"),
    # Arithmetic.
    *("-2+3", "+1+1", "-2-3", "--5", "-1/2", "-1=1"),
    *("+1-555-0100", "+49-30-1234", "-1e5-1", "-2024-01-01", "－２＋３"),
    # Cells, and the names of values.
    *("-A1", "+a1", "--SHA256", "-O2", "-xfd1048576", "-R1C1"),
    *("-A1-B2", "-A1 B2", "－Ａ１", "-urls.A1", "-TRUE", "+false-1"),
]
ORDINARY = [
    *("", "a=1", "https://x/", "1-2", "  text", "'quoted", "2025-06-15T15:06:44.000Z"),
    # Options, as manuals link them.
    *("--with-lto", "--with-lto=full", "--disable-ipv6", "-foo", "-c", "-v, --verbose", "--jobs=4", "-n 5"),
    *("--enable-framework=INSTALLDIR", "-Wall", "--with-x264", "-std=c99"),
    *("-m module-name", "--a.b", "-I/usr/include"),
    # Lists, buttons, headings.
    *("- Read more", "+ Add to cart", "+++ News +++", "- weiter »", "+ Mehr…"),
    *("-50 % off", "- Größe", "-もっと見る", " - foo"),
    # Numbers, also of telephones.
    *("-5", "+1", "-1.5", "-1,000.50", "-.5", "-5%", "+49 30 1234567", "- 5"),
    *("-", "--", "---", "+", "-…"),
]


@pytest.mark.parametrize("cell", RUN)
def test_a_cell_that_a_spreadsheet_might_run_gets_an_apostrophe(cell: str) -> None:
    assert neutralize(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ORDINARY)
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert neutralize(cell) == cell


def test_a_long_text_is_judged_in_one_pass() -> None:
    text = "- word" * 200_000
    assert neutralize(text) == text
    assert neutralize(f"{text}(") == f"'{text}("


@pytest.mark.parametrize("is_raw", [False, True])
def test_raw_cells_come_back_as_they_were_stored(is_raw: bool) -> None:
    cells = [cell for cell in RUN + ORDINARY if "\0" not in cell]
    lines = iter_chunks(Format.CSV, {"anchor": FieldKind.TEXT}, [[cell] for cell in cells], is_raw=is_raw)
    text = io.StringIO(b"".join(lines).decode(), newline="")
    read = [row["anchor"] for row in csv.DictReader(text)]
    assert (read == cells) is is_raw
    assert [cell.removeprefix("'") for cell in read] == [cell.removeprefix("'") for cell in cells]
