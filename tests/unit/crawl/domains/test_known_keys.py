"""The keys of a domain's urls."""

from array import array
from random import Random

from tenax.crawl.domains.known_keys import KnownKeys


def hold(*stored: int) -> KnownKeys:
    return KnownKeys(array("q", sorted(stored)))


def test_what_the_store_has_is_known() -> None:
    assert sorted(hold(-5, 7).find_new({7, 3, -5, 8, -6})) == [-6, 3, 8]


def test_what_was_added_is_known() -> None:
    known = hold(7)
    known.add(3)
    assert known.find_new({3, 7, 9}) == [9]


def test_an_empty_domain_knows_nothing() -> None:
    assert hold().find_new({1}) == [1]


def test_many_new_keys_end_up_as_compact_as_the_stored_ones() -> None:
    random = Random(1)
    keys = [random.getrandbits(63) for _ in range(10_000)]
    known = hold(*keys[:100])
    for key in keys:
        known.add(key)
    assert known.find_new(set(keys)) == []
    assert known.find_new({-1}) == [-1]
    assert known.weight_bytes < 10_000 * 15
