"""Imports only go down the layers, and each third-party client is used in one package only."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tenax"
MODULES = sorted(SOURCE.rglob("*.py"))

# package → the rooms (first parts of the path below src/tenax) that may import it
ROOMS = {
    "pycurl": {"fetch"},
    "pycares": {"fetch"},
    "sqlalchemy": {"stores"},
    "alembic": {"stores"},
    "pysqlite3": {"stores"},
    "asyncpg": {"stores"},
    "pyarrow": {"stores"},
    "hiredis": {"coordination"},
    "celery": {"jobs"},
    "kombu": {"jobs"},
    "typer": {"cli"},
    "fastapi": {"api"},
    "starlette": {"api"},
    "uvicorn": {"api"},
    "argon2": {"accounts"},
    "jwt": {"accounts"},
    "rich": {"cli"},
    "pypdfium2": {"extract"},
    "trafilatura": {"extract"},
    "fasttext": {"extract"},
    "selectolax": {"web", "discover", "extract", "items"},
}


def find_imports(module: Path) -> Iterator[str]:
    """The names of all modules it imports, at any depth of its code."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def find_late_imports(module: Path) -> Iterator[str]:
    """Our own modules that a function imports."""
    for function in ast.walk(ast.parse(module.read_text())):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tenax"):
                    yield f"{node.module} in {function.name}"


def room_of(module: Path) -> str:
    return module.relative_to(SOURCE).parts[0]


def test_imports_go_down_the_floors() -> None:
    # In a separate process: it disables the loggers of the process it runs in.
    command: list[str | Path] = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("package", ROOMS)
def test_a_client_is_used_in_its_package_only(package: str) -> None:
    strays = [
        str(module.relative_to(ROOT))
        for module in MODULES
        if room_of(module) not in ROOMS[package]
        and any(name.split(".")[0] == package for name in find_imports(module))
    ]
    assert strays == []


def test_no_import_is_for_the_type_checker_alone() -> None:
    assert [str(module) for module in MODULES if "TYPE_CHECKING" in module.read_text()] == []


def test_our_own_code_is_imported_at_the_top() -> None:
    assert [f"{module}: {late}" for module in MODULES for late in find_late_imports(module)] == []


def test_a_crawl_starts_without_the_modules_of_reports_and_servers() -> None:
    """Each of them would cost every start a tenth of a second or more."""
    heavy = ("sqlalchemy", "fastapi", "starlette", "uvicorn", "argon2", "jwt", "asyncpg", "celery")
    modules = "tenax.cli.commands.crawl, tenax.stores.postgres.backend, tenax.stores.sqlite.backend"
    code = f"import sys, {modules}; print([name for name in {heavy!r} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
