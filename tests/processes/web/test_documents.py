"""Documents that are made to break their reader."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hostile_documents import DOCUMENTS


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """All hostile documents read in a process of its own: a crash ends that one, not this."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.hostile_documents"],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return dict(line.split("\t") for line in run.stdout.splitlines())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_hostile_document_is_read_or_refused(name: str, answers: dict[str, str]) -> None:
    assert answers.get(name, "crashed").startswith(("read: ", "refused: "))
