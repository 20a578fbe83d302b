"""SimHash: 64 bits of a text, of which texts that are nearly the same differ in few. Pure.

The features of a text are the letters before each cut, without digits, spaces and punctuation: dates,
counters and prices change nothing. A cut is at every occurrence of certain letters, so a change touches only
the features around it. Each bit of the result is what most hashes of the features have there.

Words as features take four times as long. Counting how often each one occurs would make all long texts of a
language alike (docs/decisions/0069-near-duplicates.md).
"""

from operator import itemgetter
from typing import Final

from xxhash import xxh3_64_digest

MOST_DISTANCE = 3  # up to which one of four bands of 16 bits is equal
# Texts of fewer characters are cut more often, so that there are enough features.
_SHORT_CHARS: Final = 2000
_MEDIUM_CHARS: Final = 4000
# The beginning stands for longer texts.
_MOST_CHARS: Final = 1 << 18
# Texts with fewer distinct features repeat themselves, or are hardly texts.
_LEAST_FEATURES: Final = 12

_BITS: Final = 64
_ALL: Final = (1 << _BITS) - 1
_CUT: Final = b"\0"
_DROPPED: Final = bytes(code for code in range(128) if not chr(code).isalpha())
# Shorter ones are common to different texts; longer ones are touched by more changes.
_take_feature = itemgetter(slice(-8, None))


def _build_table(cuts: bytes, others: str) -> bytes:
    """For `bytes.translate`: lower case, with cuts for these letters and, in hexadecimal, for these bytes."""
    table = bytearray(range(256)).lower()
    for code in cuts + cuts.upper() + bytes.fromhex(others):
        table[code] = 0
    return bytes(table)


# The other bytes end letters of other scripts in UTF-8. None is in every letter of a script: its texts would
# be cut into single letters.
_SHORT_TABLE: Final = _build_table(b"dm", "85 87 8c 8f 9c bf")
_MEDIUM_TABLE: Final = _build_table(b"m", "85 87 8c 8f 9c bf")
_TABLE: Final = _build_table(b"b", "87 9c bf")


def simhash(text: str) -> int | None:
    """Hash to 64 bits, unsigned. None: the text has too few features to be compared."""
    letters = text[:_MOST_CHARS].encode("utf-8", "replace").translate(_find_table(len(text)), _DROPPED)
    pieces = letters.split(_CUT)
    del pieces[-1]  # no cut follows it
    features = set(map(_take_feature, pieces))
    if len(features) < _LEAST_FEATURES:
        return None
    digests = b"".join(map(xxh3_64_digest, features))
    return _find_above(_count_bits(int.from_bytes(digests, "little"), len(features)), len(features) // 2)


def _find_table(chars: int) -> bytes:
    if chars >= _MEDIUM_CHARS:
        return _TABLE
    return _SHORT_TABLE if chars < _SHORT_CHARS else _MEDIUM_TABLE


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ, signed or not."""
    return ((one ^ other) & _ALL).bit_count()


def _count_bits(words: int, count: int) -> list[int]:
    """Count each of the 64 bits in the words of one large integer. Returns the counts in binary: for each
    digit, the lowest first, an integer with this digit of all 64 counts.

    These are full adders, as in hardware, for all words at once: each turns three words into one and a
    carry. 150 words take 11 µs; in a loop over words and bits, 700.
    """
    digits: list[int] = []
    while count:
        carries, carried = 0, 0
        while count > 1:
            count = (count + 2) // 3
            width = _BITS * count
            mask = (1 << width) - 1
            one, two, three = words & mask, words >> width & mask, words >> 2 * width
            either = one ^ two
            carries |= (one & two | either & three) << _BITS * carried
            carried += count
            words = either ^ three
        digits.append(words)
        words, count = carries, carried
    return digits


def _find_above(digits: list[int], limit: int) -> int:
    """The bits whose count is above the limit."""
    above, equal = 0, _ALL
    for place in range(len(digits) - 1, -1, -1):
        digit = digits[place]
        if limit >> place & 1:
            equal &= digit
        else:
            above |= equal & digit
            equal &= ~digit
    return above
