"""Names of authors, as bylines write them."""

import pytest

from tenax.extract.articles.names import read_names

BYLINES = [
    ("By Ann Berg", ("Ann Berg",)),
    ("Von Änne Müller und Bo Lind", ("Änne Müller", "Bo Lind")),
    ("By Ann Berg, Bo Lind, and Cy Young, Island News", ("Ann Berg", "Bo Lind", "Cy Young", "Island News")),
    ("Par Zoé Petit et Luc Grand", ("Zoé Petit", "Luc Grand")),
    ("ANN BERG", ("Ann Berg",)),
    ("Ann Berg (staff)", ("Ann Berg",)),
    ("Ann Berg | ann@news.test", ("Ann Berg",)),
    ("Staff reporter", ()),
    ("https://news.test/ann", ()),
    ("山田太郎", ("山田太郎",)),
    ("", ()),
]


@pytest.mark.parametrize(("byline", "names"), BYLINES)
def test_names_are_read_from_bylines(byline: str, names: tuple[str, ...]) -> None:
    assert read_names(byline) == names


def test_a_name_is_kept_once() -> None:
    assert read_names("Ann Berg, ann berg") == ("Ann Berg",)
