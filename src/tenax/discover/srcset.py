"""Parses srcset attributes: https://html.spec.whatwg.org/#parsing-a-srcset-attribute"""

import re
from functools import lru_cache

_S = r" \t\n\f\r"
# A url and, in most cases, its width.
_take_candidate = re.compile(rf"[{_S},]*([^{_S}]+)(?:[{_S}]+([0-9]{{1,9}})w[{_S}]*(?:,|\Z))?").match
# Up to a comma outside parentheses.
_take_descriptors = re.compile(r"((?:[^,(]++|\([^)]*+\)?+)*+),?").match
_list_words = re.compile(rf"[^{_S}]+").findall
_is_width = re.compile(r"[0-9]{1,9}w").fullmatch
_is_height = re.compile(r"[0-9]{1,9}h").fullmatch
_is_density = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})(?:[eE][+-]?[0-9]{1,2})?x").fullmatch

# Width, then density: if some candidates have one and some the other, widths are more useful.
Size = tuple[int, float]
NO_SIZE: Size = (-1, 0.0)
_NORMAL: Size = (0, 1.0)

LONGEST_REMEMBERED = 1_000
REMEMBERED = 2_000  # of a few hundred characters each


def find_largest(srcset: str) -> tuple[str, Size]:
    """Find the largest candidate as written, the first among equals; "" and NO_SIZE if there is none."""
    return _remember_largest(srcset) if len(srcset) <= LONGEST_REMEMBERED else _find_largest(srcset)


def _find_largest(srcset: str) -> tuple[str, Size]:
    best, largest, at = "", NO_SIZE, 0
    while (found := _take_candidate(srcset, at)) is not None:
        url, width = found.groups()
        size: Size | None = _NORMAL
        if url[-1] == ",":
            at = found.end(1)
            url = url.rstrip(",")
        elif width is not None:
            at = found.end()
            size = (int(width), 0.0) if int(width) else None
        elif (rest := _take_descriptors(srcset, found.end(1))) is not None:
            at = rest.end()
            size = _measure(_list_words(rest[1]))
        if size is not None and url and size > largest:
            best, largest = url, size
    return best, largest


# A site repeats its images on many pages, like its links.
_remember_largest = lru_cache(REMEMBERED)(_find_largest)


def _measure(descriptors: list[str]) -> Size | None:
    """None: they are invalid, so the candidate is ignored."""
    widths = [int(each[:-1]) for each in descriptors if _is_width(each)]
    heights = [int(each[:-1]) for each in descriptors if _is_height(each)]
    densities = [float(each[:-1]) for each in descriptors if _is_density(each)]
    is_known = len(widths) + len(heights) + len(densities) == len(descriptors)
    match is_known, widths, heights, densities:
        case True, [], [], []:
            return _NORMAL
        case True, [], [], [density]:
            return 0, density
        case True, [width], [] | [_], [] if width and 0 not in heights:
            return width, 0.0
    return None
