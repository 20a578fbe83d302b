"""Messages are plain text: no Markdown, no double periods."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import tenax
from tenax.errors import TenaxError

SOURCE = Path("src/tenax")
# Read as Markdown: in OpenAPI, and in docs/ by way of the references. --help drops the marks.
MARKDOWN_ARGUMENTS = {"description", "summary", "kinds", "help"}
MARKDOWN_FILES = {SOURCE / "cli/reference.py", SOURCE / "api/app.py"}
_MARKED = re.compile(r"`[^`]+`")
_STOPPED_TWICE = re.compile(r"\{(?:error|[a-z_.]*(?:detail|reason|trouble))\}\.(?!\w)")

FILES = sorted(SOURCE.rglob("*.py"))


def iter_texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings and f-strings that are no docstrings and no Markdown, with their lines."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword) and child.arg in MARKDOWN_ARGUMENTS:
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.JoinedStr | ast.Constant):
            parts = child.values if isinstance(child, ast.JoinedStr) else [child]
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            yield child.lineno, text
        else:
            yield from iter_texts(child)


def test_no_message_shows_backticks() -> None:
    marked = [
        f"{path}:{line}: {text}"
        for path in FILES
        if path not in MARKDOWN_FILES
        for line, text in iter_texts(ast.parse(path.read_text()))
        if _MARKED.search(text)
    ]
    assert "\n".join(marked) == ""


def iter_errors(kind: type[TenaxError] = TenaxError) -> Iterator[type[TenaxError]]:
    for each in kind.__subclasses__():
        yield each
        yield from iter_errors(each)


def test_no_error_shows_backticks() -> None:
    """The docstring of an error is what it says by default."""
    for module in walk_packages(tenax.__path__, "tenax."):
        if ".migrations" not in module.name:
            import_module(module.name)
    assert [each.__name__ for each in iter_errors() if _MARKED.search(each.__doc__ or "")] == []


def test_foreign_messages_get_a_period_only_if_they_have_none() -> None:
    doubled = [
        f"{path}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _STOPPED_TWICE.search(line)
    ]
    assert doubled == [], "as_sentence of tenax.wording"


@pytest.mark.parametrize("text", ["f'see `{x}`'", "raise E('run `tenax`')"])
def test_backticks_would_be_found(text: str) -> None:
    assert any(_MARKED.search(found) for _, found in iter_texts(ast.parse(text)))
