"""Markdown of lines of plain text."""

import pytest

from tenax.extract.markdown.plain import write_paragraphs

LONG = "This line goes to the right margin and is continued on the"


def test_lines_that_reach_the_margin_are_one_paragraph() -> None:
    assert write_paragraphs([[LONG, LONG, "next one."]]) == f"{LONG} {LONG} next one.\n"


def test_a_short_line_ends_its_paragraph() -> None:
    lines = ["Introduction", LONG, "next one.", LONG, LONG]
    assert write_paragraphs([lines]) == f"Introduction\n\n{LONG} next one.\n\n{LONG} {LONG}\n"


@pytest.mark.parametrize("mark", ["•", "–", "-", "1.", "12)", "(a)", "2.3."])
def test_an_item_of_a_list_begins_a_paragraph(mark: str) -> None:
    blocks = write_paragraphs([[LONG, f"{mark} {LONG}", LONG]]).split("\n\n")
    assert len(blocks) == 2
    assert blocks[1].endswith(f"{LONG} {LONG}\n")


def test_no_paragraph_goes_on_over_the_end_of_a_page() -> None:
    assert write_paragraphs([[LONG], [LONG]]) == f"{LONG}\n\n{LONG}\n"


def test_nothing_becomes_markdown_or_html() -> None:
    lines = ["# no heading", "<script>", "a * b * c", "[x](y)", "- no list", "=====", "1. no list"]
    assert write_paragraphs([[line] for line in lines]) == (
        "\\# no heading\n\n&lt;script>\n\na \\* b \\* c\n\n"
        "\\[x](y)\n\n\\- no list\n\n\\=====\n\n1\\. no list\n"
    )


def test_without_lines_there_is_none() -> None:
    assert write_paragraphs([]) == ""
