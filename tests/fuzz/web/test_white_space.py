from hypothesis import given
from hypothesis import strategies as st

from tenax.web.white_space import collapse

_spaces = st.sampled_from(" \t\n\r\f\v\x1c\x85\xa0\u2003\u3000")


@given(st.text(st.one_of(_spaces, st.sampled_from("ab"), st.characters()), max_size=40))
def test_collapsing_is_splitting_and_joining(text: str) -> None:
    assert collapse(text, 100) == " ".join(text.split())


@given(st.text(st.one_of(_spaces, st.sampled_from("ab")), max_size=60), st.integers(1, 20))
def test_no_more_than_the_limit_is_left_and_no_space_at_an_end(text: str, limit: int) -> None:
    collapsed = collapse(text, limit)
    assert len(collapsed) <= limit
    assert collapsed == collapsed.strip()
