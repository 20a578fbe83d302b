"""Header values, valid and invalid."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.web.headers import (
    parse_content_type,
    parse_max_age,
    parse_meta_robots,
    parse_retry_after,
    parse_robots_tag,
)

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT


@given(st.text())
def test_no_value_raises(value: str) -> None:
    parse_content_type(value)
    parse_retry_after(value, NOW)
    parse_robots_tag(value)
    parse_meta_robots(value)
    parse_max_age(value)


@given(st.text(alphabet="SunMoNv 0123456789:-+,GMTAPZ/."))
def test_no_near_date_raises_or_lies_in_the_past(value: str) -> None:
    seconds = parse_retry_after(value, NOW)
    assert seconds is None or seconds >= 0
