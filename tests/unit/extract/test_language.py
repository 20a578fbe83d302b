"""The language of a text, from a model of this machine."""

import time

import pytest

from tenax.extract.language import detect_language

TEXTS = {
    "en": "The ferry between the two islands returns on Monday after a year of repairs.",
    "de": "Die Fähre zwischen den beiden Inseln fährt ab Montag wieder, wie das Hafenamt mitteilte.",
    "pl": "Prom między dwiema wyspami wraca w poniedziałek po roku napraw, podało biuro portu.",
    "ja": "二つの島を結ぶ渡し船は、一年間の修理を終えて月曜日に運航を再開する。",
    "ru": "Паром между двумя островами возвращается в понедельник после года ремонта.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_has_a_language(language: str) -> None:
    assert detect_language(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "OK", "   \n ", "\x00\ud800 \ufffd", "1 2 3"])
def test_too_little_says_nothing(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    "text", ["a" * 5_000_000, "\ud800" * 100_000, "__label__de " * 100_000, "\n\0" * 10**6]
)
def test_a_hostile_text_takes_little_time(text: str) -> None:
    started_s = time.process_time()
    detect_language(text)
    assert time.process_time() - started_s < 2
