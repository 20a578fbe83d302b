"""The keys of a domain's urls."""

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.crawl.domains.known_keys import KnownKeys

KEYS = st.lists(st.integers(min_value=-(2**63), max_value=2**63 - 1))


def hold(*stored: int) -> KnownKeys:
    return KnownKeys(array("q", sorted(stored)))


@settings(deadline=None)
@given(KEYS, KEYS, KEYS)
def test_it_is_a_set(stored: list[int], added: list[int], asked: list[int]) -> None:
    known = hold(*set(stored))
    for key in added:
        known.add(key)
    assert sorted(known.find_new(set(asked))) == sorted({*asked} - {*stored, *added})
