"""The parser compared with a literal implementation of the standard's state machine."""

import pytest

from tenax.discover.srcset import find_largest


@pytest.mark.parametrize(
    ("srcset", "url"),
    [
        ("small.jpg 320w, large.jpg 1280w, middle.jpg 640w", "large.jpg"),
        ("a.jpg, b.jpg 2x, c.jpg 1.5x", "b.jpg"),
        ("only.jpg", "only.jpg"),
        ("first.jpg 2x, second.jpg 2x", "first.jpg"),
        ("dense.jpg 4x, wide.jpg 100w", "wide.jpg"),
        ("/w_300,h_200/a.jpg 300w,/w_600,h_400/a.jpg 600w", "/w_600,h_400/a.jpg"),
        ("a.jpg 100w 50h, b.jpg 50w", "a.jpg"),
        ("a.jpg 9999999999999999999999w, b.jpg 1w", "b.jpg"),
        ("a.jpg 1e99x, b.jpg 1e999x", "a.jpg"),
        ("a.jpg 0w", ""),
        ("", ""),
        (" ,,, ", ""),
    ],
)
def test_the_largest_candidate_is_chosen(srcset: str, url: str) -> None:
    assert find_largest(srcset)[0] == url
