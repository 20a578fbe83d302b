"""The parser compared with a literal implementation of the standard's state machine."""

import time

import pytest

from tenax.discover.srcset import LONGEST_REMEMBERED, find_largest


@pytest.mark.parametrize("piece", ["a 1x,", "a ", ",", "(", "a (", "a ((()", "a\t\n", "a 1w 1w "])
def test_a_long_srcset_takes_time_in_proportion(piece: str) -> None:
    srcset = (piece * 400_000)[:400_000]
    assert len(srcset) > LONGEST_REMEMBERED
    began = time.process_time()
    find_largest(srcset)
    assert time.process_time() - began < 3
