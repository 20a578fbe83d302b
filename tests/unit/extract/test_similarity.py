"""SimHash: how far apart texts are that are the same, nearly the same, and different."""

from random import Random

import pytest

from tenax.extract.similarity import MOST_DISTANCE, distance, simhash
from tests.support.similar_texts import (
    NEAR,
    SCRIPTS,
    Text,
    iter_different,
    iter_near,
    make_article,
    make_site,
)


def measure(one: str, other: str) -> int:
    first, second = simhash(one), simhash(other)
    assert first is not None
    assert second is not None
    return distance(first, second)


def article(chars: int = 5000, script: str = "latin") -> Text:
    return make_article(make_site(7, script), chars)


def test_the_same_text_has_the_same_hash() -> None:
    text = str(article())
    assert simhash(text) == simhash(text)


def test_a_hash_has_64_bits() -> None:
    hashes = [simhash(str(make_article(make_site(seed), 3000))) or 0 for seed in range(40)]
    assert all(0 <= each < 1 << 64 for each in hashes)
    # Every bit is set in some and not in others.
    assert all(0 < sum(each >> bit & 1 for each in hashes) < len(hashes) for bit in range(64))


def test_a_hash_stays_the_same_between_versions() -> None:
    """What is stored must stay comparable."""
    words = " ".join(f"{first}{second}" for first in "abcdefghijklmnop" for second in "mnopqrstuvwxyzab")
    assert simhash(words * 6) == 0x378BC4FEF65C22FF


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("chars", [1000, 3000, 6000])
def test_digits_spaces_case_and_punctuation_do_not_count(script: str, chars: int) -> None:
    text = f"12 March 2025\n{article(chars, script)}"
    other = f" 7 MARCH, 2031\n{article(chars, script)}".replace(". ", " !\n ").replace(" 2025", " 99")
    assert measure(text, other) == 0


@pytest.mark.parametrize("script", SCRIPTS)
def test_most_near_duplicates_of_an_ordinary_page_are_found(script: str) -> None:
    names = [name for name in NEAR if name != "printed"]
    near = [
        measure(one, other) <= MOST_DISTANCE
        for name, one, other in iter_near(1, 6000, script, 12)
        if name in names
    ]
    assert sum(near) / len(near) > 0.6


@pytest.mark.parametrize("script", SCRIPTS)
def test_nearly_all_near_duplicates_of_a_long_page_are_found(script: str) -> None:
    near = [measure(one, other) <= MOST_DISTANCE for _, one, other in iter_near(1, 30_000, script, 3)]
    assert sum(near) / len(near) > 0.85


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("chars", [2000, 5000, 20_000])
def test_different_pages_of_a_site_are_far_apart(script: str, chars: int) -> None:
    least = min(measure(one, other) for _, one, other in iter_different(2, chars, script, 6))
    assert least > MOST_DISTANCE + 2


@pytest.mark.parametrize(
    "text", ["", "short", "a" * 100_000, " " * 10_000, "the same again. " * 1000, "\n" * 9]
)
def test_texts_that_say_little_have_no_hash(text: str) -> None:
    assert simhash(text) is None


def test_the_beginning_stands_for_a_very_long_text() -> None:
    text = str(article(300_000))
    assert simhash(text) == simhash(text + "and more, much more. " * 10_000)


def test_unpaired_surrogates_are_allowed() -> None:
    assert simhash(f"{article()}\ud800") is not None


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 12, 13, 27, 28, 100, 1000])
def test_bits_are_counted(count: int) -> None:
    from tenax.extract.similarity import _count_bits, _find_above

    random = Random(count)
    words = [random.getrandbits(64) for _ in range(count)]
    packed = sum(word << 64 * place for place, word in enumerate(words))
    limit = count // 2
    expected = sum(1 << bit for bit in range(64) if sum(word >> bit & 1 for word in words) > limit)
    assert _find_above(_count_bits(packed, count), limit) == expected


@pytest.mark.parametrize(
    ("one", "other", "bits"),
    [(0, 0, 0), (0, 1, 1), (0, (1 << 64) - 1, 64), (-1, (1 << 64) - 1, 0), (-1, 0, 64), (-1, -2, 1)],
)
def test_the_distance_is_the_same_for_signed_hashes(one: int, other: int, bits: int) -> None:
    assert distance(one, other) == bits
