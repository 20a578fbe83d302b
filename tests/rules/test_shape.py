"""The shape of the code: short functions, short files, folders that can be read at a glance."""

import ast
from pathlib import Path
from statistics import quantiles

SOURCE = Path("src/tenax")
FILE_LINES = 400
FOLDER_FILES = 25
P90_LINES = 20
# One file per noun, found by its name however many there are.
LISTS = {
    SOURCE / "api/routes",
    SOURCE / "cli/commands",
    SOURCE / "stores/queries",
    SOURCE / "stores/schema/migrations/versions",
}


def list_functions() -> list[int]:
    """How many lines each function has."""
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in SOURCE.rglob("*.py")
        if "versions" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_files_are_short() -> None:
    lengths = {str(path): len(path.read_text().splitlines()) for path in SOURCE.rglob("*.py")}
    assert {path: lines for path, lines in lengths.items() if lines > FILE_LINES} == {}


def test_most_functions_are_short() -> None:
    assert quantiles(list_functions(), n=10)[-1] <= P90_LINES


def test_folders_have_few_files() -> None:
    folders = {path.parent for path in SOURCE.rglob("*.py")} - LISTS
    sizes = {str(folder): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: files for folder, files in sizes.items() if files > FOLDER_FILES} == {}


def test_the_architecture_fits_on_a_few_screens() -> None:
    assert len(Path("ARCHITECTURE.md").read_text().splitlines()) <= 150
