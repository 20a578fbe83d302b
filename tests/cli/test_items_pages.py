"""The examples of docs/items.md and docs/errors.md, run exactly as written."""

import asyncio
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import COMMAND
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.stores import SHOP, fill_store

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("items.md", ["product boat", "price: 10 → 12.5"]),
        ("errors.md", ["2 × handler: KeyError", "Traceback"]),
    ],
)
def test_every_example_works(page: str, told: list[str], tmp_path: Path) -> None:
    fill_store(tmp_path / "crawl")

    def add(connection: Any) -> None:
        rows = ItemRows(connection, find_source(connection, "shop.example"), run_id=1, start=1.76e9)
        add_shop(rows, f"{SHOP}/", f"{SHOP}/a")

    asyncio.run(write_store(Place(folder=tmp_path / "crawl"), add))
    examples = re.findall(r"^```bash\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", "\n".join(examples)],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for words in told:
        assert words in ended.stdout
