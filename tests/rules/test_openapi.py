"""The OpenAPI document is complete, and operation names do not change by accident."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis

from tenax.api.app import new_app
from tests.support.routes import list_routes

OPERATIONS = Path(__file__).with_name("operations.txt")
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return new_app().openapi()


def iter_operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def find_body(operation: dict[str, Any]) -> dict[str, Any] | None:
    body: dict[str, Any] | None = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return body


def test_it_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(document).validate()


def test_every_route_is_in_it(document: dict[str, Any]) -> None:
    assert {name for name, _ in iter_operations(document)} == {str(route) for route in list_routes()}


def test_operation_names_do_not_change(document: dict[str, Any]) -> None:
    # Changing existing lines of this file breaks clients. Only add lines.
    expected = OPERATIONS.read_text().splitlines()
    assert sorted(f"{each['operationId']} {name}" for name, each in iter_operations(document)) == expected


def test_operation_names_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in iter_operations(document)]
    assert len(names) == len(set(names))


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    bare = [
        name
        for name, operation in iter_operations(document)
        if not (operation.get("summary") and operation.get("description") and operation.get("tags"))
    ]
    assert bare == []


def test_every_parameter_is_described(document: dict[str, Any]) -> None:
    bare = [
        f"{name} {parameter['name']}"
        for name, operation in iter_operations(document)
        for parameter in operation.get("parameters", ())
        if not parameter.get("description")
    ]
    assert bare == []


def test_every_operation_lists_its_problems(document: dict[str, Any]) -> None:
    loose = [
        f"{name} {status}"
        for name, operation in iter_operations(document)
        for status, response in operation["responses"].items()
        if status.startswith(("4", "5")) and PROBLEM not in response["content"]
    ]
    assert loose == []
    assert all({"422", "503"} <= operation["responses"].keys() for _, operation in iter_operations(document))


def test_every_body_has_an_example(document: dict[str, Any]) -> None:
    bare = []
    for name, operation in iter_operations(document):
        body = find_body(operation)
        if body is None:
            continue
        schema = document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
        required = schema.get("required", schema["properties"])
        if not schema.get("examples") and any(
            "examples" not in schema["properties"][field] for field in required
        ):
            bare.append(name)
    assert bare == []


def test_problems_are_described_once_and_nowhere_else(document: dict[str, Any]) -> None:
    # The library adds its own type of error, which is never used here.
    assert "HTTPValidationError" not in document["components"]["schemas"]
