import pytest

from tenax.errors import ConfigError
from tenax.policy.guesses.url_patterns import check_archive_pattern, check_list_pattern


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/news?page={n}", "/news"),
        ("/news?cat=3&page={n}", "/news?cat=3"),
        ("/blog/page/{n}/", "/blog"),
        ("/blog/{n}", "/blog"),
    ],
)
def test_list_patterns_name_their_list(pattern: str, path: str) -> None:
    assert check_list_pattern(pattern) == path


@pytest.mark.parametrize(
    "pattern", ["news?page={n}", "/news", "/{n}/{n}", "/a b{n}", "/{x}{n}", "/" + "a" * 600]
)
def test_bad_list_patterns_are_refused_in_a_sentence(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"\.$"):
        check_list_pattern(pattern)


@pytest.mark.parametrize("pattern", ["/{Y}/{MM}/", "/archive", "/issues/{n}"])
def test_archive_patterns_are_accepted(pattern: str) -> None:
    check_archive_pattern(pattern)


@pytest.mark.parametrize("pattern", ["archive", "/{D}/", "/{Y}/{Y}", "/a b"])
def test_bad_archive_patterns_are_refused_in_a_sentence(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"\.$"):
        check_archive_pattern(pattern)
