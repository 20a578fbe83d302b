"""The forms of a page."""

import pytest

from tenax.discover.forms import has_password_field
from tenax.web.documents import parse_document


def asks_password(html: str) -> bool:
    return has_password_field(parse_document(html.encode(), url="http://a.example/", content_type=None))


@pytest.mark.parametrize(
    "html",
    [
        '<form><input type="password" name="p"></form>',
        "<input name=pass type=password>",
        "<p>Your password, please</p><input\ttype='password'>",
    ],
)
def test_a_field_for_a_password_is_found(html: str) -> None:
    assert asks_password(html)


@pytest.mark.parametrize(
    "html",
    [
        "<p>How to choose a password</p>",
        '<input type="text" name="password">',
        '<a href="/password">Forgot your password?</a>',
        '<!-- <input type="password"> -->',
        "<script>x = '<input type=\"password\">'</script>",
    ],
)
def test_the_word_alone_is_no_field(html: str) -> None:
    assert not asks_password(html)
