"""Class names are unique: a reader who finds a class has found the only one."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path("src/tenax")
# Schemas of the API have the name of the class that they represent.
API = SOURCE / "api"


def iter_classes(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef) and not (path.is_relative_to(API) and is_schema(node)):
            yield node.name


def is_schema(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id in SCHEMAS for base in node.bases)


def find_schemas() -> set[str]:
    """The names of all models, however far down they inherit from it."""
    parents: dict[str, set[str]] = defaultdict(set)
    for path in API.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                parents[node.name] |= {base.id for base in node.bases if isinstance(base, ast.Name)}
    known = {"BaseModel"}
    while more := {name for name, bases in parents.items() if bases & known} - known:
        known |= more
    return known


SCHEMAS = find_schemas()


def test_class_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for name in iter_classes(path):
            places[name].append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_schemas_are_known_by_what_they_inherit_from() -> None:
    assert {"Schema", "Job", "User", "NewUrls"} <= SCHEMAS
    assert "Server" not in SCHEMAS
