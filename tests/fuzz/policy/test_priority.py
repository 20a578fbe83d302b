"""Priority: listings low, shallow high, deep low, the rest medium."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.policy.priority import plan_priority
from tenax.records.urls import Priority


@given(st.text(), st.integers(min_value=0), st.booleans())
def test_any_text_has_a_priority(text: str, depth: int, is_seed: bool) -> None:
    assert plan_priority(text, depth, is_seed=is_seed) in Priority
