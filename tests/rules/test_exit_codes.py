"""The table of exit codes in the documentation is that of the program."""

import re
from pathlib import Path

from tenax import errors
from tenax.errors import TenaxError
from tenax.exits import REPLACED, Exit, describe_exit, find_exit

ROOT = Path(__file__).resolve().parents[2]


def test_every_exit_code_is_documented_and_no_other() -> None:
    rows = re.findall(r"^\| (\d+) \| ([A-Z]+) \|", (ROOT / "docs/exit-codes.md").read_text(), re.M)
    assert {name: int(code) for code, name in rows} == {each.name: each.value for each in Exit}


def test_every_error_has_an_exit_code() -> None:
    kinds = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, TenaxError)
    ]
    codes = {kind: find_exit(kind.__new__(kind)) for kind in kinds if kind is not errors.WorkerError}
    assert codes[errors.StoreGivenUp] is Exit.STORE
    assert codes[errors.InternalError] is Exit.INTERNAL
    assert codes[errors.MemoryExceeded] is Exit.MEMORY
    assert codes[errors.ConfigError] is codes[errors.UsageError] is Exit.USAGE


def test_an_error_of_a_worker_keeps_its_code() -> None:
    assert find_exit(errors.WorkerError("it died", exit_code=Exit.MEMORY)) is Exit.MEMORY


def test_a_code_of_a_worker_that_is_replaced_says_why() -> None:
    assert all(":" in describe_exit(code) for code in REPLACED)
    assert describe_exit(137) == "exit code 137"
