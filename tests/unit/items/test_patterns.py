import pytest

from tenax.items.patterns import check_pattern


@pytest.mark.parametrize("pattern", ["products/*", "", "shop.example/*", 7, "x" * 501])
def test_a_pattern_that_can_match_nothing_is_refused(pattern: object) -> None:
    assert check_pattern(pattern) is not None
