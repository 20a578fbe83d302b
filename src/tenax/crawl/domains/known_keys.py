"""The keys of a leased domain's urls, compact in memory. Most links of a page are dismissed by them."""

from array import array
from bisect import bisect_left
from collections.abc import Set as AbstractSet

KEY_BYTES = 8
FRESH_KEY_BYTES = 100  # an integer of 64 bits and its place in a set
_FEW = 512
_SHARE = 32


class KnownKeys:
    """The keys in the store, in ascending order, and those that were found since.

    A sorted array takes 8 bytes per key where a set takes 100. A look into it costs 0.3 µs more, which
    building a set of all keys would cost too, at 20 pages per lease. A few keys are kept as a set.
    """

    __slots__ = ("_fresh", "_stored")

    def __init__(self, stored: "array[int]") -> None:
        is_small = 2 * len(stored) <= _FEW
        self._stored = array("q") if is_small else stored
        self._fresh = set(stored) if is_small else set()

    def find_new(self, keys: AbstractSet[int]) -> list[int]:
        """The keys that are not known, in any order."""
        candidates = keys - self._fresh
        stored, end = self._stored, len(self._stored)
        if not end:
            return list(candidates)
        new = []
        for key in candidates:
            at = bisect_left(stored, key)
            if at == end or stored[at] != key:
                new.append(key)
        return new

    def add(self, key: int) -> None:
        self._fresh.add(key)
        if len(self._fresh) > _FEW + len(self._stored) // _SHARE:
            self._merge()

    @property
    def weight_bytes(self) -> int:
        return KEY_BYTES * len(self._stored) + FRESH_KEY_BYTES * len(self._fresh)

    def _merge(self) -> None:
        """Slice by slice: a list of all keys would briefly take seven times their memory."""
        merged = array("q")
        start = 0
        for key in sorted(self._fresh):
            at = bisect_left(self._stored, key, start)
            merged += self._stored[start:at]
            if at == len(self._stored) or self._stored[at] != key:
                merged.append(key)
            start = at
        merged += self._stored[start:]
        self._stored = merged
        self._fresh = set()
