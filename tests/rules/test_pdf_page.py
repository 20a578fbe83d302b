"""What docs/pdf.md says is so."""

import re
from pathlib import Path

import yaml

from tenax.config.fetch import ExtractSettings
from tenax.config.settings import Settings
from tenax.crawl.reading.process import LIGHT_BYTES
from tenax.errors import ContentError
from tenax.extract.pdf import MAX_TEXT_CHARS, MISSING, read_pdf
from tenax.extract.pdf_page import extract_pdf_page
from tenax.extract.profile import WHOLE_PAGE
from tenax.jobs.sources.definition import check_definition, to_settings
from tests.support.pdfs import encrypted_pdf, scanned_pdf, text_pdf

PAGE = (Path(__file__).parents[2] / "docs" / "pdf.md").read_text()


def test_the_example_is_a_source_that_reads_pdfs() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    (source,) = yaml.safe_load(example[1])
    settings = to_settings(check_definition(source), Settings())
    assert settings.extract.reads_pdf
    assert settings.extract.pdf_pages == 200


def test_the_defaults_are_those_of_the_settings() -> None:
    assert "It is off unless you set it" in PAGE
    assert not ExtractSettings().reads_pdf
    assert f"its first {ExtractSettings().pdf_pages} pages (`extract.pdf_pages`)" in PAGE
    assert f"{MAX_TEXT_CHARS:,} characters at most" in PAGE
    assert f"{LIGHT_BYTES // 1_000_000} MB" in PAGE
    assert 'pip install "tenax[pdf]"' in PAGE
    assert 'pip install "tenax[pdf]"' in MISSING


def test_the_reasons_are_those_that_are_given() -> None:
    bodies = (encrypted_pdf("x"), scanned_pdf(), text_pdf("x")[:60], b"<p>")
    said = re.findall(r"\| dead, `content` \| (.*?) \|", PAGE)
    assert said == [explain(body) for body in bodies]


def explain(body: bytes) -> str:
    try:
        found = read_pdf(body, most_pages=1, most_links=1)
        extract_pdf_page(found, url="", robots_tag=None, profile=WHOLE_PAGE, least_similar_chars=None)
    except ContentError as error:
        return str(error)
    return ""
