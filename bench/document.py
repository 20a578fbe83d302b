"""docs/benchmarks.md: a section per bench, each written anew by its own run."""

import re
from collections.abc import Sequence
from pathlib import Path

from bench.paths import DOCUMENT

_HEAD = """# Benchmarks

Written by `make bench`, `make bench-frontier` and `make bench-scale`; edit the bench, not this page.
How it is measured: [bench/README.md](../bench/README.md). Machines are noisy: compare ratios of one run, not
figures of two.
"""
_SECTIONS = ("crawl", "frontier", "scale")


def save_section(name: str, text: str) -> None:
    """Replace one section and leave the others as they are."""
    old = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    texts = {section: text if section == name else _find(old, section) for section in _SECTIONS}
    parts = [_HEAD, *(_mark(section, found) for section, found in texts.items() if found)]
    DOCUMENT.write_text("\n".join(parts))


def save_block(document: Path, name: str, text: str) -> None:
    """Replace a marked part of a page that people write."""
    old = document.read_text()
    found = _find(old, name)
    assert found, f"{document} has no part {name}"
    document.write_text(old.replace(_mark(name, found), _mark(name, text)))


def format_markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column is text, the others stand to the right."""
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def format_text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    )


def _mark(name: str, text: str) -> str:
    return f"<!-- {name} -->\n{text.strip()}\n<!-- /{name} -->\n"


def _find(document: str, name: str) -> str:
    found = re.search(f"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", document, re.DOTALL)
    return found[1] if found else ""
