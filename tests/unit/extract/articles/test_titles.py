"""The headline, among what pages give as their title."""

import pytest

from tenax.extract.articles.titles import find_title
from tenax.web.documents import parse_document

CASES = [
    # headings, structured data, the title element, the site, the headline
    ("<h1>The ferry returns</h1>", [], "The ferry returns | News", None, "The ferry returns"),
    ("<h1>Island News</h1>", ["The ferry returns"], "The ferry returns | News", None, "The ferry returns"),
    ("", ["The ferry returns - Island News"], None, "Island News", "The ferry returns"),
    ("", [], "The ferry returns at last – Island News", None, "The ferry returns at last"),
    ("", [], "Day-to-day work", None, "Day-to-day work"),
    ("<h1>Only a heading</h1>", [], None, None, "Only a heading"),
    ("", [], None, None, None),
]


@pytest.mark.parametrize(("headings", "said", "title", "site", "headline"), CASES)
def test_the_headline_is_found(
    headings: str, said: list[str], title: str | None, site: str | None, headline: str | None
) -> None:
    document = parse_document(headings.encode(), url="https://news.test/", content_type="text/html")
    assert find_title(document, said, title, site) == headline
