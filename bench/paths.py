"""The paths of the benchmark."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
WORK = REPOSITORY / "bench" / "work"
PEERS = REPOSITORY / "bench" / "peers"
DOCUMENT = REPOSITORY / "docs" / "benchmarks.md"
GUARD = REPOSITORY / "bench" / "guard.json"
FEATURES = REPOSITORY / "bench" / "features.json"
SCALE = REPOSITORY / "bench" / "scale.json"
SCALE_GUIDE = REPOSITORY / "docs" / "scale-out.md"
