"""Small documents and the Markdown that they become. To write a new one: TENAX_WRITE_GOLDEN=1 pytest …"""

import os
from pathlib import Path

import pytest

from tenax.extract.markdown.convert import to_markdown
from tenax.web.documents import parse_document

CASES = sorted((Path(__file__).parent / "golden").glob("*.html"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_document_becomes_the_golden_markdown(path: Path) -> None:
    document = parse_document(
        path.read_bytes(), url="https://a.example/dir/page", content_type="text/html; charset=utf-8"
    )
    golden = path.with_suffix(".md")
    markdown = to_markdown(document)
    if os.environ.get("TENAX_WRITE_GOLDEN"):
        golden.write_text(markdown, encoding="utf-8")
    assert markdown == golden.read_text(encoding="utf-8")


def test_there_are_cases() -> None:
    assert len(CASES) >= 13
