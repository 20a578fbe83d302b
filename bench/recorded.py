"""Ratios of an earlier run in a file: a guard compares those of its own run with them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.document import format_text_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    path: Path
    program: str  # its --record writes the file
    title: str  # which ratios they are
    tolerance: float  # by how much a ratio may exceed the recorded one, relative to it

    def save(self, found: Mapping[str, float]) -> None:
        ratios = {name: round(ratio, 4) for name, ratio in found.items()}
        self.path.write_text(json.dumps(ratios, indent=1) + "\n")
        print(f"Recorded in {self.path.name}: {ratios}")

    def load(self) -> dict[str, float]:
        if not self.path.exists():
            raise SystemExit(f"Nothing is recorded yet. Run `python -m {self.program} --record` first.")
        ratios: dict[str, float] = json.loads(self.path.read_text())
        return ratios

    def judge(self, found: Mapping[str, float]) -> int:
        """Print both ratios of each name; the exit code is 1 if one is worse, or was never recorded."""
        rows = compare(found, self.load(), self.tolerance)
        print(format_text_table((self.title, "recorded", "now", "change", ""), rows))
        return 0 if all(row[-1] == "ok" for row in rows) else 1


def compare(
    found: Mapping[str, float], recorded: Mapping[str, float], tolerance: float
) -> list[tuple[str, ...]]:
    """A row per ratio: its name, the recorded one, the new one, the change, and the verdict."""
    rows: list[tuple[str, ...]] = []
    for name, ratio in found.items():
        if name not in recorded:
            rows.append((name, "–", f"{ratio:.4f}", "–", "not recorded"))
            continue
        change = ratio / recorded[name] - 1
        verdict = "worse" if change > tolerance else "ok"
        rows.append((name, f"{recorded[name]:.4f}", f"{ratio:.4f}", f"{change:+.0%}", verdict))
    return rows
