"""From what a PDF says to a page."""

import pytest

from tenax.errors import ContentError
from tenax.extract.page import hash_text
from tenax.extract.pdf import PdfText
from tenax.extract.pdf_page import NO_TEXT, extract_pdf_page
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.records.pages import PageContent
from tests.support.similar_texts import make_article, make_site

GERMAN = "Die Fähre zwischen den beiden Inseln fährt ab Montag wieder, wie das Hafenamt mitteilte."


def extract(
    *pages: str,
    title: str | None = None,
    subject: str | None = None,
    language: str | None = None,
    url: str = "https://a.test/files/Annual%20report.pdf",
    robots_tag: str | None = None,
    profile: ExtractionProfile = WHOLE_PAGE,
    least_similar_chars: int | None = None,
) -> PageContent:
    return extract_pdf_page(
        PdfText(title=title, subject=subject, language=language, pages=pages, links=()),
        url=url,
        robots_tag=robots_tag,
        profile=profile,
        least_similar_chars=least_similar_chars,
    )


def test_text_has_a_line_per_line_and_single_spaces() -> None:
    page = extract("One  two \r\n\r\n three\r\n", "", "four\x00\x07five")
    assert page.text == "One two\nthree\nfour five"
    assert page.content_hash == hash_text(page.text)


def test_words_that_were_divided_are_whole() -> None:
    assert extract("hyphen\ufffeation").text == "hyphenation"


def test_without_text_it_is_no_page() -> None:
    with pytest.raises(ContentError, match=NO_TEXT):
        extract(" \r\n", "\x0c")


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Annual  report\n2025", "Annual report 2025"),
        ("Microsoft Word - Annual report", "Annual report"),
        ("Microsoft Word - final_v3.docx", "The first line"),
        ("report.indd", "The first line"),
        ("untitled", "The first line"),
        (" \x00", "The first line"),
        (None, "The first line"),
    ],
)
def test_the_title_is_its_own_unless_a_program_made_it_up(said: str | None, title: str) -> None:
    assert extract("3\r\nThe first line\r\nThe second line", title=said).title == title


def test_without_words_the_file_gives_it_its_title() -> None:
    assert extract("1 2 3").title == "Annual report.pdf"
    assert extract("1 2 3", url="https://a.test/").title is None


def test_the_subject_is_its_description() -> None:
    assert extract("x", subject=" What  it says ").description == "What it says"


@pytest.mark.parametrize(("said", "language"), [("de_AT", "de-at"), ("not a language", None), (None, None)])
def test_its_language_is_what_it_says(said: str | None, language: str | None) -> None:
    assert extract(GERMAN, language=said).language == language


def test_its_language_is_detected_where_it_says_none() -> None:
    detecting = ExtractionProfile(detects_language=True)
    assert extract(GERMAN, profile=detecting).language == "de"
    assert extract(GERMAN, language="en", profile=detecting).language == "en"


def test_x_robots_tag_applies() -> None:
    page = extract("x", robots_tag="noindex, nofollow")
    assert (page.is_noindex, page.is_nofollow) == (True, True)


def test_long_texts_get_a_fingerprint_if_they_are_compared() -> None:
    text = str(make_article(make_site(1), 2000))
    assert extract(text, least_similar_chars=1000).simhash is not None
    assert extract(text).simhash is None


def test_markdown_has_paragraphs_and_is_kept_if_wanted() -> None:
    wanted = ExtractionProfile(markdown=True)
    assert extract("A title\r\n" + GERMAN, "Next *page*", profile=wanted).markdown == (
        f"A title\n\n{GERMAN}\n\nNext \\*page\\*\n"
    )
    assert extract("x").markdown is None
