"""`tenax doctor`: the verdict for a person and for a program."""

import json
from pathlib import Path

from tests.support.command import run_tenax
from tests.support.stores import fill_store


def test_a_person_hears_what_holds_the_crawl_back_and_what_to_do(tmp_path: Path) -> None:
    fill_store(tmp_path / "crawl", is_ended=False)
    ended = run_tenax("doctor", "--data", tmp_path / "crawl")
    sentence, advice = ended.out.splitlines()
    assert sentence.startswith("Nobody works on run 1, with 4 urls in the queue. Since 2025-06-15 ")
    assert advice == "What to do: Start `tenax worker`, or run the same crawl command."


def test_a_program_gets_one_object(data: Path) -> None:
    verdict = json.loads(run_tenax("doctor", "--json", "--data", data).out)
    assert verdict["code"] == "stopped"
    assert verdict["since"].endswith("Z")
