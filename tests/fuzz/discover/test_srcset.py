"""The parser compared with a literal implementation of the standard's state machine."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from tenax.discover.srcset import NO_SIZE, find_largest

SPACE = " \t\n\f\r"


def split_by_the_book(srcset: str) -> list[tuple[str, list[str]]]:
    """https://html.spec.whatwg.org/#parse-a-srcset-attribute, steps 1 to 11."""
    candidates: list[tuple[str, list[str]]] = []
    at, end = 0, len(srcset)
    while True:
        while at < end and srcset[at] in SPACE + ",":
            at += 1
        if at == end:
            return candidates
        start = at
        while at < end and srcset[at] not in SPACE:
            at += 1
        url = srcset[start:at]
        descriptors: list[str] = []
        if url.endswith(","):
            candidates.append((url.rstrip(","), descriptors))
            continue
        current, is_inside = "", False
        while at < end:
            each = srcset[at]
            at += 1
            if is_inside or each == "(":
                current += each
                is_inside = each != ")"
            elif each in SPACE:
                descriptors += [current] if current else []
                current = ""
            elif each == ",":
                break
            else:
                current += each
        candidates.append((url, descriptors + ([current] if current else [])))


def measure_by_the_book(descriptors: list[str]) -> tuple[int, float] | None:
    width = density = height = None
    for each in descriptors:
        if re.fullmatch(r"[0-9]+w", each):
            if width is not None or density is not None or int(each[:-1]) == 0:
                return None
            width = int(each[:-1])
        elif re.fullmatch(r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?x", each):
            if width is not None or density is not None or height is not None or float(each[:-1]) < 0:
                return None
            density = float(each[:-1])
        elif re.fullmatch(r"[0-9]+h", each):
            if height is not None or density is not None or int(each[:-1]) == 0:
                return None
            height = int(each[:-1])
        else:
            return None
    if height is not None and width is None:
        return None
    return (width, 0.0) if width is not None else (0, 1.0 if density is None else density)


def find_by_the_book(srcset: str) -> tuple[str, tuple[int, float]]:
    best, largest = "", NO_SIZE
    for url, descriptors in split_by_the_book(srcset):
        size = measure_by_the_book(descriptors)
        if size is not None and size > largest:
            best, largest = url, size
    return best, largest


pieces = st.sampled_from(
    ["a.jpg", "/b,c.png", "data:image/gif;base64,R0l", ",", ", ", " ", "\n", "\t", "\x0c", "\xa0", "(", ")",
     "( a, b )", "1x", "2x", "1.5x", ".5x", "-1x", "1e2x", "x", "0w", "320w", "640w", "640W", "480h", "w",
     "1y"]
)  # fmt: skip


@given(st.lists(pieces, max_size=25).map("".join))
def test_candidates_are_found_as_the_standard_finds_them(srcset: str) -> None:
    assert find_largest(srcset) == find_by_the_book(srcset)


@given(st.text(max_size=60))
def test_no_text_breaks_it(srcset: str) -> None:
    url, (width, density) = find_largest(srcset)
    assert url in srcset
    assert math.isfinite(density)
    assert (width >= 0) == bool(url)
