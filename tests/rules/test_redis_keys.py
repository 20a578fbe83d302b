"""docs/redis.md lists the keys that the code uses."""

import re
from pathlib import Path

from tenax.coordination.keys import KEYS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "redis.md"
UNITS = {"h": 3600, "min": 60}


def read_table() -> dict[str, tuple[str, int]]:
    """Pattern → type and seconds."""
    rows = re.findall(r"^\| `(tenax:[^`]+)` \| (\w+) \| (\d+) (h|min)[ |]", DOCS.read_text(), re.MULTILINE)
    return {pattern: (kind, int(number) * UNITS[unit]) for pattern, kind, number, unit in rows}


def test_the_table_of_keys_matches_the_code() -> None:
    assert read_table() == {key.pattern: (key.kind, key.ttl_s) for key in KEYS}
