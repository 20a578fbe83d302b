import time

import pytest

from tenax.extract.similarity import simhash


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 10_000_000, id="one word"),
        pytest.param("d" * 10_000_000, id="only cuts"),
        pytest.param(" " * 10_000_000, id="only spaces"),
        pytest.param("\n" * 10_000_000, id="only lines"),
        pytest.param("word " * 2_000_000, id="one line"),
        pytest.param("абвгд" * 2_000_000, id="another script"),
        pytest.param("".join(map(chr, range(0x4E00, 0x9000))) * 600, id="every character"),
    ],
)
def test_hostile_texts_take_a_moment(text: str) -> None:
    began = time.process_time()
    simhash(text)
    assert time.process_time() - began < 0.5
