"""Checks that a release is complete, for `make dist`: `python -m tools.check_dist FOLDER`."""

import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

# Files that are not imported, by the ends of their paths.
NEEDED = (
    "tenax/api/static/index.html",
    "tenax/api/static/.manifest.json",
    "tenax/stores/sqlite/schema/schema.sql",
    "tenax/py.typed",
    "LICENSE",
)


def find_lacks(names: Iterable[str]) -> list[str]:
    """List what is missing in a wheel or an sdist."""
    found = list(names)
    return [needed for needed in NEEDED if not any(name.endswith(needed) for name in found)]


def list_names(archive: Path) -> list[str]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sdist:
        return sdist.getnames()


def main(folder: Path) -> int:
    archives = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    lacks = [f"{each.name} lacks {lack}." for each in archives for lack in find_lacks(list_names(each))]
    if len(archives) != 2:
        lacks.append(f"{folder} should contain one wheel and one sdist, but has {len(archives)} archives.")
    print("\n".join(lacks) or "Wheel and sdist are complete, including the dashboard.")
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
