"""What a store holds, as its users see it: through the commands of this version."""

import json
from pathlib import Path
from typing import Any

from tests.support.command import run_tenax

STORES = Path(__file__).with_name("stores")
KEY = "YSBrZXkgb2YgdGhlIHVwZ3JhZGUgdGVzdHMgb25seSE="  # seals the secrets of the stores
EXPORTS = ("pages", "urls", "visits", "links", "images", "placements")

Row = dict[str, Any]
Stored = dict[str, Any]  # export → rows; "sources" → YAML; "users" → names


def read_stored(*place: str) -> Stored:
    exports = {name: read_rows("export", name, *place) for name in EXPORTS}
    sources = ask("sources", "export", "--with-headers", *place)
    users = [row["name"] for row in read_rows("users", "--json", *place)]
    return {**exports, "sources": sources, "users": users}


def read_rows(*arguments: str) -> list[Row]:
    return [json.loads(line) for line in ask(*arguments).splitlines()]


def ask(*arguments: str) -> str:
    ended = run_tenax(*arguments)
    assert ended.code == 0, ended.err
    return ended.out
