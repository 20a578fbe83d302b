from hypothesis import given
from hypothesis import strategies as st

from tenax.extract.similarity import distance, simhash

HASHES = st.integers(min_value=0, max_value=2**64 - 1)


@given(st.text(max_size=3000))
def test_no_text_raises(text: str) -> None:
    found = simhash(text)
    assert found is None or 0 <= found < 1 << 64


@given(st.text(alphabet="abdm\ud800я中 \n0", min_size=500, max_size=3000))
def test_digits_do_not_count(text: str) -> None:
    assert simhash(text.ljust(3000)) == simhash(text.replace("0", "7").ljust(3000))


@given(HASHES, HASHES, HASHES)
def test_the_distance_is_a_metric(one: int, two: int, three: int) -> None:
    assert distance(one, one) == 0
    assert distance(one, two) == distance(two, one)
    assert distance(one, three) <= distance(one, two) + distance(two, three)
